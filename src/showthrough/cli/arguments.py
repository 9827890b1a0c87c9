"""What arguments ask for: anonymizations by name, and a corpus or a plan with what is said beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from showthrough.cli.options import Said
from showthrough.errors import PlanError, quoted, shown
from showthrough.evaluation.plan_files import is_request, read_request
from showthrough.evaluation.requests import Request, Source
from showthrough.evaluation.settings import FileSettings
from showthrough.files.heads import Head
from showthrough.files.reading import stem
from showthrough.metrics import metrics_of


def named_files(arguments: Iterable[str] | None, what: str = "anonymization") -> dict[str, Path]:
    """`presidio=masks.json`, or a path alone, whose name then names it; `what` they are, for messages."""
    files: dict[str, Path] = {}
    for argument in arguments or ():
        name, sign, path = argument.partition("=")
        if not argument or (sign and not (name and path)):
            raise PlanError(f"found {quoted(argument)}; expected NAME=FILE, neither of them empty", what)
        name, file = (name, Path(path)) if sign else (stem(Path(argument)), Path(argument))
        if name in files:
            raise PlanError("this name is used twice; expected unique names", f"{what} {shown(name)}")
        files[name] = file
    return files


def requested(corpus: Path | Head, anonymizations: Sequence[str] | None, metrics: Sequence[str], said: Said) -> Request:
    """What a command line asks for; beside a plan, what is said there overrides it."""
    head = Head.of(corpus)
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
