"""What the sections of the annex share: cells, signatures by number, and how a section says that it is empty."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from showthrough.report.sheets import Grid, GridEntry, GridRow, missing, share, words
from showthrough.report.wording import percent
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.risk.values import Figure, RiskSection

_NEXT = 1e-9  # what is nothing but rounding

NOT_MEASURED = "not measured"
Cells = Callable[[Mapping[str, Figure]], Iterable[tuple[str, Sequence[GridEntry]]]]


class SignatureIndex:
    """Signatures, each with a number that stands beside the names of what they pin down."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def label(self, name: str, signature: str) -> str:
        return f"{name} [{self._numbers.setdefault(signature, len(self._numbers) + 1)}]"

    def grid(self) -> Iterator[Grid]:
        if self._numbers:
            rows = tuple(GridRow(f"[{number}]", (words(line),)) for line, number in self._numbers.items())
            yield Grid("Signatures: how each figure was computed", ("signature",), rows, "no.", label="signatures")


def entry_of(estimate: Estimate) -> GridEntry:
    return share(estimate.value, estimate.low, estimate.high, reason=estimate.reason)


def left_open(caption: str, reason: str, label: str, command: str = "", notes: tuple[str, ...] = ()) -> Grid:
    """A section without figures says so, why and what it takes; and what to run, where that is known."""
    return Grid(
        caption, ("in this run",), (GridRow(NOT_MEASURED, (words(reason),)),), "", notes, label, command=command
    )


def people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def at_most(end: float) -> float:
    """The upper end of a share's interval in thousandths, rounded up: the share must not exceed it.

    A run file may hold any number, so one beyond 0 and 1 is brought back between them.

    >>> at_most(0.99999996), at_most(0.0951), at_most(0.3), at_most(0.0), at_most(1e308)
    (1.0, 0.096, 0.3, 0.0, 1.0)
    """
    return math.ceil(1000 * min(max(end, 0.0), 1.0) - _NEXT) / 1000


def between(estimate: Estimate) -> str:
    """The ends of an interval, in brackets and rounded outwards.

    >>> between(Estimate(0.5, 0.0000001, 0.99999996))
    ' (0.0 % to 100.0 %)'
    """
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({percent(1 - at_most(1 - estimate.low))} to {percent(at_most(estimate.high))})"


def section_grid(section: RiskSection, grid: Grid, cells: Cells, lines: SignatureIndex) -> Grid:
    """A row for each anonymization and metric, or several, with the number of their signature."""
    if section.reason:
        return left_open(grid.caption, section.reason, grid.label, section.command, grid.notes)
    by: dict[tuple[str, str], dict[str, Figure]] = {}
    for figure in section.figures:
        by.setdefault((figure.anonymization, figure.metric), {})[figure.part] = figure
    rows = []
    for (name, metric), parts in by.items():
        line = next(iter(parts.values())).signature
        rows += [
            GridRow(lines.label(f"{name} · {what or metric}", line), tuple(entries)) for what, entries in cells(parts)
        ]
    without = {figure.estimate.note: None for figure in section.figures if figure.estimate.note}
    notes = (*grid.notes, *(f"some have no interval: {note}" for note in without))
    return replace(grid, rows=tuple(rows), notes=notes)


def entry_at(parts: Mapping[str, Figure], part: str) -> GridEntry:
    return entry_of(parts[part].estimate) if part in parts else missing("the run does not have it")
