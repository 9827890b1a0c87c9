from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.options import Said, with_options
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.cli.views import Views, view_options
from showthrough.errors import printable
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.files.writing import check_writable
from showthrough.formats import read_corpus
from showthrough.formats.choice import format_named
from showthrough.formats.writing import write_corpus


@with_options(settings=options_of(FileSettings, "id_column", "text_column"), views=view_options("force"))
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
    *,
    settings: Said,
    views: Said,
) -> None:
    """Convert a corpus from one format to another."""
    format_named(to, "write")  # raises before anything is read
    read = inputs([corpus])
    check_distinct((output,), read)
    check_writable(output)
    documents = read_corpus(corpus, format=from_, **settings)
    files = write_corpus(documents, output, to, annotator=annotator, force=Views.of(views).force, read=read)
    where = str(output) if len(files) == 1 else f"{len(files)} files in {output}"
    typer.echo(printable(f"{len(documents)} documents written to {where}"))
