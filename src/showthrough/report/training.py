"""What training a transformer gave, as sheets."""

from __future__ import annotations

from showthrough.report.sheets.document import Grid, GridEntry, GridRow, ReportDocument, count, number, share
from showthrough.systems.encoders.learning import METRICS
from showthrough.systems.encoders.sweep import SweepResult
from showthrough.systems.encoders.training import TrainingOutcome

_NO_DEV = "no documents were given to score it on (--dev)"
_CHOSEN = "these scores chose the epoch that was kept, so its own are a little too good"
_TO_CHOOSE = "if you choose a row by its scores, they are a little too good: score it on other documents"
_UNDEFINED = "undefined: nothing was masked there, or nothing was to be masked"


def training_sheet(outcome: TrainingOutcome) -> ReportDocument:
    """One training: its loss and its scores after every epoch."""
    rows = tuple(
        GridRow(
            f"{epoch.number}{' (kept)' if epoch.number == outcome.kept else ''}",
            (number(epoch.loss), *_scores(epoch.scores)),
        )
        for epoch in outcome.epochs
    )
    lead = (
        f"{outcome.windows:,} windows of at most {outcome.window:,} tokens, mask weight {outcome.mask_weight:g}, "
        f"{outcome.steps:,} steps in {outcome.seconds:,.0f} s.",
    )
    notes = (*_seen_notes(outcome), *_weighting(outcome), *([_CHOSEN] if outcome.chosen else ()))
    grid = Grid(_caption(outcome), ("loss", *METRICS), rows, corner="epoch", notes=notes)
    return ReportDocument("Training a transformer", lead, (grid,))


def sweep_sheet(sweep: SweepResult) -> ReportDocument:
    """A grid of trainings, as in Table 9 of Pilán et al. (2022)."""
    rows = tuple(
        GridRow(f"{outcome.window:,}, weight {outcome.mask_weight:g}",
            (count(outcome.steps), number(outcome.epochs[outcome.kept - 1].loss), *_scores(outcome.scores)))
        for outcome in sweep.outcomes
    )  # fmt: skip
    first = sweep.outcomes[0]
    notes = (*_seen_notes(first), *_weighting(first), "losses of different weights cannot be compared", _TO_CHOOSE)
    grid = Grid(_caption(first), ("steps", "loss", *METRICS), rows, corner="window", notes=notes)
    return ReportDocument("Windows and mask weights", (), (grid,))


def _caption(outcome: TrainingOutcome) -> str:
    if not outcome.documents:
        return "Loss after every epoch"
    return f"Scores on {outcome.documents:,} {'document' if outcome.documents == 1 else 'documents'} of --dev"


def _seen_notes(outcome: TrainingOutcome) -> list[str]:
    """What makes the scores worthless as a forecast."""
    if not outcome.seen:
        return []
    return [f"{outcome.seen:,} of these {outcome.documents:,} documents were trained on: the scores are too good"]


def _weighting(outcome: TrainingOutcome) -> list[str]:
    told = f"weighted precision: a word counts for its information content ({outcome.weighting})"
    return [told] if outcome.weighting else []


def _scores(scores: dict[str, float | None]) -> tuple[GridEntry, ...]:
    return tuple(share(scores.get(metric), reason=_UNDEFINED if scores else _NO_DEV) for metric in METRICS)
