"""How often attacks succeed."""

from __future__ import annotations

from typing import Any

from showthrough.metrics import HEADLINE
from showthrough.report.charts.theme import BARE, Chart, Charts, altair
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

_LEVELS = ("chance", "ceiling")  # parts that an attack is measured against


def attack_charts(run: Run) -> Charts:
    return {record.text: attack_chart(run, record) for record in find_metrics(run, "attack")}


def attack_chart(run: Run, record: MetricRecord) -> Chart:
    """How often an attack succeeds, between what chance gives and the most that could be had."""
    alt = altair()
    base = alt.Chart(alt.NamedData(name="attacks")).encode(
        y=alt.Y("name:N", title=None).scale(domain=run.names).axis(**BARE), tooltip="tip:N", description="tip:N"
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
        score = parts.get(HEADLINE)
        if score is None or score.value is None:
            continue
        bar: dict[str, Any] = {"name": name, "value": score.value, "low": score.low, "high": score.high}
        tip = [f"{name}: the attack finds the person of {score.value:.1%} of the documents"]
        for word in _LEVELS:
            if (other := parts.get(word)) and other.value is not None:
                bar[word] = other.value
                tip.append(f"{word} {other.value:.1%}")
        bars.append({**bar, "tip": "\n".join(tip)})
    return bars
