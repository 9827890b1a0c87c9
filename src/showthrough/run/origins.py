"""How anonymizations were made, for others: without folders, which tell of people and projects."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from msgspec.structs import replace

from showthrough.core.patterns import lazy_pattern
from showthrough.data.provenance import Provenance

_PROGRAM = "cmd:"  # before a command line, which is all that follows
# A word with a slash in it, however a folder is written, and what kind of anonymizer it belongs to.
_WORD = lazy_pattern(r"""(?P<kind>\b[a-z]{2,}:)?(?P<place>(?:\b[A-Za-z]:)?[^\s'"()+=,;:]*[/\\][^\s'"()+=,;]*)""")
_ON_THE_HUB = lazy_pattern(r"\bhf:([\w.-]+/[\w.-]+)(?![\w./-])")


def last_part(path: str) -> str:
    """What a path is called in its folder, on whatever system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def strip_folders(provenance: Provenance) -> Provenance:
    """The same with the last part of every path alone; of a program that was run, its name and no argument.

    >>> origin = Provenance(anonymizer="presidio+/home/ann/crf/", version=1)
    >>> strip_folders(origin).anonymizer
    'presidio+crf/'
    >>> strip_folders(replace(origin, anonymizer="cmd:/home/ann/mask --key=4711")).anonymizer
    'cmd:mask …'
    """
    anonymizer, program, command = provenance.anonymizer.partition(_PROGRAM)
    shorten = _make_shortener(provenance, anonymizer)
    name, *arguments = _words(command)
    return replace(
        provenance,
        anonymizer=f"{shorten(anonymizer)}{program}{last_part(name)}{' …' if arguments else ''}",
        parameters={} if program else {key: shorten(value) for key, value in provenance.parameters.items()},
        pinned={shorten(key): shorten(value) for key, value in provenance.pinned.items()},
        trained_on=shorten(provenance.trained_on),
    )


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command) or [""]
    except ValueError:  # a quotation mark too many
        return command.split() or [""]


def _make_shortener(provenance: Provenance, anonymizer: str) -> Callable[[object], object]:
    """What leaves the folders out of a text; parameters may be paths with spaces in them."""
    models = set(_ON_THE_HUB.findall(anonymizer))
    values = [value for value in provenance.parameters.values() if isinstance(value, str)]
    paths = [value for value in values if re.search(r"[/\\]", value) and "://" not in value and "(" not in value]
    spaced = {path: f"./{last_part(path)}" for path in paths if path not in models}

    def word(match: re.Match[str]) -> str:
        kind, path = match["kind"] or "", match["place"]
        if path.startswith("//"):  # which follow http:
            return f"{kind}//{path.rpartition('@')[2].lstrip('/')}"
        if path in models or path == f"./{last_part(path)}":
            return match[0]
        return f"{kind}{'./' if kind else ''}{last_part(path)}{'/' if path.endswith('/') else ''}"

    def shorten_paths(content: object) -> object:
        if not isinstance(content, str):
            return content
        for path in sorted(spaced, key=len, reverse=True):
            content = content.replace(path, spaced[path])
        return _WORD.sub(word, content)

    return shorten_paths
