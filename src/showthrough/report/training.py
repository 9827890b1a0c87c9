"""What training a transformer gave, as sheets."""

from __future__ import annotations

from showthrough.anonymizers.encoders.scoring import METRICS
from showthrough.anonymizers.encoders.sweep import Sweep
from showthrough.anonymizers.encoders.training import Outcome
from showthrough.report.sheets.sheet import Entry, Grid, Row, Sheet, count, number, share

_NO_DEV = "no documents were given to score it on (--dev)"
_UNDEFINED = "undefined: nothing was masked there, or nothing was to be"


def training_sheet(outcome: Outcome, dev: bool) -> Sheet:
    """One training: its loss and its scores after every epoch."""
    rows = tuple(
        Row(f"{one.number}{' (kept)' if one.number == outcome.kept else ''}",
            (number(one.loss), *_scores(one.scores, dev)))
        for one in outcome.epochs
    )  # fmt: skip
    lead = (
        f"{outcome.windows:,} windows of at most {outcome.window:,} tokens, mask weight {outcome.mask_weight:g}, "
        f"{outcome.steps:,} steps in {outcome.seconds:,.0f} s.",
    )
    grid = Grid("Scores on documents that were not trained on", ("loss", *METRICS), rows, corner="epoch")
    return Sheet("Training a transformer", lead, (grid,))


def sweep_sheet(sweep: Sweep) -> Sheet:
    """A grid of trainings, as in Table 9 of Pilán et al. (2022)."""
    rows = tuple(
        Row(f"{one.window:,}, weight {one.mask_weight:g}",
            (count(one.steps), number(one.epochs[one.kept - 1].loss), *_scores(one.scores, dev=True)))
        for one in sweep.outcomes
    )  # fmt: skip
    grid = Grid(
        "Scores on documents that were not trained on",
        ("steps", "loss", *METRICS),
        rows,
        corner="window",
        notes=("Losses of different weights cannot be compared.",),
    )
    return Sheet("Windows and mask weights", (), (grid,))


def _scores(scores: dict[str, float | None], dev: bool) -> tuple[Entry, ...]:
    return tuple(share(scores.get(metric), reason=_UNDEFINED if dev else _NO_DEV) for metric in METRICS)
