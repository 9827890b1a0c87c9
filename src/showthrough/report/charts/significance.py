"""Which differences are more than chance, as a chart."""

from __future__ import annotations

from typing import Any

from showthrough.report.charts.theme import Chart, Charts, altair, matrix
from showthrough.report.significance import p_text, pairs, result
from showthrough.run.records import Comparison
from showthrough.run.run import Run

# What stands before p in a cell, and in the words of its tip.
_RESULTS = {
    "better": ("▲ ", "is significantly better than"), "worse": ("▼ ", "is significantly worse than"),
    "unclear": ("", "does not differ significantly from"), "undefined": ("", "cannot be compared with"),
}  # fmt: skip


def significance_charts(run: Run) -> Charts:
    return {metric: _chart(run, metric, compared) for metric, compared in pairs(run).items()}


def _chart(run: Run, metric: str, compared: list[Comparison]) -> Chart:
    """Is the row better than the column? A matrix of all pairs on one metric."""

    def by_result(better: str, worse: str, unclear: str) -> Any:
        test = f"datum.result == 'better' ? {better} : datum.result == 'worse' ? {worse} : {unclear}"
        return altair().value({"expr": test})

    ground, ink = by_result("strong", "pale", "faint"), by_result("on_strong", "on_pale", "on_pale")
    which = f"{run.record(metric).title} ({metric}): which differences between anonymizations are significant"
    cells = [pair_cell(run, comparison) for comparison in compared]
    return matrix("pairs", cells, "column", run.names, "row", run.names, ground, ink, which)


def pair_cell(run: Run, comparison: Comparison) -> dict[str, Any]:
    """What is known of one pair, and how a cell and its tip say it."""
    outcome = result(run, comparison)
    sign, words = _RESULTS[outcome]
    tip = f"{comparison.first} {words} {comparison.second}"
    if comparison.p_holm is not None:
        ends = (
            ""
            if comparison.low is None or comparison.high is None
            else f" ({comparison.low:+.3f} to {comparison.high:+.3f})"
        )
        tip += f"\ncorrected p {p_text(comparison.p_holm)}, difference {comparison.difference or 0.0:+.3f}{ends}"
    elif comparison.note:
        tip += f"\n{comparison.note}"
    p = p_text(comparison.p_holm)
    return {
        "row": comparison.first,
        "column": comparison.second,
        "result": outcome,
        "p": p,
        "label": sign + p,
        "tip": tip,
    }
