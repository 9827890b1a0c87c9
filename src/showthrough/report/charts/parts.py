"""Types as rows: all parts of a metric, where the stronger a cell is, the worse; and where anonymizations fail."""

from __future__ import annotations

from typing import Any

from showthrough.metrics import HEADLINE
from showthrough.report.charts.theme import Chart, Charts, altair, longest, matrix
from showthrough.report.table import Cell, in_order
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run
from showthrough.studies.failures import KINDS, FailureAnalysis, Inspection

_DEEP = 0.8  # from here on a cell has the last of five grounds, on which text has another colour


def parts_charts(run: Run) -> Charts:
    """One for each metric that has parts to judge by."""
    return {record.text: parts_chart(run, record) for record in with_parts(run)}


def with_parts(run: Run) -> list[MetricRecord]:
    """The metrics that have parts which are better or worse."""
    return [record for record in run.metrics if _comparable_scores(run, record)]


def parts_chart(run: Run, record: MetricRecord) -> Chart:
    alt = altair()
    cells = part_cells(run, record)
    parts = list(dict.fromkeys(cell["part"] for cell in cells))
    shade = alt.Color("shade:Q", legend=None).scale(type="quantize", domain=[0, 1], range="heatmap")
    ink = alt.condition(f"datum.shade >= {_DEEP}", alt.value({"expr": "on_strong"}), alt.value({"expr": "on_pale"}))
    description = f"{record.title} ({record.text}) of each part"
    return matrix("cells", cells, "name", run.names, "part", parts, shade, ink, description)


def _comparable_scores(run: Run, record: MetricRecord) -> list[Score]:
    """The scores of its parts that figures compare: those of which anybody has a number, and of no reference."""
    names = set(run.names)
    own = [score for score in run.scores if score.metric == record.text and score.anonymization in names]
    scored_parts = {score.part for score in own if score.value is not None and not record.describes(score.part)} - {
        HEADLINE
    }
    return [score for score in own if score.part in scored_parts]


def part_cells(run: Run, record: MetricRecord) -> list[dict[str, Any]]:
    """One cell for each part and anonymization, with how bad it is between 0 and 1."""
    scores = _comparable_scores(run, record)
    values = [score.value for score in scores if score.value is not None]
    low, high = min(0.0, *values, 1.0), max(1.0, *values, 0.0)

    def cell(score: Score) -> dict[str, Any]:
        share = 0.0 if score.value is None else (score.value - low) / (high - low)
        bad = 0.0 if score.value is None else (1 - share if record.better == "higher" else share)
        label = "–" if score.value is None else "<0.01" if 0 < score.value < 0.005 else f"{score.value:.2f}"
        interval = Cell(score).interval
        value = score.reason if score.value is None else f"{score.value:.3f}{interval and f' ({interval})'}"
        return {"name": score.anonymization, "part": score.part, "shade": bad, "label": label,
                "tip": f"{score.anonymization}, {score.part}\n{value}"}  # fmt: skip

    return [cell(score) for score in sorted(scores, key=lambda score: in_order(score.part))]


_SHEET = 900  # how wide the figure may get
_KIND_COLORS = ["#b84c26", "#e0a03c", "#9aa3ab", "#4d5963"]


def failures_charts(run: Run) -> Charts:
    if run.texts is None or not any(document.annotations for document in run.texts.documents):
        return {}
    inspection = Inspection(run.texts)
    return {"": failures_chart(run, {name: inspection.of(name) for name in run.names})}


def failures_chart(run: Run, findings: dict[str, FailureAnalysis]) -> Chart:
    """How often each anonymization misses, under-masks, masks needlessly and over-masks, by entity type."""
    alt = altair()
    wide = max(150.0, longest(run.names))
    cells = [
        {"name": name, "place": index, "kind": kind, "part": part, "count": len(where), "rank": KINDS.index(kind)}
        for index, name in enumerate(run.names)
        for (kind, part), where in findings[name].failures.items()
    ]
    chart = (
        alt.Chart(alt.NamedData(name="failures"))
        .mark_bar()
        .encode(
            x=alt.X("count:Q", title="failures").axis(tickCount=4),
            y=alt.Y("part:N", title=None),
            color=alt.Color("kind:N", title=None).scale(domain=KINDS, range=_KIND_COLORS).legend(orient="top"),
            order=alt.Order("rank:Q"),
            facet=alt.Facet("name:N", title=None, sort=alt.SortField("place"), columns=max(1, int(_SHEET / wide))),
        )
        .properties(width=wide, height={"step": 20}, description="failures by kind and entity type, on one scale")
    )
    chart.datasets = {"failures": cells}
    return chart
