"""Documents of a JSON Lines file, decoded when they are asked for: only where each line starts is kept."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, Self

from showthrough.data.documents import Document, LazyDocuments
from showthrough.data.survey import Survey, Surveying
from showthrough.errors import ChangedError, InputError, Problem
from showthrough.files.reading import UNREADABLE, file_state, open_file
from showthrough.formats.base import Input
from showthrough.formats.places import Ints, Places
from showthrough.formats.remarks import Remarks
from showthrough.formats.rows import RowHead
from showthrough.formats.stretches import Finding, read_through

_TOGETHER = 256  # lines that are found at once
Decode = Callable[[bytes, int], Document]  # of a line, and the number of its document, from 1 on
# The same when it is looked at first, with its place and for what there is to remark; raises InputError.
LookAt = Callable[[str, int, bytes, Remarks], Document]


def documents_in(
    file: Input, decode: Decode, look_at: LookAt, each: Callable[[Document], None] | None = None
) -> Sequence[Document]:
    """One a line of JSON Lines, or one a row of a table; raises InputError with all that is wrong.

    Lines of a file are looked at by all workers, and surveyed on the way where it is a corpus. With `each` they are no
    documents yet: it is called for one after the other.
    """
    if isinstance(file.head, RowHead):
        return file.head.documents(decode, partial(_problems, look_at, file.remarks, each))
    state = file_state(file.path)
    surveyed = each is None and file.corpus is None
    begin = partial(_Documents, look_at, str(file.path) if surveyed else None, each)
    places, found = read_through(file.path, begin, file.engine if each is None else None)
    file.remarks.extend(found.remarks)
    return Lines(file.path, places, decode, state, surveying=found.surveying)


def _problems(
    look_at: LookAt,
    remarks: Remarks,
    each: Callable[[Document], None] | None,
    place: str,
    number: int,
    line: bytes,
) -> Sequence[Problem]:
    try:
        document = look_at(place, number, line, remarks)
    except InputError as error:
        return error.problems
    if each is not None:
        each(document)
    return ()


class _Documents(Finding):
    """Documents that are looked at: what there is to remark of them, and their survey."""

    def __init__(self, look_at: LookAt, source: str | None, each: Callable[[Document], None] | None = None) -> None:
        self._look_at = look_at
        self._each = each
        self.remarks = Remarks()
        self.surveying = None if source is None else Surveying(source)

    @property
    def numbered(self) -> bool:  # type: ignore[override]
        return bool(self.remarks.numbered)

    def add(self, place: str, number: int, line: bytes) -> None:
        document = self._look_at(place, number, line, self.remarks)
        if self.surveying is not None:
            self.surveying.add(document)
        if self._each is not None:
            self._each(document)

    def extend(self, later: Self) -> None:
        self.remarks.extend(later.remarks)
        if self.surveying is not None and later.surveying is not None:
            found = later.surveying
            self.surveying.extend(found.part(), found.source, found.problems)


@dataclass(eq=False)
class Lines(LazyDocuments):
    """One document a line. It travels to other processes, and `decode` with it."""

    path: Path
    places: Places
    decode: Decode
    state: tuple[int, int]  # of the file, when the lines were found: another tells that they are elsewhere now
    before: int = 0  # documents of the file that are before these
    file: IO[bytes] | None = None
    surveying: Surveying | None = None  # what was found when they were looked at

    def surveyed(self) -> Survey | None:
        return None if self.surveying is None else self._survey

    @cached_property
    def _survey(self) -> Survey:
        assert self.surveying is not None
        return self.surveying.survey()

    def __len__(self) -> int:
        return len(self.places)

    def made(self, start: int, stop: int) -> Iterator[Document]:
        file = self._opened()
        try:
            for number, line in enumerate(lines_at(file, self.places, start, stop), self.before + start + 1):
                yield self.decode(line, number)
        except (OSError, EOFError, zlib.error, InputError, *UNREADABLE) as error:  # every line was sound when found
            raise self._changed() from error
        self._opened()

    def _opened(self) -> IO[bytes]:
        """The file; raises ChangedError when it is not what it was."""
        if self.file is None:
            try:
                self.file = open_file(self.path)
            except InputError as error:
                raise ChangedError(error.problems) from None
        if file_state(self.file.fileno()) != self.state:
            raise self._changed()
        return self.file

    def _changed(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))

    def window(self, start: int, stop: int) -> Lines:
        return replace(
            self, places=self.places.part(start, stop), before=self.before + start, file=None, surveying=None
        )

    def taken(self, numbers: Ints) -> Lines:
        """Those of some numbers, in their order."""
        return replace(self, places=self.places.taken(numbers), file=None, surveying=None)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_survey"}
        return {**kept, "file": None, "surveying": None}  # an open file does not travel to another process


def lines_at(file: IO[bytes], places: Places, start: int, stop: int) -> Iterator[bytes]:
    """The lines from one number up to another, out of an open file."""
    for low in range(start, stop, _TOGETHER):
        offsets, sizes = places.at(low, min(low + _TOGETHER, stop))
        for offset, size in zip(offsets.tolist(), sizes.tolist(), strict=True):
            file.seek(offset)
            yield file.read(size)
