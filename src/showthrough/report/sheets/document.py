"""What a sheet is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, sqrt
from typing import Literal, NamedTuple

import msgspec

from showthrough.report.table import DASH, format_score

Kind = Literal["count", "share", "number", "words"]
SHADES = 4  # of heat, besides that of nothing
_PLACES = 6  # that a reason for dashes names
_NAMELESS = "(no name)"


def display_name(text: str) -> str:
    """A name from a file as views show it, which may be empty."""
    return text if text.strip() else _NAMELESS


class GridEntry(NamedTuple):
    """One cell: a value and how it is written, or a dash and its reason."""

    value: float | str | None
    kind: Kind = "count"
    low: float | None = None  # the interval of a share or a number
    high: float | None = None
    reason: str = ""  # why there is no value

    @property
    def text(self) -> str:
        """As tables print it."""
        if self.value is None:
            return DASH
        if isinstance(self.value, str):
            return self.value
        return f"{self.value:,.0f}" if self.kind == "count" else _format_number(self.value)

    @property
    def interval(self) -> str:
        """From where to where: `0.100–0.300`, and `-0.100 to 0.300` where a dash would look like another minus.

        >>> number(0.2, 0.1, 0.3).interval, number(0.2, -0.1, 0.3).interval
        ('0.100–0.300', '-0.100 to 0.300')
        """
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:z.3f}{' to ' if self.low < 0 else '–'}{self.high:z.3f}"


def _format_number(value: float) -> str:
    """Three digits after the point, and fewer where many stand before it.

    >>> _format_number(0.12345), _format_number(68.86), _format_number(1418.6234), _format_number(-0.25)
    ('0.123', '68.86', '1,418.6', '-0.250')
    """
    if abs(value) < 10:
        return format_score(value)
    return f"{value:,.{2 if abs(value) < 1_000 else 1}f}"


def count(value: float) -> GridEntry:
    """A number of things."""
    return GridEntry(value, "count")


def share(value: float | None, low: float | None = None, high: float | None = None, *, reason: str = "") -> GridEntry:
    """A part of a whole, between 0 and 1; a dash with its reason where there is no whole."""
    return GridEntry(value, "share", low, high, reason)


def number(value: float | None, low: float | None = None, high: float | None = None, *, reason: str = "") -> GridEntry:
    """Any other number, such as a mean or a coefficient."""
    return GridEntry(value, "number", low, high, reason)


def words(text: str) -> GridEntry:
    return GridEntry(text, "words")


def missing(reason: str) -> GridEntry:
    """What the corpus does not hold."""
    return GridEntry(None, reason=reason)


class GridRow(NamedTuple):
    """A name and its cells."""

    name: str
    entries: tuple[GridEntry, ...]
    total: bool = False  # whether it sums others up, and stands apart


@dataclass(frozen=True)
class Grid:
    """A table: named rows under the heads of columns."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[GridRow, ...]
    corner: str = ""  # what the rows are, such as "type"
    notes: tuple[str, ...] = ()
    label: str = ""  # what a LaTeX reference calls it; the caption's words where empty
    private: bool = False  # whether its names or cells are words of documents
    command: str = ""  # what to run, to be copied as it stands

    def reasons(self) -> dict[str, str]:
        """Why there are dashes: each reason once, with the columns it is about, or the rows.

        Rows are told where they are dashes from end to end and columns are not, or else where they are fewer.
        """
        where: dict[str, tuple[Counter[str], Counter[str]]] = {}
        for row in self.rows:
            for head, entry in zip(self.heads, row.entries, strict=True):
                if entry.value is None and entry.reason:
                    rows, heads = where.setdefault(entry.reason, (Counter(), Counter()))
                    rows[display_name(row.name)] += 1
                    heads[display_name(head)] += 1
        where_by_reason = {}
        for reason, (rows, heads) in where.items():
            by_rows = (min(rows.values()) >= len(self.heads), -len(rows))
            by_heads = (min(heads.values()) >= len(self.rows), -len(heads))
            where_by_reason[reason] = _list_names(rows if by_rows > by_heads else heads)
        return where_by_reason

    def dashes(self) -> list[str]:
        """The same as lines below a table."""
        return [f"{DASH} {where}: {reason}" for reason, where in self.reasons().items()]

    def in_words(self, index: int) -> bool:
        """Whether a column has words and no numbers."""
        values = [row.entries[index].value for row in self.rows]
        return any(isinstance(value, str) and value for value in values) and not any(
            isinstance(value, int | float) for value in values
        )


