from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, print_plain, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.signals import refuse_unavailable, unbroken
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import PlanError, printable, quote_value
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.families.authorship.report_training import training_sheet
from showthrough.families.authorship.verifiers.table import learner_named
from showthrough.families.authorship.verifiers.trained import Band
from showthrough.families.authorship.verifiers.training import FOLDS, check_request, train_verifier
from showthrough.formats import read_corpus
from showthrough.models.model_folders import check_model_folder
from showthrough.report.sheets.terminal import show_sheet

_BAND = re.compile(r"(0|1|0?\.\d+|1\.0+)-(0|1|0?\.\d+|1\.0+)", re.ASCII)
Learner = Annotated[str, typer.Option(metavar="NAME", help="glad, impostors, ngrams or compression.")]
Unanswered = Annotated[
    str,
    typer.Option(
        "--band", metavar="FROM-TO", help="Answers inside this range count as none, e.g. 0.45-0.55; usually only 0.5."
    ),
]
Folds = Annotated[int, typer.Option(metavar="N", help="Parts that are held out in turn, to measure how good it is.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed for splitting the problems.")]


@with_options(settings=options_of(FileSettings, "format", "group_by"), views=view_options("force"))
def command(
    problems: Annotated[
        Path, typer.Argument(metavar="PROBLEMS", help="Problems with their truth: PAN's folders or pairs.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The folder for the verifier.")],
    learner: Learner = "glad",
    band: Unanswered = "",
    folds: Folds = FOLDS,
    seed: Seed = 0,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Train an author verifier, which decides who wrote a text.

    The command prints how well it does on problems that were held out. The folder holds digests of its training
    problems, so that these are refused later. Keep the folder as you keep the texts.
    """
    force, between = Views.of(views).force, _band(band)
    learner_named(learner)
    check_request(between, folds, seed)
    check_distinct((output,), inputs([problems]))
    check_model_folder(output, force)
    corpus = read_corpus(problems, **settings)
    with refuse_unavailable(), show_activity("training") as watch:
        trained = train_verifier(
            corpus, learner, seed=seed, band=between, folds=folds, name=output.resolve().name, watch=watch
        )
    with unbroken():
        trained.save(output, force)
    show_notes(file_notes(corpus, (), ()))
    screen = console(PAGE)
    show_sheet(training_sheet(trained), screen)
    print_plain([printable(f"written to {output}")], screen)


def _band(text: str) -> Band | None:
    if not text:
        return None
    match = _BAND.fullmatch(text.strip())
    if not match:
        raise PlanError(f"found {quote_value(text)}; expected two numbers, such as 0.45-0.55", "band")
    return float(match[1]), float(match[2])
