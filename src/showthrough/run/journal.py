"""The journal of a run that is not finished: what is done, appended as it is done.

It stands beside the run file (`run.json.part`), because a run file is there only when the run is complete, and one that
stands there already is replaced by nothing less. Whoever is killed leaves it, and `--resume` goes on from it. It grows
by what is new: to save a run of a million documents once a minute, nobody writes the first of them again and again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec.structs import replace

from showthrough.errors import InputError, Problem
from showthrough.files.growing import DamagedError, pieces
from showthrough.files.reading import decoded
from showthrough.metrics import Rows
from showthrough.run.documents import Spans
from showthrough.run.records import Columns, Evidence, Failure, columns_of
from showthrough.run.run import Run

TITLE = b"showthrough unfinished run 1"
_SUFFIX = ".part"


class Head(msgspec.Struct, frozen=True):
    """What is evaluated. The run has all ids and no rows."""

    run: Run
    kept_by: str  # digest of what tells the words that may stay readable and the documents at most risk


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came since the entry before: of documents one below the other, or of metrics that look at all of them."""

    first: int  # the number of its first answer; who was stopped while writing may write the same again, and more
    documents: int  # that are done with it
    looked: int = 0  # documents of which is known what a run does not keep: the rest of this
    rows: dict[str, dict[str, Columns]] = {}
    evidence: dict[str, dict[str, dict[str, Evidence]]] = {}
    failures: list[Failure] = []
    masks: dict[str, tuple[int, int, int, int, int]] = {}  # what notices count, by anonymization
    free: list[Spans] | None = None  # words that may stay readable; null where nobody can tell
    risks: list[dict[str, Columns]] = []  # of metrics that only rank documents, in their order


class Journal:
    """All that was written of a run."""

    def __init__(self, head: Head, entries: Iterable[Entry]) -> None:
        self.head = head
        self.entries: list[Entry] = []
        for entry in entries:
            while self.entries and self.entries[-1].first >= entry.first:
                self.entries.pop()
            self.entries.append(entry)

    def looks(self, kept_by: str) -> list[Entry]:
        """Entries with what a run does not keep: none where that was found out by other means."""
        return self.entries if self.head.kept_by == kept_by else []

    @cached_property
    def run(self) -> Run:
        """The documents that are done, as an incomplete run has them."""
        done = self.entries[-1].documents if self.entries else 0
        failures = {failure.metric: failure for entry in self.entries for failure in entry.failures}
        tables: dict[tuple[str, str], list[Rows]] = {}
        evidence: dict[str, dict[str, dict[str, Evidence]]] = {}
        before = 0
        for entry in self.entries:
            for text, name, columns in _cells(entry.rows):
                # Of a metric without columns there is nothing to count documents by.
                tables.setdefault((text, name), []).append(Rows.named(columns, entry.documents - before))
            for text, by_name in entry.evidence.items():
                for name, shown in by_name.items():
                    evidence.setdefault(text, {}).setdefault(name, {}).update(shown)
            before = entry.documents
        rows: dict[str, dict[str, Columns]] = {}
        for (text, name), parts in tables.items():
            if text not in failures and sum(len(part.values) for part in parts) == done:
                rows.setdefault(text, {})[name] = columns_of(Rows.joined(parts))
        run = self.head.run
        return replace(
            run,
            documents=run.documents[:done],
            groups=run.groups[:done],
            rows=rows,
            evidence={text: by_name for text, by_name in evidence.items() if text in rows},
            failures=list(failures.values()),
            complete=False,
        )


def _cells(rows: dict[str, dict[str, Columns]]) -> Iterator[tuple[str, str, Columns]]:
    for text, by_name in rows.items():
        for name, columns in by_name.items():
            yield text, name, columns


_HEAD = msgspec.json.Decoder(Head)
_ENTRY = msgspec.json.Decoder(Entry)


def journal_beside(path: Path) -> Path:
    """Where the journal of a run file is: beside what its links lead to."""
    home = Path(os.path.realpath(path)) if path.is_symlink() else path
    return home.with_name(home.name + _SUFFIX)


def is_journal(content: bytes) -> bool:
    return content.startswith(TITLE + b"\n")


def journal_of(content: bytes, path: Path) -> Journal:
    """Raises InputError for what is none, or is damaged otherwise than by a kill."""
    fault = "is not the journal of an unfinished run, or is damaged; --force starts afresh"
    if not is_journal(content):
        raise InputError(Problem(str(path), "", fault))
    try:
        found = list(pieces(content, TITLE))
    except DamagedError:
        raise InputError(Problem(str(path), "", fault)) from None
    if not found:
        raise InputError(Problem(str(path), "", fault))
    entries = [decoded(piece, _ENTRY, path) for piece in found[1:]]
    journal = Journal(decoded(found[0], _HEAD, path), entries)
    if not _fits(journal):
        raise InputError(Problem(str(path), "", fault))
    return journal


def _fits(journal: Journal) -> bool:
    """Whether entries follow each other, and every column of theirs has the rows that it should."""
    done = looked = 0
    for entry in journal.entries:
        new, seen = entry.documents - done, entry.looked - looked
        if new < 0 or seen < 0 or not entry.looked <= entry.documents <= len(journal.head.run.documents):
            return False
        tables = [columns for by_name in entry.rows.values() for columns in by_name.values()]
        if any(len({len(values) for values in columns.values()}) > 1 for columns in tables):
            return False
        ranks = (values for by_name in entry.risks for columns in by_name.values() for values in columns.values())
        if any(len(values) != seen for values in ranks):
            return False
        done, looked = entry.documents, entry.looked
    return True
