"""Saves what is done, often enough that no more than a minute of it is lost, and takes it up again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from showthrough.errors import OutputError
from showthrough.evaluation.chunks import Cell
from showthrough.evaluation.gathered import Gathered
from showthrough.evaluation.mask_notices import MaskCounts
from showthrough.files.growing import GrowingFile
from showthrough.metrics import Rows
from showthrough.run.file import encoded
from showthrough.run.journal import TITLE, Entry, Head, Journal
from showthrough.run.records import Columns, Evidence, Failure, columns_of
from showthrough.run.run import WITHOUT_TEXT, Run

EVERY = 30.0  # seconds; with the chunk that is under way, which takes some ten, that stays below a minute


class _Mark(NamedTuple):
    """How far something was gathered."""

    done: int
    looked: int
    free: int
    rows: dict[Cell, int]
    masks: dict[str, int]
    failures: frozenset[str]

    @classmethod
    def of(cls, gathered: Gathered) -> _Mark:
        rows = {cell: len(parts) for cell, parts in gathered.rows.items()}
        masks = {name: len(parts) for name, parts in gathered.masks.items()}
        free = len(gathered.free or ())
        return cls(gathered.done, gathered.looked, free, rows, masks, frozenset(gathered.failures))


class Checkpoints:
    """The journal of one evaluation, written as it goes on.

    Each save appends what came since the last, so that all of them together cost what the rows cost once. `kept` says
    what of a run may be written. Where a save fails the evaluation goes on: `told` hears why, and the next tries again.
    """

    def __init__(
        self,
        path: Path,
        kept: Callable[[Run], Run] = lambda run: run,
        told: Callable[[str], None] = lambda fault: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.fault = ""  # why the last save failed
        self._file = GrowingFile(path, TITLE)
        self._kept, self._told, self._clock = kept, told, clock
        self._last = clock()
        self._mark = _Mark.of(Gathered())

    def start(self, run: Run, kept_by: str, ranking: Sequence[str]) -> None:
        """What is evaluated: a run that has no rows yet, and metrics beside it that only rank its documents."""
        self._run, self._kept_by, self._ranking = run, kept_by, ranking

    def save_if_due(self, gathered: Gathered) -> None:
        if self._clock() - self._last >= EVERY:
            self.save(gathered)

    def save(self, gathered: Gathered) -> None:
        """Writes what is new, if anything is: when this returns it is on disk, or `fault` says why not."""
        try:
            if not self._file.begun:
                self._mark = _Mark.of(Gathered())
                self._file.begin(self._encoded(Head(self._kept(self._run), self._kept_by)), self._entry(gathered))
            elif _Mark.of(gathered) != self._mark:
                self._file.add(self._entry(gathered))
        except OutputError as error:
            if not self.fault:
                self._told(str(error))
            self.fault = str(error)
        else:
            self.fault = ""
            self._mark = _Mark.of(gathered)
        self._last = self._clock()

    def remove(self) -> None:
        """The run is complete, and its file holds everything. Raises OutputError."""
        self._file.remove()

    def close(self) -> None:
        """What is saved stays, for whoever resumes."""
        self._file.close()

    def _entry(self, gathered: Gathered) -> bytes:
        mark = self._mark
        rows: dict[str, dict[str, Columns]] = {}
        evidence: dict[str, dict[str, dict[str, Evidence]]] = {}
        risks: list[dict[str, Columns]] = [{} for _ in self._ranking]
        for (text, name), parts in gathered.rows.items():
            new = Rows.joined(parts[mark.rows.get((text, name), 0) :])
            if text in self._ranking:
                risks[self._ranking.index(text)][name] = columns_of(new)
            elif len(new.values):
                try:
                    seen = msgspec.convert(dict(new.evidence), dict[str, Evidence])
                except msgspec.ValidationError:  # a guest's, which fails in the end: nothing of it is kept
                    continue
                rows.setdefault(text, {})[name] = columns_of(new)
                evidence.setdefault(text, {})[name] = seen
        failures = [Failure(text, why) for text, why in gathered.failures.items() if text not in mark.failures]
        kept = self._kept(replace(self._run, rows=rows, evidence=evidence, failures=failures))
        # Where words stand is of no use without the text, and is found again where there is one.
        wordless = bool(kept.provenance.get(WITHOUT_TEXT))
        entry = Entry(
            documents=gathered.done,
            looked=gathered.looked,
            rows=kept.rows,
            evidence=kept.evidence,
            failures=kept.failures,
            masks={name: MaskCounts.summed(parts[mark.masks.get(name, 0) :]) for name, parts in gathered.masks.items()},
            free=None if wordless or gathered.free is None else gathered.free[mark.free :],
            risks=risks,
        )
        return self._encoded(entry)

    def _encoded(self, value: msgspec.Struct) -> bytes:
        return encoded(value, self.path)


def take_looks(gathered: Gathered, journal: Journal, kept_by: str, ranking: Sequence[str]) -> None:
    """What a run does not keep, from its journal: nothing where it was found out for another purpose."""
    if journal.head.kept_by != kept_by:
        return
    for entry in journal.entries:
        new = entry.looked - gathered.looked
        if new < 0 or len(entry.risks) != len(ranking) or (entry.free is not None and len(entry.free) not in (0, new)):
            return
        for name, counts in entry.masks.items():
            gathered.masks.setdefault(name, []).append(MaskCounts(*counts))
        gathered.free = None if gathered.free is None or entry.free is None else gathered.free + entry.free
        for text, by_name in zip(ranking, entry.risks, strict=True):
            for name, columns in by_name.items():
                gathered.rows.setdefault((text, name), []).append(Rows.named(columns, new))
        gathered.looked = entry.looked
