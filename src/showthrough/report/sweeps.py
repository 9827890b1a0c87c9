"""Recall against precision where masks with lower scores are left out: curves, and the numbers they are drawn of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from showthrough.metrics import Role
from showthrough.report.sheets import Grid, GridRow, count, share
from showthrough.run.records import MetricRecord
from showthrough.run.roles import PRECISION, RECALL, headline
from showthrough.run.run import Run

_RECALL: tuple[Role, ...] = ("direct identifiers", "quasi-identifiers", RECALL)
_UNDEFINED = "nothing is masked there, or nothing was marked"
_REWRITTEN = {"number", "surrogate"}  # replacements that hang on what else is masked
TOO_GOOD = (
    "A threshold that is chosen on these documents looks better on them than it is. Choose it on other documents, "
    "and score it here once."
)


@dataclass(frozen=True)
class SweepPoint:
    """What is reached at one threshold, on two metrics."""

    threshold: float
    masks: int
    x: float
    y: float


@dataclass(frozen=True)
class Curve:
    """One anonymization, from all of its masks to its surest; a single point where no scores differ."""

    name: str
    points: tuple[SweepPoint, ...]


def axes(run: Run) -> tuple[list[MetricRecord], list[MetricRecord]]:
    """The metrics of sweeps: those that tell recall, and those that tell precision. Without one of each, neither."""
    texts = {text for sweep in run.sweeps.values() for text in sweep.values}
    swept = [record for record in run.metrics if record.text in texts]
    recall = [record for role in _RECALL for record in swept if role in record.roles]
    precision = [record for record in swept if PRECISION in record.roles]
    return (recall, precision) if recall and precision else ([], [])


def curves(run: Run, across: MetricRecord, up: MetricRecord) -> list[Curve]:
    """Those that have a number on both metrics, in the order of the run."""
    lines = []
    for name in run.names:
        points = tuple(
            SweepPoint(threshold, masks, x, y)
            for threshold, masks, (x, y) in _steps(run, name, (across, up))
            if x is not None and y is not None
        )
        lines += [Curve(name, points)] if points else []
    return lines


def _steps(
    run: Run, name: str, records: tuple[MetricRecord, MetricRecord]
) -> Iterator[tuple[float, int, tuple[float | None, float | None]]]:
    """Thresholds, how many masks are left there, and the values of two metrics."""
    sweep, (across, up) = run.sweeps.get(name), (record.text for record in records)
    if sweep is not None and {across, up} <= {*sweep.values}:
        pairs = zip(sweep.values[across], sweep.values[up], strict=True)
        yield from zip(sweep.thresholds, sweep.masks, pairs, strict=True)
        return
    x, y = (headline(run, name, record) for record in records)
    if x is not None and y is not None:
        yield 0.0, 0, (x.value, y.value)


def sweep_grids(run: Run) -> list[Grid]:
    """The same in numbers, a table for each anonymization whose masks have scores."""
    grids = []
    for anonymization in run.anonymizations:
        sweep = run.sweeps.get(anonymization.name)
        if sweep is None:
            continue
        rows = []
        for index, threshold in enumerate(sweep.thresholds):
            values = [share(series[index], reason=_UNDEFINED) for series in sweep.values.values()]
            rows.append(
                GridRow(as_typed(threshold) if index else "0 (all masks)", (count(sweep.masks[index]), *values))
            )
        notes = []
        if sweep.unscored:
            several = f"{sweep.unscored:,} masks have no score and are never left out."
            notes.append("1 mask has no score and is never left out." if sweep.unscored == 1 else several)
        if sweep.levels > len(sweep.thresholds):
            notes.append(
                f"There are {sweep.levels:,} different scores; from each row to the next about the same number of "
                f"masks is left out."
            )
        if anonymization.made and anonymization.made.replacement in _REWRITTEN:
            notes.append("The replacements are those of the file; anonymize --threshold may write others.")
        grids.append(Grid(anonymization.name, ("masks", *sweep.values), tuple(rows), "threshold", tuple(notes)))
    return grids


def as_typed(threshold: float) -> str:
    """In full, since another number may leave other masks.

    >>> as_typed(0.85), as_typed(1.0), as_typed(0.9999987)
    ('0.85', '1', '0.9999987')
    """
    return repr(threshold).removesuffix(".0")
