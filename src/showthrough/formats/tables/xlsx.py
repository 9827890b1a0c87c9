"""Excel's .xlsx: the first sheet is a table with a header. Strings are written as strings, so nothing is a formula."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from showthrough.core.errors import OutputError, UnavailableError, at_document, join_names, shorten
from showthrough.data.documents import Document
from showthrough.formats.base import Files, Fit, Format, Input
from showthrough.formats.tables.rows import Cells, TableRows, cell_text
from showthrough.formats.tables.tabular import reader, released_reader, to_write
from showthrough.storage.compression import compression_of
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import FILE, RECORD
from showthrough.storage.reading import fail, file_state, open_file, reading

_LONGEST = 32_767  # characters of a cell, by Excel's own limit
_ROWS, _COLUMNS = 1_048_576, 16_384  # of a sheet, by the same
_PLACE = 8  # bytes that a cell takes that is empty, but stands before others
_DENSEST = 100  # bytes that are packed into one
_BLOCK = 1 << 20
_FAULT = 100  # characters of what the library says
_DAMAGED = (zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError, IndexError, AttributeError, EOFError,
            NotImplementedError, SyntaxError, OSError)  # fmt: skip
# Characters that XML has no place for are written as their numbers, and what looks like one with its first sign so.
_NUMBERED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TO_NUMBER = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
# What a workbook of one sheet has beside it (ECMA-376, parts 1 and 2).
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="texts" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


class Worksheet(TableRows):
    """The first sheet of a workbook. It can only be read from its start, so its rows are kept."""

    def __init__(self, file: Input) -> None:
        self.path = file.path
        if compression_of(self.path):
            raise fail(self.path, "is packed twice, since .xlsx is packed itself; expected it unpacked")
        self._remarks = file.remarks
        self._formulas = _has_formulas(self.path)

    @cached_property
    def header(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(map(cell_text, self._sheet_rows[0][1])) if self._sheet_rows else ()

    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        width = len(self.header)
        for location, cells in self._sheet_rows[1:]:
            yield location, (*cells, *(None,) * (width - len(cells)))

    @cached_property
    def _sheet_rows(self) -> list[tuple[str, tuple[Any, ...]]]:
        return list(self._rows())

    def _rows(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Rows with something in them, without the empty cells at their ends."""
        values = self._cells(formulas=False)
        behind = self._cells(formulas=True) if self._formulas else None
        most, longest, passed = FILE.bytes, RECORD.bytes, 0
        for number, row in values:
            _, formulas = next(behind, (number, ())) if behind else (number, ())
            for column, (value, formula) in enumerate(zip(row, formulas, strict=False), 1):
                if value is None and isinstance(formula, str) and formula.startswith("="):
                    fault = f"found a formula without a value ({shorten(formula)}); expected a value: save it in Excel"
                    raise fail(self.path, fault, f"row {number}: column {column}")
            width = next((at for at in range(len(row), 0, -1) if row[at - 1] is not None), 0)
            size = sum(len(cell) for cell in row if isinstance(cell, str))  # many cells may have one text of the file
            passed += size + _PLACE * width
            if size > longest:
                raise RECORD.exceeded_error(self.path, "has", f"row {number}")
            if passed > most:
                raise FILE.exceeded_error(self.path, "unpacks to")
            if width:
                yield f"row {number}", tuple(map(_text, row[:width]))

    def _cells(self, *, formulas: bool) -> Iterator[tuple[int, list[Any]]]:
        """Rows that the sheet has, each with its number. The library's own would fill up what is left out between."""
        library = _library()
        with reading(self.path), open_file(self.path) as file:
            with _sound(self.path):
                book = library.load_workbook(file, read_only=True, data_only=not formulas, keep_links=False)
                names = [sheet.title for sheet in book.worksheets]
                if not names:
                    raise fail(self.path, "has no sheet; expected a table in the first one")
                if len(names) > 1 and (note := _other_sheets(names)) not in self._remarks.others:
                    self._remarks.others.append(note)
                sheet, before = book.worksheets[0], 0
                rows = library.worksheet._reader.WorkSheetParser(
                    *(sheet._get_source(), sheet._shared_strings),
                    data_only=not formulas,
                    epoch=book.epoch,
                    date_formats=book._date_formats,
                    timedelta_formats=book._timedelta_formats,
                ).parse()
            while True:
                with _sound(self.path):
                    if (parsed_row := next(rows, None)) is None:
                        return
                    number, cells = parsed_row
                    self._check_cell(number, before, [cell["column"] for cell in cells])
                    row = [None] * max((cell["column"] for cell in cells), default=0)
                    for cell in cells:
                        row[cell["column"] - 1] = cell["value"]
                yield number, row
                before = number

    def _check_cell(self, number: int, before: int, columns: list[int]) -> None:
        """Raises InputError for a row or a column that no sheet has."""
        if not before < number <= _ROWS:
            expected = f"expected one behind row {before}, and up to {_ROWS}"
            raise fail(self.path, f"a row says that it is row {number}; {expected}")
        if wrong := [column for column in columns if not 1 <= column <= _COLUMNS]:
            raise fail(self.path, f"a cell is in column {wrong[0]}; expected up to {_COLUMNS}", f"row {number}")


