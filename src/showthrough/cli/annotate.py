from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import anonymizer_names, format_names
from showthrough.cli.consoles import documents, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import printable
from showthrough.data.documents import Corpus
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.registry import format_named
from showthrough.formats.writing import describe_losses, write_checked
from showthrough.storage.writing import check_writable
from showthrough.systems import anonymizer
from showthrough.systems.anonymizing import check_ready
from showthrough.systems.silver import annotate


@with_options(
    settings=options_of(FileSettings, "format", "group_by", "id_column", "text_column", "offsets"),
    views=view_options("force"),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    with_: Annotated[
        list[str],
        typer.Option(
            "--with",
            metavar="SYSTEM",
            help="An anonymizer, as in anonymize: rules, presidio, spacy:PIPELINE …; may be repeated.",
            autocompletion=anonymizer_names,
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PATH", help="A file or folder to write.")],
    vote: Annotated[
        int, typer.Option(metavar="N", help="Mark what at least this many of them find; 1: all that any finds.")
    ] = 1,
    keep: Annotated[
        bool, typer.Option("--keep-annotations", help="Keep the corpus's own annotations beside the new ones.")
    ] = False,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="NAME", help="The format; see showthrough list formats.", autocompletion=format_names
        ),
    ] = "tab",
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Nobody has checked silver annotations. The annotator's name shows which programs made them, and so does every
    signature of a score against them.
    """
    format_named(to, "write")  # raises before anything is read
    read = inputs([corpus])
    check_distinct((output,), read)
    check_writable(output)
    programs = [anonymizer(name) for name in with_]
    originals = read_corpus(corpus, **settings)
    check_ready(
        originals, {program.name: program for program in programs}, loading=False
    )  # a wrong vote is told before models load
    silver = annotate(originals, programs, vote, keep=keep)
    written = write_checked(silver, output, to, force=Views.of(views).force, read=read)
    show_notes([*file_notes(originals, (), ()), *_left_out(originals, keep), *describe_losses(to, written.lost)])
    layers = [document.annotations[-1] for document in silver]
    total = sum(len(layer.mentions) for layer in layers)
    by = layers[0].annotator
    typer.echo(printable(f"{total} mentions by {by} in {documents(len(silver))} written to {written.where}"))


def _left_out(originals: Corpus, keep: bool) -> list[str]:
    survey = originals.survey
    if keep or not survey.annotators:
        return []
    layers = f"{survey.annotators} annotation layer{'s' * (survey.annotators > 1)} of the corpus"
    return [f"left out: {layers} with {survey.mentions} mentions; --keep-annotations keeps them"]
