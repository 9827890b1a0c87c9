from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import shared
from showthrough.clinical.instances import label_map
from showthrough.errors import InputError, PlanError, Problem
from showthrough.formats import read_anonymization, read_corpus
from showthrough.masks import Anonymization
from showthrough.metrics.clinical import unknown_types
from showthrough.notices import notices
from showthrough.pairing import Missing, check_pair


def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=]FILE", help="Anonymizations to check against it.")
    ] = None,
    missing: Annotated[
        str, typer.Option(metavar="error|unmasked", help="What a document means that an anonymization lacks.")
    ] = "error",
    format_name: shared.Format = None,
    maps: shared.Maps = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
) -> None:
    """Check files without scoring: every problem with its place."""
    mapping = label_map(",".join(maps or ()))
    found = read_corpus(corpus, format=format_name, id_column=id_column, text_column=text_column)
    survey = found.survey
    lines = [
        f"{corpus}: {shared.documents(len(found))}, {int(survey.lengths.sum())} characters, "
        f"{survey.annotated} annotated, {survey.annotators} annotation layers, "
        f"{survey.mentions} mentions, digest {survey.digest[:8]}"
    ]
    if missing not in ("error", "unmasked"):
        raise PlanError(f"found {missing!r}; expected error or unmasked", "missing")
    policy: Missing = "unmasked" if missing == "unmasked" else "error"
    problems: list[Problem] = []
    read: list[Anonymization] = []
    for name, path in map(shared.named, anonymizations or ()):
        try:
            one = read_anonymization(
                path, found, name=name, format=format_name, id_column=id_column, text_column=text_column
            )
        except InputError as error:
            problems += error.problems
            continue
        read.append(one)
        problems += check_pair(found, one, policy)
        problems += unknown_types(found, one, set(one.types), mapping)
        masks = sum(len(one.masks[key]) for key in one.masks)
        types = f", {len(one.types)} types" if one.types else ""
        lines.append(f"{path}: {shared.documents(len(one))}, {masks} masks{types}, digest {one.digest[:8]}")
    if problems:
        raise InputError(problems)
    shared.note_unmasked(read)
    shared.show_notes(notices(found, read))
    for line in lines:
        typer.echo(line)
    typer.echo("all is well")
