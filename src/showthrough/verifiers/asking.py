"""How verifiers are written: `glad/`, `NAME=folder/`, or a name that a package brings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from showthrough.errors import InputError, PlanError, Problem, meant, quoted, shown, some
from showthrough.files.reading import is_folder
from showthrough.verifiers.base import Verifier
from showthrough.verifiers.table import VERIFIERS
from showthrough.verifiers.trained import load_verifier


def asked_verifiers(written: Sequence[str]) -> tuple[Verifier, ...]:
    """All that are asked for, loaded. Raises InputError or ResourceError with everything that is wrong."""
    found: dict[str, Verifier] = {}
    problems: list[Problem] = []
    for text in written:
        try:
            one = asked_verifier(text)
        except InputError as error:
            problems += error.problems
            continue
        if one.name in found:
            fault = "this name is used twice; expected unique names, as in second=FOLDER"
            problems.append(Problem("", f"verifier {shown(one.name)}", fault))
        found[one.name] = one
    if problems:
        raise InputError(problems)
    return tuple(found.values())


def asked_verifier(text: str) -> Verifier:
    """The one that is written so. Raises PlanError."""
    name, sign, place = text.partition("=")
    named = bool(sign) and not is_folder(Path(text))
    if not text.strip() or (named and not (name.strip() and place.strip())):
        raise PlanError(f"found {quoted(text)}; expected FOLDER or NAME=FOLDER, neither of them empty", "verifier")
    if named:
        return load_verifier(place.strip(), name.strip())
    if is_folder(Path(text)) or text.endswith(("/", "\\")):
        return load_verifier(text)
    if text in VERIFIERS:
        return VERIFIERS[text]
    others = f"; packages bring {some(VERIFIERS)}" if len(VERIFIERS) else ""
    expected = f"expected a folder that showthrough verifier train made{others}"
    raise PlanError(f"is no folder; {meant(text, VERIFIERS)}{expected}", f"verifier {shown(text)}")
