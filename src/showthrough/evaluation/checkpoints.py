"""Saves what is done, often enough that no more than a minute of it is lost, and takes it up again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from showthrough.data.references import REFERENCES
from showthrough.errors import OutputError
from showthrough.evaluation.chunks import Answer, Cell
from showthrough.evaluation.gathered import Gathered, Part, free_of, masks_of, rows_of
from showthrough.evaluation.mask_notices import MaskCounts
from showthrough.files.growing import GrowingFile
from showthrough.metrics import Rows
from showthrough.run.documents import Spans
from showthrough.run.file import encoded
from showthrough.run.journal import TITLE, Entry, Head
from showthrough.run.records import Columns, Evidence, Failure, columns_of
from showthrough.run.run import WITHOUT_TEXT, Run

EVERY = 30.0  # seconds; with the chunk that is under way, which takes some ten, that stays below a minute
_WORTH = 5.0  # seconds of work that are worth a file: most evaluations are done before, and need none


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
        self._saved = 0  # answers
        self._failed: set[str] = set()  # metrics whose failure is saved

    def start(self, run: Run, kept_by: str, ranking: Sequence[str]) -> None:
        """What is evaluated: a run that has no rows yet, and metrics beside it that only rank its documents."""
        self._run, self._kept_by, self._ranking = run, kept_by, ranking

    def save_if_due(self, gathered: Gathered) -> None:
        if self._clock() - self._last >= EVERY:
            self.save(gathered)

    def save_before_long_work(self, gathered: Gathered) -> None:
        """What comes next may take hours, and cannot be saved before it is done."""
        if self._clock() - self._last >= _WORTH:
            self.save(gathered)

    def save(self, gathered: Gathered) -> None:
        """Writes what is new, if anything is: when this returns it is on disk, or `fault` says why not."""
        try:
            if not self._file.begun:
                self._saved, self._failed = 0, set()
                head = encoded(Head(self._kept(self._run), self._kept_by), self.path)
                self._file.begin(head, self._entry(gathered))
            elif len(gathered.parts) > self._saved or gathered.failures.keys() != self._failed:
                self._file.add(self._entry(gathered))
        except OutputError as error:
            if not self.fault:
                self._told(str(error))
            self.fault = str(error)
        else:
            self.fault = ""
            self._saved, self._failed = len(gathered.parts), set(gathered.failures)
        self._last = self._clock()

    def remove(self) -> None:
        """The run is complete, and its file holds everything. Raises OutputError."""
        self._file.remove()

    def close(self) -> None:
        """What is saved stays, for whoever resumes."""
        self._file.close()

    def _entry(self, gathered: Gathered) -> bytes:
        new = gathered.parts[self._saved :]
        rows: dict[str, dict[str, Columns]] = {}
        evidence: dict[str, dict[str, dict[str, Evidence]]] = {}
        risks: list[dict[str, Columns]] = [{} for _ in self._ranking]
        for (text, name), tables in rows_of(new).items():
            table = Rows.joined(tables)
            if text in self._ranking:
                risks[self._ranking.index(text)][name] = columns_of(table)
                continue
            try:
                seen = msgspec.convert(dict(table.evidence), dict[str, Evidence])
            except msgspec.ValidationError:  # a guest's, which fails in the end: nothing of it is kept
                continue
            rows.setdefault(text, {})[name] = columns_of(table)
            if seen and name not in REFERENCES:
                evidence.setdefault(text, {})[name] = seen
        failures = [Failure(text, why) for text, why in gathered.failures.items() if text not in self._failed]
        kept = self._kept(replace(self._run, rows=rows, evidence=evidence, failures=failures))
        # Where words stand is of no use without the text, and is found again where there is one.
        wordless = bool(kept.provenance.get(WITHOUT_TEXT))
        names = dict.fromkeys(name for part in new for name in part.answer.masks)
        entry = Entry(
            first=self._saved,
            documents=gathered.done,
            looked=gathered.looked,
            rows=kept.rows,
            evidence=kept.evidence,
            failures=kept.failures,
            masks={name: masks_of(new, name) for name in names},
            free=None if wordless else free_of(new),
            risks=risks,
        )
        return encoded(entry, self.path)


def earlier_part(rows: Mapping[Cell, Rows], done: int, looks: Iterable[Entry] | None, ranking: Sequence[str]) -> Part:
    """What an earlier run brings: its rows; and what a run does not keep, where its journal has that."""
    free: list[Spans] | None = []
    masks: dict[str, list[MaskCounts]] = {}
    tables: dict[Cell, list[Rows]] = {cell: [table] for cell, table in rows.items()}
    looked = 0
    for entry in looks or ():
        for name, counts in entry.masks.items():
            masks.setdefault(name, []).append(MaskCounts(*counts))
        free = None if free is None or entry.free is None else free + entry.free
        for text, by_name in zip(ranking, entry.risks, strict=False):
            for name, columns in by_name.items():
                tables.setdefault((text, name), []).append(Rows.named(columns, entry.looked - looked))
        looked = entry.looked
    answer = Answer(
        rows={cell: Rows.joined(each) for cell, each in tables.items()},
        masks={name: MaskCounts.summed(each) for name, each in masks.items()},
        free=free if free is not None and len(free) == looked else None,
    )
    return Part(answer, done, looked)
