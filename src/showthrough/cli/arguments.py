"""What arguments ask for: anonymizations by name, and a corpus or a plan with what is said beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from showthrough.cli.consoles import notes, print_plain
from showthrough.cli.options import Said
from showthrough.errors import LINE, PlanError, quoted, shown
from showthrough.evaluation.plan_files import is_request, read_request
from showthrough.evaluation.requests import Request, Source
from showthrough.evaluation.settings import FileSettings
from showthrough.files.heads import Head
from showthrough.files.places import place_of
from showthrough.files.shards import name_of, numbered_alike
from showthrough.metrics import metrics_of


def named_files(arguments: Iterable[str] | None, what: str = "anonymization") -> dict[str, Path]:
    """`presidio=masks.json`, or a path alone, whose name then names it; `what` they are, for messages."""
    files: dict[str, Path] = {}
    for argument in arguments or ():
        name, sign, path = argument.partition("=")
        if not argument or (sign and not (name and path)):
            raise PlanError(f"found {quoted(argument)}; expected NAME=FILE, neither of them empty", what)
        file = place_of(path if sign else argument)
        name = name if sign else name_of(file)
        if name in files:
            raise PlanError("this name is used twice; expected unique names", f"{what} {shown(name)}")
        files[name] = file
    return files


def parts_of(corpus: Path | Head, arguments: Sequence[str] | None) -> tuple[Head, list[str]]:
    """The corpus, and the arguments that follow it without those that are parts of it.

    A shell makes several arguments of `corpus/*.parquet`. Those that differ from the first in digits alone are parts of
    the corpus, where an anonymization with its name follows: without one they may be anonymizations.
    """
    given = list(arguments or ())
    first = Head.of(corpus)
    named = next((number for number, one in enumerate(given) if "=" in one), None)
    parts = [place_of(one) for one in given[:named]] if named and first.shards is None else []
    if not parts or not all(numbered_alike(first.path, part) for part in parts):
        return first, given
    whole = Head.of([first.path, *parts])
    print_plain([shown(f"note: {len(parts) + 1} files are one corpus: {os.fspath(whole)}", LINE)], notes())
    return whole, given[named:]


def requested(corpus: Path | Head, anonymizations: Sequence[str] | None, metrics: Sequence[str], said: Said) -> Request:
    """What a command line asks for; beside a plan, what is said there overrides it."""
    head, anonymizations = parts_of(corpus, anonymizations)
    if not is_request(head):
        settings = FileSettings(**said)
        sources = {name: Source(file, settings.columns) for name, file in named_files(anonymizations).items()}
        chosen = tuple(metrics_of(metrics)) or None
        return Request(Source(head, settings.columns), sources, chosen, settings)
    if anonymizations or metrics or said.keys() & FileSettings().columns.keys():
        raise PlanError(
            "a plan names anonymizations, metrics and columns itself; expected no others beside it", str(head.path)
        )
    request = read_request(head.path)
    return replace(request, settings=request.settings.overridden(said))