def _other_sheets(names: list[str]) -> str:
    return f"the first sheet ({shorten(names[0])}) was read, others were not: {join_names(names[1:])}"


def _text(value: Any) -> Any:
    return _NUMBERED.sub(_character, value) if isinstance(value, str) and "_x" in value else value


def _character(number: re.Match[str]) -> str:
    character = chr(int(number[1], 16))
    return number[0] if "\ud800" <= character <= "\udfff" else character


def _library() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise UnavailableError("Excel's .xlsx files need openpyxl: pip install 'showthrough[xlsx]'") from error
    return openpyxl


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """What the library says of a damaged file, in one line."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of styles, and of dates that are none
            yield
    except _DAMAGED as error:
        raise fail(path, f"is not a sound .xlsx file: {shorten(str(error), _FAULT)}") from error


def _has_formulas(path: Path) -> bool:
    """Whether there are formulas; raises InputError for what could fill the memory or read other files.

    No part can unpack to more than it says of itself: the reader stops there.
    """
    formulas, most = False, FILE.bytes
    with reading(path), open_file(path) as file, _sound(path):
        parts = zipfile.ZipFile(file)
        size = sum(part.file_size for part in parts.infolist())
        if size > most:
            raise FILE.exceeded_error(path, "unpacks to")
        if size > max(RECORD.bytes, _DENSEST * file_state(path)[0]):
            raise fail(path, f"unpacks to more than {_DENSEST} times its size, which no sheet does; refused")
        for part in parts.infolist():
            if not part.filename.endswith((".xml", ".rels")):
                continue
            before = b""
            with parts.open(part) as content:
                while block := content.read(_BLOCK):
                    seen = before + block
                    if b"\0" in block or b"<!DOCTYPE" in seen or b"<!ENTITY" in seen:
                        where = shorten(part.filename)
                        raise fail(path, "declares entities or is no UTF-8, as no program writes it; refused", where)
                    formulas = formulas or b"<f>" in seen or b"<f " in seen or b"<f/>" in seen
                    before = block[-10:]
    return formulas


def write(documents: Iterable[Document]) -> Files:
    """A workbook with one sheet. The library would put the texts into a temporary file, which a kill leaves behind."""
    rows = to_write(documents)
    for name, text, *_ in rows:
        if len(text) > _LONGEST:
            raise OutputError(f"{at_document(name)}: has {len(text)} characters; a cell of Excel holds {_LONGEST}")
    lines = (f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, part in {**_PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            written_then = zipfile.ZipInfo(name)  # at no time, so that the same texts are the same file
            parts.writestr(written_then, f"{_XML}{part}".encode(), zipfile.ZIP_DEFLATED)
    return {"": content.getvalue()}


def _cell(text: str) -> str:
    """A cell that is text, also where that begins as formulas do."""
    inside = escape(_TO_NUMBER.sub(_as_number, text), quote=False)
    return f'<c t="inlineStr"><is><t xml:space="preserve">{inside}</t></is></c>'


def _as_number(character: re.Match[str]) -> str:
    return f"_x{ord(character[0]):04X}_"


def _recognise(head: Head) -> Fit:
    return Fit.SURE if head.suffix == ".xlsx" else Fit.NO


FORMAT = Format(
    "Excel's .xlsx: a table of texts, or of marks, in the first sheet",
    *((".xlsx",), _recognise, reader(Worksheet), released_reader(Worksheet), write),
    binary=True,
    rows=Worksheet,
)
