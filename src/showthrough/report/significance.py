"""Which differences between anonymizations are more than chance, laid out as a matrix of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from showthrough.errors import PlanError
from showthrough.report.terminal import p_text
from showthrough.run.records import Comparison, MetricRecord
from showthrough.run.run import Run

Result = Literal["better", "worse", "unclear", "undefined"]
ALPHA = 0.05
MOST = 20  # anonymizations of which all pairs are tested and shown: pairs grow with their square
_MANY = 10_000  # documents; with more of them fewer shuffles must do, or a report would take minutes


@dataclass(frozen=True)
class Pair:
    """Is the row better than the column on a metric?"""

    row: str
    column: str
    result: Result
    difference: float
    p: float | None  # corrected
    interval: tuple[float, float] | None = None  # of the difference
    note: str = ""  # why there is no p

    @property
    def shown(self) -> str:
        return "–" if self.p is None else p_text(self.p)


def shuffles(run: Run) -> int:
    return 9_999 if len(run.documents) <= _MANY else 999


def tested(run: Run) -> bool:
    """Whether a report tests the differences; those of more anonymizations are for `showthrough compare`."""
    return 1 < len(run.names) <= MOST and run.complete


def pairs(run: Run) -> dict[str, list[Pair]]:
    """All ordered pairs, for every metric that has a headline; none where they are not tested."""
    found: dict[str, list[Pair]] = {}
    if not tested(run):
        return found
    for record in run.metrics:
        if record.text not in run.rows:
            continue
        try:
            compared = run.compare(record.text, parts=False, shuffles=shuffles(run))
        except PlanError:
            continue  # a metric of another version or another package: its scores can be shown, not compared
        both = [pair for one in compared for pair in _both(record, one)]
        if both:
            found[record.text] = both
    return found


def _both(record: MetricRecord, one: Comparison) -> tuple[Pair, Pair]:
    difference = one.difference or 0.0
    first: Result
    second: Result
    if one.p_holm is None:
        first = second = "undefined"
    elif not one.significant(ALPHA):
        first = second = "unclear"
    else:
        first, second = ("better", "worse") if (difference > 0) == (record.better == "higher") else ("worse", "better")
    ends = None if one.low is None or one.high is None else (one.low, one.high)
    turned = None if ends is None else (-ends[1], -ends[0])
    return (
        Pair(one.first, one.second, first, difference, one.p_holm, ends, one.note),
        Pair(one.second, one.first, second, -difference, one.p_holm, turned, one.note),
    )
