"""Singling out in the annex."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.core.errors import join_names, shorten
from showthrough.report.annex.cells import SignatureIndex, between, entry_of, left_open, people
from showthrough.report.sheets import Grid, GridRow, count
from showthrough.report.wording import counted_words, percent
from showthrough.studies.risk.values import RiskAnnex, SinglingOut

_THRESHOLD = (
    "0.09 is the threshold of the European Medicines Agency's guidance on publishing clinical reports (Policy 0070, "
    "EMA/90915/2016); it is taken by the letter, so that k = 11 (0.0909) is above it. The Department of Health and "
    "Human Services names no number for a very small risk"
)


def above_threshold(figure: SinglingOut, threshold: float) -> str:
    """Of how many people 1/k is above the threshold, and that an attacker may infer more."""
    share = figure.above
    source = f"{shorten(figure.anonymization)}, by what {shorten(figure.metric)} inferred:"
    if share.value is None:
        return f"{source} nothing can be said of singling out: {share.reason}."
    ends = between(share)
    sentence = f"{source} 1/k is above {threshold:g} for {percent(share.value)}{ends} of {people(figure.people)}"
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
