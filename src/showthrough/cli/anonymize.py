from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from showthrough.anonymizers import anonymize, anonymizer
from showthrough.cli import shared
from showthrough.errors import printable
from showthrough.files.writing import write_file
from showthrough.formats import read_corpus


def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    with_: Annotated[str, typer.Option("--with", metavar="NAME", help="The anonymizer, e.g. rules.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the masks go (TAE JSON).")],
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    force: shared.Force = False,
) -> None:
    """Anonymize a corpus with a built-in or installed anonymizer.

    The built-in one, rules, is a baseline to compare with: text that only it has treated is not safe to release.
    """
    shared.apart((output,), shared.read_here([corpus]))
    shared.free(output, force)
    chosen = anonymizer(with_)
    documents = read_corpus(corpus, id_column=id_column, text_column=text_column)
    found = anonymize(documents, chosen)
    masks = dict(found.masks)
    write_file(output, msgspec.json.encode(masks), force=force)
    count = sum(map(len, masks.values()))
    typer.echo(printable(f"{count} masks in {len(masks)} documents written to {output}"))
