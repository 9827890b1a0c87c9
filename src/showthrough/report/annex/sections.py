"""Parts of the annex that are figures of the run: a row for each anonymization and metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from showthrough.report.annex.cells import Lines, entry_of, left_open
from showthrough.report.sheets import Entry, Grid, Row, missing
from showthrough.studies.risk.values import Figure, Section

Cells = Callable[[Mapping[str, Figure]], Iterable[tuple[str, Sequence[Entry]]]]


def section_grid(section: Section, grid: Grid, cells: Cells, lines: Lines) -> Grid:
    """A row for each anonymization and metric, or several, with the number of their signature."""
    if section.reason:
        return left_open(grid.caption, section.reason, grid.label, section.command, grid.notes)
    by: dict[tuple[str, str], dict[str, Figure]] = {}
    for figure in section.figures:
        by.setdefault((figure.anonymization, figure.metric), {})[figure.part] = figure
    rows = []
    for (name, metric), parts in by.items():
        line = next(iter(parts.values())).signature
        rows += [Row(lines.named(f"{name} · {what or metric}", line), tuple(entries)) for what, entries in cells(parts)]
    without = {figure.estimate.note: None for figure in section.figures if figure.estimate.note}
    notes = (*grid.notes, *(f"some have no interval: {note}" for note in without))
    return replace(grid, rows=tuple(rows), notes=notes)


def entry_at(parts: Mapping[str, Figure], part: str, reason: str = "the run does not have it") -> Entry:
    return entry_of(parts[part].estimate) if part in parts else missing(reason)
