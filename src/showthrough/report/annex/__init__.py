"""The risk annex as a sheet: each risk with its figures, or with what to run; no value of anybody's attribute."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.core.errors import join_names, shorten
from showthrough.report.annex._safe_harbor import safe_harbor_grid
from showthrough.report.annex._singling import above_threshold, singling_grid
from showthrough.report.annex.cells import SignatureIndex
from showthrough.report.section import sections
from showthrough.report.sheets import ReportDocument
from showthrough.studies.risk.values import RiskAnnex

_DECIDES_NOTHING = (
    "This annex is evidence for a decision, and no determination. It does not determine that a release is anonymous, "
    "nor that the risk of identifying somebody is very small: that is for a person with the knowledge that Expert "
    "Determination asks for (45 CFR 164.514(b)(1)), or for whoever answers for the data.",
    "The three risks are those of the Article 29 Working Party (Opinion 05/2014, WP 216): singling out, linkability "
    "and inference. Figures hold for the documents and attacks that are named; other attackers may find more.",
)


def annex_sheet(annex: RiskAnnex) -> ReportDocument:
    lines = SignatureIndex()
    blocks = (
        singling_grid(annex, lines),
        *(grid for section in sections() for grid in section.risk_grids(annex, lines)),
        safe_harbor_grid(annex.safe_harbor, lines),
        *lines.grid(),
    )
    return ReportDocument(f"Risk annex: {shorten(annex.corpus)}", tuple(_lead(annex)), blocks, tuple(_notes(annex)))


def _lead(annex: RiskAnnex) -> Iterator[str]:
    yield from _DECIDES_NOTHING
    names = join_names(annex.anonymizations)
    level = f"{100 * annex.confidence:g} %"
    yield f"Under test: {names}, on {annex.sample}. Intervals are at {level} confidence over these."
    for singled in annex.singling_out.figures:
        yield above_threshold(singled, annex.threshold)
    for section in sections():
        yield from section.risk_lead(annex)
    if kinds := annex.safe_harbor.identifiers:
        measured = sum(not identifier.reason for identifier in kinds)
        yield f"Safe Harbor: {measured} of {len(kinds)} kinds of identifiers are marked in the corpus, and measured."
    left = [name for name, section in annex.sections.items() if section.reason]
    if left:
        yield f"Not measured: {', '.join(left)}. What it takes is told below."


def _notes(annex: RiskAnnex) -> Iterator[str]:
    if annex.population:
        yield from annex.population.notes
    yield from annex.notes
