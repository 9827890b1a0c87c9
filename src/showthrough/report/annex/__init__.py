"""The risk annex as a sheet: each risk with its figures, or with what to run; no value of anybody's attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.core.errors import join_names, shorten
from showthrough.data.references import NOTHING
from showthrough.metrics import READS_RELEASE
from showthrough.report.annex.cells import NOT_MEASURED, SignatureIndex, at_most, between, entry_of, left_open, people
from showthrough.report.section import sections
from showthrough.report.sheets import Grid, GridEntry, GridRow, ReportDocument, count, missing, share, words
from showthrough.report.wording import counted_words, percent
from showthrough.studies.risk.values import IdentifierRecall, RiskAnnex, SafeHarbor, SafeHarborIdentifier, SinglingOut

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
        "that is hidden whole; types are placed as showthrough list labels shows"
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


# Singling out in the annex.

_THRESHOLD = (
    "0.09 is the threshold of the European Medicines Agency's guidance on publishing clinical reports (Policy 0070, "
    "EMA/90915/2016); it is taken by the letter, so that k = 11 (0.0909) is above it. The Department of Health and "
    "Human Services names no number for a very small risk"
)


def above_threshold(figure: SinglingOut, threshold: float) -> str:
    """Of how many people 1/k is above the threshold, and that an attacker may infer more."""
    above = figure.above
    source = f"{shorten(figure.anonymization)}, by what {shorten(figure.metric)} inferred:"
    if above.value is None:
        return f"{source} nothing can be said of singling out: {above.reason}."
    ends = between(above)
    sentence = f"{source} 1/k is above {threshold:g} for {percent(above.value)}{ends} of {people(figure.people)}"
    sentence = f"{sentence}, as far as this attacker infers; a better one may infer more."
    if not figure.named.value or figure.found.value is None:
        return sentence
    return (
        f"{sentence} A name, number or address that the population does not have was inferred of "
        f"{percent(figure.named.value)}{between(figure.named)}, and leads to them whatever k is: "
        f"one or the other holds of {percent(figure.found.value)}{between(figure.found)}."
    )


def singling_grid(annex: RiskAnnex, lines: SignatureIndex) -> Grid:
    caption, study = "Singling out: how many people are like them", annex.singling_out
    if study.reason:
        return left_open(caption, study.reason, "singling-out")
    heads = (
        "people",
        "narrowed down",
        "mean of 1/k",
        "k = 1",
        "k = 0",
        f"1/k above {annex.threshold:g}",
        "named",
        "either",
    )
    rows = tuple(
        GridRow(
            lines.label(f"{figure.anonymization} · {figure.metric}", figure.signature),
            (
                count(figure.people),
                count(figure.narrowed),
                *map(
                    entry_of, (figure.expected, figure.unique, figure.absent, figure.above, figure.named, figure.found)
                ),
            ),
        )
        for figure in study.figures
    )
    return Grid(caption, heads, rows, "anonymization · attack", tuple(_singling_notes(annex)), "singling-out")


def _singling_notes(annex: RiskAnnex) -> Iterator[str]:
    census = annex.population
    if census:
        yield (
            f"k counts whom of {shorten(census.name)} ({people(census.people)}, {counted_words(census.rows, 'row')}; "
            f"{join_names(census.columns)}) all that was inferred rightly of somebody leaves"
        )
        if census.uncertain:
            yield (
                f"{census.uncertain:,} of them have an empty cell, which fits whatever is asked there: k is larger, "
                "and figures are lower, for it"
            )
    yield "of several guesses about an attribute the best counts: an attacker can try all of them"
    yield "narrowed down: people of whom something was inferred rightly that leaves some of the population out"
    yield "k = 0: nobody of the population is like them; that is no less than k = 1, and 1/k is taken as 1"
    yield "named: of whom a name, number or address was inferred that the population does not have, and k does not know"
    yield "either: who are named, or whose 1/k is above the threshold"
    yield _THRESHOLD
    for figure in annex.singling_out.figures:
        source = f"{shorten(figure.anonymization)}, {shorten(figure.metric)}"
        yield from (f"{source}: {line}" for line in (*_tag_lines(figure), *figure.remarks))


def _tag_lines(figure: SinglingOut) -> Iterator[str]:
    """What was inferred and could not be used, by tag and number of people."""
    if figure.used:
        yield f"used: {_tags(figure.used)}"
    if figure.lacking:
        yield f"left out, since the population has no such column (k may be smaller): {_tags(figure.lacking)}"
    if figure.vague:
        yield f"left out, since it was inferred too roughly: {_tags(figure.vague)}"
    if figure.strange:
        yield f"the column has no such value, so that k = 0 (is it spelled otherwise?): {_tags(figure.strange)}"


def _tags(counts: Mapping[str, int]) -> str:
    order = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return join_names([f"{shorten(tag)} of {counts[tag]:,}" for tag in order], 400)
