from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.report.agreement import agreement_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.studies.agreement import agreement

_READING = ("format", "group_by", "id_column", "text_column", "offsets")


@with_options(
    settings=options_of(FileSettings, *_READING),
    drawing=options_of(FileSettings, "confidence", "resamples", "seed"),
    views=sheet_options(),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus, with several annotators.")],
    *,
    settings: CliOptions,
    drawing: CliOptions,
    views: CliOptions,
) -> None:
    """Only documents that two or more people read count. Annotations by programs are left out."""
    files = SheetViews.of(views)
    check_distinct(files.paths, inputs([corpus]))
    files.check()
    documents = read_corpus(corpus, **settings)
    show_notes(file_notes(documents, (), ()))
    summary = agreement(documents, **drawing)
    sheet = agreement_sheet(summary)
    results = Results(files.force)
    files.write(sheet, summary, results)
    screen = console()
    show_sheet(files.redact(sheet), screen)
    results.tell(screen)
