"""Verifiers side by side as a sheet: what their answers are worth, and whether two of them differ."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.core.errors import shorten
from showthrough.families.authorship.verifiers.measures import AUC, BRIER, C_AT_1, F1, F_HALF_U, OVERALL
from showthrough.report.sheets import Grid, GridRow, ReportDocument, count, missing, number, share, words
from showthrough.report.significance import p_text
from showthrough.report.wording import counted_words
from showthrough.run.records import Comparison
from showthrough.studies.attribution import ACCURACY, AT_K, RANK, Attribution
from showthrough.studies.verification import VerifierScores

HEADS = {AUC: "AUC", C_AT_1: "c@1", F_HALF_U: "F0.5u", F1: "F1", BRIER: "Brier", OVERALL: "overall"}
_UNDEFINED = "one of the two is undefined"


def verification_sheet(scores: VerifierScores) -> ReportDocument:
    """What people read of it."""
    lead = f"{counted_words(scores.problems, 'problem')}, {scores.same:,} of them by one author."
    blocks = (_measures(scores), *(_differences(scores) if scores.compared else ()))
    return ReportDocument("Answers of author verifiers", (lead,), blocks, tuple(_notes(scores)))


def _measures(scores: VerifierScores) -> Grid:
    rows = tuple(
        GridRow(
            verifier.name,
            (
                count(verifier.unanswered),
                *(
                    share(estimate.value, estimate.low, estimate.high, reason=estimate.reason)
                    for estimate in verifier.measures.values()
                ),
            ),
        )
        for verifier in scores.verifiers
    )
    notes = ("Brier is 1 minus the Brier score; overall is the mean of the five. Higher is better for all",)
    return Grid("Measures of PAN 2020 to 2023", ("unanswered", *HEADS.values()), rows, "verifier", notes, "verifiers")


def _differences(scores: VerifierScores) -> Iterator[Grid]:
    """By how much two differ, and how likely chance makes that; a row a pair."""
    pairs: dict[str, list[Comparison]] = {}
    for comparison in scores.compared:
        pairs.setdefault(f"{shorten(comparison.first)} − {shorten(comparison.second)}", []).append(comparison)
    by_how_much = [
        GridRow(
            name,
            tuple(
                number(comparison.difference, comparison.low, comparison.high, reason=_UNDEFINED)
                for comparison in comparisons
            ),
        )
        for name, comparisons in pairs.items()
    ]
    by_chance = [
        GridRow(
            name,
            tuple(
                missing(comparison.note or _UNDEFINED) if comparison.p is None else words(p_text(comparison.p_holm))
                for comparison in comparisons
            ),
        )
        for name, comparisons in pairs.items()
    ]
    heads = tuple(HEADS.values())
    yield Grid("Differences", heads, tuple(by_how_much), "pair", label="differences")
    notes = (
        f"studentized paired randomization over problems, {scores.shuffles:,} shuffles, and Student's t; "
        "Holm's correction within each measure",
    )
    yield Grid("How likely chance makes them (p)", heads, tuple(by_chance), "pair", notes, "tests")


def attribution_sheet(outcome: Attribution) -> ReportDocument:
    """How often texts are given to their author, before and after masking."""
    lead = (
        f"{counted_words(outcome.texts, 'text')}, {outcome.authors:,} authors to choose from. Guessing is right "
        f"{outcome.chance:.3f} of the time."
    )
    heads = {ACCURACY: "right", AT_K: f"among {outcome.k}", RANK: "mean 1/rank"}
    rows = tuple(
        GridRow(score.name, tuple(share(part.value, part.low, part.high) for part in score.measures.values()))
        for score in outcome.scores
    )
    grid = Grid(f"Authors named by {outcome.attack}", tuple(heads.values()), rows, "texts", label="attribution")
    blocks = [grid]
    if outcome.compared:
        pairs = [score for score in outcome.compared if score.metric == ACCURACY]
        tests = tuple(
            GridRow(
                f"{shorten(score.first)} − {shorten(score.second)}",
                (
                    number(score.difference, score.low, score.high),
                    missing(score.note or _UNDEFINED) if score.p_holm is None else words(p_text(score.p_holm)),
                ),
            )
            for score in pairs
        )
        note = f"studentized paired randomization over authors, {outcome.shuffles:,} shuffles, with Holm's correction"
        blocks.append(Grid("Differences in right answers", ("difference", "p"), tests, "pair", (note,), "differences"))
    notes = (
        f"intervals of {outcome.confidence:.0%} over authors, {outcome.resamples:,} resamples, seed {outcome.seed}",
    )
    warning = "topics show authors too: an author of one topic is found by it, whatever the style"
    return ReportDocument("Which author wrote it", (lead,), tuple(blocks), (*notes[: bool(outcome.resamples)], warning))


def _notes(scores: VerifierScores) -> Iterator[str]:
    for verifier in scores.verifiers:
        if verifier.missing:
            yield (
                f"{shorten(verifier.name)} has no answer to {counted_words(verifier.missing, 'problem')}: "
                "unanswered, and 0.5 to AUC and Brier"
            )
    if scores.resamples:
        yield f"intervals of {scores.confidence:.0%} over problems, {scores.resamples:,} resamples, seed {scores.seed}"
