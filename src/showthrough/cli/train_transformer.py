from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.progress import training
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.cli.signals import refuse_unavailable
from showthrough.core.errors import PlanError, printable
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.table import DASH, format_score
from showthrough.report.training import curve_sheet, sweep_sheet, training_sheet
from showthrough.studies.learning_curves import CurvePoint, CurveScore, LearningCurve, growing_parts
from showthrough.systems.encoders.learning import TrainingEpoch
from showthrough.systems.encoders.sweep import SweepGrid, SweepResult, sweep, train_parts
from showthrough.systems.encoders.training import TrainingRequest, TransformerSettings, train_to_folder

_VIEWS = {name: option for name, option in sheet_options().items() if name != "without_text"}
_FILES = options_of(FileSettings, "format", "id_column", "text_column", "offsets")
Folder = Annotated[
    Path,
    typer.Option(
        "-o", "--output", metavar="FOLDER", help="Folder for the model; of a sweep or a curve, for several models."
    ),
]
Dev = Annotated[
    Path | None, typer.Option("--dev", metavar="FILE", help="Documents to score the model on after every epoch.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue where the same command was stopped.")]
Seen = Annotated[bool, typer.Option("--seen", help="Allow documents of --dev to be trained on.")]


@with_options(tuning=options_of(TransformerSettings), grid=options_of(SweepGrid), settings=_FILES, views=_VIEWS)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus, with its annotations.")],
    output: Folder,
    dev: Dev = None,
    *,
    tuning: CliOptions,
    resume: Resume = False,
    seen: Seen = False,
    sweeping: Annotated[
        bool, typer.Option("--sweep", help="Train one model for each window and weight, and compare them.")
    ] = False,
    grid: CliOptions,
    curving: Annotated[
        bool, typer.Option("--curve", help="Train on growing parts of the corpus, each in a folder, and compare them.")
    ] = False,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Train a transformer to mask what annotators masked.

    Each annotator's layer of a document is learned as a copy of its own. The folder then masks, as in showthrough
    anonymize test.json --with FOLDER/. A training that is stopped leaves a checkpoint beside the folder.
    """
    _check_grid(sweeping, tuning, grid)
    if sweeping and curving:
        raise PlanError("found --sweep beside it; expected one of both", "curve")
    written = SheetViews.of(views)
    check_distinct((output, *written.paths), inputs([corpus, dev], [tuning.get("model")]))
    written.check()
    documents = [read_corpus(path, **settings) for path in (corpus, dev) if path]
    chosen = TransformerSettings(**tuning)
    request = TrainingRequest(documents[0], documents[1] if dev else None, output, chosen, resume, written.force, seen)
    results = Results(written.force)
    show_notes(dict.fromkeys(note for document in documents for note in file_notes(document, (), ())))
    with refuse_unavailable(), training() as (watch, say):

        def say_epoch(epoch: TrainingEpoch) -> None:
            say(_epoch_line(epoch))

        if sweeping:
            sweep_result = sweep(request, SweepGrid(**grid), watch, lambda cell: say(_cell_line(cell)), say_epoch)
            written.write(sheet := sweep_sheet(sweep_result), sweep_result, results)
        elif curving:
            parts = growing_parts(documents[0], seed=chosen.seed)
            trained = train_parts(request, parts, watch, lambda cell: say(f"{len(cell.corpus)} documents:"), say_epoch)
            curve = _curve(request, trained, [len(part) for part in parts])
            written.write(sheet := curve_sheet(curve), curve, results)
        else:
            outcome = train_to_folder(request, watch, say_epoch)
            written.write(sheet := training_sheet(outcome), outcome, results)
    screen = console(PAGE)
    show_sheet(sheet, screen)
    results.lines.append(printable(f"written to {output}"))
    results.tell(screen)


def _curve(request: TrainingRequest, trained: SweepResult, sizes: Sequence[int]) -> LearningCurve:
    """What the trainings on growing parts reached."""
    points = [
        CurvePoint(size, {metric: CurveScore(value, None, None) for metric, value in outcome.scores.items()})
        for size, outcome in zip(sizes, trained.outcomes, strict=True)
    ]
    dev = request.dev or request.corpus
    return LearningCurve("transformer", request.corpus.name, dev.name, len(dev), request.settings.seed, points)


def _check_grid(sweeping: bool, options: CliOptions, grid: CliOptions) -> None:
    """Raises PlanError for what would be passed over."""
    if grid and not sweeping:
        raise PlanError("is of a sweep; expected --sweep beside it", f"sweep-{next(iter(grid))}")
    for name, instead in (("window", "windows"), ("mask_weight", "weights")):
        if sweeping and name in options:
            raise PlanError(f"a sweep has several; expected --sweep-{instead}", name)


def _cell_line(cell: TrainingRequest) -> str:
    return f"window {cell.settings.window}, mask weight {cell.settings.mask_weight:g}:"


def _epoch_line(epoch: TrainingEpoch) -> str:
    scores = (f"{metric} {DASH if value is None else format_score(value)}" for metric, value in epoch.scores.items())
    return ", ".join([f"epoch {epoch.number}: loss {epoch.loss:.4f}", *scores])
