from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from showthrough.anonymizers import anonymize, anonymizer
from showthrough.cli.completion import anonymizer_names
from showthrough.cli.consoles import show_notes
from showthrough.cli.options import Said, with_options
from showthrough.cli.outputs import check_distinct, check_file, inputs
from showthrough.cli.views import Views, view_options
from showthrough.errors import printable
from showthrough.evaluation.notices import told_of_files
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.files.writing import write_file
from showthrough.formats import read_corpus


@with_options(settings=options_of(FileSettings, "id_column", "text_column"), views=view_options("force"))
def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    with_: Annotated[
        str,
        typer.Option(
            "--with", metavar="NAME", help="The anonymizer: rules, spacy, presidio …", autocompletion=anonymizer_names
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the masks go (TAE JSON).")],
    settings: Said,
    views: Said,
) -> None:
    """Anonymize a corpus with a built-in or installed anonymizer.

    These are baselines to compare with: text that only one of them has treated is not safe to release.
    """
    force = Views.of(views).force
    check_distinct((output,), inputs([corpus]))
    check_file(output, force)
    chosen = anonymizer(with_)
    originals = read_corpus(corpus, **settings)
    masks = dict(anonymize(originals, chosen).masks)
    write_file(output, msgspec.json.encode(masks), force=force)
    show_notes(told_of_files(originals, (), ()))
    count = sum(map(len, masks.values()))
    typer.echo(printable(f"{count} masks in {len(masks)} documents written to {output}"))
