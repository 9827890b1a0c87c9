"""Systems that learn from each of several corpora, and are scored on each: `evaluate --across`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.sheets import SheetViews
from showthrough.cli.signals import refuse_unavailable
from showthrough.core.errors import PlanError
from showthrough.evaluation.notices import file_notes
from showthrough.formats import read_corpus
from showthrough.metrics import metrics_of
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.training import across_sheet
from showthrough.studies.generalization import USUAL, across, learner_and_preset
from showthrough.studies.learning_curves import METRICS

_SETTINGS = {
    "format", "group_by", "id_column", "text_column", "offsets", "seed", "resamples", "confidence", "jobs",
}  # fmt: skip
_VIEWS = {"html", "json", "markdown", "latex", "force"}
_OF_FILES = ("format", "group_by", "id_column", "text_column", "offsets")


def show_across(
    corpora: Sequence[str],
    systems: Sequence[str],
    metrics: Sequence[str],
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Trains on a part of each corpus, scores on the rest of each, and shows the matrix with its tests."""
    unused = next((name for name in (*settings, *views) if name not in _SETTINGS | _VIEWS), None)
    if unused is not None:
        raise PlanError("is not for --across; expected no such option", unused.replace("_", "-"))
    if len(systems) > 1:
        raise PlanError(f"found {len(systems)} systems; expected one with --across", "with")
    system = systems[0] if systems else USUAL
    learner_and_preset(system)  # raises before anything is read
    chosen = tuple(metrics) or METRICS
    metrics_of(chosen)
    files = named_files(corpora, "corpus")
    if len(files) < 2:
        raise PlanError("found one corpus; expected two or more: evaluate --across a.json b.json", "across")
    written = SheetViews.of(views)
    check_distinct(written.paths, inputs([*map(Path, files.values())]))
    written.check()
    reading = {name: settings[name] for name in _OF_FILES if name in settings}
    documents = {name: read_corpus(file, **reading) for name, file in files.items()}
    show_notes(dict.fromkeys(note for corpus in documents.values() for note in file_notes(corpus, (), ())))
    working = {name: settings[name] for name in ("seed", "resamples", "confidence", "jobs") if name in settings}
    with refuse_unavailable(), show_activity("training") as watch:
        matrix = across(documents, system, metrics=chosen, watch=watch, **working)
    sheet, results = across_sheet(matrix), Results(written.force)
    written.write(sheet, matrix, results)
    screen = console(PAGE)
    show_sheet(sheet, screen)
    results.tell(screen)
