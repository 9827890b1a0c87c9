from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import format_names
from showthrough.cli.consoles import show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import printable
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.registry import format_named
from showthrough.formats.writing import describe_losses, write_checked
from showthrough.storage.writing import check_writable


@with_options(
    settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"), views=view_options("force")
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="NAME", help="Its new format; see showthrough list formats.", autocompletion=format_names
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PATH", help="A file or folder to write.")],
    annotator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose marks, where several annotators marked.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if the new format cannot hold everything.")
    ] = False,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """What is written is read back first. The command names what the new format does not hold."""
    format_named(to, "write")  # raises before anything is read
    read = inputs([corpus])
    check_distinct((output,), read)
    check_writable(output)
    documents = read_corpus(corpus, **settings)
    force = Views.of(views).force
    written = write_checked(documents, output, to, annotator=annotator, strict=strict, force=force, read=read)
    show_notes([*file_notes(documents, (), ()), *describe_losses(to, written.lost)])
    typer.echo(printable(f"{len(documents)} documents written to {written.where}"))
