"""Spellings of earlier releases. They work for one release, and a line on standard error shows the new spelling."""

from __future__ import annotations

import sys
from collections.abc import Sequence

# What was typed, and what is typed now; the longer ones first.
COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("verifier", "train"): ("train", "verifier"),
    ("bench",): ("evaluate", "--with"),
    ("surrogate",): ("apply", "--replace", "surrogate"),
    ("vocabulary",): ("corpus", "--vocabulary"),
    **{(kind,): ("list", kind) for kind in ("metrics", "formats", "attacks", "anonymizers", "detectors", "labels")},
}
# By command: the option as it was, and as it is.
OPTIONS: dict[tuple[str, ...], dict[str, str]] = {
    ("convert",): {"--from": "--format"},
    ("scan",): {"--with": "--detector"},
    ("train", "transformer"): {"--precision": "--dtype", "--keep": "--keep-epoch"},
    ("annotate",): {"--keep": "--keep-annotations"},
}
_USUAL = "rules"  # what bench put to work where nobody named a system


def use_current_spelling(arguments: Sequence[str]) -> list[str]:
    """A command's name and arguments in today's spelling; each former one is named on standard error."""
    words = list(arguments)
    for former, current in COMMANDS.items():
        if tuple(words[: len(former)]) == former:
            _announce(" ".join(former), " ".join(current) + " SYSTEM" * (current[-1] == "--with"))
            words = _renamed(former, current, words[len(former) :])
            break
    for command, options in OPTIONS.items():
        if tuple(words[: len(command)]) == command:
            words = [_current_option(word, options) for word in words]
    return words


def _renamed(former: tuple[str, ...], current: tuple[str, ...], rest: list[str]) -> list[str]:
    if former != ("bench",):
        return [*current, *rest]
    named = any(word == "--with" or word.startswith("--with=") for word in rest)
    helped = {"-h", "--help"}.intersection(rest)
    return ["evaluate", *rest, *([] if named or helped else ["--with", _USUAL])]


def _current_option(word: str, options: dict[str, str]) -> str:
    name, sign, value = word.partition("=")
    if name not in options:
        return word
    _announce(name, options[name])
    return f"{options[name]}{sign}{value}"


def _announce(former: str, current: str) -> None:
    print(f"note: {former} is now {current}; the next release drops the old spelling", file=sys.stderr)