def _list_names(names: Collection[str]) -> str:
    more = len(names) - _PLACES
    return ", ".join(list(names)[:_PLACES]) + (f" and {more} more" if more > 0 else "")


class Heat(msgspec.Struct, frozen=True, dict=True):
    """How often each row meets each column: a matrix shown by colour and number."""

    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    kind: Literal["count", "share"] = "count"
    notes: tuple[str, ...] = ()

    @cached_property
    def most(self) -> float:
        """What the darkest shade stands for: the largest count, or all."""
        return 1.0 if self.kind == "share" else max((value for row in self.values for value in row), default=0)

    def shade(self, value: float) -> int:
        """How dark a cell is: 0 for nothing, then 1 to `SHADES`.

        Counts go by their square root: annotators mostly agree, and what they confuse would not be seen beside that.
        """
        if value <= 0 or not self.most:
            return 0
        part = value / self.most
        return max(1, min(SHADES, ceil(SHADES * (part if self.kind == "share" else sqrt(part)))))

    def ends(self) -> list[str]:
        """Up to what each shade but the first goes."""
        parts = ((shade / SHADES) ** (1 if self.kind == "share" else 2) for shade in range(1, SHADES + 1))
        return [GridEntry(part * self.most, self.kind).text for part in parts]

    def grid(self) -> Grid:
        """The numbers alone."""
        rows = zip(self.rows, self.values, strict=True)
        cells = tuple(GridRow(name, tuple(GridEntry(value, self.kind) for value in values)) for name, values in rows)
        return Grid(self.caption, self.columns, cells, notes=self.notes)


class Bars(msgspec.Struct, frozen=True, dict=True):
    """Bars of stacked parts: for each name, how much each series has."""

    caption: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    notes: tuple[str, ...] = ()
    kind: Literal["count", "share", "number"] = "count"
    private: bool = False  # whether its names are words of documents

    @cached_property
    def most(self) -> float:
        """What the longest bar stands for."""
        return max((sum(values) for _, values in self.rows), default=0)

    def grid(self) -> Grid:
        """The numbers alone."""
        cells = tuple(
            GridRow(name, tuple(GridEntry(value, self.kind) for value in values)) for name, values in self.rows
        )
        return Grid(self.caption, self.series, cells, notes=self.notes, private=self.private)


class Case(NamedTuple):
    """One place in a document with its context. It is text of the document: not for everybody's eyes."""

    document: str
    start: int
    before: str
    here: str
    after: str
    remark: str = ""  # what is the matter with it


class Cases(msgspec.Struct, frozen=True):
    """Places of one kind, in their contexts."""

    caption: str
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()  # such as how many more there are


Block = Grid | Heat | Bars | Cases


@dataclass(frozen=True)
class ReportDocument:
    """One analysis for readers: what it says in sentences, then its blocks, then what to know of it."""

    title: str
    lead: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether text of documents is in it."""
        return any(map(_is_private, self.blocks))

    def without_text(self) -> ReportDocument:
        """The same without text of documents; what is left out is told."""
        if not self.private:
            return self
        public = tuple(block for block in self.blocks if not _is_private(block))
        left = ", ".join(block.caption for block in self.blocks if _is_private(block))
        return replace(self, blocks=public, notes=(*self.notes, f"left out, since they quote documents: {left}"))


def _is_private(block: Block) -> bool:
    return isinstance(block, Cases) or (isinstance(block, Grid | Bars) and block.private)
