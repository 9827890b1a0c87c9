"""What the site shows of one run: a table in order of protection, who cannot be told apart, and a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from showthrough.core.families import FAMILIES
from showthrough.models.published import models_in
from showthrough.report._people import people
from showthrough.report.privacy_utility import PlaneMetric, first_choice, on_front, plane_metrics, points
from showthrough.report.sheets import Grid, GridEntry, GridRow, missing, number, words
from showthrough.report.site.groups import different_pairs, group_letters
from showthrough.report.systems import grids
from showthrough.report.table import DASH, Cell, ScoreColumn, ScoreTable, headlines, tables
from showthrough.run.records import Input, MetricRecord
from showthrough.run.run import Run
from showthrough.run.submission import Submission, submission_of
from showthrough.run.weak_systems import almost_nothing

OURS = "Apache-2.0"  # the licence of what needs no model
_UNKNOWN = "not known"
_LEFT, _TOP, _WIDE, _HIGH = 58.0, 14.0, 460.0, 330.0  # of the picture, within 620 × 400


class SiteColumn(NamedTuple):
    """A metric, and the threat that it is about; empty where it is about use."""

    record: MetricRecord
    head: str  # its name, or its text form where two have one name
    arrow: str
    threat: str


class SiteCell(NamedTuple):
    """A score as it is written; of an undefined one the reason."""

    text: str
    interval: str
    value: float | None
    reason: str
    letters: str = ""  # systems that share one were not shown to differ
    first: bool = False  # whether it shares one with the best


class SiteRow(NamedTuple):
    """A system, a reference, or people."""

    name: str
    slug: str
    kind: str  # system, reference or people
    cells: tuple[SiteCell, ...]
    licence: str = ""
    rate: float | None = None  # documents a second
    unverified: str = ""  # why nobody could score its masks again
    front: bool = False  # whether no other is at least as good in protection and use, and better in one


class Mark(NamedTuple):
    """A system in the picture."""

    name: str
    x: float
    y: float
    low: tuple[float, float]
    high: tuple[float, float]
    label_x: float
    label_y: float
    end: str  # which end of the name stands at label_x
    front: bool
    tip: str


class Picture(NamedTuple):
    """Protection against use."""

    across: MetricRecord
    up: MetricRecord
    marks: list[Mark]
    front: str  # the points of a line
    across_ticks: list[tuple[float, str]]
    up_ticks: list[tuple[float, str]]


def slug_of(name: str) -> str:
    """A name as it can be part of an address.

    >>> slug_of("everywhere(spacy:en)+rules"), slug_of("…")
    ('everywhere-spacy-en-rules', 'x')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


