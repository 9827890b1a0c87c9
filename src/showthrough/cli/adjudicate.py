from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import format_names
from showthrough.cli.consoles import console, documents, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import HOLDS, Results, check_distinct, check_file, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.core.errors import PlanError
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.registry import format_named, same_format
from showthrough.formats.writing import describe_losses, write_checked
from showthrough.report.review import adjudication_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.storage.file_heads import Head
from showthrough.storage.writing import check_writable
from showthrough.studies.review.adjudication import ADJUDICATED, adjudicate, join_layers

MOST = 20  # disputes on the terminal


@with_options(settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"), views=sheet_options())
def command(
    corpora: Annotated[
        list[Path], typer.Argument(metavar="CORPUS", help="The corpus; or one file for each annotator or pass.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="PATH", help="The corpus with one annotation.")
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="union, majority or annotator:NAME, also after TYPE=; repeatable."),
    ] = None,
    annotator: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Whose marks; else those of all people. Repeatable.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what people have to decide, as a .csv to fill in.")
    ] = None,
    filled: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A sheet with decisions to follow; repeatable.")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Follow the rule where nobody has decided.")] = False,
    name: Annotated[str, typer.Option(metavar="NAME", help="What the annotation is called.")] = ADJUDICATED,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Write the corpus in another format.", autocompletion=format_names),
    ] = None,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Where all annotators of a document marked the same, that stays. Elsewhere a rule decides, or people do: write a
    sheet, have it filled in, and read it with --filled. Annotations by programs are left out unless they are named.
    """
    view, heads = SheetViews.of(views), list(map(Head.of, corpora))
    _check_use(partial and not filled, to and output is None, sheet and view.without_text)
    read = inputs([*corpora, *(filled or ())])
    check_distinct((output, sheet, *view.paths), read)
    target = to or same_format(heads[0], settings.get("format"))
    if output is not None:
        format_named(target, "write")  # raises before anything is read
        check_writable(output)
    check_file(sheet, view.force)
    view.check()
    joined = join_layers([read_corpus(head, **settings) for head in heads])
    result = adjudicate(
        joined, merge or (), annotators=annotator or (), filled=filled or (), partial=partial, name=name
    )
    results, lost = Results(view.force), list[str]()
    if output is not None:
        written = write_checked(result.corpus, output, target, force=view.force, read=read)
        results.lines.append(f"{documents(len(result.corpus))} written to {written.where}")
        lost = [*describe_losses(target, written.lost)]
    if sheet is not None:
        results.write(sheet, result.sheet().decode("utf-8"), line=f"sheet written to {sheet}{HOLDS}", private=True)
    view.write(adjudication_sheet(result.outcome), result.outcome, results)
    show_notes([*file_notes(joined, (), ()), *result.notes, *lost])
    show_sheet(view.redact(adjudication_sheet(result.outcome, MOST)), console())
    results.tell(console())


def _check_use(partial: object, to: object, sheet: object) -> None:
    """Raises PlanError for options that do not go with the others."""
    if partial:
        raise PlanError("is only for use with --filled", "--partial")
    if to:
        raise PlanError("is only for use with --output", "--to")
    if sheet:
        raise PlanError("has words of documents; expected no --without-text", "--sheet")
