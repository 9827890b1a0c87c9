from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.cli.signals import refuse_unavailable
from showthrough.core.errors import InputError, PlanError
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, Settings, options_of, settings_problems
from showthrough.families.authorship.report_verification import attribution_sheet
from showthrough.formats import read_anonymization, read_corpus
from showthrough.report.sheets.terminal import show_sheet
from showthrough.studies.attribution import ORIGINAL, attribution

Submissions = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymizations, whose texts are asked about too.")
]
Attack = Annotated[
    str, typer.Option(metavar="NAME", help="What compares texts with authors: showthrough list attacks.")
]
First = Annotated[int, typer.Option("-k", min=1, help="Also count authors among the first N guesses.")]


@with_options(
    settings=options_of(FileSettings, "format"),
    drawing=options_of(Settings, "confidence", "resamples", "seed"),
    views={name: option for name, option in sheet_options().items() if name != "without_text"},
)
def command(
    problems: Annotated[Path, typer.Argument(metavar="PROBLEMS", help="Problems: PAN's folders or pairs.")],
    anonymizations: Submissions = None,
    *,
    attack: Attack = "lexical",
    k: First = 5,
    settings: CliOptions,
    drawing: CliOptions,
    views: CliOptions,
) -> None:
    """Name the author of each text, of all authors of the problems.

    This is closed-set attribution, before and after masking. Problems that share a known text have one author. Nothing
    is learned from the texts under question.
    """
    files, named = SheetViews.of(views), named_files(anonymizations)
    if ORIGINAL in named:
        raise PlanError("this name is that of the originals; expected another", f"anonymization {ORIGINAL}")
    check_distinct(files.paths, inputs([problems, *named.values()]))
    files.check()
    if faults := settings_problems(Settings(**drawing)):
        raise InputError(faults)
    corpus = read_corpus(problems, **settings)
    read = {name: read_anonymization(path, corpus, name=name) for name, path in named.items()}
    show_notes(file_notes(corpus, list(read.values()), ()))
    with refuse_unavailable(), show_activity("attributing"):
        texts = {name: release.texts(corpus) for name, release in read.items()}
        outcome = attribution(corpus, texts, attack, k=k, **drawing)
    sheet, results = attribution_sheet(outcome), Results(files.force)
    files.write(sheet, outcome, results)
    screen = console(PAGE)
    show_sheet(sheet, screen)
    results.tell(screen)
