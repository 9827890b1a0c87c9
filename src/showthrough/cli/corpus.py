from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.cli.vocabulary import VocabularyOptions, show_vocabulary
from showthrough.core.errors import PlanError
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.report.corpus import corpus_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.studies.description import describe

_FILE = ("format", "id_column", "text_column", "offsets")
_OF_VOCABULARY = ("language", "map", "seed")
HEADINGS = {
    "Options": ("vocabulary", "html", "json", "markdown", "latex", "without_text", "force", *_FILE, "help"),
    "With --vocabulary": ("dictionary", "medical", "tokens", *_OF_VOCABULARY),
}


@with_options(
    HEADINGS,
    settings=options_of(FileSettings, *_FILE),
    words=options_of(VocabularyOptions) | options_of(FileSettings, *_OF_VOCABULARY),
    views=sheet_options(),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    anonymizations: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=FILE", help="With --vocabulary, systems to score on hard words alone."),
    ] = None,
    *,
    vocabulary: Annotated[
        bool, typer.Option("--vocabulary", help="Count how much PHI is in no dictionary, or ambiguous, instead.")
    ] = False,
    settings: CliOptions,
    words: CliOptions,
    views: CliOptions,
) -> None:
    """What the corpus does not hold is a dash with its reason. No text of a document is shown."""
    files = SheetViews.of(views)
    if vocabulary:
        if unused := [name for name in views if name not in ("json", "force")]:
            raise PlanError(f"--{unused[0].replace('_', '-')}: expected --json alone with --vocabulary", "corpus")
        of_metrics = {name: words.pop(name) for name in _OF_VOCABULARY if name in words}
        options = VocabularyOptions(**words)
        show_vocabulary(corpus, anonymizations, options, settings | of_metrics, files.files.get("json"), files.force)
        return
    if anonymizations or words:
        raise PlanError("systems and word lists are for --vocabulary; expected that, or a corpus alone", "corpus")
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
