from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.completion import format_names
from showthrough.cli.consoles import documents, note_unmasked, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.cli.surrogate import SurrogateOptions, write_surrogates
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import PlanError, printable, quote_value
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.pairing import Missing
from showthrough.data.release import REPLACEMENTS, release
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.registry import format_named, recognise_format, same_format, shared_format
from showthrough.formats.writing import describe_losses, is_single_file, write_checked
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import stem
from showthrough.storage.writing import check_writable
from showthrough.systems.replacing import WAYS, rewritten

_SETTINGS = ("format", "missing", "group_by", "id_column", "text_column", "offsets")

Masks = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME=FILE",
        help="Masks with offsets, or texts. Without it, surrogates replace what annotators marked.",
    ),
]
Replace = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(WAYS),
        help="What replaces masks: [PERSON], nothing, [PERSON_1], another person, or something wider.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="NAME",
        help="Write it in another format than the corpus's own.",
        autocompletion=format_names,
    ),
]


@with_options(
    settings=options_of(FileSettings, *_SETTINGS), marks=options_of(SurrogateOptions), views=view_options("force")
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    anonymization: Masks = None,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PATH", help="A file or folder to write.")],
    replace: Replace = None,
    to: Format = None,
    settings: CliOptions,
    marks: CliOptions,
    views: CliOptions,
) -> None:
    """Without --replace, the masks' own replacements are written. Ids and groups stay; annotations and all else in the
    corpus's files are left out. What is written is read back first.

    With --replace surrogate and no masks, realistic surrogates replace what annotators marked, and annotations stay.
    Exit status: 0 it was written; 1 the audit found marked text in the result, and nothing is written; 2 bad input.
    """
    if replace is not None and replace not in WAYS:
        raise PlanError(f"found {quote_value(replace)}; expected {', '.join(WAYS)}", "replace")
    force = Views.of(views).force
    if anonymization is None:
        _replace_marked(corpus, output, replace, to, marks, settings, force)
        return
    if marks:
        named = " and ".join(f"--{name.replace('_', '-')}" for name in marks)
        raise PlanError(f"{named}: only for surrogates of what is marked; expected no masks beside the corpus", "apply")
    head = Head.of(corpus)
    (masks,) = named_files([anonymization]).values()
    own = settings.get("format") or recognise_format(head, "read")
    target = to or same_format(head, settings.get("format"))
    format_named(target, "read")  # raises before anything is read; masks alone are no released text
    chosen = format_named(target, "write")
    read = inputs([corpus, masks])
    if is_single_file(chosen) and (output.is_dir() or not output.suffix):
        output = output / f"{stem(corpus)}{chosen.endings[0]}"
    check_distinct((output,), read)
    check_writable(output)
    originals, hidden = _read_inputs(head, masks, settings)
    missing = FileSettings(**settings).missing
    texts = _released(originals, hidden, replace, missing)
    written = write_checked(texts, output, target, force=force, read=read)
    note_unmasked([hidden])
    show_notes(
        [
            *file_notes(originals, [hidden], ()),
            *_left_out(originals, hidden),
            *([f"{own} is not written: the texts are in {target}"] if not to and own and own != target else []),
            *describe_losses(target, written.lost),
        ]
    )
    count = sum(len(hidden.of(document_id)) for document_id in originals.ids)
    typer.echo(printable(f"{documents(len(texts))} with {count} masks written to {written.where}"))


def _replace_marked(
    corpus: Path,
    output: Path,
    replace: str | None,
    to: str | None,
    marks: CliOptions,
    settings: CliOptions,
    force: bool,
) -> None:
    """Surrogates for what annotators marked, where no masks are named."""
    if replace != "surrogate":
        raise PlanError("no masks were named; expected NAME=FILE, or --replace surrogate for what is marked", "apply")
    if others := [name for name in settings if name not in ("format", "offsets")]:
        named = " and ".join(f"--{name.replace('_', '-')}" for name in others)
        raise PlanError(f"{named}: only for masks; expected none with surrogates of what is marked", "apply")
    write_surrogates(corpus, output, to, SurrogateOptions(**marks), settings, force)


def _read_inputs(head: Head, path: Path, settings: dict[str, Any]) -> tuple[Corpus, Anonymization]:
    columns = {name: settings[name] for name in ("id_column", "text_column", "offsets") if name in settings}
    format_name = settings.get("format")
    originals = read_corpus(head, format=format_name, group_by=settings.get("group_by"), **columns)
    return originals, read_anonymization(path, originals, format=shared_format(format_name, path), **columns)


def _released(originals: Corpus, hidden: Anonymization, replace: str | None, missing: Missing) -> Corpus:
    if replace is None or replace in REPLACEMENTS:
        return release(originals, hidden, replace, missing)  # type: ignore[arg-type]
    return release(originals, rewritten(originals, hidden, replace, missing), missing=missing)  # type: ignore[arg-type]


def _left_out(originals: Corpus, hidden: Anonymization) -> Iterator[str]:
    """What is not released, and what is as it was."""
    survey = originals.survey
    if survey.annotators:
        layers = f"{survey.annotators} annotation layer{'s' * (survey.annotators > 1)}"
        yield f"left out: {layers} with {survey.mentions} mentions, which would show what was masked"
    if lacking := sum(document_id not in hidden.masks for document_id in originals.ids):
        verb = (
            "is not among the masks and is written as it is"
            if lacking == 1
            else "are not among the masks and are written as they are"
        )
        yield f"{documents(lacking)} {verb}"
