"""What training a verifier told, as a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

from showthrough.families.authorship.report_verification import HEADS
from showthrough.families.authorship.verifiers.measures import AUC
from showthrough.families.authorship.verifiers.trained import TrainedVerifier
from showthrough.families.authorship.verifiers.training import AUTHORS, PROBLEMS
from showthrough.report.sheets import Grid, GridRow, ReportDocument, count, share
from showthrough.report.wording import counted_words

_FEW = 100  # problems, below which figures are little more than guesses
_ROWS = {AUTHORS: "authors held out", PROBLEMS: "problems held out"}
_HEADS = {"accuracy": "accuracy", **HEADS, "false_alarms": "false alarms"}


def training_sheet(trained: TrainedVerifier) -> ReportDocument:
    """How well it does on what it has not seen."""
    figures = trained.figures
    lead = (
        f"{trained.learner}: {counted_words(figures['problems'], 'problem')}, {figures['same']:,} by one author; "
        f"{figures['authors']:,} of them, or groups of them, share no text with others. "
        f"Trained in {figures['seconds']:,.1f} s.",
    )
    rows = tuple(GridRow(name, _cells(figures[f"held_out_{split}"])) for split, name in _ROWS.items())
    caption = f"Problems held out, one part of {figures['folds']} at a time"
    grid = Grid(caption, (*_HEADS.values(), "unanswered"), rows, "what", tuple(_explanations()), "held-out")
    return ReportDocument("Training a verifier", lead, (grid,), tuple(_notes(figures)))


def _cells(measures: Mapping[str, float]) -> tuple[Any, ...]:
    return (*(share(measures[name], reason="undefined") for name in _HEADS), count(measures["unanswered"]))


def _explanations() -> Iterator[str]:
    yield (
        "authors held out: an author is left out with all problems that share a text or a group, so the verifier "
        "does not know them"
    )
    yield (
        "problems held out: each problem is left out by itself, as in PAN; the verifier may know its author from "
        "another problem"
    )
    yield "false alarms: problems of two authors that are taken for one; Brier is 1 minus the Brier score"


def _notes(figures: Mapping[str, Any]) -> Iterator[str]:
    """What makes the figures, or the verifier, worth little."""
    problems, measures = figures["problems"], figures[f"held_out_{AUTHORS}"]
    if problems < _FEW:
        yield f"only {counted_words(problems, 'problem')}: the figures are uncertain, and more would make it better"
    if (measures[AUC] or 0) - 2 * _deviation(figures) <= 0.5:
        yield (
            "on unknown authors it is little better than a coin: if it does not find an author, that says nothing "
            "about masking"
        )


def _deviation(figures: Mapping[str, Any]) -> float:
    """Of AUC where nothing is told apart (Hanley and McNeil 1982)."""
    same, other = figures["same"], figures["problems"] - figures["same"]
    return sqrt((same + other + 1) / (12 * same * other))
