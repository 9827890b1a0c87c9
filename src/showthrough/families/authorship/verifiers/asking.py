"""Parses the text forms of verifiers: `glad/`, `NAME=folder/`, or a name that a package brings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from showthrough.core.errors import InputError, PlanError, Problem, join_names, quote_value, shorten, suggest_name
from showthrough.families.authorship.verifiers.base import Verifier
from showthrough.families.authorship.verifiers.table import VERIFIERS
from showthrough.families.authorship.verifiers.trained import load_verifier
from showthrough.storage.reading import is_folder


def parse_verifiers(texts: Sequence[str]) -> tuple[Verifier, ...]:
    """All that are asked for, loaded. Raises InputError or ResourceError with everything that is wrong."""
    by_name: dict[str, Verifier] = {}
    problems: list[Problem] = []
    for text in texts:
        try:
            verifier = parse_verifier(text)
        except InputError as error:
            problems += error.problems
            continue
        if verifier.name in by_name:
            fault = "this name is used twice; expected unique names, as in second=FOLDER"
            problems.append(Problem("", f"verifier {shorten(verifier.name)}", fault))
        by_name[verifier.name] = verifier
    if problems:
        raise InputError(problems)
    return tuple(by_name.values())


def parse_verifier(text: str) -> Verifier:
    """The one that is written so. Raises PlanError."""
    name, sign, folder = text.partition("=")
    named = bool(sign) and not is_folder(Path(text))
    if not text.strip() or (named and not (name.strip() and folder.strip())):
        raise PlanError(f"found {quote_value(text)}; expected FOLDER or NAME=FOLDER, neither of them empty", "verifier")
    if named:
        return load_verifier(folder.strip(), name.strip())
    if is_folder(Path(text)) or text.endswith(("/", "\\")):
        return load_verifier(text)
    if text in VERIFIERS:
        return VERIFIERS[text]
    installed = f"; packages bring {join_names(VERIFIERS)}" if len(VERIFIERS) else ""
    expected = f"expected a folder that showthrough verifier train made{installed}"
    raise PlanError(f"is no folder; {suggest_name(text, VERIFIERS)}{expected}", f"verifier {shorten(text)}")
