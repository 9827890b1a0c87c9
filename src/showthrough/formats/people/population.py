"""How many people there are of each combination of attributes: a table with a column `count`, or JSON Lines."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from showthrough.core.errors import join_names, quote_value, shorten
from showthrough.data.population import Population, PopulationColumn, tag_of
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.objects import objects_of
from showthrough.formats.tables import parquet, table
from showthrough.formats.tables.rows import Cells, TableRows, cell_text, fault
from showthrough.storage.file_heads import LINES, Head
from showthrough.storage.reading import collect_results, decode_json, fail, stem

KINDS = "a .csv, .tsv, .parquet or .jsonl file with a column count"
COUNT = "COUNT"
_EXPECTED = "expected a whole number of people, 0 or more"
_MOST = 2**53  # people in all: more than there are, and sums of them are exact
_WHOLE = re.compile(r"(\d{1,15})(?:\.0*)?", re.ASCII)
_OBJECT = msgspec.json.Decoder(dict[str, str | int | float | None])


def read_population(path: str | os.PathLike[str], *, name: str | None = None) -> Population:
    """Reads how many people there are of each combination of attributes; raises InputError with all that is wrong.

    Columns are called as tags are (`AGE`, `sex`, `Location`), and `count`. Ages are numbers or ranges, an empty cell is
    not known. Rows with the same attributes are added together.
    """
    head = Head.of(path)
    if head.folder:
        raise fail(head.path, f"is a folder; expected {KINDS}")
    if head.suffix not in _READERS:
        raise fail(head.path, f"found the ending {quote_value(head.suffix)}; expected {KINDS}")
    rows = _READERS[head.suffix](head)
    codes = _Codes(_tags(head, rows.header))
    for _ in rows.convert(codes.take):
        pass
    counts = np.array(codes.counts, dtype=np.int64)
    if not len(counts) or not counts.any():
        raise fail(head.path, "has no people in it; expected a row with a count above 0")
    if counts.astype(np.float64).sum() > _MOST:
        raise fail(head.path, f"has more than {_MOST:,} people; expected no more")
    return Population.of(codes.columns(), counts, name or stem(head.path), str(head.path))


def _tags(head: Head, header: Sequence[str]) -> tuple[str, ...]:
    """What the columns are called as tags; raises InputError where there is no count, nothing else, or one twice."""
    tags = tuple(map(tag_of, header))
    column_names = join_names(column.strip() or "(no name)" for column in header)
    if COUNT not in tags:
        raise fail(head.path, f"found {column_names}; expected a column count", "column count")
    if len(tags) == 1:
        raise fail(head.path, "has a column count alone; expected attributes beside it, such as AGE, SEX, LOCATION")
    if wrong := [tag for tag in tags if not tag or tags.count(tag) > 1]:
        location = f"column {shorten(wrong[0]) or '(no name)'}"
        raise fail(head.path, f"found {column_names}; expected different names", location)
    return tags


class _Codes:
    """Rows as numbers, while they are read."""

    def __init__(self, tags: Sequence[str]) -> None:
        self.counts: list[int] = []
        self._at = tags.index(COUNT)
        self._tags = [tag for tag in tags if tag != COUNT]
        self._numbers: list[dict[str, int]] = [{} for _ in self._tags]
        self._codes = [array("q") for _ in self._tags]

    def take(self, cells: Cells, _: int) -> None:
        count = cell_text(cells[self._at]).strip()
        whole = _WHOLE.fullmatch(count)
        if whole is None:
            raise fault(f"found {quote_value(count)}; {_EXPECTED}" if count else f"is empty; {_EXPECTED}", "count")
        values = [cell_text(cell).strip() for index, cell in enumerate(cells) if index != self._at]
        self.counts.append(int(whole[1]))
        for value, numbers, codes in zip(values, self._numbers, self._codes, strict=True):
            codes.append(numbers.setdefault(value, len(numbers)))

    def columns(self) -> dict[str, PopulationColumn]:
        pairs = zip(self._tags, self._numbers, self._codes, strict=True)
        return {tag: PopulationColumn(tuple(numbers), np.array(codes, dtype=np.int64)) for tag, numbers, codes in pairs}


class _Objects(TableRows):
    """JSON Lines as a table; an attribute that an object lacks is not known."""

    def __init__(self, head: Head) -> None:
        def read(placed: tuple[str, bytes | msgspec.Raw]) -> tuple[str, dict[str, Any]]:
            location, content = placed
            return location, decode_json(content, _OBJECT, head.path, location)

        self.path = head.path
        self._read = collect_results(objects_of(head, "row"), read)
        self.header = tuple(dict.fromkeys(key for _, row in self._read for key in row))

    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        return ((location, [row.get(key) for key in self.header]) for location, row in self._read)


_READERS: dict[str, Callable[[Head], TableRows]] = {
    **dict.fromkeys((".csv", ".tsv"), lambda head: table.rows_of(Input(head, ColumnNames()))),
    ".parquet": lambda head: parquet.rows_of(Input(head, ColumnNames())),
    **dict.fromkeys(LINES, _Objects),
}
