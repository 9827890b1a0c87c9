"""The journal of a run that is not finished: what is done, appended as it is done.

It is beside the run file (`run.json.part`), because a run file is there only when the run is complete, and one that
stands there already is replaced by nothing less. Whoever is killed leaves it, and `--resume` goes on from it. It grows
by what is new: to save a run of a million documents, nobody writes the first of them again and again. Entries are about
any documents, in any order, and are read one at a time.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import InputError, Problem
from showthrough.metrics import Rows
from showthrough.metrics.base import beyond
from showthrough.run.documents import Spans
from showthrough.run.records import Columns, Evidence, Failure, columns_of
from showthrough.run.run import Run
from showthrough.storage.append_log import ByteRange, DamagedError, pieces_in
from showthrough.storage.columns.ranges import RangeSet
from showthrough.storage.columns.tables import KINDS, narrowest
from showthrough.storage.reading import decode_json, decoder_of, open_file, reading

TITLE = b"showthrough unfinished run 2"
LARGE = 20_000  # documents above which rows are held in files and not in memory
_ANY = b"showthrough unfinished run "
_SUFFIX = ".part"
_FAULT = "is not the journal of an unfinished run, or is damaged; --force starts afresh"
_IDS = 4096  # that are taken into a digest at a time


class JournalHead(msgspec.Struct, frozen=True):
    """What is evaluated. The run has no rows; and of a large corpus no ids, which the digest of their order stands for.

    `key` is a digest of all that numbers depend on: the documents and what is asked of them.
    """

    run: Run
    documents: int
    order: str
    key: str


class PackedRows(msgspec.Struct, frozen=True, array_like=True):
    """Rows of some documents in as few bytes as tell them exactly, column by column."""

    columns: list[str]
    kind: str
    values: bytes

    @classmethod
    def of(cls, rows: Rows) -> PackedRows:
        kind = narrowest(rows.values)
        return cls(list(rows.columns), kind.str, rows.values.T.astype(kind).tobytes())

    def fits(self, documents: int) -> bool:
        kind = KINDS.get(self.kind)
        if kind is None or len(self.values) != len(self.columns) * documents * kind.itemsize:
            return False
        if len({*self.columns}) < len(self.columns):
            return False
        values = np.frombuffer(self.values, dtype=kind)
        return kind.kind != "f" or bool(np.isfinite(values).all() and not beyond(values))

    def rows(self, documents: int, evidence: Mapping[str, Evidence] | None = None) -> Rows:
        values = np.frombuffer(self.values, dtype=KINDS[self.kind]).reshape(len(self.columns), documents)
        shown = msgspec.to_builtins(evidence or {})
        return Rows(tuple(self.columns), np.ascontiguousarray(values.T, dtype=np.float64), shown)


Tables = dict[str, dict[str, PackedRows]]  # by metric and anonymization


class JournalEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of some documents: of metrics that count them one by one, or of such that look at all of them."""

    start: int
    stop: int
    key: str  # of these documents and what was asked of them: an entry of anything else is not believed
    counted: bool = False  # whether it has the rows of all metrics that count documents one by one
    whole: bool = False  # whether it has those of metrics that look at all documents at once
    kept_by: str = ""  # digest of what told the rest of this, which a run does not keep; empty: it was not looked for
    rows: Tables = {}
    evidence: dict[str, dict[str, Mapping[str, Evidence]]] = {}
    failures: list[Failure] = []
    masks: dict[str, tuple[int, int, int, int, int, int, int]] = {}  # what notices count, by anonymization
    free: list[Spans] | None = None  # words that may stay readable; null where nobody can tell
    risks: list[dict[str, PackedRows]] = []  # of metrics that only rank documents, in their order

    @property
    def numbers(self) -> range:
        return range(self.start, self.stop)


def order_of(ids: Sequence[str]) -> str:
    """A digest of ids in their order."""
    total = hashlib.blake2b(digest_size=16)
    for start in range(0, len(ids), _IDS):
        total.update(msgspec.json.encode(list(ids[start : start + _IDS])))
    return total.hexdigest()


def key_of(key: str, numbers: range) -> str:
    """A digest of some documents and what is asked of them."""
    return hashlib.blake2b(f"{key} {numbers.start} {numbers.stop}".encode(), digest_size=8).hexdigest()


class JournalPart(NamedTuple):
    """An entry of a journal: where it is, and what of it counts."""

    location: ByteRange
    numbers: range
    counted: bool
    kept_by: str
    whole: bool


