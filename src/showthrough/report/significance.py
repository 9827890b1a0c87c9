"""Which differences between anonymizations are more than chance."""

from __future__ import annotations

from typing import Literal

from showthrough.core.errors import PlanError
from showthrough.metrics import HEADLINE
from showthrough.run.records import Comparison
from showthrough.run.run import Run

Result = Literal["better", "worse", "unclear", "undefined"]
ALPHA = 0.05
MOST = 20  # anonymizations of which all pairs are tested and shown: pairs grow with their square
_MANY = 10_000  # documents; with more of them fewer shuffles must do, or a report would take minutes


def shuffles(run: Run) -> int:
    return 9_999 if len(run.documents) <= _MANY else 999


def is_tested(run: Run) -> bool:
    """Whether a report tests the differences; those of more anonymizations are for `showthrough compare`."""
    return 1 < len(run.names) <= MOST and run.complete


def compare_pairs(run: Run, metric: str) -> list[Comparison]:
    """All pairs on a metric's headline, tested once for all who ask.

    None of a metric of another version or another package: its scores can be shown, not compared.
    """
    cached: dict[str, list[Comparison]] = run.__dict__.setdefault("_compared", {})
    if metric not in cached:
        try:
            cached[metric] = run.compare(metric, parts=False, shuffles=shuffles(run))
        except PlanError:
            cached[metric] = []
    return cached[metric]


def pairs(run: Run) -> dict[str, list[Comparison]]:
    """All ordered pairs, for every metric that has a headline to judge by; none where they are not tested."""
    both: dict[str, list[Comparison]] = {}
    judged = [record.text for record in run.metrics if record.text in run.rows and not record.describes(HEADLINE)]
    for metric in judged if is_tested(run) else ():
        if comparisons := compare_pairs(run, metric):
            both[metric] = [pair for comparison in comparisons for pair in (comparison, comparison.swapped)]
    return both


def result(run: Run, comparison: Comparison, alpha: float = ALPHA) -> Result:
    """Whether the first is better than the second, as far as that is known."""
    if comparison.p_holm is None:
        return "undefined"
    if not comparison.significant(alpha) or describes(run, comparison):
        return "unclear"
    return "better" if first_is_better(run, comparison) else "worse"


def first_is_better(run: Run, comparison: Comparison) -> bool:
    return ((comparison.difference or 0) > 0) == (run.record(comparison.metric).better == "higher")


def describes(run: Run, comparison: Comparison) -> bool:
    """Whether neither a higher nor a lower value is better."""
    return run.record(comparison.metric).describes(comparison.part)


def p_text(p: float | None) -> str:
    return "–" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"
