"""The risk annex as a sheet: each risk with its figures, or with what to run; no value of anybody's attribute."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.core.errors import join_names, shorten
from showthrough.data.references import NOTHING
from showthrough.metrics import READS_RELEASE
from showthrough.report.annex._singling import above_threshold, singling_grid
from showthrough.report.annex.cells import NOT_MEASURED, SignatureIndex, at_most, entry_of, left_open
from showthrough.report.section import sections
from showthrough.report.sheets import Grid, GridEntry, GridRow, ReportDocument, count, missing, share, words
from showthrough.studies.risk.values import IdentifierRecall, RiskAnnex, SafeHarbor, SafeHarborIdentifier

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


# HIPAA's eighteen identifiers in the annex.


def safe_harbor_grid(safe_harbor: SafeHarbor, lines: SignatureIndex) -> Grid:
    caption = "Safe Harbor: the eighteen identifiers of 45 CFR 164.514(b)(2)(i)"
    if safe_harbor.reason:
        return left_open(caption, safe_harbor.reason, "safe-harbor", safe_harbor.command)
    heads = ("anonymization", "mentions hidden", "missed at most", "documents", "types marked")
    rows = tuple(row for identifier in safe_harbor.identifiers for row in _identifier_rows(identifier, lines))
    return Grid(caption, heads, rows, "identifier", tuple(_safe_harbor_notes(safe_harbor)), "safe-harbor")


def _identifier_rows(identifier: SafeHarborIdentifier, lines: SignatureIndex) -> Iterator[GridRow]:
    name = f"({identifier.letter}) {identifier.name}"
    if identifier.reason:
        none = missing(identifier.reason)
        yield GridRow(name, (words(NOT_MEASURED), none, none, none, words("")))
        return
    for hidden in identifier.hidden:
        system = words(lines.label(hidden.anonymization, hidden.signature))
        numbers = (entry_of(hidden.recall), _at_most(hidden), count(identifier.documents))
        yield GridRow(name, (system, *numbers, words(join_names(identifier.types))))
    if identifier.nothing_masked is not None:
        nothing = (share(identifier.nothing_masked), share(1 - identifier.nothing_masked), count(identifier.documents))
        yield GridRow(name, (words(NOTHING), *nothing, words(join_names(identifier.types))))


def _at_most(hidden: IdentifierRecall) -> GridEntry:
    """The upper end of the interval of what is missed: nothing was seen to leak, and so much may."""
    missed = hidden.missed
    return share(None if missed.high is None else at_most(missed.high), reason=missed.note or missed.reason)


def _safe_harbor_notes(safe_harbor: SafeHarbor) -> Iterator[str]:
    yield (
        f"mentions hidden, by {shorten(safe_harbor.metric)}: of the places that are marked as of a kind, the share "
        "that is hidden whole; types are placed as showthrough labels says"
    )
    yield "missed at most: the upper end of the interval of those that are not; what was not seen to leak may still"
    if any(identifier.nothing_masked is not None for identifier in safe_harbor.identifiers):
        yield f"{NOTHING}: what the same count says of the originals; a system with no more hides nothing of the kind"
    yield f"what is hidden where it was marked may be readable elsewhere in the release: {READS_RELEASE} counts that"
    yield (
        "what types do not tell: whether a date is more than a year or an age above 89 (C), whether a place is smaller "
        "than a state or which digits of a ZIP code are left (B), whose a name or number is: all that is marked counts"
    )
    yield "Safe Harbor also asks that nobody knows that what is left could identify somebody (164.514(b)(2)(ii))"
    if safe_harbor.unlisted:
        yield f"types that no paragraph names, which may still identify people: {join_names(safe_harbor.unlisted, 300)}"
    if safe_harbor.unknown:
        yield f"types that nobody knows, in none of the rows: {join_names(safe_harbor.unknown, 300)}"
