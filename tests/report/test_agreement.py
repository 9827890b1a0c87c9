"""What the first lines of a sheet of agreement say of a coefficient: never surer than its interval."""

from __future__ import annotations

import pytest

from showthrough import Agreement, Annotation, Corpus, Document, Mention, agreement
from showthrough.report.agreement import agreement_sheet
from showthrough.report.sheets import Cases, Heat
from showthrough.studies.agreement.values import (
    ATTRIBUTES,
    UNITS,
    AgreementMeasure,
    Confusion,
    ConfusionEntry,
    Estimate,
)

PERFECT = Estimate(1.0, 0.9, 1.0)


def lead(alpha: Estimate) -> str:
    lines = [AgreementMeasure(name, unit, 10, PERFECT, PERFECT, alpha) for unit in UNITS for name in ATTRIBUTES]
    told = agreement_sheet(Agreement("c", 9, 8, 2, {"a": 8, "b": 8}, measured=tuple(lines))).lead
    return next(line for line in told if line.startswith("Beyond chance"))


@pytest.mark.parametrize(
    ("alpha", "ending"),
    [
        (Estimate(0.9, 0.81, 0.95), "(0.810 to 0.950): at least 0.8, where annotations are usually relied on."),
        (Estimate(0.9, 0.79, 0.95), "usually relied on, but the interval reaches below that: it is not sure."),
        (Estimate(0.9, note="few"), "α is 0.900: at least 0.8, where annotations are usually relied on; but few."),
        (Estimate(0.7, 0.67, 0.9), "at least 0.667, where conclusions are usually tentative."),
        (Estimate(0.7, 0.6, 0.9), "usually tentative, but the interval reaches below that: it is not sure."),
        (Estimate(0.5, 0.4, 0.6), "below 0.667, usually too little to draw conclusions from."),
        (Estimate(0.5, 0.4, 0.7), "too little to draw conclusions from, though the interval reaches above that."),
        (Estimate(-0.1, note="too few"), "below 0.667, usually too little to draw conclusions from; but too few."),
        (Estimate(None, reason="every rating is the same"), "there is no coefficient: every rating is the same."),
    ],
)  # fmt: skip
def test_readings(alpha: Estimate, ending: str) -> None:
    assert lead(alpha).endswith(ending)


def test_many_types_share_a_heat_map() -> None:
    """Those that are met less often are one row, and nothing is lost."""
    met = [
        ConfusionEntry(f"T{number:02}", None if number % 2 else f"T{number:02}", 20.0 - number) for number in range(20)
    ]
    lines = tuple(AgreementMeasure(name, unit, 1, PERFECT, PERFECT, PERFECT) for unit in UNITS for name in ATTRIBUTES)
    confusion = Confusion("spans", tuple(met))
    sheet = agreement_sheet(Agreement("c", 1, 1, 2, {}, measured=lines, confusions=(confusion,)))
    (heat,) = [block for block in sheet.blocks if isinstance(block, Heat)]
    assert heat.rows == (*(f"T{number:02}" for number in range(12)), "(others)", "(none)")
    values = heat.values
    assert all(values[one][two] == values[two][one] for one in range(14) for two in range(14))
    total = sum(values[one][two] for one in range(14) for two in range(one + 1))
    assert total == sum(one.count for one in met)


def test_only_the_cases_quote_documents() -> None:
    text = "Anna of Århus"
    corpus = Corpus([Document("a", text, (Annotation("x", (Mention(8, 13, "LOC"),)), Annotation("y")))])
    sheet = agreement_sheet(agreement(corpus))
    assert sheet.private
    assert any(isinstance(block, Cases) for block in sheet.blocks)
    bare = sheet.without_text()
    assert not bare.private
    assert "Århus" not in repr(bare)
