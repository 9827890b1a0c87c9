"""What several commands have in common: options, consoles, writing what a report made."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from showthrough.errors import LINE, OutputError, PlanError, quoted, shown
from showthrough.formats.named import FORMATS
from showthrough.masks import Anonymization
from showthrough.report import csv_text, json_text, latex_text, markdown_text
from showthrough.report.terminal import PlainConsole
from showthrough.resources.closed_classes import CLOSED_CLASSES
from showthrough.retyping import Retyping
from showthrough.run import Run, write_file

Force = Annotated[bool, typer.Option("--force", help="Replace output files that exist.")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all scores as CSV.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write the tables as Markdown.")]
Latex = Annotated[Path | None, typer.Option("--latex", metavar="FILE", help="Write the tables as LaTeX (booktabs).")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the scores alone as JSON.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one page to look at, with the documents in it.")
]
Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="FOLDER", help="Write the figures as SVG, PNG and PDF, for papers.")
]
WithoutText = Annotated[
    bool, typer.Option("--without-text", help="Leave every word of the documents out of what is written.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help=f"The format, where a file does not tell: {', '.join(FORMATS)}."),
]
Maps = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FROM=TO", help="Take a type as another, e.g. LOCATION=LOC; may be repeated."),
]
Direct = Annotated[
    list[str] | None,
    typer.Option("--direct", metavar="TYPE", help="Mentions of this type identify directly; may be repeated."),
]
Quasi = Annotated[
    list[str] | None,
    typer.Option("--quasi", metavar="TYPE", help="Mentions of this type identify together with others; repeatable."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="TYPE", help="Take mentions of this type as not marked; may be repeated."),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        "--group-by",
        metavar="FIELD|id:REGEX",
        help="What documents of one patient share: a field or column, or a piece of their ids.",
    ),
]
IdColumn = Annotated[str, typer.Option("--id-column", metavar="NAME", help="The column of a table that holds ids.")]
TextColumn = Annotated[
    str, typer.Option("--text-column", metavar="NAME", help="The column of a table that holds texts.")
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="CODE",
        help=f"Of the documents, for word lists: {', '.join(CLOSED_CLASSES)}; en by default.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the resampling.")]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples for each interval.")]
Confidence = Annotated[float, typer.Option(help="Confidence of the intervals.")]
Device = Annotated[
    str, typer.Option(metavar="auto|cpu|cuda|cuda:1|mps", help="Where models run; auto takes the fastest there is.")
]
Dtype = Annotated[
    str, typer.Option(metavar="fp32|bf16", help="In which numbers models calculate; bf16 is faster and coarser.")
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep what models answered; see showthrough cache.")
]

_PIPE_WIDTH = 200  # without a terminal there is no edge to fit into


def console() -> Console:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # an arrow must not end a run where the encoding has none
    return PlainConsole(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def notes() -> Console:
    return PlainConsole(stderr=True, highlight=False)


def documents(number: int) -> str:
    """`1 document`, `2 documents`."""
    return f"{number} document{'' if number == 1 else 's'}"


def note_unmasked(anonymizations: Iterable[Anonymization]) -> None:
    """Tells of each anonymization that hides nothing, as when the originals were given for it; no error."""
    for one in anonymizations:
        if not any(one.masks.values()):
            line = f"{shown(one.name)}: no text differs from the original; nothing is masked"
            notes().print(line, markup=False, soft_wrap=True)


def show_notes(lines: Iterable[str]) -> None:
    """What a reader must know before believing the numbers, where it is seen even if the output goes to a file."""
    for line in lines:
        notes().print(shown(f"note: {line}", LINE), markup=False, soft_wrap=True)


def types_said(
    maps: list[str] | None,
    direct: list[str] | None,
    quasi: list[str] | None,
    ignore: list[str] | None,
    otherwise: Retyping | None = None,
) -> Retyping:
    """What the options say of types; of types that they do not name, what a plan says."""
    said = Retyping.of(",".join(maps or ()), direct or (), quasi or (), ignore or ())
    return said.over(otherwise) if otherwise else said


def named(argument: str) -> tuple[str, Path]:
    """`presidio=masks.json`, or a path alone, whose name then names it."""
    name, sign, path = argument.partition("=")
    if not argument or (sign and not (name and path)):
        raise PlanError(f"found {quoted(argument)}; expected NAME=FILE, neither of them empty", "anonymization")
    if sign:
        return name, Path(path)
    from showthrough.formats.files import stem

    return stem(Path(argument)), Path(argument)


def free(path: Path | None, force: bool, *, makes_folder: bool = False) -> None:
    """Raises OutputError when a file could not be written at the end; better told before the work than after."""
    if path is None:
        return
    try:
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; expected a file name")
        if path.is_file() and not force:
            raise OutputError(f"{path}: exists already; choose another name or say --force to replace it")
        folder = next(parent for parent in path.parents if parent.exists()) if makes_folder else path.parent
        if not folder.is_dir():
            raise OutputError(f"{path}: the folder {folder} {'is a file' if makes_folder else 'does not exist'}")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error


def make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error


def apart(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """Raises OutputError when two results would go into one file, or a result over what it is made from."""
    taken = {os.path.realpath(path): "is read by this command" for path in inputs}
    for path in outputs:
        if path is None:
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise OutputError(f"{path}: {taken[real]}; choose another name")
        taken[real] = "is named for two results"


def free_folder(path: Path | None) -> None:
    """Raises OutputError when a folder could not be made or written into at the end."""
    if path is None or path.is_dir():
        return
    if path.exists():
        raise OutputError(f"{path}: is a file; expected the name of a folder")
    free(path, False, makes_folder=True)


def write_looks(run: Run, html: Path | None, plots: Path | None, without_text: bool, force: bool) -> list[Path]:
    """The page and the figures. A page with original text in it is for its owner alone."""
    written = []
    if html is not None:
        from showthrough.report.html import html_text  # here: charts take a moment to import

        private = run.texts is not None and not without_text
        write_file(html, html_text(run, without_text=without_text).encode(), force=force, private=private)
        written.append(html)
    if plots is not None:
        from showthrough.report.plots import write_plots

        write_plots(run, plots, force=force)
        written.append(plots)
    return written


def write_views(
    run: Run, csv: Path | None, markdown: Path | None, latex: Path | None, json: Path | None, force: bool
) -> list[Path]:
    views: list[tuple[Path | None, Callable[[Run], str]]] = [
        (csv, csv_text), (markdown, markdown_text), (latex, latex_text), (json, json_text),
    ]  # fmt: skip
    written = []
    for path, text in views:
        if path is not None:
            write_file(path, text(run).encode(), force=force, private=False)
            written.append(path)
    return written
