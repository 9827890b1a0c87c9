from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from showthrough.cli import shared
from showthrough.formats import FORMATS, Format
from showthrough.formats.choice import can, format_named
from showthrough.formats.writing import example


def command(
    name: Annotated[str | None, typer.Argument(metavar="[FORMAT]", help="One format, with a sample.")] = None,
) -> None:
    """List the formats that are read and written; or one with a sample of its files."""
    if name is not None:
        chosen = format_named(name)
        writes = "; can be written" if can(chosen, "write") else ""
        typer.echo(f"{name}: {chosen.description}")
        typer.echo(f"files: {_files(chosen)}; read as: {_reads(chosen) or 'nothing'}{writes}")
        for file, content in example(chosen).items():
            typer.echo(f"\n{file}:\n\n{content.rstrip()}")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in ("format", "files", "reads", "writes", "what it is"):
        table.add_column(head, no_wrap=head != "what it is")
    for key in FORMATS:
        if fault := FORMATS.fault(key):
            table.add_row(key, "", "", "", Text(fault))
            continue
        known = FORMATS[key]
        table.add_row(key, _files(known), _reads(known), "yes" if can(known, "write") else "", Text(known.description))
    shared.console().print(table)


def _files(chosen: Format) -> str:
    return ", ".join(chosen.endings)


def _reads(chosen: Format) -> str:
    kinds = {"corpus": chosen.read, "anonymization": chosen.read_anonymization}
    return ", ".join(kind for kind, read in kinds.items() if read)
