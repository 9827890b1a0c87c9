"""A table as text: cells between commas, semicolons, tabs or bars, as the header tells.

One row a document: originals without annotations, or anonymized texts. Or one row a mark of a system.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import IO

from showthrough.core.errors import InputError
from showthrough.data.documents import Document
from showthrough.formats.annotation_tools.line_index import GrowingLines
from showthrough.formats.base import ColumnNames, Files, Fit, Format, Input
from showthrough.formats.lines import LineDocuments, StoredLines
from showthrough.formats.tables.rows import IDS, Make, TableRows
from showthrough.formats.tables.tabular import TEXT, reader, released_reader, to_write
from showthrough.storage.compression import compression_of
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import FILE, RECORD
from showthrough.storage.reading import BOM, fail, file_state, open_file, read_bytes, reading, text_of

_ENDINGS = (".csv", ".tsv")
_SEPARATORS = ",;\t|"
_SAID = re.compile(r'"?sep=([^"\r\n])"?(?:\r\n?|\n)')  # Excel's own first line
_ANY_CELL = 2**31 - 1
_ENCODING = "UTF-8 throughout, which spreadsheet programs call CSV UTF-8"


class DelimitedTable(TableRows):
    """Rows of a file, whose places are kept while they are gone through."""

    lazy = True

    def __init__(self, head: Head, columns: ColumnNames) -> None:
        self.path = head.path
        self._said, self._separator = _separator(head, columns)
        self._places = GrowingLines()
        self._state = file_state(self.path)

    @cached_property
    def header(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(next((row for _, row in self._rows()), ()))

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        rows = self._rows()
        next(rows, None)
        return rows

    def _rows(self) -> Iterator[tuple[str, list[str]]]:
        csv.field_size_limit(RECORD.bytes)
        self._places = GrowingLines()
        header = True
        with reading(self.path), open_file(self.path) as file:
            lines = _Lines(self.path, file)
            if self._said:
                next(lines)
            rows = csv.reader(lines, delimiter=self._separator, strict=True)
            while True:
                number, start = lines.number + 1, lines.end
                try:
                    row = next(rows, None)
                except csv.Error as error:
                    raise self._malformed_error(error, lines.number) from error
                if row is None:
                    return
                if not row:
                    continue
                if not header:
                    self._places.append(start, lines.end - start)
                header = False
                yield f"line {number}", row

    def _malformed_error(self, error: csv.Error, line: int) -> InputError:
        if "field limit" in str(error):
            return RECORD.exceeded_error(self.path, "has a cell of", f"line {line}")
        return fail(self.path, f"is not a well-formed table: {error}", f"line {line}")

    def by_number(self, make: Make, columns: Sequence[int]) -> LineDocuments:
        lines = StoredLines(self.path, self._places.finish(), self._state)
        return LineDocuments(lines, partial(_document, self._separator, make))


def _document(separator: str, make: Make, line: bytes, number: int) -> Document:
    csv.field_size_limit(_ANY_CELL)  # it was looked at before, maybe by another process
    return make(next(csv.reader([line.decode()], delimiter=separator, strict=True)), number)


class _Lines(Iterator[str]):
    """The lines of a file, how many there were and where they end; a carriage return alone ends one as well."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.number = 0
        self.end = len(BOM) if file.read(len(BOM)) == BOM else 0
        file.seek(0)
        self._path = path
        self._file = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        self._packed = bool(compression_of(path))
        self._longest, self._most = RECORD.bytes, FILE.bytes

    def __next__(self) -> str:
        try:
            line = self._file.readline(self._longest + 1)
        except UnicodeDecodeError:
            text_of(self._path, read_bytes(self._path), _ENCODING)  # raises with the place
            raise fail(self._path, f"is not UTF-8; expected {_ENCODING}") from None
        if not line:
            raise StopIteration
        self.number += 1
        self.end += len(line) if line.isascii() else len(line.encode())
        if len(line) > self._longest:
            raise RECORD.exceeded_error(self._path, "has", f"line {self.number}")
        if self._packed and self.end > self._most:
            raise FILE.exceeded_error(self._path, "unpacks to")
        return line


def _separator(head: Head, columns: ColumnNames) -> tuple[bool, str]:
    """Whether the first line says what separates cells, and what does: the sign that gives columns we look for.

    Where none gives any, that which gives most columns; among equals, what the ending says.
    """
    _ = head.first_byte  # refuses other encodings
    start = head.start.decode("utf-8", "replace")
    if match := _SAID.match(start):
        return True, match[1]
    expected = {columns.id, columns.text, columns.group, *IDS, TEXT}
    usual = "\t" if head.suffix == ".tsv" else ","

    def fitting(separator: str) -> tuple[int, int, bool]:
        header: list[str] = []
        with suppress(csv.Error):
            header = next(csv.reader(io.StringIO(start, newline=""), delimiter=separator, strict=True), [])
        return len(expected & set(header)), len(header), separator == usual

    return False, max(_SEPARATORS, key=fitting)


def rows_of(file: Input) -> DelimitedTable:
    return DelimitedTable(file.head, file.columns)


def write(documents: Iterable[Document]) -> Files:
    """A .csv; a cell with a carriage return alone is quoted as well, which is left out where rows end in line feeds."""
    lines = _WrittenLines()
    csv.writer(lines, lineterminator="\r\n").writerows(to_write(documents))
    return {"": "".join(f"{line[:-2]}\n" for line in lines).encode()}


class _WrittenLines(list[str]):
    def write(self, line: str) -> None:
        self.append(line)


FORMAT = Format(
    "a table with a header: one row a text, or one row a mark of a system; cells between , ; | or tabs",
    _ENDINGS,
    lambda head: Fit.SURE if head.suffix in _ENDINGS else Fit.NO,
    reader(rows_of),
    released_reader(rows_of),
    write,
    rows=rows_of,
)
