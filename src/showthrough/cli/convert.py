from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import shared
from showthrough.errors import printable
from showthrough.files.writing import check_writable
from showthrough.formats import read_corpus
from showthrough.formats.choice import format_named
from showthrough.formats.writing import write_corpus


def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Its new format; see showthrough formats.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PATH", help="A file or folder to write.")],
    from_: Annotated[
        str | None, typer.Option("--from", metavar="NAME", help="Its format, where the file does not tell.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose marks, where several annotators marked.")
    ] = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    force: shared.Force = False,
) -> None:
    """Convert a corpus from one format to another."""
    format_named(to, "write")  # raises before anything is read
    read = shared.read_here([corpus])
    shared.apart((output,), read)
    check_writable(output)
    found = read_corpus(corpus, format=from_, id_column=id_column, text_column=text_column)
    files = write_corpus(found, output, to, annotator=annotator, force=force, read=read)
    where = str(output) if len(files) == 1 else f"{len(files)} files in {output}"
    typer.echo(printable(f"{len(found)} documents written to {where}"))