class Journal:
    """All that was written of a run. The file stays open: entries are read when they are asked for."""

    def __init__(self, path: Path, file: IO[bytes] | None = None) -> None:
        """Reads a file, which may be open. Raises InputError for what is none, or damaged otherwise than by a kill."""
        self.path = path
        self.failures: dict[str, Failure] = {}
        self.columns: dict[str, set[str]] = {}  # by metric
        self.shown: set[str] = set()  # metrics with evidence
        self.parts: list[JournalPart] = []
        self._counted, self._looked = RangeSet(), {"": RangeSet()}
        self._whole: set[tuple[str, str]] = set()
        self._file = open_file(path) if file is None else file
        try:
            with reading(path):
                pieces = pieces_in(self._file, TITLE)
                self.head = decode_json(next(pieces)[1], decoder_of(JournalHead), path)
                if len(self.head.run.documents) not in (0, self.head.documents):
                    raise DamagedError
                for location, piece in pieces:
                    self._note(location, decode_json(piece, decoder_of(JournalEntry), path))
        except (DamagedError, StopIteration):
            self._file.close()
            raise InputError(Problem(str(path), "", _FAULT)) from None
        except BaseException:
            self._file.close()
            raise
        weakref.finalize(self, self._file.close)

    @property
    def done_count(self) -> int:
        """How many documents have rows."""
        return self._counted.count

    @property
    def large(self) -> bool:
        """Whether it does not know its documents' ids."""
        return len(self.head.run.documents) < self.head.documents

    @property
    def finished_metrics(self) -> set[str]:
        """Metrics of which there are rows."""
        return {*self.columns} - {*self.failures}

    def entry(self, part: JournalPart) -> JournalEntry:
        with reading(self.path):
            self._file.seek(part.location.start)
            return decoder_of(JournalEntry).decode(self._file.read(part.location.size))

    def _note(self, location: ByteRange, entry: JournalEntry) -> None:
        """Takes down where an entry is. Who was stopped while writing may have written the same again: once counts."""
        numbers = entry.numbers
        if not 0 <= entry.start <= entry.stop <= self.head.documents or entry.key != key_of(self.head.key, numbers):
            raise DamagedError
        tables = [table for by_name in (*entry.rows.values(), *entry.risks) for table in by_name.values()]
        if not all(table.fits(len(numbers)) for table in tables):
            raise DamagedError
        self.failures.update((failure.metric, failure) for failure in entry.failures)
        cells = {(text, name) for text, by_name in entry.rows.items() for name in by_name}
        whole = entry.whole and not cells <= self._whole
        if entry.whole:
            if len(numbers) != self.head.documents:
                raise DamagedError
            self._whole |= cells
        looked = self._looked.setdefault(entry.kept_by, RangeSet())
        counted = entry.counted and _new(self._counted, numbers)
        seen = bool(entry.kept_by) and _new(looked, numbers)
        if counted or seen or whole:
            self.parts.append(JournalPart(location, numbers, counted, entry.kept_by if seen else "", whole))
        if counted or whole:
            for text, by_name in entry.rows.items():
                self.columns.setdefault(text, set()).update(*(table.columns for table in by_name.values()))
            self.shown |= entry.evidence.keys()

    @cached_property
    def run(self) -> Run:
        """The documents that are done, as an incomplete run has them. Raises InputError where there are too many."""
        if self.large:
            many = f"holds an unfinished run of {self.head.documents:,} documents"
            raise InputError(Problem(str(self.path), "", f"{many}; complete it with evaluate --resume first"))
        tables: dict[tuple[str, str], list[Rows]] = {}
        evidence: dict[str, dict[str, dict[str, Evidence]]] = {}
        for part in sorted(self.parts, key=lambda part: (part.whole, part.numbers.start)):
            if not (part.counted or part.whole):
                continue
            entry = self.entry(part)
            for text, by_name in entry.rows.items():
                for name, table in by_name.items():
                    tables.setdefault((text, name), []).append(table.rows(len(part.numbers)))
            for text, shown in entry.evidence.items():
                for name, by in shown.items():
                    evidence.setdefault(text, {}).setdefault(name, {}).update(by)
        rows: dict[str, dict[str, Columns]] = {}
        for (text, name), blocks in tables.items():
            if text not in self.failures and sum(map(len, blocks)) == self.done_count:
                rows.setdefault(text, {})[name] = columns_of(Rows.concatenate(blocks))
        run = self.head.run
        parts = sorted((part.numbers for part in self.parts if part.counted), key=lambda numbers: numbers.start)
        done = [number for numbers in parts for number in numbers]
        return replace(
            run,
            documents=[run.documents[number] for number in done],
            groups=[run.groups[number] for number in done] if run.groups else [],
            rows=rows,
            evidence={text: {**by_name} for text, by_name in evidence.items() if text in rows},
            failures=list(self.failures.values()),
            complete=False,
        )


def _new(covered: RangeSet, numbers: range) -> bool:
    """Whether these are there for the first time. Raises DamagedError where some are, and some are not."""
    if not covered.meets(numbers):
        covered.add(numbers)
        return bool(numbers)
    if not covered.holds(numbers):
        raise DamagedError
    return False


def journal_beside(path: Path) -> Path:
    """Where the journal of a run file is: beside what its links lead to."""
    home = Path(os.path.realpath(path)) if path.is_symlink() else path
    return home.with_name(home.name + _SUFFIX)


def is_journal(path: Path) -> bool:
    """Whether a file begins as a journal does, of whatever version."""
    with reading(path), open_file(path) as file:
        return file.read(len(_ANY)) == _ANY


_UNFINISHED = "_unfinished"


def leave_unfinished(run: Run, journal: Callable[[], Journal]) -> None:
    """Has a run say where its rows are, which are too many for it."""
    run.__dict__[_UNFINISHED] = journal


def is_unfinished(run: Run) -> bool:
    """Whether the rows of a run are too many for it, and it says where they are."""
    return _UNFINISHED in run.__dict__


def find_journal(run: Run | Journal) -> Journal | None:
    """The journal of a run that does not hold its rows itself."""
    open_journal: Callable[[], Journal] | None = run.__dict__.get(_UNFINISHED)
    return None if open_journal is None else open_journal()
