"""Linkability in the risk annex; apart, since only the annex needs it, and imported then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.core.errors import shorten
from showthrough.metrics import HEADLINE
from showthrough.report.annex.cells import SignatureIndex, between, entry_at, section_grid
from showthrough.report.sheets import Grid, GridEntry, missing
from showthrough.report.wording import percent
from showthrough.studies.risk.sections import CEILING, CHANCE, CONTROL, RISK
from showthrough.studies.risk.values import Figure, RiskSection


def linkability_lead(section: RiskSection) -> Iterator[str]:
    """The worst attack on each anonymization."""
    for figure in section.figures:
        if figure.part == HEADLINE and figure.estimate.value is not None:
            clause = (
                f"links {percent(figure.estimate.value)}{between(figure.estimate)} of documents to the right person"
            )
            yield f"{shorten(figure.anonymization)}: the worst attack of {shorten(figure.metric)} {clause}."


def linkability_grid(section: RiskSection, lines: SignatureIndex) -> Grid:
    heads = ("people found", "control: another's text", "risk above control", "chance", "ceiling")
    notes = (
        "people found: the share of documents whose person the attack names, among people whom the attacker knows",
        "risk above control: (found − control) / (1 − control)",
    )
    grid = Grid("Linkability: documents linked to people", heads, (), "anonymization · attack", notes, "linkability")

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[GridEntry]]]:
        aside = {HEADLINE, CHANCE, CEILING}
        attacks = [part for part in parts if part not in aside and not part.endswith((CONTROL, RISK))]
        ends = [entry_at(parts, CHANCE), entry_at(parts, CEILING)]
        none = missing("the rows below show it for each attack")
        yield "the worst attack", [entry_at(parts, HEADLINE), none, none, *ends]
        for attack in attacks:
            entries = [entry_at(parts, f"{attack}{what}") for what in ("", CONTROL, RISK)]
            yield attack, [*entries, *ends]

    return section_grid(section, grid, cells, lines)
