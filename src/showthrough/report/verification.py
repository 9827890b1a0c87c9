"""Verifiers side by side as a sheet: what their answers are worth, and whether two of them differ."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.analysis.verification import VerifierScores
from showthrough.errors import shown
from showthrough.report.sheets import Grid, Row, Sheet, count, missing, number, share, words
from showthrough.report.significance import p_text
from showthrough.report.wording import counted_words
from showthrough.run.records import Comparison
from showthrough.verifiers.measures import AUC, BRIER, C_AT_1, F1, F_HALF_U, OVERALL

HEADS = {AUC: "AUC", C_AT_1: "c@1", F_HALF_U: "F0.5u", F1: "F1", BRIER: "Brier", OVERALL: "overall"}
_UNDEFINED = "one of the two is undefined"


def verification_sheet(found: VerifierScores) -> Sheet:
    """What people read of it."""
    lead = f"{counted_words(found.problems, 'problem')}, {found.same:,} of them by one author."
    blocks = (_measures(found), *(_differences(found) if found.compared else ()))
    return Sheet("Answers of author verifiers", (lead,), blocks, tuple(_notes(found)))


def _measures(found: VerifierScores) -> Grid:
    rows = tuple(
        Row(
            one.name,
            (
                count(one.unanswered),
                *(share(each.value, each.low, each.high, reason=each.reason) for each in one.measures.values()),
            ),
        )
        for one in found.verifiers
    )
    notes = ("Brier is 1 less the Brier score; overall is the mean of the five. All: higher is better",)
    return Grid("Measures of PAN 2020 to 2023", ("unanswered", *HEADS.values()), rows, "verifier", notes, "verifiers")


def _differences(found: VerifierScores) -> Iterator[Grid]:
    """By how much two differ, and how likely chance makes that; a row a pair."""
    pairs: dict[str, list[Comparison]] = {}
    for one in found.compared:
        pairs.setdefault(f"{shown(one.first)} − {shown(one.second)}", []).append(one)
    by_how_much = [
        Row(name, tuple(number(one.difference, one.low, one.high, reason=_UNDEFINED) for one in each))
        for name, each in pairs.items()
    ]
    by_chance = [
        Row(
            name, tuple(missing(one.note or _UNDEFINED) if one.p is None else words(p_text(one.p_holm)) for one in each)
        )
        for name, each in pairs.items()
    ]
    heads = tuple(HEADS.values())
    yield Grid("Differences", heads, tuple(by_how_much), "pair", label="differences")
    notes = (
        f"studentized paired randomization over problems, {found.shuffles:,} shuffles, and Student's t; "
        "Holm's correction within each measure",
    )
    yield Grid("How likely chance makes them (p)", heads, tuple(by_chance), "pair", notes, "tests")


def _notes(found: VerifierScores) -> Iterator[str]:
    for one in found.verifiers:
        if one.missing:
            yield (
                f"{shown(one.name)} has no answer to {counted_words(one.missing, 'problem')}: "
                "unanswered, and 0.5 to AUC and Brier"
            )
    if found.resamples:
        yield f"intervals of {found.confidence:.0%} over problems, {found.resamples:,} resamples, seed {found.seed}"
