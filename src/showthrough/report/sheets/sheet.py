"""What a sheet is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from showthrough.report.table import DASH, rounded


class Entry(NamedTuple):
    """One cell: a value and how it is written, or a dash and its reason."""

    value: float | str | None
    kind: Literal["count", "share", "number", "words"] = "count"
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
        return f"{self.value:,.0f}" if self.kind == "count" else rounded(self.value)

    @property
    def interval(self) -> str:
        return "" if self.low is None or self.high is None else f"{self.low:.3f}–{self.high:.3f}"


def count(value: float) -> Entry:
    """A number of things."""
    return Entry(value, "count")


def share(value: float | None, low: float | None = None, high: float | None = None, *, reason: str = "") -> Entry:
    """A part of a whole, between 0 and 1; a dash with its reason where there is no whole."""
    return Entry(value, "share", low, high, reason)


def number(value: float | None, low: float | None = None, high: float | None = None, *, reason: str = "") -> Entry:
    """Any other number, such as a mean or a coefficient."""
    return Entry(value, "number", low, high, reason)


def words(text: str) -> Entry:
    return Entry(text, "words")


def missing(reason: str) -> Entry:
    """What the corpus does not hold."""
    return Entry(None, reason=reason)


class Row(NamedTuple):
    """A name and its cells."""

    name: str
    entries: tuple[Entry, ...]
    total: bool = False  # whether it sums others up, and stands apart


@dataclass(frozen=True)
class Grid:
    """A table: named rows under the heads of columns."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    corner: str = ""  # what the rows are, such as "type"
    notes: tuple[str, ...] = ()
    label: str = ""  # what a LaTeX reference calls it; the caption's words where empty
    private: bool = False  # whether its names or cells are words of documents

    def reasons(self) -> dict[str, str]:
        """Why there are dashes: each reason once, with the heads of the columns or the rows it is about."""
        where: dict[str, list[str]] = {}
        for row in self.rows:
            for head, entry in zip(self.heads, row.entries, strict=True):
                if entry.value is None and entry.reason:
                    where.setdefault(entry.reason, []).append(head)
        return {reason: ", ".join(dict.fromkeys(heads)) for reason, heads in where.items()}


@dataclass(frozen=True)
class Heat:
    """How often each row meets each column: a matrix shown by colour and number."""

    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    kind: Literal["count", "share"] = "count"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bars:
    """Bars of stacked parts: for each name, how much each series has."""

    caption: str
    series: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    notes: tuple[str, ...] = ()


class Case(NamedTuple):
    """One place in a document with its context. It is text of the document: not for everybody's eyes."""

    document: str
    start: int
    before: str
    here: str
    after: str
    remark: str = ""  # what is the matter with it


@dataclass(frozen=True)
class Cases:
    """Places of one kind, in their contexts."""

    caption: str
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()  # such as how many more there are


Block = Grid | Heat | Bars | Cases


@dataclass(frozen=True)
class Sheet:
    """One analysis for readers: what it says in sentences, then its blocks, then what to know of it."""

    title: str
    lead: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether text of documents is in it."""
        return any(isinstance(block, Cases) or (isinstance(block, Grid) and block.private) for block in self.blocks)
