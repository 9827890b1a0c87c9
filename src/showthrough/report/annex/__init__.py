"""The risk annex as a sheet: each risk with its figures, or with what to run; no value of anybody's attribute."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.core.errors import shown, some
from showthrough.metrics import HEADLINE
from showthrough.report.annex.cells import Lines, between
from showthrough.report.annex.safe_harbor import safe_harbor_grid
from showthrough.report.annex.sections import authorship_grid, inference_grid, linkability_grid
from showthrough.report.annex.singling import above_threshold, singling_grid
from showthrough.report.sheets import Sheet
from showthrough.report.wording import percent
from showthrough.studies.risk.sections import SUCCESS
from showthrough.studies.risk.values import RiskAnnex, SafeHarbor, Section, Singled

_DECIDES_NOTHING = (
    "This annex is evidence for a decision, and no determination. It does not determine that a release is anonymous, "
    "nor that the risk of identifying somebody is very small: that is for a person with the knowledge that Expert "
    "Determination asks for (45 CFR 164.514(b)(1)), or for whoever answers for the data.",
    "The three risks are those of the Article 29 Working Party (Opinion 05/2014, WP 216): singling out, linkability "
    "and inference. Figures hold for the documents and attacks that are named; other attackers may find more.",
)


def annex_sheet(annex: RiskAnnex) -> Sheet:
    lines = Lines()
    blocks = (
        singling_grid(annex, lines),
        linkability_grid(annex.linkability, lines),
        inference_grid(annex.inference, lines),
        authorship_grid(annex.authorship, lines),
        safe_harbor_grid(annex.safe_harbor, lines),
        *lines.grid(),
    )
    return Sheet(f"Risk annex: {shown(annex.corpus)}", tuple(_lead(annex)), blocks, tuple(_notes(annex)))


def _lead(annex: RiskAnnex) -> Iterator[str]:
    yield from _DECIDES_NOTHING
    names = some(annex.anonymizations)
    level = f"{100 * annex.confidence:g} %"
    yield f"Under test: {names}, on {annex.sample}. Intervals are at {level} confidence over these."
    for one in annex.singling_out.figures:
        yield above_threshold(one, annex.threshold)
    for figure in annex.linkability.figures:
        if figure.part == HEADLINE and figure.estimate.value is not None:
            told = f"links {percent(figure.estimate.value)}{between(figure.estimate)} of documents to the right person"
            yield f"{shown(figure.anonymization)}: the worst attack of {shown(figure.metric)} {told}."
    for figure in annex.inference.figures:
        if figure.part == SUCCESS and figure.estimate.value is not None:
            each = figure.metric.partition("(")[0] == "ipr"  # a mean over people
            whose = "each person, on average" if each else "people"
            told = f"infers {percent(figure.estimate.value)}{between(figure.estimate)} of what is true of {whose}"
            who = f"{shown(figure.anonymization)}: the attacker of {shown(figure.metric)}"
            yield f"{who} {told}; another may infer more."
    if kinds := annex.safe_harbor.identifiers:
        measured = sum(not one.reason for one in kinds)
        yield f"Safe Harbor: {measured} of {len(kinds)} kinds of identifiers are marked in the corpus, and measured."
    left = [name for name, section in _sections(annex).items() if section.reason]
    if left:
        yield f"Not measured: {', '.join(left)}. What it takes is told below."


def _sections(annex: RiskAnnex) -> dict[str, Singled | Section | SafeHarbor]:
    return {
        "singling out": annex.singling_out,
        "linkability": annex.linkability,
        "inference": annex.inference,
        "authorship": annex.authorship,
        "Safe Harbor identifiers": annex.safe_harbor,
    }


def _notes(annex: RiskAnnex) -> Iterator[str]:
    if annex.population:
        yield from annex.population.notes
    yield from annex.notes
