"""Inference in the risk annex; apart, since only the annex needs it, and imported then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.core.errors import shorten
from showthrough.metrics import HEADLINE
from showthrough.report.annex.cells import SignatureIndex, between, entry_at, section_grid
from showthrough.report.sheets import Grid, GridEntry
from showthrough.report.wording import percent
from showthrough.studies.risk.sections import CONTROLS, RISKS, SUCCESS, TOP_3
from showthrough.studies.risk.values import Figure, RiskSection

_BY_PERSON = "ipr"  # the metric that is a mean over people


def inference_lead(section: RiskSection) -> Iterator[str]:
    """What share each attacker infers."""
    for figure in section.figures:
        if figure.part == SUCCESS and figure.estimate.value is not None:
            each = figure.metric.partition("(")[0] == _BY_PERSON
            whose = "each person, on average" if each else "people"
            sentence = f"infers {percent(figure.estimate.value)}{between(figure.estimate)} of what is true of {whose}"
            who = f"{shorten(figure.anonymization)}: the attacker of {shorten(figure.metric)}"
            yield f"{who} {sentence}; another may infer more."


def inference_grid(section: RiskSection, lines: SignatureIndex) -> Grid:
    heads = (
        "score", "inferred", "among three guesses", "control: no text", "control: another's text",
        "risk above no text", "risk above another's",
    )  # fmt: skip
    notes = (
        "score: the main number of the metric (cpr, ipr: the share that is protected; attributes: the share that the "
        "first guess gets right)",
        "inferred: the share of attributes that the attacker infers; controls: the same without the person's text",
    )
    grid = Grid("Inference: what can be inferred about people", heads, (), "anonymization · metric", notes, "inference")

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[GridEntry]]]:
        inferred = SUCCESS if SUCCESS in parts else HEADLINE  # of attributes, that is what the metric is known by
        yield "", [entry_at(parts, part) for part in (HEADLINE, inferred, TOP_3, *CONTROLS, *RISKS)]

    return section_grid(section, grid, cells, lines)