class Board:
    """One run as the site shows it; `run` holds no text."""

    def __init__(self, slug: str, run: Run) -> None:
        self.slug = slug
        self.run = run
        self.submission: Submission = submission_of(run)

    @property
    def title(self) -> str:
        return self.submission.about.get("title") or self.run.corpus.name

    @property
    def language(self) -> str:
        return self.submission.about.get("language", "not said")

    @cached_property
    def columns(self) -> list[SiteColumn]:
        threats = {name: title for title, family in FAMILIES.sound().items() for name in family.metrics}
        records = [self.run.record(column.head) for column in self._scored]
        named = Counter(record.name for record in records)
        return [
            SiteColumn(
                record,
                record.name if named[record.name] == 1 else record.text,
                column.arrow,
                "" if record.group == "utility" else threats.get(record.name, "other"),
            )
            for column, record in zip(self._scored, records, strict=True)
        ]

    @property
    def threats(self) -> list[str]:
        return list(dict.fromkeys(column.threat for column in self.columns if column.threat))

    @cached_property
    def _scored(self) -> tuple[ScoreColumn, ...]:
        return headlines(self.run).columns

    @cached_property
    def axes(self) -> tuple[PlaneMetric, PlaneMetric] | None:
        """Protection and use, as far as both were measured."""
        return first_choice(plane_metrics(self.run))

    @cached_property
    def rows(self) -> list[SiteRow]:
        """The best protected first; references and people last."""
        columns = [self._cells(column) for column in self._scored]
        systems = [
            self._row(system, [column[at] for column in columns]) for at, system in enumerate(self.run.anonymizations)
        ]
        order = next((at for at, column in enumerate(self.columns) if self._leads(column.record)), None)
        if order is not None:
            sign = -1 if self.columns[order].record.better == "higher" else 1
            systems.sort(key=lambda row: _rank(row.cells[order].value, sign))
        offset = len(self.run.names)
        references = [
            SiteRow(reference.name, "", "reference", tuple(column[offset + at] for column in columns))
            for at, reference in enumerate(self.run.references)
        ]
        human = tuple(self._people(column) for column in self._scored)
        beside = [SiteRow("people", "", "people", human)] if any(cell.text != DASH for cell in human) else []
        return [*systems, *references, *beside]

    @property
    def systems(self) -> list[SiteRow]:
        return [row for row in self.rows if row.kind == "system"]

    def _leads(self, record: MetricRecord) -> bool:
        return self.axes is not None and record.text == self.axes[0].record.text

    def _cells(self, column: ScoreColumn) -> list[SiteCell]:
        """Of systems and references; letters stand with systems that were tested."""
        record, names = self.run.record(column.head), self.run.names
        values = {name: cell.score.value for name, cell in zip(names, column.cells, strict=False) if cell.score}
        sign = -1 if record.better == "higher" else 1
        ranked = sorted(names, key=lambda name: _rank(values.get(name), sign))
        different = different_pairs(self.run, column.head)
        letters = {} if different is None else group_letters(ranked, different)
        worthy = [name for name in ranked if record.group != "utility" or not almost_nothing(self.run, name)]
        best = set(letters.get(worthy[0], "")) if worthy and values.get(worthy[0]) is not None else set()
        cells = []
        for at, cell in enumerate(column.cells):
            name = names[at] if at < len(names) else ""
            own = letters.get(name, "") if values.get(name) is not None else ""
            cells.append(_cell(cell, own, first=name in worthy and bool(best & set(own))))
        return cells

    def _row(self, system: Input, cells: Sequence[SiteCell]) -> SiteRow:
        spec = system.made.anonymizer if system.made else ""
        cost = system.made.cost if system.made else None
        return SiteRow(
            system.name,
            slug_of(system.name),
            "system",
            tuple(cells),
            _licence(spec),
            cost.rate if cost else None,
            self.submission.unverified.get(system.name, ""),
            system.name in self._front,
        )

    @cached_property
    def _front(self) -> set[str]:
        """The systems to beat. None is among them that hides almost nothing: to leave all as it was is no merit."""
        worthy = [name for name in self.run.names if not almost_nothing(self.run, name)]
        return set(on_front(worthy, *self.axes)) if self.axes else set()

    @cached_property
    def _points(self) -> list[Any]:
        return points(self.run.names, *self.axes) if self.axes else []

    def _people(self, column: ScoreColumn) -> SiteCell:
        human = people(self.run, column.head)
        if human is None:
            return SiteCell(DASH, "", None, "nobody could be scored against others")
        value, low, high = human.value
        entry = number(value, low, high)
        return SiteCell(entry.text, entry.interval, value, "")

    @cached_property
    def picture(self) -> Picture | None:
        if self.axes is None or not self._points:
            return None
        across, up = self.axes
        x_of = _Scale(across, [point.x for point in self._points], _LEFT, _WIDE)
        y_of = _Scale(up, [point.y for point in self._points], _TOP + _HIGH, -_HIGH)
        marks = [
            Mark(
                point.name,
                x_of(point.x[0]),
                y_of(point.y[0]),
                (x_of(point.x[1]), y_of(point.y[1])),
                (x_of(point.x[2]), y_of(point.y[2])),
                x_of(point.x[0]) + (-9 if point.left else 9),
                y_of(point.y[0]) + point.drop + 4,
                "end" if point.left else "start",
                point.name in self._front,
                f"{point.name}: {across.record.name} {point.x[0]:.3f}, {up.record.name} {point.y[0]:.3f}",
            )
            for point in self._points
        ]
        line = sorted((mark.x, mark.y) for mark in marks if mark.front)
        return Picture(
            across.record,
            up.record,
            marks,
            " ".join(f"{x},{y}" for x, y in line),
            x_of.ticks(),
            y_of.ticks(),
        )

    @cached_property
    def _part_tables(self) -> list[ScoreTable]:
        """The parts of metrics, such as types; what is told of each system in a table of its own is left out."""
        rows = (*self.run.names, *(reference.name for reference in self.run.references))
        return [table for table in tables(self.run) if not table.has_headlines and table.names == rows]

    def part_grids(self) -> list[Grid]:
        """The parts of metrics, a row for each system."""
        return [
            Grid(
                table.title,
                tuple(column.head for column in table.columns),
                tuple(
                    GridRow(row.name, tuple(_entry(column.cells[at]) for column in table.columns))
                    for row in self.systems
                    for at in [table.names.index(row.name)]
                ),
                "system",
            )
            for table in self._part_tables
        ]

    def parts_of(self, name: str) -> list[Grid]:
        """The same for one system, a row for each part."""
        return [
            Grid(
                table.title,
                ("score",),
                tuple(
                    GridRow(column.head, (_entry(column.cells[table.names.index(name)]),)) for column in table.columns
                ),
                "part",
            )
            for table in self._part_tables
        ]

    def made_grids(self, name: str) -> list[Grid]:
        """How one system was made and what it cost."""
        return [
            Grid(grid.caption, ("",), tuple(_turned(grid, row)), "", grid.notes)
            for grid in grids(self.run)
            for row in grid.rows
            if row.name == name
        ]


