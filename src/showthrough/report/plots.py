"""Figures of a run as Vega-Lite charts: the page shows them, and papers get them as SVG, PNG and PDF.

A chart holds data and meaning. Colours, shapes and fonts come from a theme: that of the page, or `PAPER`. Names from
files go into data and domains, never into an expression: a list to sort by would become one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from showthrough.errors import OutputError
from showthrough.files.safe_xml import NOT_XML
from showthrough.files.writing import Read, write_folder
from showthrough.metrics import HEADLINE
from showthrough.report.failures import KINDS, Findings, Inspection
from showthrough.report.plane import Measured, Point, first_choice, measured, points
from showthrough.report.roles import playing
from showthrough.report.significance import Pair, pairs
from showthrough.report.table import in_order
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run

Chart = Any  # of altair

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
LEVELS = ("chance", "ceiling")  # parts that an attack is measured against
FORMATS = ("svg", "png", "pdf")
_NAME = 60  # letters of a file's name
PAPER: dict[str, Any] = {
    "background": "white",
    "font": "Liberation Sans, Arial, sans-serif",
    "range": {
        "category": ["#2f66b0", "#c1502e", "#2c7d5b", "#7d53a8", "#8f6a00", "#4d5963", "#b2407c", "#157f8f"],
        "symbol": list(SHAPES),
        "heatmap": ["#faf6f1", "#f7e2d3", "#f0c3a5", "#e39c72", "#ad4320"],
    },
    "axis": {"grid": False, "domainColor": "#888", "tickColor": "#888", "labelColor": "#333", "titleColor": "#111",
             "titleFontWeight": "normal", "labelFontSize": 11, "titleFontSize": 12, "labelLimit": 240},
    "style": {"front": {"color": "#777"}, "level": {"color": "#333"}, "success": {"color": "#b84c26"}},
    "view": {"stroke": None},
}  # fmt: skip
# What a chart calls the colours of text on a pale and on a strong ground, and of the grounds of a matrix.
INKS = {"on_pale": "#222222", "on_strong": "#ffffff", "pale": "#e6e9ee", "strong": "#2f66b0", "faint": "#f6f5f3"}
_KIND_COLORS = ["#b84c26", "#e0a03c", "#9aa3ab", "#4d5963"]
_DOTS = 3.0  # of a PNG, for each point
_DEEP = 0.8  # from here on a cell has the last of five grounds, on which text has another colour
_WIDE, _HIGH = 72, 32  # of a cell
_GAP = {"paddingInner": 0.06}  # between cells
_BARE = {"domain": False, "ticks": False}


def _altair() -> Any:
    import altair  # here: it takes a moment, and its types are narrower than what it takes

    return altair


def plane_chart(names: Sequence[str], across: Measured, up: Measured) -> Chart:
    """Every anonymization a point with its intervals, and the front of those that none betters on both metrics.

    Both axes point towards better, also where a lower number is better.
    """
    alt = _altair()

    found = points(names, across, up)
    x, y = _towards_better(alt.X, "x", across.record), _towards_better(alt.Y, "y", up.record)
    x_low, y_low = (_towards_better(alt.X, "x_low", across.record), _towards_better(alt.Y, "y_low", up.record))
    color = alt.Color("name:N", legend=None).scale(domain=list(names))
    shape = alt.Shape("name:N", legend=None).scale(domain=list(names))
    base = alt.Chart(alt.NamedData(name="points"))
    front = alt.Chart(alt.NamedData(name="front")).mark_line(
        style="front", aria=False, strokeDash=[5, 4], strokeWidth=1.5
    )
    left = {"expr": "datum.left ? 'right' : 'left'"}
    chart = alt.layer(
        front.encode(x, y, order="x:Q"),
        base.mark_rule(strokeWidth=1.5, opacity=0.5, aria=False).encode(x_low, y, x2="x_high:Q", color=color),
        base.mark_rule(strokeWidth=1.5, opacity=0.5, aria=False).encode(x, y_low, y2="y_high:Q", color=color),
        base.mark_point(filled=True, size=140, opacity=1).encode(
            x, y, color, shape, tooltip="tip:N", description="tip:N"
        ),
        base.mark_text(
            aria=False,
            limit=170,
            fontSize=13,
            baseline="middle",
            align=left,
            dx={"expr": "datum.left ? -9 : 9"},
            dy={"expr": "datum.drop"},
        ).encode(x, y, text="label:N"),
    ).properties(width=460, height=330, description=plane_description(across.record, up.record))
    chart.datasets = {
        "points": [plane_point(point, across.record, up.record) for point in found],
        "front": [{"x": point.x[0], "y": point.y[0]} for point in found if point.best],
    }
    return chart


def _towards_better(channel: Any, field: str, record: MetricRecord) -> Any:
    return (
        channel(f"{field}:Q", title=axis_title(record))
        .scale(zero=False, nice=False, padding=16, reverse=record.better == "lower")
        .axis(tickCount=6)
    )


def axis_title(record: MetricRecord) -> str:
    return f"{record.title}: {record.text} ({record.better} is better)"


def plane_description(across: MetricRecord, up: MetricRecord) -> str:
    return f"{axis_title(up)} against {axis_title(across)}, a point for each anonymization with its intervals"


def plane_point(point: Point, across: MetricRecord, up: MetricRecord) -> dict[str, Any]:
    tip = f"{point.name}\n{across.text} {_shown(point.x)}\n{up.text} {_shown(point.y)}"
    return {
        "name": point.name, "label": point.name if point.named else "",
        "x": point.x[0], "x_low": point.x[1], "x_high": point.x[2], "y": point.y[0],
        "y_low": point.y[1], "y_high": point.y[2], "drop": point.drop, "left": point.left, "tip": tip,
    }  # fmt: skip


def _shown(value: tuple[float, float, float]) -> str:
    return f"{value[0]:.3f} ({value[1]:.3f}–{value[2]:.3f})"


def parts_chart(run: Run, record: MetricRecord) -> Chart:
    """All parts of a metric, a row each: the stronger a cell, the worse."""
    alt = _altair()

    cells = part_cells(run, record)
    parts = list(dict.fromkeys(cell["part"] for cell in cells))
    base = alt.Chart(alt.NamedData(name="cells")).encode(
        x=alt.X("name:N", title=None)
        .scale(domain=run.names, **_GAP)
        .axis(orient="top", labelAngle=0, labelLimit=_WIDE - 2, **_BARE),
        y=alt.Y("part:N", title=None).scale(domain=parts, **_GAP).axis(**_BARE),
        tooltip="tip:N",
        description="tip:N",
    )
    shade = alt.Color("shade:Q", legend=None).scale(type="quantize", domain=[0, 1], range="heatmap")
    ink = alt.condition(f"datum.shade >= {_DEEP}", alt.value({"expr": "on_strong"}), alt.value({"expr": "on_pale"}))
    chart = alt.layer(
        base.mark_rect(cornerRadius=3).encode(color=shade),
        base.mark_text(aria=False).encode(text="label:N", color=ink),
    ).properties(
        width={"step": _WIDE}, height={"step": _HIGH}, description=f"{record.title} ({record.text}) of each part"
    )
    chart.datasets = {"cells": cells}
    return _inked(chart)


def parted(run: Run) -> list[MetricRecord]:
    """The metrics that have parts which are better or worse."""
    return [record for record in run.metrics if _judged(run, record)]


def _judged(run: Run, record: MetricRecord) -> list[Score]:
    aside = (HEADLINE, *record.neutral)
    return [score for score in _tested(run) if score.metric == record.text and score.part not in aside]


def _tested(run: Run) -> list[Score]:
    """The scores of anonymizations under test: figures compare, and references are not to be compared with."""
    names = set(run.names)
    return [score for score in run.scores if score.anonymization in names]


def part_cells(run: Run, record: MetricRecord) -> list[dict[str, Any]]:
    """One cell for each part and anonymization, with how bad it is between 0 and 1."""
    found = _judged(run, record)
    values = [score.value for score in found if score.value is not None]
    low, high = min(0.0, *values, 1.0), max(1.0, *values, 0.0)

    def cell(score: Score) -> dict[str, Any]:
        share = 0.0 if score.value is None else (score.value - low) / (high - low)
        bad = 0.0 if score.value is None else (1 - share if record.better == "higher" else share)
        label = "–" if score.value is None else f"{score.value:.2f}"
        interval = "" if score.low is None or score.high is None else f" ({score.low:.3f}–{score.high:.3f})"
        value = score.reason if score.value is None else f"{score.value:.3f}{interval}"
        return {"name": score.anonymization, "part": score.part, "shade": bad, "label": label,
                "tip": f"{score.anonymization}, {score.part}\n{value}"}  # fmt: skip

    return [cell(score) for score in sorted(found, key=lambda score: in_order(score.part))]


def attack_chart(run: Run, record: MetricRecord) -> Chart:
    """How often an attack succeeds, between what chance gives and the most that could be had."""
    alt = _altair()

    base = alt.Chart(alt.NamedData(name="attacks")).encode(
        y=alt.Y("name:N", title=None).scale(domain=run.names).axis(**_BARE), tooltip="tip:N", description="tip:N"
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    level = {"style": "level", "height": 26}
    title = f"{record.text}: share of documents whose person is found"
    chart = alt.layer(
        base.mark_bar(style="success", height=15, opacity=0.85).encode(
            x=alt.X("value:Q", title=title).scale(scale).axis(format="%")
        ),
        base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q").scale(scale), x2="high:Q"),
        base.mark_tick(**level, thickness=1).encode(x=alt.X("chance:Q").scale(scale)),
        base.mark_tick(**level, thickness=4).encode(x=alt.X("ceiling:Q").scale(scale)),
    ).properties(
        width=460, height={"step": 40}, description=f"{record.title}: success of the attack on each anonymization"
    )
    chart.datasets = {"attacks": attack_bars(run, record)}
    return chart


def attack_bars(run: Run, record: MetricRecord) -> list[dict[str, Any]]:
    bars = []
    for name in run.names:
        parts = run.parts(name, record.text)
        score, chance, ceiling = (parts.get(part) for part in (HEADLINE, *LEVELS))
        if score is None or score.value is None:
            continue
        bar: dict[str, Any] = {"name": name, "value": score.value, "low": score.low, "high": score.high}
        tip = [f"{name}: the attack finds the person of {score.value:.1%} of the documents"]
        for word, other in (("chance", chance), ("ceiling", ceiling)):
            if other is not None and other.value is not None:
                bar[word] = other.value
                tip.append(f"{word} {other.value:.1%}")
        bars.append({**bar, "tip": "\n".join(tip)})
    return bars


def significance_chart(run: Run, record: MetricRecord, found: Sequence[Pair]) -> Chart:
    """Is the row better than the column? A matrix of all pairs on one metric."""
    alt = _altair()

    base = alt.Chart(alt.NamedData(name="pairs")).encode(
        x=alt.X("column:N", title=None)
        .scale(domain=run.names, **_GAP)
        .axis(orient="top", labelAngle=0, labelLimit=_WIDE - 2, **_BARE),
        y=alt.Y("row:N", title=None).scale(domain=run.names, **_GAP).axis(**_BARE),
        tooltip="tip:N",
        description="tip:N",
    )

    def by_result(better: str, worse: str, unclear: str) -> Any:
        test = f"datum.result == 'better' ? {better} : datum.result == 'worse' ? {worse} : {unclear}"
        return alt.value({"expr": test})

    chart = alt.layer(
        base.mark_rect(cornerRadius=3).encode(color=by_result("strong", "pale", "faint")),
        base.mark_text(aria=False).encode(text="label:N", color=by_result("on_strong", "on_pale", "on_pale")),
    ).properties(
        width={"step": _WIDE},
        height={"step": _HIGH},
        description=f"{record.title} ({record.text}): which differences between anonymizations are significant",
    )
    chart.datasets = {"pairs": pair_cells(found)}
    return _inked(chart)


def _why(pair: Pair) -> str:
    if pair.p is None:
        return f"\n{pair.note}" if pair.note else ""
    ends = "" if pair.interval is None else f" ({pair.interval[0]:+.3f} to {pair.interval[1]:+.3f})"
    return f"\ncorrected p {pair.shown}, difference {pair.difference:+.3f}{ends}"


def pair_cells(found: Sequence[Pair]) -> list[dict[str, Any]]:
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
        for pair in found
    ]


def failures_chart(run: Run, findings: dict[str, Findings]) -> Chart:
    """How often each anonymization misses, under-masks, masks needlessly and over-masks, by entity type."""
    alt = _altair()

    cells = [
        {"name": name, "place": run.names.index(name), "kind": kind, "part": entity_type, "count": len(places)}
        for name, found in findings.items()
        for (kind, entity_type), places in found.failures.items()
    ]
    chart = (
        alt.Chart(alt.NamedData(name="failures"))
        .mark_bar()
        .encode(
            x=alt.X("count:Q", title="failures"),
            y=alt.Y("part:N", title=None),
            color=alt.Color("kind:N", title=None).scale(domain=KINDS, range=_KIND_COLORS).legend(orient="top"),
            order=alt.Order("rank:Q"),
            column=alt.Column("name:N", title=None, sort=alt.SortField("place")),
        )
        .properties(width=150, height={"step": 20}, description="failures by kind and entity type")
        .resolve_scale(x="independent")
    )
    chart.datasets = {"failures": [{**cell, "rank": KINDS.index(cell["kind"])} for cell in cells]}
    return chart


def _inked(chart: Chart) -> Chart:
    alt = _altair()

    return chart.add_params(*(alt.param(name=name, value=value) for name, value in INKS.items()))


def figures(run: Run) -> Iterator[tuple[str, Chart]]:
    """All figures that a run has data for, by name."""
    found = measured(run)
    if found:
        across, up = first_choice(found)
        yield "plane", plane_chart(run.names, across, up)
    for record in parted(run):
        yield record.text, parts_chart(run, record)
    for record in playing(run, "attack"):
        yield f"attack {record.text}", attack_chart(run, record)
    compared = pairs(run)
    for record in run.metrics:
        if record.text in compared:
            yield f"significance {record.text}", significance_chart(run, record, compared[record.text])
    if run.texts is not None and any(document.annotations for document in run.texts.documents):
        inspection = Inspection(run.texts)
        yield "failures", failures_chart(run, {name: inspection.of(name) for name in run.names})


def write_plots(run: Run, folder: Path, *, force: bool = False, read: Read | None = None) -> list[Path]:
    """Writes every figure as SVG, PNG and PDF into a folder: all of them or none, and none over what was `read`."""
    import vl_convert

    charts = {file_name(name): chart for name, chart in figures(run)}
    paths = [folder / f"{name}.{form}" for name in charts for form in FORMATS]
    if not force and (taken := next((path for path in paths if path.exists()), None)):
        raise OutputError(f"{taken}: exists already; choose another folder or say --force to replace it")
    files: dict[str, bytes] = {}
    for name, chart in charts.items():
        drawing = vl_convert.vegalite_to_svg(drawable(chart.to_dict()), config=PAPER)
        pages = (drawing.encode(), vl_convert.svg_to_png(drawing, scale=_DOTS), vl_convert.svg_to_pdf(drawing))
        files |= {f"{name}.{form}": content for form, content in zip(FORMATS, pages, strict=True)}
    return write_folder(folder, files, private=False, read=read)


def drawable(content: Any) -> Any:
    """A chart in which every text can stand in an SVG; what cannot is shown as its number. The library would panic.

    >>> drawable({"part": "A\\x00", "names": ["B\\uffff", 1]})
    {'part': 'A\\\\x00', 'names': ['B\\\\uffff', 1]}
    """
    if isinstance(content, str):
        return NOT_XML.sub(lambda found: ascii(found[0])[1:-1], content)
    if isinstance(content, dict):
        return {key: drawable(value) for key, value in content.items()}
    return list(map(drawable, content)) if isinstance(content, list | tuple) else content


def file_name(figure: str) -> str:
    """
    >>> file_name('recall(unit="mention")')
    'recall-unit-mention'
    """
    name = re.sub(r"\W+", "-", figure).strip("-")
    if len(name) > _NAME:  # a metric may name a model by a long path; no system takes more than 255 bytes
        name = f"{name[:_NAME]}-{hashlib.blake2b(figure.encode(), digest_size=4).hexdigest()}"
    return name
