"""Reads the documents of a JSON Lines file lazily: memory holds only the position of each line."""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import msgspec

from showthrough.core.arrays import Ints
from showthrough.core.errors import ChangedError, InputError, Problem
from showthrough.data.documents import Document, LazyDocuments
from showthrough.data.survey import Survey, Surveying
from showthrough.formats._parallel_lines import LineCollector, read_through
from showthrough.formats.annotation_tools.line_index import LineOffsets
from showthrough.formats.base import Input
from showthrough.formats.remarks import Remarks
from showthrough.formats.tables.rows import RowHead
from showthrough.storage.reading import UNREADABLE, decoded_or_none, file_state, open_file

T = TypeVar("T")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_CHUNK = 256  # lines that are found at once
Decode = Callable[[bytes, int], Document]  # of a line, and the number of its document, from 1 on
# The same when it is looked at first, with its place and for what there is to remark; raises InputError.
LookAt = Callable[[str, int, bytes, Remarks], Document]


def documents_in(
    file: Input,
    decode: Decode,
    look_at: LookAt,
    on_document: Callable[[Document], None] | None = None,
    plain: Decode | None = None,
) -> Sequence[Document]:
    """One a line of JSON Lines, or one a row of a table; raises InputError with all that is wrong.

    Lines of a file are looked at by all workers, and surveyed on the way where it is a corpus. With `on_document` they
    are no documents yet: it is called for one after the other. `plain` decodes lines of a file that says nothing of
    people, which the survey tells.
    """
    if fields := file.columns.fields:
        decode, look_at = partial(_decode_fields, decode, fields), partial(_look_at_fields, look_at, fields)
        plain = plain and partial(_decode_fields, plain, fields)
    if isinstance(file.head, RowHead):
        return file.head.documents(decode, partial(_find_problems, look_at, file.remarks, on_document))
    state = file_state(file.path)
    surveyed = on_document is None and file.corpus is None
    begin = partial(_Documents, look_at, str(file.path) if surveyed else None, on_document)
    collector = begin()
    positions = read_through(file.path, begin, collector, file.engine if on_document is None else None, file.watch)
    file.remarks.extend(collector.remarks)
    if plain is not None and collector.surveying is not None and not collector.surveying.subjects:
        decode = plain
    return LineDocuments(StoredLines(file.path, positions, state), decode, surveying=collector.surveying)


def with_fields(document: Document, content: bytes | msgspec.Raw, fields: Sequence[str]) -> Document:
    """A document that keeps further keys of its JSON object; one that is no object has none."""
    if not fields:
        return document
    values = decoded_or_none(content, _OBJECT) or {}
    values_by_field = {name: msgspec.json.decode(values[name]) for name in fields if name in values}
    return msgspec.structs.replace(document, fields={**document.fields, **values_by_field})


def _decode_fields(decode: Decode, fields: Sequence[str], line: bytes, number: int) -> Document:
    return with_fields(decode(line, number), line, fields)


def _look_at_fields(
    look_at: LookAt, fields: Sequence[str], location: str, number: int, line: bytes, remarks: Remarks
) -> Document:
    return with_fields(look_at(location, number, line, remarks), line, fields)


def _find_problems(
    look_at: LookAt,
    remarks: Remarks,
    on_document: Callable[[Document], None] | None,
    location: str,
    number: int,
    line: bytes,
) -> Sequence[Problem]:
    try:
        document = look_at(location, number, line, remarks)
    except InputError as error:
        return error.problems
    if on_document is not None:
        on_document(document)
    return ()


class _Documents(LineCollector):
    """Documents that are looked at: what there is to remark of them, and their survey."""

    def __init__(
        self, look_at: LookAt, source: str | None, on_document: Callable[[Document], None] | None = None
    ) -> None:
        self._look_at = look_at
        self._each = on_document
        self.remarks = Remarks()
        self.surveying = None if source is None else Surveying(source)

    @property
    def numbered(self) -> bool:  # type: ignore[override]
        return bool(self.remarks.numbered)

    def add(self, location: str, number: int, line: bytes) -> None:
        document = self._look_at(location, number, line, self.remarks)
        if self.surveying is not None:
            self.surveying.add(document)
        if self._each is not None:
            self._each(document)

    def extend(self, later: Self) -> None:
        self.remarks.extend(later.remarks)
        if self.surveying is not None and later.surveying is not None:
            survey = later.surveying
            self.surveying.extend(survey.part(), survey.source, survey.problems)


@dataclass(eq=False)
class StoredLines:
    """Lines of a file that were found sound, by number. They travel to other processes."""

    path: Path
    places: LineOffsets
    state: tuple[int, int]  # of the file, when the lines were found: another tells that they are elsewhere now
    file: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self.places)

    def decode_lines(self, start: int, stop: int, decode: Callable[[bytes, int], T]) -> Iterator[T]:
        """What is made of the lines from one number up to another, and of their numbers."""
        file = self._open()
        try:
            for low in range(start, stop, _CHUNK):
                offsets, sizes = self.places.at(low, min(low + _CHUNK, stop))
                for number, (offset, size) in enumerate(zip(offsets.tolist(), sizes.tolist(), strict=True), low):
                    file.seek(offset)
                    yield decode(file.read(size), number)
        except (OSError, EOFError, zlib.error, InputError, *UNREADABLE) as error:  # every line was sound when found
            raise self._changed_error() from error
        self._open()

    def _open(self) -> IO[bytes]:
        """The file; raises ChangedError when it is not what it was."""
        if self.file is None:
            try:
                self.file = open_file(self.path)
            except InputError as error:
                raise ChangedError(error.problems) from None
            weakref.finalize(self, self.file.close)  # even if these lines are part of a reference cycle
        if file_state(self.file) != self.state:
            raise self._changed_error()
        return self.file

    def _changed_error(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))

    def part(self, start: int, stop: int) -> StoredLines:
        return StoredLines(self.path, self.places.part(start, stop), self.state)

    def taken(self, numbers: Ints) -> StoredLines:
        """Those of some numbers, in their order."""
        return StoredLines(self.path, self.places.taken(numbers), self.state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "file": None}  # an open file does not travel to another process


@dataclass(eq=False)
class LineDocuments(LazyDocuments):
    """One document a line. It travels to other processes, and `decode` with it."""

    lines: StoredLines
    decode: Decode
    before: int = 0  # documents of the file that are before these
    surveying: Surveying | None = None  # what was found when they were looked at

    def __len__(self) -> int:
        return len(self.lines)

    def load_range(self, start: int, stop: int) -> Iterator[Document]:
        return self.lines.decode_lines(start, stop, lambda line, number: self.decode(line, self.before + number + 1))

    def load_some(self, numbers: Ints) -> Iterator[Document]:
        chosen, lines = numbers.tolist(), self.lines.taken(numbers)
        return lines.decode_lines(0, len(lines), lambda line, index: self.decode(line, self.before + chosen[index] + 1))

    def window(self, start: int, stop: int) -> LineDocuments:
        return LineDocuments(self.lines.part(start, stop), self.decode, self.before + start)

    def taken(self, numbers: Ints) -> LineDocuments:
        """Those of some numbers, in their order."""
        return LineDocuments(self.lines.taken(numbers), self.decode)

    def find_survey(self) -> Survey | None:
        return self._survey

    @cached_property
    def _survey(self) -> Survey | None:
        return None if self.surveying is None else self.surveying.survey()

    def __getstate__(self) -> dict[str, Any]:
        state = {key: value for key, value in self.__dict__.items() if key != "_survey"}
        return {**state, "surveying": None}