class _Scale:
    """Where numbers of a metric stand in the picture: better always goes the same way."""

    def __init__(self, metric: PlaneMetric, values: Sequence[tuple[float, float, float]], start: float, length: float):
        ends = [end for value in values for end in value]
        self._low, self._high = min(ends), max(ends)
        if self._high - self._low < 1e-9:
            self._low, self._high = self._low - 0.05, self._high + 0.05
        self._start, self._length = start, length
        self._falls = metric.record.better == "lower"

    def __call__(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return round(self._start + self._length * (1 - share if self._falls else share), 1)

    def ticks(self) -> list[tuple[float, str]]:
        values = [self._low + (self._high - self._low) * step / 4 for step in range(5)]
        return [(self(value), f"{value:.2f}") for value in values]


def _cell(cell: Cell, letters: str, *, first: bool) -> SiteCell:
    score = cell.score
    if score is None or score.value is None:
        return SiteCell(DASH, "", None, score.reason if score else "it was not scored")
    return SiteCell(cell.value, cell.interval, score.value, "", letters, first)


def _entry(cell: Cell) -> GridEntry:
    score = cell.score
    if score is None or score.value is None:
        return missing(score.reason if score else "it was not scored")
    return number(score.value, score.low, score.high)


def _turned(grid: Grid, row: GridRow) -> Iterator[GridRow]:
    for head, entry in zip(grid.heads, row.entries, strict=True):
        yield GridRow(head, (entry if entry.text != DASH else words(entry.reason or DASH),))


def _rank(value: float | None, sign: int) -> tuple[bool, float]:
    """What to sort by: undefined numbers come last."""
    return value is None, sign * (value or 0.0)


def _licence(spec: str) -> str:
    """Of the weights that a system needs; of one without weights that of this project."""
    models = [model for _, model in models_in(spec)]
    if models:
        return ", ".join(dict.fromkeys(model.licence or _UNKNOWN for model in models))
    return OURS if spec and ":" not in spec else _UNKNOWN
