"""How many people there are of each combination of attributes: a table with a column `count`, or JSON Lines."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from showthrough.core.errors import quoted, shown, some
from showthrough.data.population import Column, Population, tag_of
from showthrough.formats.base import Columns, Input
from showthrough.formats.objects import objects_of
from showthrough.formats.tables import parquet, table
from showthrough.formats.tables.rows import Cells, Rows, fault, written
from showthrough.storage.heads import LINES, Head
from showthrough.storage.reading import decoded, fail, gathered, stem

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
        raise fail(head.path, f"found the ending {quoted(head.suffix)}; expected {KINDS}")
    rows = _READERS[head.suffix](head)
    codes = _Codes(_tags(head, rows.header))
    for _ in rows.made(codes.take):
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
    column_names = some(column.strip() or "(no name)" for column in header)
    if COUNT not in tags:
        raise fail(head.path, f"found {column_names}; expected a column count", "column count")
    if len(tags) == 1:
        raise fail(head.path, "has a column count alone; expected attributes beside it, such as AGE, SEX, LOCATION")
    if wrong := [tag for tag in tags if not tag or tags.count(tag) > 1]:
        location = f"column {shown(wrong[0]) or '(no name)'}"
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
        count = written(cells[self._at]).strip()
        whole = _WHOLE.fullmatch(count)
        if whole is None:
            raise fault(f"found {quoted(count)}; {_EXPECTED}" if count else f"is empty; {_EXPECTED}", "count")
        values = [written(cell).strip() for index, cell in enumerate(cells) if index != self._at]
        self.counts.append(int(whole[1]))
        for value, numbers, codes in zip(values, self._numbers, self._codes, strict=True):
            codes.append(numbers.setdefault(value, len(numbers)))

    def columns(self) -> dict[str, Column]:
        pairs = zip(self._tags, self._numbers, self._codes, strict=True)
        return {tag: Column(tuple(numbers), np.array(codes, dtype=np.int64)) for tag, numbers, codes in pairs}


class _Objects(Rows):
    """JSON Lines as a table; an attribute that an object lacks is not known."""

    def __init__(self, head: Head) -> None:
        def read(placed: tuple[str, bytes | msgspec.Raw]) -> tuple[str, dict[str, Any]]:
            location, content = placed
            return location, decoded(content, _OBJECT, head.path, location)

        self.path = head.path
        self._read = gathered(objects_of(head, "row"), read)
        self.header = tuple(dict.fromkeys(key for _, row in self._read for key in row))

    def __iter__(self) -> Iterator[tuple[str, Cells]]:
        return ((location, [row.get(key) for key in self.header]) for location, row in self._read)


_READERS: dict[str, Callable[[Head], Rows]] = {
    **dict.fromkeys((".csv", ".tsv"), lambda head: table.rows_of(Input(head, Columns()))),
    ".parquet": lambda head: parquet.rows_of(Input(head, Columns())),
    **dict.fromkeys(LINES, _Objects),
}
