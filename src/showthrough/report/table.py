"""Scores laid out as tables, before any renderer: anonymizations as rows, metrics as columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from showthrough.metrics import HEADLINE
from showthrough.metrics.matching.entities import CHANCE, GENERALIZED, LEFT, NEARLY, WAYS
from showthrough.report.section import sections, sections_of_tables
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import in_all, own_detector
from showthrough.run.run import Run
from showthrough.run.weak_systems import almost_nothing

GROUPS = ("privacy", "utility", "both", "neither")
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
DASH = "–"
_MOST_DIGITS = 9
_BETTER = {"right": "higher", "wrong": "lower"}  # of counts
# What the parts are called that tell how identifiers can be read.
PART_WORDS = {
    **dict(zip((f"{LEFT}:{way}" for way in WAYS), (
        "readable where marked", "readable elsewhere", "readable, written otherwise", "readable, encoded",
    ), strict=True)),
    NEARLY: "nearly readable (not counted)",
    GENERALIZED: "dates that lost their day",
    CHANCE: "readable in another document",
}  # fmt: skip
HEADLINES = "scores"  # the title of the table of what metrics are known by


def format_score(value: float, digits: int = 3) -> str:
    """A number with so many digits, or more where it would look like 0 or 1 and is not: one leak in 3,000 is a leak.

    >>> format_score(0.12345), format_score(0.99967), format_score(1.0), format_score(1 - 1e-12)
    ('0.123', '0.9997', '1.000', '1.000')
    """
    for more in range(digits, _MOST_DIGITS):
        text = f"{value:.{more}f}"
        if float(text) == value or float(text) not in (0.0, 1.0):
            return text
    return f"{value:.{digits}f}"  # what is left is rounding


@dataclass(frozen=True)
class Cell:
    """One score, and whether it is the best of its column."""

    score: Score | None
    best: bool = False

    @property
    def value(self) -> str:
        if self.score is None or self.score.value is None:
            return DASH
        if self.score.value > 1 and self.score.value.is_integer():  # a number of things
            return f"{self.score.value:.0f}"
        return format_score(self.score.value)

    @property
    def interval(self) -> str:
        return f"{self.score.low:.3f}–{self.score.high:.3f}" if self.score and self.score.ends else ""


@dataclass(frozen=True)
class CountCell(Cell):
    """A number of things, out of the rows that scores are made from."""

    @property
    def value(self) -> str:
        """What is right in part counts half."""
        return DASH if self.score is None else f"{self.score.value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class ScoreColumn:
    """One metric or one part of one, down all anonymizations."""

    head: str
    group: str
    better: str
    cells: tuple[Cell, ...]
    title: str = ""  # what people call it, where the head is a short name

    @property
    def arrow(self) -> str:
        return ARROWS[self.better]

    @property
    def zero(self) -> bool:
        """Whether nothing was there to be found, masked or not: lower is better, and all rows have 0."""
        return self.better == "lower" and all(cell.score is not None and cell.score.value == 0 for cell in self.cells)


@dataclass(frozen=True)
class ScoreTable:
    """The headline scores, or all parts of one metric."""

    title: str
    names: tuple[str, ...]
    columns: tuple[ScoreColumn, ...]
    references: int = 0  # how many of the last rows are no anonymization under test
    zero: tuple[str, ...] = ()  # parts that are 0 in every row, which are told and not shown
    asides: tuple[str, ...] = ()  # what else is told below it

    @property
    def heading(self) -> str:
        """What it is of, where it is not of what metrics are known by: `, recall_per_type`."""
        return "" if self.title == HEADLINES else f", {self.title}"

    @property
    def has_headlines(self) -> bool:
        """Whether it has what metrics are known by."""
        return self.title == HEADLINES

    @property
    def hinted(self) -> bool:
        """Whether the terminal says that `--parts` shows it, where it is not shown."""
        return True

    @property
    def tested(self) -> int:
        """How many of the first rows are under test."""
        return len(self.names) - self.references

    def groups(self) -> list[tuple[str, tuple[ScoreColumn, ...]]]:
        """Columns by group; they stand in the order of `GROUPS`."""
        return [(group, tuple(columns)) for group, columns in groupby(self.columns, lambda column: column.group)]

    def explain_dashes(self) -> list[str]:
        """Why there is a dash, one line for each reason; why a reference has none goes without saying."""
        lines = (
            f"{DASH} {cell.score.anonymization}, {column.head}: {cell.score.reason}"
            for column in self.columns
            for cell in column.cells[: self.tested]
            if cell.score is not None and cell.score.value is None
        )
        return list(dict.fromkeys(lines))

    def explain_dashes_together(self) -> list[str]:
        """Why there are dashes, one line for each reason: `– phi_leak, phi_strict of ner, rules: …`."""
        heads: dict[tuple[str, str], list[str]] = {}  # by reason and anonymization
        for column in self.columns:
            for cell in column.cells[: self.tested]:
                if cell.score is not None and cell.score.value is None:
                    heads.setdefault((str(cell.score.reason), cell.score.anonymization), []).append(column.head)
        names: dict[tuple[str, str], list[str]] = {}  # by reason and heads: the same heads for each of these
        for (reason, name), undefined in heads.items():
            names.setdefault((reason, ", ".join(undefined)), []).append(name)
        return [f"{DASH} {undefined} of {', '.join(who)}: {reason}" for (reason, undefined), who in names.items()]

    def without_references(self) -> ScoreTable:
        """The anonymizations alone."""
        columns = (replace(column, cells=column.cells[: self.tested]) for column in self.columns)
        return replace(self, names=self.names[: self.tested], columns=tuple(columns), references=0)

    def remarks(self) -> list[str]:
        """What a perfect number leaves open, and why a number has no interval; one line for each."""
        scores = [(column, cell.score) for column in self.columns for cell in column.cells[: self.tested] if cell.score]
        lines = []
        for column in self.columns if self.has_headlines else ():
            unseen = {score.anonymization: score.unseen for other, score in scores if other is column and score.unseen}
            if unseen and column.group == "privacy" and column.better == "higher":
                most = f"up to {max(unseen.values()) * 100:.0f} % may leak"
                lines.append(f"{column.head} of {', '.join(unseen)}: nothing leaked here, but {most}")
        bare: dict[str, list[str]] = {}
        for column, score in scores:
            if score.note:
                bare.setdefault(score.note, []).append(column.head)
        if self.zero:
            lines.append(f"0 in every row: {', '.join(self.zero)}")
        lines += [f"no interval for {', '.join(dict.fromkeys(heads))}: {note}" for note, heads in bare.items()]
        return [*lines, *self.asides]


@dataclass(frozen=True)
class OwnTable(ScoreTable):
    """A table of metrics that tell more together than as columns among others."""

    @property
    def has_headlines(self) -> bool:
        return True

    def headlines(self) -> set[str]:
        """The metrics whose headline stands in it."""
        cells = [cell for column in self.columns for cell in column.cells]
        return {cell.score.metric for cell in cells if cell.score and cell.score.part == HEADLINE}


def tables(run: Run) -> list[ScoreTable]:
    """The headline table, then one for each metric that has parts; references stand below the anonymizations."""
    main = headlines(run)
    names, beside, further, views = main.names, main.references, [], sections()
    for record in [record for record in run.metrics if record.text in run.rows]:
        parts = list(dict.fromkeys(part for name in run.names for part in run.parts(name, record.text)))
        if "release" in record.roles:
            further += _release_tables(run, record, names, beside, parts)
            continue
        places = {part: next(filter(None, (view.place_of(record, part) for view in views)), "") for part in parts}
        parts = [part for part in parts if places[part] != "own"]
        by_category = [part for part in parts if HEADLINE in places and ":" in part and places[part] != "column"]
        if rest := [part for part in parts if part != HEADLINE and part not in by_category]:
            columns = [column_of(run, record, part, part or "(no type)") for part in sorted(rest, key=in_order)]
            shown = [column for column in columns if not column.zero] or columns
            zero = tuple(column.head for column in columns if column not in shown)
            further.append(ScoreTable(record.text, names, tuple(shown), beside, zero))
        if by_category:  # a table for each anonymization: a reference in each would say the same again and again
            further += [_categories(run, record, name, by_category) for name in run.names]
    return [main, *further] if main.columns else further


def _release_tables(
    run: Run, record: MetricRecord, names: tuple[str, ...], beside: int, parts: list[str]
) -> list[ScoreTable]:
    """Its types, and how identifiers can be read: shares of all of them, in words."""
    how = [part for part in parts if part in PART_WORDS]
    types = sorted((part for part in parts if part != HEADLINE and part not in how), key=in_order)
    by_type = tuple(column_of(run, record, part, part or "(no type)") for part in types)
    ways = tuple(column_of(run, record, part, part, PART_WORDS[part]) for part in how)
    named_columns = [("by type", by_type), ("by how they can be read", ways)]
    return [ScoreTable(f"{record.text}, {by}", names, columns, beside) for by, columns in named_columns if columns]


def headlines(run: Run) -> ScoreTable:
    """What metrics are known by, a column each."""
    records = [record for record in run.metrics if any(HEADLINE in run.parts(name, record.text) for name in run.names)]
    records.sort(key=lambda record: GROUPS.index(record.group))
    columns = tuple(column_of(run, record, HEADLINE, record.text) for record in records)
    return ScoreTable(HEADLINES, _rows(run), columns, len(run.references))


def in_order(part: str) -> list[tuple[str, int]]:
    """What parts are sorted by: letters, and numbers by their size.

    >>> sorted(["k=16", "k=2", "ami"], key=in_order)
    ['ami', 'k=2', 'k=16']
    """
    pieces = re.findall(r"(\D*)(\d*)", part)
    return [(letters, int(digits or 0)) for letters, digits in pieces]


def _rows(run: Run) -> tuple[str, ...]:
    return (*run.names, *(reference.name for reference in run.references))


def column_of(run: Run, record: MetricRecord, part: str, head: str, title: str = "") -> ScoreColumn:
    """One number of all anonymizations, the best of them marked, and of the references.

    On use none is best that hides almost nothing, and of what a detector finds none that hides the same itself.
    """
    names = run.names
    scores = [run.parts(name, record.text).get(part) for name in _rows(run)]
    tested = scores[: len(names)]
    values = [score.value for score in tested if score is not None and score.value is not None]
    better = "neither" if record.describes(part) else record.better
    best = None  # where all are equal none is, and a reference never is
    if record.group == "utility" and len(set(values)) > 1:  # to leave all as it was is no merit
        named = zip(names, tested, strict=True)
        tested = [None if almost_nothing(run, name) else score for name, score in named]
        values = [score.value for score in tested if score is not None and score.value is not None]
    if own := {name for name in names if own_detector(run, name, record)}:  # to find nothing is no merit either
        tested = [None if name in own else score for name, score in zip(names, tested, strict=True)]
        values = [score.value for score in tested if score is not None and score.value is not None]
    if len(set(values)) > 1 and better != "neither":
        best = max(values) if better == "higher" else min(values)
    is_best = [best is not None and score is not None and score.value == best for score in tested]
    cells = map(Cell, scores, is_best + [False] * len(run.references))
    return ScoreColumn(head, record.group, better, tuple(cells), title or (record.title if part == HEADLINE else ""))


def _categories(run: Run, record: MetricRecord, name: str, parts: list[str]) -> ScoreTable:
    """A metric's parts `measure:category` of one anonymization: categories as rows, and the counts behind them."""
    measures = list(dict.fromkeys(part.partition(":")[0] for part in parts))
    kinds = sorted({part.partition(":")[2] for part in parts})
    scores = run.parts(name, record.text)
    columns = []
    for measure in measures:
        overall = scores.get(measure, scores.get(HEADLINE))  # of the measures, one is the headline
        cells = (Cell(overall), *(Cell(scores.get(f"{measure}:{kind}")) for kind in kinds))
        columns.append(
            ScoreColumn(measure, record.group, "neither" if record.describes(measure) else record.better, cells)
        )
    sums = {column: in_all(values) for column, values in run.rows[record.text][name].items()}
    for statistic in dict.fromkeys(column.partition(":")[0] for column in sums if ":" in column):
        better = _BETTER.get(record.counts.get(statistic, "all"), "neither")
        counts = (sums.get(key) for key in (statistic, *(f"{statistic}:{kind}" for kind in kinds)))
        scored = (
            None if count is None else Score(name, record.text, statistic, count, None, None, "", "")
            for count in counts
        )
        columns.append(ScoreColumn(statistic, record.group, better, tuple(map(CountCell, scored))))
    kind = "rater" if measures == ["rater"] else "category"
    return ScoreTable(f"{record.text} of {name} by {kind}", ("(all)", *kinds), tuple(columns))


