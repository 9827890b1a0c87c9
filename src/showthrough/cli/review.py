from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from showthrough.cli.completion import format_names
from showthrough.cli.consoles import console, documents, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, check_folder, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.core.errors import PlanError, printable
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.registry import format_named, same_format
from showthrough.formats.writing import describe_losses, write_checked
from showthrough.report.review import PAGE_FILE, review_page, review_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.storage.file_heads import Head
from showthrough.storage.writing import ProtectedFiles, check_writable
from showthrough.studies.review.application import reviewed
from showthrough.studies.review.assignment import Assignment
from showthrough.studies.review.copies import REPLACES, Replace
from showthrough.studies.review.folder import check_new, review_copies


@with_options(settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"), views=sheet_options())
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus with the annotations.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="PATH", help="The folder for a second reader; with --filled, the corpus."
        ),
    ],
    annotator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose marks, where several annotators marked.")
    ] = None,
    replace: Annotated[
        str,
        typer.Option(metavar="|".join(REPLACES), help="What replaces hidden words: *****, [PERSON] or [PERSON_1]."),
    ] = "stars",
    open_: Annotated[
        bool, typer.Option("--open", help="Add copies that show the marks, and so what is hidden.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many documents to draw at random; else all.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the draw.")] = 0,
    filled: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="A folder with filled sheets to read; repeatable.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Leave documents that are not confirmed as they are.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Write the corpus in another format.", autocompletion=format_names),
    ] = None,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """The reader gets copies with marked text hidden, and sheets to fill in. With --filled, the command reads sheets
    back. It lists all that is wrong with them, or writes the corrected corpus, marked as reviewed.
    """
    view, head = SheetViews.of(views), Head.of(corpus)
    read = inputs([corpus, *(filled or ())])
    check_distinct((output, *view.paths), read)
    if filled:
        _check_alone({"--replace": replace != "stars", "--open": open_, "--sample": sample is not None}, "without")
        _read_back(head, output, annotator, filled, partial, to, settings, view, read)
        return
    flags = {"--partial": partial, "--to": to is not None, **{f"--{name}": True for name in view.files}}
    flags["--without-text"] = view.without_text  # copies are text, and are never left out
    _check_alone(flags, "with")
    check_folder(output)
    check_new(output, view.force)
    documents_read = read_corpus(head, **settings)
    how = cast("Replace", replace)
    copies = review_copies(documents_read, annotator, replace=how, opened=open_, sample=sample, seed=seed)
    copies.write(output, {PAGE_FILE: review_page(copies).encode()}, force=view.force, read=read)
    show_notes([*file_notes(documents_read, (), ()), *_left_out(copies.assignment, sample)])
    typer.echo(_summarize(copies.assignment, output))


def _check_alone(flags: dict[str, bool], how: str) -> None:
    for name, is_on in flags.items():
        if is_on:
            raise PlanError(f"is only for use {how} --filled", name)


def _summarize(assignment: Assignment, output: Path) -> str:
    count = documents(len(assignment.numbers))
    return printable(f"copies of {count} by {assignment.annotator} and the sheets written to {output}")


def _left_out(assignment: Assignment, sample: int | None) -> list[str]:
    notes = []
    if assignment.without:
        notes.append(f"left out: {documents(assignment.without)} without annotations by {assignment.annotator}")
    if sample is not None and sample > len(assignment.numbers):
        notes.append(f"there are {documents(len(assignment.numbers))}, fewer than --sample {sample}: all are taken")
    if telling := len(assignment.telling.intersection(assignment.numbers)):
        many = "document has" if telling == 1 else "documents have"
        notes.append(f"{telling} {many} an id with words that are hidden, so a number replaces the name")
    return notes


def _read_back(
    head: Head,
    output: Path,
    annotator: str | None,
    filled: Sequence[Path],
    partial: bool,
    to: str | None,
    settings: CliOptions,
    view: SheetViews,
    read: ProtectedFiles,
) -> None:
    target = to or same_format(head, settings.get("format"))
    format_named(target, "write")  # raises before anything is read
    check_writable(output)
    view.check()
    originals = read_corpus(head, **settings)
    result = reviewed(originals, filled, annotator, partial=partial)
    written = write_checked(result.corpus, output, target, force=view.force, read=read)
    results = Results(view.force)
    results.lines.append(f"{documents(len(result.corpus))} written to {written.where}")
    sheet = review_sheet(result.outcome)
    view.write(sheet, result.outcome, results)
    show_notes([*file_notes(originals, (), ()), *result.notes, *describe_losses(target, written.lost)])
    screen = console()
    show_sheet(view.redact(sheet), screen)
    results.tell(screen)
