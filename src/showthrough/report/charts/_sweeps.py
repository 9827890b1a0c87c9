"""Recall against precision, a line for each anonymization whose masks have scores."""

from __future__ import annotations

from typing import Any

from showthrough.report.charts._plane import axis_title
from showthrough.report.charts.theme import Chart, Charts, altair
from showthrough.report.sweeps import as_typed, axes, curves
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run


def sweeps_charts(run: Run) -> Charts:
    recall, precision = axes(run)
    return {across.text: sweeps_chart(run, across, precision[0]) for across in recall}


def sweeps_chart(run: Run, across: MetricRecord, up: MetricRecord) -> Chart:
    """Each line ends in the sign of its anonymization, with all of its masks."""
    alt = altair()
    domain = {"domain": list(run.names)}
    legend = alt.Legend(title=None, orient="bottom", columns=1, symbolOpacity=1)
    color = alt.Color("name:N", legend=legend).scale(**domain)
    shape = alt.Shape("name:N", legend=legend).scale(**domain)
    lines, ends = (alt.Chart(alt.NamedData(name=name)) for name in ("lines", "ends"))
    x, y = (
        channel(f"{field}:Q", title=axis_title(record)).scale(zero=False, nice=False, padding=16).axis(tickCount=6)
        for channel, field, record in ((alt.X, "x", across), (alt.Y, "y", up))
    )
    chart = alt.layer(
        lines.mark_line(strokeWidth=1.5, point={"size": 18}).encode(
            x, y, color, order="place:Q", tooltip="tip:N", description="tip:N"
        ),
        ends.mark_point(filled=False, size=140, strokeWidth=2.2, opacity=1).encode(
            x, y, color, shape, tooltip="tip:N", description="tip:N"
        ),
    ).properties(
        width=460, height=330, description=f"{up.title} against {across.title} as masks with lower scores are left out"
    )
    rows = [(curve.name, index, point) for curve in curves(run, across, up) for index, point in enumerate(curve.points)]
    drawn: list[dict[str, Any]] = [
        {"name": name, "place": index, "x": point.x, "y": point.y,
         "tip": f"{name}, threshold {as_typed(point.threshold)}\n{across.text} {point.x:.3f}\n{up.text} {point.y:.3f}"}
        for name, index, point in rows
    ]  # fmt: skip
    chart.datasets = {"lines": drawn, "ends": [row for row in drawn if not row["place"]]}
    return chart
