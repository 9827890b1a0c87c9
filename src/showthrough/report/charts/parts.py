"""All parts of a metric, a row each: the stronger a cell, the worse."""

from __future__ import annotations

from typing import Any

from showthrough.metrics import HEADLINE
from showthrough.report.charts.theme import Chart, Charts, altair, matrix
from showthrough.report.table import Cell, in_order
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run

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
