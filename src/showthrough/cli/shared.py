"""What several commands have in common: options, consoles, writing what a report made."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from showthrough.cli.stopping import unbroken
from showthrough.errors import LINE, InputError, Interrupted, OutputError, PlanError, quoted, shown
from showthrough.files import Read, check_writable, write_file
from showthrough.formats.conll import ENDINGS
from showthrough.formats.files import is_folder, suffix
from showthrough.formats.named import FORMATS
from showthrough.masks import Anonymization
from showthrough.metrics import Metric
from showthrough.report import csv_text, json_text, latex_text, markdown_text
from showthrough.report.terminal import PlainConsole
from showthrough.resources.closed_classes import CLOSED_CLASSES
from showthrough.retyping import Retyping
from showthrough.run import Run

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

BAD_INPUT = 2
FELL_SHORT = 1
INTERRUPTED = 130

_DOCUMENTS = (".txt", ".ann", ".xml", *ENDINGS)  # of a folder, what is read
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


def exit_status(error: BaseException) -> int:
    if isinstance(error, Interrupted):
        return exit_status(error.__cause__) if error.__cause__ else INTERRUPTED
    return BAD_INPUT if isinstance(error, InputError | OutputError) else FELL_SHORT


def read_here(paths: Iterable[Path | None], names: Iterable[object] = ()) -> Read:
    """What a command reads: files, the documents in folders, and what the names of models and word lists lead to."""
    found: list[Path] = []
    for path in filter(None, paths):
        found += [path, *(file for file in _files_in(path) if suffix(file) in _DOCUMENTS)]
    for name in filter(None, names):
        for path in _on_disk(str(name)):
            found += [path, *_files_in(path)]
    return Read(found)


def parameters_of(metrics: Iterable[Metric]) -> Iterator[object]:
    for metric in metrics:
        yield from metric.parameters.values()


def _files_in(path: Path) -> list[Path]:
    """Those in a folder and in the folders in it. What may not be looked at is not told here: reading it will tell."""
    return [Path(home) / name for home, _, files in os.walk(path) for name in files] if is_folder(path) else []


def _on_disk(name: str) -> Iterator[Path]:
    """Files and folders that a parameter may mean: `words.txt@1a2b3c4d`, `spacy:./en`, `dense(embedding="./m")`."""
    for text in {name, name.partition(":")[2], name.rpartition("@")[0], *re.findall(r'"([^"]*)"', name)}:
        with suppress(OSError, ValueError):  # no path at all
            path = Path(text)
            if path.is_file() or (path.is_dir() and len(path.parts) > 1):  # a lone word means a folder by chance
                yield path


def free(path: Path | None, force: bool, *, makes_folder: bool = False) -> None:
    """Raises OutputError when a file could not be written at the end; better told before the work than after."""
    if path is None:
        return
    try:
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; expected a file name")
        if path.is_file() and not force:
            raise OutputError(f"{path}: exists already; choose another name or say --force to replace it")
        home = Path(os.path.realpath(path)).parent  # of what a link points to
        folder = next(parent for parent in path.parents if parent.exists()) if makes_folder else home
        if not folder.is_dir():
            shown = folder if makes_folder or path.is_symlink() else path.parent
            raise OutputError(f"{path}: the folder {shown} {'is a file' if makes_folder else 'does not exist'}")
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    check_writable(path)


def apart(outputs: Iterable[Path | None], read: Read | None = None) -> None:
    """Raises OutputError when two results would go into one file, or a result over what it is made from."""
    taken: set[str] = set()
    for path in filter(None, outputs):
        if read is not None and path in read:
            raise OutputError(f"{path}: is read by this command; choose another name")
        real = str(path) if "\0" in str(path) else os.path.realpath(path)
        if real in taken:
            raise OutputError(f"{path}: is named for two results; choose another name")
        taken.add(real)


def free_folder(path: Path | None) -> None:
    """Raises OutputError when a folder could not be made or written into at the end."""
    if path is None:
        return
    if path.is_dir():
        check_writable(path)
        return
    if path.exists():
        raise OutputError(f"{path}: is a file; expected the name of a folder")
    free(path, False, makes_folder=True)


class Unwritten:
    """Results that could not be written: the others are written all the same, and these told at the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        try:
            yield
        except OutputError as error:
            self._lines.append(str(error))

    def tell(self) -> None:
        for line in self._lines:
            notes().print(line, markup=False, soft_wrap=True)
        if self._lines:
            raise typer.Exit(BAD_INPUT)


def save(run: Run, path: Path, force: bool) -> None:
    """Writes a run, whatever signal comes meanwhile: it is all that hours of work gave."""
    with unbroken():
        run.save(path, force=force)


def write_looks(
    run: Run,
    html: Path | None,
    plots: Path | None,
    without_text: bool,
    force: bool,
    unwritten: Unwritten,
    read: Read | None = None,
) -> list[Path]:
    """The page and the figures. A page with original text in it is for its owner alone."""
    written = []
    if html is not None:
        from showthrough.report.html import html_text  # here: charts take a moment to import

        private = run.texts is not None and not without_text
        with unwritten.noted():
            write_file(html, html_text(run, without_text=without_text).encode(), force=force, private=private)
            written.append(html)
    if plots is not None:
        from showthrough.report.plots import write_plots

        with unwritten.noted():
            write_plots(run, plots, force=force, read=read)
            written.append(plots)
    return written


def write_views(
    run: Run,
    csv: Path | None,
    markdown: Path | None,
    latex: Path | None,
    json: Path | None,
    force: bool,
    unwritten: Unwritten,
) -> list[Path]:
    views: list[tuple[Path | None, Callable[[Run], str]]] = [
        (csv, csv_text), (markdown, markdown_text), (latex, latex_text), (json, json_text),
    ]  # fmt: skip
    written = []
    for path, text in views:
        if path is not None:
            with unwritten.noted():
                write_file(path, text(run).encode(), force=force, private=False)
                written.append(path)
    return written
