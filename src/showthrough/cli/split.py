from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from showthrough.cli.completion import format_names
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, check_folder, inputs
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import PlanError, join_names, printable
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.base import SeveralAnnotatorsError
from showthrough.formats.registry import format_named, same_format
from showthrough.formats.writing import describe_losses, write_parts
from showthrough.report.corpus import split_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.storage.file_heads import Head
from showthrough.studies.review.folder import check_new
from showthrough.studies.splits import RECORD, SplitRecord, parse_shares, split_corpus

RECORD_FILE = f"{RECORD}.json"


@with_options(
    settings=options_of(FileSettings, "format", "id_column", "text_column", "group_by", "offsets"),
    views=view_options("force"),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The folder for the parts.")],
    shares: Annotated[
        str, typer.Option(metavar="SHARES", help="Shares of the parts: 80/20, or a=60,b=20,c=20.")
    ] = "80/10/10",
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Give each part its share of every value: year, meta.countries.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the draw.")] = 0,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Write the parts in another format.", autocompletion=format_names),
    ] = None,
    *,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Documents that belong together stay in one part: groups, near copies, documents about one person. Documents of
    several annotators and reviewed ones go to the parts after the first. split.json records who is where.
    """
    head, force = Head.of(corpus), Views.of(views).force
    wanted, target = parse_shares(shares), to or same_format(head, settings.get("format"))
    format_named(target, "write")  # raises before anything is read
    read = inputs([corpus])
    check_distinct((output,), read)
    check_folder(output)
    check_new(output, force)
    _check_earlier(output, wanted)
    documents = read_corpus(head, **settings)
    split = split_corpus(documents, wanted, by=by, seed=seed)
    record = msgspec.json.format(msgspec.json.encode(split.record), indent=1) + b"\n"
    try:
        written = write_parts(split.parts, output, target, {RECORD_FILE: record}, force=force, read=read)
    except SeveralAnnotatorsError as error:
        advice = "leave out --to, then write each part with convert --annotator NAME"
        raise SeveralAnnotatorsError(error.found, advice) from error
    show_notes([*file_notes(documents, (), ()), *split.record.notes, *describe_losses(target, written.lost)])
    show_sheet(split_sheet(split.record), console())
    typer.echo(printable(f"{len(documents)} documents written to {written.where}"))


def _check_earlier(folder: Path, parts: Mapping[str, float]) -> None:
    """Raises PlanError where an earlier split left a part that this one lacks: its documents would be in two parts."""
    try:
        earlier = msgspec.json.decode((folder / RECORD_FILE).read_bytes(), type=SplitRecord)
    except (OSError, msgspec.MsgspecError):
        return
    if left := [name for name in earlier.parts if name not in parts]:
        fault = f"holds {join_names(left)} of an earlier split, which has other parts; choose another folder"
        raise PlanError(fault, str(folder))