def documents_line(run: Run) -> str:
    """`demo: 42 documents`."""
    return f"{run.corpus.name}: {run.sample}"


def signatures(run: Run, table: ScoreTable | None = None) -> list[str]:
    """One line a metric (of a table, or of all), with all anonymizations in it.

    The run file has the line of every single score.
    """
    cells = [cell for column in table.columns for cell in column.cells] if table else []
    own = {cell.score.metric for cell in cells if cell.score}
    lines: dict[str, str] = {}
    for score in run.scores:
        if table is None or score.metric in own:
            lines.setdefault(score.metric, score.signature)
    everyone = ",".join(f"{system.name}@{system.digest[:8]}" for system in run.anonymizations).replace("|", "¦")
    return [
        re.sub(r"(?<=\|)anonymization:[^|]*", lambda _: f"anonymization:{everyone}", line) for line in lines.values()
    ]


def every_table(run: Run) -> list[ScoreTable]:
    """All tables in the order in which they are read.

    Those of families first, then what metrics are known by, then their parts, then those of parts by families.
    """
    table_sections = sections_of_tables()
    own = [table for section in table_sections for table in section.tables(run)]
    return [*own, *tables(run), *(table for section in table_sections for table in section.part_tables(run))]


def each_once(every: Sequence[ScoreTable]) -> list[ScoreTable]:
    """The same tables; of the headlines those that stand in a table of their own too are left out."""
    elsewhere = {metric for table in every if isinstance(table, OwnTable) for metric in table.headlines()}
    shown = []
    for table in every:
        own = tuple(column for column in table.columns if column.head not in elsewhere)
        if table.title != HEADLINES:
            shown.append(table)
        elif own:
            shown.append(replace(table, columns=own))
    return shown
