"""Tables, whatever file they are in: which column holds what, and what becomes of the rows."""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from showthrough.core.errors import InputError, Problem, join_names, quote_value, shorten
from showthrough.data.documents import Document
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.remarks import MARKS, like_spans
from showthrough.storage.file_heads import Head, first_value
from showthrough.storage.reading import ENOUGH, parse_list

T = TypeVar("T")
Cells = Sequence[Any]
Make = Callable[[Cells, int], Document]  # of a row, and its number, from 1 on

IDS = ("doc_id", "id")  # of these columns, the first that a table has
TEXTS = frozenset({"text", "full_text", "source_text", "unmasked_text", "masked_text", "target_text"})
NAMELESS = "(no name)"
_LISTS = MARKS | {"label", "labels", "results", "masks"}  # whose cells, when empty, say nothing
_SAMPLE_ROWS = 50  # rows that are looked at to tell what they are


class TableRows(ABC):
    """The rows of a table with a header. They are gone through once; some files then give them by number."""

    path: Path
    header: tuple[str, ...]
    lazy = False  # whether rows can be asked for by number
    nulls = False  # whether no value is something else than an empty text

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        """Each row with its place; blank ones are left out."""

    def by_number(self, make: Make, columns: Sequence[int]) -> Sequence[Document]:
        """Documents made when they are asked for, once all rows were gone through; `make` looks at these columns."""
        raise NotImplementedError

    def documents(self, look_at: Make, make: Make, columns: Sequence[int]) -> Sequence[Document]:
        """One a row. Each row is looked at once; `make` gives the same document then."""
        if not self.lazy:
            return list(self.convert(look_at))
        for _ in self.convert(look_at):
            pass
        return self.by_number(make, columns)

    def convert(self, make: Callable[[Cells, int], T]) -> Iterator[T]:
        """What is made of each row; at the end raises InputError with all that was wrong, each with its place."""
        problems: list[Problem] = []
        width = len(self.header)
        for number, (location, cells) in enumerate(self, 1):
            try:
                if len(cells) != width:
                    raise fault(f"has {width} columns in its header but {len(cells)} in this row")
                yield make(cells, number)
            except InputError as error:
                problems += [
                    problem if problem.file else self._add_location(problem, location) for problem in error.problems
                ]
                if len(problems) > ENOUGH:
                    break
        if problems:
            raise InputError(problems)

    def _add_location(self, problem: Problem, location: str) -> Problem:
        return Problem(str(self.path), f"{location}: {problem.place}" if problem.place else location, problem.message)


def fault(message: str, column: str = "") -> InputError:
    """What is wrong with a row; where it stands is added by who goes through the rows."""
    return InputError(Problem("", f"column {shorten(column)}" if column else "", message))


def cell_text(value: Any) -> str:
    """A cell as text: numbers as one writes them, and nothing where there is none.

    >>> cell_text(17.0), cell_text(None), cell_text(datetime.datetime(2011, 5, 3)), cell_text(True)
    ('17', '', '2011-05-03', 'true')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, int | float | Decimal):
        return str(value)
    raise fault(f"found {quote_value(value)}; expected text")


def id_column(columns: ColumnNames, header: Sequence[str]) -> str | None:
    """The column that holds ids: the named one, or the usual one that is there."""
    return columns.id or next((name for name in IDS if name in header), None)


def check_columns(file: Input, header: Sequence[str], names: Sequence[str]) -> None:
    names_found = join_names(column or NAMELESS for column in header) if any(header) else "no columns"
    option = "--original and --released" if file.is_corpus_file else "--id-column and --text-column"
    beside = "" if file.is_corpus_file else "; a table with originals and releases needs --original and --released"
    message = f"found {names_found}; expected one column of this name ({option} name yours{beside})"
    if wrong := [name for name in names if header.count(name) != 1]:
        raise InputError(Problem(str(file.path), f"column {shorten(name)}", message) for name in wrong)


class RowHead(Head):
    """A table as formats of JSON objects see it: lines of JSON, one a row."""

    def __init__(self, rows: TableRows) -> None:
        super().__init__(rows.path)
        self.rows = rows

    @cached_property
    def folder(self) -> bool:
        return False

    @cached_property
    def suffix(self) -> str:
        return ".jsonl"

    @cached_property
    def start(self) -> bytes:
        """The first row; of the first few, one in which something is marked."""
        header = self.rows.header
        sound = (cells for _, cells in islice(self.rows, _SAMPLE_ROWS) if len(cells) == len(header))
        first = b""
        for number, cells in enumerate(sound, 1):
            line = _encode_row(header, cells, number)
            if like_spans(first_value(line)[0]):
                return line
            first = first or line
        return first

    def closer(self) -> Head:
        return self

    @cached_property
    def content(self) -> bytes:
        return b"\n".join(line for _, _, line in self.numbered_lines())

    def numbered_lines(self) -> Iterator[tuple[int, int, bytes]]:
        for number, line in enumerate(self.rows.convert(partial(_encode_row, self.rows.header)), 1):
            yield number, 0, line

    def documents(
        self, decode: Callable[[bytes, int], Document], look_at: Callable[[str, int, bytes], Sequence[Problem]]
    ) -> Sequence[Document]:
        header = self.rows.header

        def looked_at(cells: Cells, number: int) -> Document:
            line = _encode_row(header, cells, number)
            if problems := look_at(f"row {number}", number, line):
                raise InputError(problems)
            return decode(line, number)

        return self.rows.documents(looked_at, partial(_decode_row, header, decode), range(len(header)))


def _encode_row(header: Sequence[str], cells: Cells, number: int) -> bytes:
    fields = dict(zip(header, cells, strict=True))
    for name, cell in fields.items():
        if isinstance(cell, str) and cell.startswith(("[", "{")) and name not in TEXTS:
            fields[name] = _unfold(cell)
        elif cell == "" and name in _LISTS:
            fields[name] = None
    return msgspec.json.encode(_without_nulls(fields))


def _unfold(cell: str) -> Any:
    """Marks that were written into a cell, as JSON or as Python prints them; any other cell as it is."""
    value = parse_list(cell)
    return value if value == [] or like_spans(value) else cell


def _without_nulls(value: Any) -> Any:
    """A value without keys that hold nothing: rows of a table all have the same ones."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return list(map(_without_nulls, value)) if isinstance(value, list) and value and type(value[0]) is dict else value


def _decode_row(header: Sequence[str], decode: Callable[[bytes, int], Document], cells: Cells, number: int) -> Document:
    return decode(_encode_row(header, cells, number), number)
