"""What arguments ask for: anonymizations by name, and a corpus or a plan with what is said beside it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from showthrough.cli.consoles import notes, print_plain, show_notes
from showthrough.cli.options import CliOptions
from showthrough.core.errors import LINE, PlanError, join_names, quote_value, shorten
from showthrough.data.retyping import split_names
from showthrough.evaluation.plan_files import is_request, read_request
from showthrough.evaluation.requests import EvaluationRequest, Source
from showthrough.evaluation.settings import FileSettings
from showthrough.formats.registry import columns_of
from showthrough.formats.tables.rows import IDS
from showthrough.formats.tables.tabular import TEXT
from showthrough.metrics import metrics_of
from showthrough.storage.file_heads import Head
from showthrough.storage.paths import as_path
from showthrough.storage.reading import exists, fail, suffix
from showthrough.storage.shards import name_of, numbered_alike

_RELEASED = re.compile(r"after|releas|anonym|mask|redact|de.?id|scrub|clean|output|target", re.IGNORECASE)
_ID = re.compile(r"(?:^|[\W_])id$", re.IGNORECASE)


def named_files(arguments: Iterable[str] | None, noun: str = "anonymization") -> dict[str, Path]:
    """`presidio=masks.json`, or a path alone, whose name then names it; `noun` says what they are, for messages."""
    files: dict[str, Path] = {}
    for argument in arguments or ():
        name, sign, path = argument.partition("=")
        if not argument or (sign and not (name and path)):
            raise PlanError(f"found {quote_value(argument)}; expected NAME=FILE, neither of them empty", noun)
        file = as_path(path if sign else argument)
        name = name if sign else name_of(file)
        if name in files:
            expected = "expected unique names" if sign else f"expected another name for one: NAME={argument}"
            raise PlanError(f"this name is used twice; {expected}", f"{noun} {shorten(name)}")
        if argument.isidentifier() and not exists(file) and _is_system(argument):
            raise PlanError(f"no such file; --with {argument} runs the system of this name", f"{noun} {argument}")
        files[name] = file
    return files


def _is_system(name: str) -> bool:
    from showthrough.systems.base import ANONYMIZERS  # here: only a file that is missing asks

    return name in ANONYMIZERS


def parts_of(corpus: Path | Head, arguments: Sequence[str] | None) -> tuple[Head, list[str]]:
    """The corpus, and the arguments that follow it without those that are parts of it.

    A shell makes several arguments of `corpus/*.parquet`. Files that differ from the first only in digits
    are parts of the corpus, if a named anonymization follows. Without one they may be anonymizations.
    """
    rest = list(arguments or ())
    first = Head.of(corpus)
    named = next((number for number, argument in enumerate(rest) if "=" in argument), None)
    parts = [as_path(argument) for argument in rest[:named]] if named and first.shards is None else []
    if not parts or not all(numbered_alike(first.path, part) for part in parts):
        return first, rest
    whole = Head.of([first.path, *parts])
    print_plain([shorten(f"note: {len(parts) + 1} files are one corpus: {os.fspath(whole)}", LINE)], notes())
    return whole, rest[named:]


def check_columns(request: EvaluationRequest) -> None:
    """Raises InputError for a table with released texts beside the originals, where nobody named both columns."""
    head, settings, released = Head.of(request.corpus.path), request.settings, list(request.sources)
    if (
        request.anonymizations
        or (released and settings.text_column)
        or head.shards is not None
        or not head.path.is_file()
    ):
        return
    lengths = columns_of(head)
    original = settings.text_column or (TEXT if TEXT in lengths else None)
    texts = sorted(filter(lengths.get, lengths), key=lambda name: -lengths[name])
    candidates = [name for name in texts if name not in (original, *released)]
    lacking_count = (original is None) + (not released)
    if not lacking_count or len(candidates) < lacking_count or len(texts) < 2:
        return
    likely = sorted(candidates[:lacking_count], key=lambda name: (bool(_RELEASED.search(name)), [*lengths].index(name)))
    original = original or likely.pop(0)
    ids = [name for name in lengths if name in IDS or _ID.search(name)]
    named = settings.id_column or (ids[0] if ids and ids[0] not in IDS and not {*IDS} & {*ids} else None)
    options = [("--original", original), *(("--released", name) for name in released or likely)]
    options = [("--id-column", named), *options] if named else options
    words = ["showthrough", "evaluate", os.fspath(head), *(word for option in options for word in option)]
    lacking = f"no {'column of originals' if released else 'anonymization and no column of released texts'} was named"
    beside = "If originals and released texts are side by side, name them"
    raise fail(head.path, f"{lacking}; it has the columns {join_names(lengths)}. {beside}: {shlex.join(words)}")


def build_request(
    corpus: Path | Head, anonymizations: Sequence[str] | None, metrics: Sequence[str], options: CliOptions
) -> EvaluationRequest:
    """What a command line asks for; beside a plan, what is said there overrides it."""
    head, anonymizations = parts_of(corpus, anonymizations)
    if not is_request(head):
        settings = FileSettings(**options)
        sources = {name: Source(file, settings.columns) for name, file in named_files(anonymizations).items()}
        chosen = tuple(metrics_of(metrics)) or None
        return EvaluationRequest(Source(head, settings.columns), sources, chosen, settings)
    if anonymizations or metrics or options.keys() & FileSettings().columns.keys():
        raise PlanError(
            "a plan names anonymizations, metrics and columns itself; expected no others beside it", str(head.path)
        )
    request = read_request(head.path)
    if led := _elsewhere(request, head.path):
        show_notes([f"{head.path} {'; '.join(led)}"])
    return replace(request, settings=request.settings.overridden(options))


def _elsewhere(request: EvaluationRequest, plan: Path) -> list[str]:
    """Where a plan leads out of its own folder, shown before it is followed: it may be somebody else's."""
    settings, own = request.settings, suffix(plan) == ".toml"  # a TAE configuration names what is here
    home, where = os.path.realpath(plan.parent if own else "."), "its" if own else "this"

    def outside(paths: Iterable[str | os.PathLike[str] | None]) -> str:
        named = dict.fromkeys(os.fspath(path) for path in paths if path is not None)
        out = [
            path_text
            for path_text in named
            if "://" in path_text or not Path(os.path.realpath(path_text)).is_relative_to(home)
        ]
        return f"{join_names(out)}, outside of {where} folder" if out else ""

    sources = [source.path for source in (request.corpus, *request.anonymizations.values())]
    read = outside([*sources, *filter(exists, request.extra_paths)])
    written = outside([request.output, request.results_file, settings.recordings])
    hosts = [*split_names(settings.send_text_to), *filter(None, [settings.address])]
    effects = {"reads": read, "writes": written, "lets text be sent to": join_names(hosts) if hosts else ""}
    return [f"{verb} {which}" for verb, which in effects.items() if which]
