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
    "This annex is evidence for a decision and not a determination. It does not determine that a release is "
    "anonymous, or that the risk of identifying somebody is very small. An expert must decide that (Expert "
    "Determination, 45 CFR 164.514(b)(1)), or the person who is responsible for the data.",
    "The three risks are those of the Article 29 Working Party (Opinion 05/2014, WP 216): singling out, linkability "
    "and inference. Figures hold only for the documents and attacks named here; other attackers may find more.",
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
        yield (
            f"Safe Harbor: {measured} of {len(kinds)} kinds of identifiers are marked in the corpus and were measured."
        )
    left = [name for name, section in annex.sections.items() if section.reason]
    if left:
        yield f"Not measured: {', '.join(left)}. The tables below say what is needed."


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
        f"mentions hidden, by {shorten(safe_harbor.metric)}: the share of marked places of a kind that are "
        f"completely hidden; showthrough list labels shows the kinds of types"
    )
    yield (
        "missed at most: the upper end of the interval of the share that is not hidden; what did not leak here may "
        "still leak elsewhere"
    )
    if any(identifier.nothing_masked is not None for identifier in safe_harbor.identifiers):
        yield f"{NOTHING}: the same count on the originals; a system with no higher number hides nothing of the kind"
    yield (
        f"an identifier that is hidden where it was marked may be readable elsewhere in the release: "
        f"{READS_RELEASE} counts that"
    )
    yield (
        "all that is marked counts, because types do not show everything. They do not show whether a date is more "
        "than a year or an age above 89 (C). They do not show whether a place is smaller than a state, or which "
        "digits of a ZIP code are left (B). They do not show whose a name or number is"
    )
    yield "Safe Harbor also asks that nobody knows that what is left could identify somebody (164.514(b)(2)(ii))"
    if safe_harbor.unlisted:
        yield f"types that no paragraph names; they may still identify people: {join_names(safe_harbor.unlisted, 300)}"
    if safe_harbor.unknown:
        yield f"unknown types, counted in no row: {join_names(safe_harbor.unknown, 300)}"


# Singling out in the annex.

_THRESHOLD = (
    "0.09 is the threshold of the European Medicines Agency's guidance on publishing clinical reports (Policy 0070, "
    "EMA/90915/2016). It is applied exactly, so k = 11 (0.0909) is above it. The Department of Health and "
    "Human Services names no number for a very small risk"
)


def above_threshold(figure: SinglingOut, threshold: float) -> str:
    """Of how many people 1/k is above the threshold, and that an attacker may infer more."""
    above = figure.above
    source = f"{shorten(figure.anonymization)}, by what {shorten(figure.metric)} inferred:"
    if above.value is None:
        return f"{source} singling out cannot be judged: {above.reason}."
    ends = between(above)
    sentence = f"{source} 1/k is above {threshold:g} for {percent(above.value)}{ends} of {people(figure.people)}"
    sentence = f"{sentence}, as far as this attacker infers; a better one may infer more."
    if not figure.named.value or figure.found.value is None:
        return sentence
    return (
        f"{sentence} For {percent(figure.named.value)}{between(figure.named)} the attacker inferred a name, number "
        f"or address that the population does not have. It leads to the person whatever k is. For "
        f"{percent(figure.found.value)}{between(figure.found)} one or the other holds."
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
            f"k: how many people of {shorten(census.name)} ({people(census.people)}, "
            f"{counted_words(census.rows, 'row')}; {join_names(census.columns)}) fit everything that was rightly "
            f"inferred about somebody"
        )
        if census.uncertain:
            yield (
                f"{census.uncertain:,} of them have an empty cell, which fits every value: this makes k larger and "
                f"the figures lower"
            )
    yield "if there are several guesses about an attribute, the best counts: an attacker can try all of them"
    yield "narrowed down: people about whom something was rightly inferred that excludes a part of the population"
    yield "k = 0: nobody in the population is like them; that is as serious as k = 1, so 1/k counts as 1"
    yield "named: people whose name, number or address was inferred; the population does not have it, so k ignores it"
    yield "either: people who are named, or whose 1/k is above the threshold"
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
        yield f"the column has no such value, so k = 0 (is it spelled differently?): {_tags(figure.strange)}"


def _tags(counts: Mapping[str, int]) -> str:
    order = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return join_names([f"{shorten(tag)} of {counts[tag]:,}" for tag in order], 400)
