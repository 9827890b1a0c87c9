from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.report.corpus import corpus_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.studies.description import describe


@with_options(settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"), views=sheet_options())
def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """What it does not hold is a dash with its reason. No text of a document is shown."""
    files = SheetViews.of(views)
    check_distinct(files.paths, inputs([corpus]))
    files.check()
    documents = read_corpus(corpus, **settings)
    show_notes(file_notes(documents, (), ()))
    description = describe(documents)
    sheet, results = corpus_sheet(description), Results(files.force)
    files.write(sheet, description, results)
    screen = console(PAGE)
    show_sheet(files.redact(sheet), screen)
    results.tell(screen)
