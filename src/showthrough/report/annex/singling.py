"""Singling out in the annex."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.analysis.risk.values import RiskAnnex, SinglingOut
from showthrough.errors import shown, some
from showthrough.report.annex.cells import Lines, between, entry_of, left_open, people
from showthrough.report.sheets import Grid, Row, count
from showthrough.report.wording import counted_words, percent

_THRESHOLD = (
    "0.09 is the threshold of the European Medicines Agency's guidance on publishing clinical reports (Policy 0070, "
    "EMA/90915/2016); it is taken by the letter, so that k = 11 (0.0909) is above it. The Department of Health and "
    "Human Services names no number for a very small risk"
)


def above_threshold(one: SinglingOut, threshold: float) -> str:
    """Of how many people 1/k is above the threshold, and that an attacker may infer more."""
    found = one.above
    who = f"{shown(one.anonymization)}, by what {shown(one.metric)} inferred:"
    if found.value is None:
        return f"{who} nothing can be said of singling out: {found.reason}."
    ends = between(found)
    told = f"{who} 1/k is above {threshold:g} for {percent(found.value)}{ends} of {people(one.people)}"
    told = f"{told}, as far as this attacker infers; a better one may infer more."
    if not one.named.value or one.found.value is None:
        return told
    return (
        f"{told} A name, number or address that the population does not have was inferred of "
        f"{percent(one.named.value)}{between(one.named)}, and leads to them whatever k is: one or the other holds of "
        f"{percent(one.found.value)}{between(one.found)}."
    )


def singling_grid(annex: RiskAnnex, lines: Lines) -> Grid:
    caption, found = "Singling out: how many people are like them", annex.singling_out
    if found.reason:
        return left_open(caption, found.reason, "singling-out")
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
        Row(
            lines.named(f"{one.anonymization} · {one.metric}", one.signature),
            (
                count(one.people),
                count(one.narrowed),
                *map(entry_of, (one.expected, one.unique, one.absent, one.above, one.named, one.found)),
            ),
        )
        for one in found.figures
    )
    return Grid(caption, heads, rows, "anonymization · attack", tuple(_singling_notes(annex)), "singling-out")


def _singling_notes(annex: RiskAnnex) -> Iterator[str]:
    given = annex.population
    if given:
        yield (
            f"k counts whom of {shown(given.name)} ({people(given.people)}, {counted_words(given.rows, 'row')}; "
            f"{some(given.columns)}) all that was inferred rightly of somebody leaves"
        )
        if given.uncertain:
            yield (
                f"{given.uncertain:,} of them have an empty cell, which fits whatever is asked there: k is larger, and "
                "figures are lower, for it"
            )
    yield "of several guesses about an attribute the best counts: an attacker can try all of them"
    yield "narrowed down: people of whom something was inferred rightly that leaves some of the population out"
    yield "k = 0: nobody of the population is like them; that is no less than k = 1, and 1/k is taken as 1"
    yield "named: of whom a name, number or address was inferred that the population does not have, and k does not know"
    yield "either: who are named, or whose 1/k is above the threshold"
    yield _THRESHOLD
    for one in annex.singling_out.figures:
        who = f"{shown(one.anonymization)}, {shown(one.metric)}"
        yield from (f"{who}: {line}" for line in (*_fates(one), *one.remarks))


def _fates(one: SinglingOut) -> Iterator[str]:
    """What was inferred and could not be used, by tag and number of people."""
    if one.used:
        yield f"used: {_tags(one.used)}"
    if one.lacking:
        yield f"left out, since the population has no such column (k may be smaller): {_tags(one.lacking)}"
    if one.vague:
        yield f"left out, since it was inferred too roughly: {_tags(one.vague)}"
    if one.strange:
        yield f"the column has no such value, so that k = 0 (is it spelled otherwise?): {_tags(one.strange)}"


def _tags(counts: Mapping[str, int]) -> str:
    order = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return some([f"{shown(tag)} of {counts[tag]:,}" for tag in order], 400)
