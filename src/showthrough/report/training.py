"""What training gave, as sheets: a transformer, a sweep, a learning curve, systems on each other's corpora."""

from __future__ import annotations

from showthrough.report.sheets.document import (
    Grid,
    GridEntry,
    GridRow,
    ReportDocument,
    count,
    missing,
    number,
    share,
    words,
)
from showthrough.run.records import Comparison
from showthrough.studies.generalization import AcrossMatrix
from showthrough.studies.learning_curves import CurveScore, LearningCurve
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


def curve_sheet(curve: LearningCurve) -> ReportDocument:
    """What is reached with more and more documents to learn from."""
    metrics = tuple(curve.points[0].scores)
    rows = tuple(
        GridRow(f"{point.documents:,}", tuple(_entry(point.scores[metric]) for metric in metrics))
        for point in curve.points
    )
    notes = (
        "each part is within the next one; documents that belong together come together",
        f"all rows are scored on the same {_documents(curve.scored_documents)}",
    )
    caption = f"{curve.system}: scores on {curve.scored_on}, by documents of {curve.corpus} to learn from"
    return ReportDocument("Learning curve", (), (Grid(caption, metrics, rows, corner="documents", notes=notes),))


def across_sheet(matrix: AcrossMatrix) -> ReportDocument:
    """Each corpus learned from (a row) and scored on (a column), and the tests within each column."""
    lead = (
        "A row names the corpus that the system learned from, and a column the one that it was scored on.",
        "Each corpus is divided once: nothing is scored on what was learned from.",
    )
    return ReportDocument(
        f"{matrix.system} across corpora",
        lead,
        (*(_across_grid(matrix, metric) for metric in matrix.metrics), _tests(matrix)),
    )


def _across_grid(matrix: AcrossMatrix, metric: str) -> Grid:
    cells = {(cell.trained_on, cell.scored_on): cell.scores[metric] for cell in matrix.cells}
    rows = tuple(
        GridRow(f"{name} ({learned:,})", tuple(_entry(cells[name, other]) for other in matrix.scored))
        for name, learned in matrix.trained.items()
    )
    heads = tuple(f"{name} ({scored:,})" for name, scored in matrix.scored.items())
    note = "in brackets: documents that were learned from, and documents that were scored on"
    return Grid(metric, heads, rows, corner="learned from", notes=(note,))


def _tests(matrix: AcrossMatrix) -> Grid:
    rows = tuple(
        GridRow(f"{metric} on {scored_on}: {comparison.first} − {comparison.second}", _difference(comparison))
        for scored_on, by_metric in matrix.tests.items()
        for metric, compared in by_metric.items()
        for comparison in compared
    )
    note = (
        "studentized paired randomization over the documents of a column, with Holm's correction within column and "
        "metric; the interval is that of the difference"
    )
    return Grid("Differences", ("difference", "from", "to", "p"), rows, corner="", notes=(note,))


def _difference(comparison: Comparison) -> tuple[GridEntry, ...]:
    ends = [
        missing(comparison.note) if end is None else number(end)
        for end in (comparison.difference, comparison.low, comparison.high)
    ]
    return *ends, missing(comparison.note) if comparison.p_holm is None else words(f"{comparison.p_holm:.4f}")


def _entry(score: CurveScore) -> GridEntry:
    return share(score.value, score.low, score.high, reason=_UNDEFINED)


def _documents(number_of: int) -> str:
    return f"{number_of:,} {'document' if number_of == 1 else 'documents'}"


def _caption(outcome: TrainingOutcome) -> str:
    if not outcome.documents:
        return "Loss after every epoch"
    return f"Scores on {_documents(outcome.documents)} of --dev"


def _seen_notes(outcome: TrainingOutcome) -> list[str]:
    """What makes the scores worthless as a forecast."""
    if not outcome.seen:
        return []
    return [f"{outcome.seen:,} of these {outcome.documents:,} documents were trained on: the scores are too good"]


def _weighting(outcome: TrainingOutcome) -> list[str]:
    sentence = f"weighted precision: a word counts for its information content ({outcome.weighting})"
    return [sentence] if outcome.weighting else []


def _scores(scores: dict[str, float | None]) -> tuple[GridEntry, ...]:
    return tuple(share(scores.get(metric), reason=_UNDEFINED if scores else _NO_DEV) for metric in METRICS)
