from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import PAGE, console
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.core.errors import InputError
from showthrough.evaluation.settings import Settings, options_of, settings_problems
from showthrough.families.authorship.report_verification import verification_sheet
from showthrough.formats.authorship.verifier_answers import read_answers, read_truth
from showthrough.report.sheets.terminal import show_sheet
from showthrough.storage.reading import collect_results
from showthrough.studies.verification import verifier_scores


@with_options(drawing=options_of(Settings, "confidence", "resamples", "seed"), views=sheet_options())
def command(
    truth: Annotated[
        Path, typer.Argument(metavar="TRUTH", help="Which problems are by one author: truth.jsonl or truth.txt.")
    ],
    answers: Annotated[
        list[str],
        typer.Argument(metavar="NAME=FILE", help="What verifiers answered: JSON Lines or PAN's text."),
    ],
    *,
    drawing: CliOptions,
    views: CliOptions,
) -> None:
    """Score answers of verifiers, as PAN 2020 to 2023 did.

    The measures are AUC, c@1, F0.5u, F1, Brier and their mean. Several on the same problems are also compared. Exactly
    0.5, or a problem without an answer, is left unanswered.
    """
    files = SheetViews.of(views)
    named = named_files(answers, "answers")
    check_distinct(files.paths, inputs([truth, *named.values()]))
    files.check()
    if problems := settings_problems(Settings(**drawing)):
        raise InputError(problems)
    reading: list[Callable[[], Mapping[str, Any]]] = [partial(read_truth, truth)]
    reading += [partial(read_answers, path) for path in named.values()]
    labels, *tables = collect_results(reading, lambda read: read())
    sources = {name: str(path) for name, path in named.items()}
    scores = verifier_scores(
        labels, dict(zip(named, tables, strict=True)), sources=sources, source=str(truth), **drawing
    )
    sheet, results = verification_sheet(scores), Results(files.force)
    files.write(sheet, scores, results)
    screen = console(PAGE)
    show_sheet(files.redact(sheet), screen)
    results.tell(screen)
