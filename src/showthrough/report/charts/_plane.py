"""Privacy against utility as charts: a point for each anonymization, and lines of those whose masks have scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from showthrough.report.charts.theme import Chart, Charts, altair
from showthrough.report.privacy_utility import PlaneMetric, PlanePoint, first_choice, plane_metrics, points
from showthrough.report.sweeps import as_typed, axes, curves
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run

_WIDE, _HIGH = 460, 330
_BESIDE = 18  # letters of names that stand beside their points; longer ones are in a legend


def plane_charts(run: Run) -> Charts:
    chosen = first_choice(plane_metrics(run))
    return {"": plane_chart(run.names, *chosen)} if chosen else {}


def plane_chart(names: Sequence[str], across: PlaneMetric, up: PlaneMetric) -> Chart:
    """Every anonymization a point with its intervals, and the front of those that none betters on both metrics.

    Both axes point towards better, also where a lower number is better.
    """
    alt = altair()
    placed = points(names, across, up)
    x, x_low = (_towards_better(alt.X, field, across.record) for field in ("x", "x_low"))
    y, y_low = (_towards_better(alt.Y, field, up.record) for field in ("y", "y_low"))
    beside = max(map(len, names), default=0) <= _BESIDE
    legend = None if beside else alt.Legend(title=None, orient="bottom", columns=1, symbolOpacity=1)
    color = alt.Color("name:N", legend=legend).scale(domain=list(names))
    shape = alt.Shape("name:N", legend=legend).scale(domain=list(names))
    base, front = (alt.Chart(alt.NamedData(name=name)) for name in ("points", "front"))
    interval = base.mark_rule(strokeWidth=1.5, opacity=0.5, aria=False)
    placed_at = {"align": "datum.left ? 'right' : 'left'", "dx": "datum.left ? -9 : 9", "dy": "datum.drop"}
    label = {key: {"expr": expression} for key, expression in placed_at.items()}
    text = base.mark_text(aria=False, fontSize=13, baseline="middle", **label).encode(x, y, text="label:N")
    titles = f"{axis_title(up.record)} against {axis_title(across.record)}"
    chart = alt.layer(
        *_people_marks(alt, across, x, x_low, "x"),
        *_people_marks(alt, up, y, y_low, "y"),
        front.mark_line(style="front", aria=False, strokeDash=[5, 4], strokeWidth=1.5).encode(x, y, order="x:Q"),
        interval.encode(x_low, y, x2="x_high:Q", color=color),
        interval.encode(x, y_low, y2="y_high:Q", color=color),
        # Not filled: of those that coincide each can be seen.
        base.mark_point(filled=False, size=140, strokeWidth=2.2, opacity=1).encode(
            x, y, color, shape, tooltip="tip:N", description="tip:N"
        ),
        *([text] if beside else []),
    ).properties(width=_WIDE, height=_HIGH, description=f"{titles}, a point for each anonymization with its intervals")
    chart.datasets = {
        "points": [plane_point(point, across.record, up.record) for point in placed],
        "front": [{"x": point.x[0], "y": point.y[0]} for point in placed if point.best],
        **{
            f"people_{side}": _people_data(metric, side) for side, metric in (("x", across), ("y", up)) if metric.people
        },
    }
    return chart


def _people_marks(alt: Any, measured: PlaneMetric, at: Any, low: Any, side: str) -> list[Chart]:
    """A line at what people reach on one axis, its interval as a band, and a word outside at the line's end."""
    if measured.people is None:
        return []
    base = alt.Chart(alt.NamedData(name=f"people_{side}"))
    end = {"y": alt.value(-4)} if side == "x" else {"x": alt.value(_WIDE + 4)}
    alignment = {"baseline": "bottom", "align": "center"} if side == "x" else {"baseline": "middle", "align": "left"}
    return [
        base.mark_rect(style="people", opacity=0.1, aria=False).encode(**{side: low, f"{side}2": f"{side}_high:Q"}),
        base.mark_rule(style="people", strokeWidth=1.2).encode(**{side: at}, tooltip="tip:N", description="tip:N"),
        base.mark_text(style="people", aria=False, fontSize=12, text="people", **alignment).encode(**{side: at}, **end),
    ]


def _people_data(measured: PlaneMetric, side: str) -> list[dict[str, Any]]:
    people = measured.people
    if people is None:
        return []
    value, low, high = people.value
    tip = f"people, each against the others ({people.sample})\n{measured.record.text} {_format_value(people.value)}"
    return [{side: value, f"{side}_low": low, f"{side}_high": high, "tip": tip}]


def _towards_better(channel: Any, field: str, record: MetricRecord) -> Any:
    return (
        channel(f"{field}:Q", title=axis_title(record))
        .scale(zero=False, nice=False, padding=16, reverse=record.better == "lower")
        .axis(tickCount=6)
    )


def axis_title(record: MetricRecord) -> str:
    return f"{record.title} ({record.text}), {record.better} is better"


def plane_point(point: PlanePoint, across: MetricRecord, up: MetricRecord) -> dict[str, Any]:
    tip = f"{point.name}\n{across.text} {_format_value(point.x)}\n{up.text} {_format_value(point.y)}"
    return {
        "name": point.name, "label": point.name if point.named else "",
        "x": point.x[0], "x_low": point.x[1], "x_high": point.x[2], "y": point.y[0],
        "y_low": point.y[1], "y_high": point.y[2], "drop": point.drop, "left": point.left, "tip": tip,
    }  # fmt: skip


def _format_value(value: tuple[float, float, float]) -> str:
    return f"{value[0]:.3f} ({value[1]:.3f}–{value[2]:.3f})"


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
