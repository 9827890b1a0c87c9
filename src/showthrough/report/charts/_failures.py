"""Where anonymizations fail, as a chart."""

from __future__ import annotations

from showthrough.report.charts.theme import Chart, Charts, altair, longest
from showthrough.run.run import Run
from showthrough.studies.failures import KINDS, FailureAnalysis, Inspection

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
