"""Which differences are more than chance, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from showthrough.report.charts.theme import Chart, Charts, altair, matrix
from showthrough.report.significance import Pair, pairs
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run


def significance_charts(run: Run) -> Charts:
    return {text: significance_chart(run, run.record(text), each) for text, each in pairs(run).items()}


def significance_chart(run: Run, record: MetricRecord, compared: Sequence[Pair]) -> Chart:
    """Is the row better than the column? A matrix of all pairs on one metric."""

    def by_result(better: str, worse: str, unclear: str) -> Any:
        test = f"datum.result == 'better' ? {better} : datum.result == 'worse' ? {worse} : {unclear}"
        return altair().value({"expr": test})

    ground, ink = by_result("strong", "pale", "faint"), by_result("on_strong", "on_pale", "on_pale")
    which = f"{record.title} ({record.text}): which differences between anonymizations are significant"
    return matrix("pairs", pair_cells(compared), "column", run.names, "row", run.names, ground, ink, which)


def _why(pair: Pair) -> str:
    if pair.p is None:
        return f"\n{pair.note}" if pair.note else ""
    ends = "" if pair.interval is None else f" ({pair.interval[0]:+.3f} to {pair.interval[1]:+.3f})"
    return f"\ncorrected p {pair.shown}, difference {pair.difference:+.3f}{ends}"


def pair_cells(compared: Sequence[Pair]) -> list[dict[str, Any]]:
    sign = {"better": "▲ ", "worse": "▼ ", "unclear": "", "undefined": ""}
    words = {
        "better": "is significantly better than", "worse": "is significantly worse than",
        "unclear": "does not differ significantly from", "undefined": "cannot be compared with",
    }  # fmt: skip
    return [
        {
            "row": pair.row,
            "column": pair.column,
            "result": pair.result,
            "label": sign[pair.result] + pair.shown,
            "tip": f"{pair.row} {words[pair.result]} {pair.column}{_why(pair)}",
        }
        for pair in compared
    ]
