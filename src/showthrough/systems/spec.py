"""How anonymizers are asked for.

rules                        an entry of the table
presidio(org=true)           an entry with parameters
spacy:en_core_web_md         an entry whose first parameter follows the colon; parameters may follow that
crf/                         the folder of a trained model
http://localhost:5002        a service
llm:qwen3@http://localhost:8000/v1   a language model, with its server
cmd:python mine.py --fast    a program: all that follows
presidio+crf/                what any of them finds
everywhere(presidio+crf/)    and every other occurrence of what they find
repair(presidio, attacker="reader")   and what an attacker still reads in the release
mine=cmd:python mine.py      any of these, under a name

A + inside brackets, or in what a program is told, parts nothing; nor does one in the name of a folder that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from showthrough.core.call_syntax import apply_overrides, outside_texts, placed_call, read_call, with_place
from showthrough.core.errors import PlanError, quote_value, shorten, suggest_name
from showthrough.core.plugins import value_of
from showthrough.data.provenance import REPAIR
from showthrough.models.settings import AskingSettings
from showthrough.systems.base import ANONYMIZERS, Anonymizer, get_optional
from showthrough.systems.combined import Everywhere, Union
from showthrough.systems.outside.answers import Function, FunctionAnonymizer
from showthrough.systems.repair import Repair

EVERYWHERE = "everywhere"
_NAMED = re.compile(r"\s*(?P<name>[\w.-][\w. -]*?)\s*=(?P<rest>.*)", re.DOTALL)
_DICTIONARY = re.compile(r"\s*dictionary\s*=")
_PARAMETER = re.compile(r"\s*\w+\s*=")
_EXAMPLE = 'spacy(model="en_core_web_sm")'
_DEEPEST = 20  # brackets in brackets


def resolve_anonymizer(system: Anonymizer | Function | str) -> tuple[str, Anonymizer]:
    """The anonymizer that a program asks for, and its name: written, as a value, or as a function. Raises PlanError."""
    if isinstance(system, str):
        return named_anonymizer(system)
    if isinstance(system, type):
        system = value_of(Anonymizer, "anonymizer", system.__name__, system)
    if not isinstance(system, Anonymizer):
        if not callable(system):
            raise PlanError(
                f"found {quote_value(system)}; expected how one is written, a value or a function", "anonymizer"
            )
        system = FunctionAnonymizer(system)
    return system.name, system


def anonymizer(text: str) -> Anonymizer:
    """The anonymizer that is written so. Raises PlanError.

    >>> anonymizer("everywhere(rules)").name
    'everywhere(rules)'
    """
    if max((depth for _, _, depth in outside_texts(text)), default=0) > _DEEPEST:
        raise PlanError(f"found more than {_DEEPEST} brackets in brackets", "anonymizer")
    return _anonymizer(text.strip())


def named_anonymizer(text: str) -> tuple[str, Anonymizer]:
    """The same with the name it is to have in tables and files: `mine=presidio`, or one made of how it is written."""
    match = _NAMED.fullmatch(text)
    if match:
        return match["name"], anonymizer(match["rest"])
    system = anonymizer(text)
    return system.name, system


def named_anonymizers(texts: Iterable[str]) -> dict[str, Anonymizer]:
    """Several of them by name. Raises PlanError where two have one."""
    by_name: dict[str, Anonymizer] = {}
    for name, system in map(named_anonymizer, texts):
        if name in by_name:
            fault = "is there twice; expected each once, or a name of its own, as in second=presidio"
            raise PlanError(fault, f"anonymizer {shorten(name)}")
        by_name[name] = system
    return by_name


def bind_asking(system: Anonymizer, settings: AskingSettings) -> Anonymizer:
    """The same, with its language models asked as the settings say."""
    if isinstance(system, Everywhere | Repair):
        system = replace(system, of=bind_asking(system.of, settings))
    if isinstance(system, Union):
        return replace(system, parts=tuple(bind_asking(part, settings) for part in system.parts))
    bound = get_optional(system, "with_asking", None)
    return system if bound is None else cast(Anonymizer, bound(settings))


def language_models(system: Anonymizer) -> list[Anonymizer]:
    """Those of its parts, or itself, that ask a language model."""
    inside = [model for part in get_optional(system, "made_of", ()) for model in language_models(part)]
    return inside if get_optional(system, "with_asking", None) is None else [*inside, system]


def _anonymizer(text: str) -> Anonymizer:
    if not text:
        raise PlanError("found nothing; expected a name, such as rules", "anonymizer")
    if "+" in text and _is_folder(text):
        return _single(text)
    parts = [part.strip() for part in _split_outside(text, "+")]
    if not all(parts):
        raise PlanError(f"found {quote_value(text)}, with nothing beside a +; expected a name there", "anonymizer")
    members = [_single(part) for part in parts]
    return members[0] if len(members) == 1 else Union(tuple(members))


def _split_outside(text: str, sign: str) -> list[str]:
    """At each sign that stands in no brackets; what a program is told is its own."""
    parts, start = [], 0
    program = text.startswith("cmd:")
    for offset, letter, depth in outside_texts(text):
        if letter == sign and not depth and not program:
            parts.append(text[start:offset])
            start = offset + 1
            program = text[start:].lstrip().startswith("cmd:")
    return [*parts, text[start:]]


def _single(text: str) -> Anonymizer:
    if text.startswith(f"{EVERYWHERE}(") and text.endswith(")"):
        return _everywhere(text[len(EVERYWHERE) + 1 : -1])
    if text.startswith(f"{REPAIR}(") and text.endswith(")"):
        return _repair(text[len(REPAIR) + 1 : -1])
    if text.startswith("cmd:"):
        return _build("cmd", text[4:], {})
    head, parameters = (text, {}) if _is_folder(text) else placed_call(text, "anonymizer", _EXAMPLE)
    if head.startswith(("http://", "https://")):
        return _build("http", head, parameters)
    name, colon, argument = head.partition(":")
    if name in ANONYMIZERS:
        return _build(name, argument if colon else None, parameters)
    if head.endswith(("/", "\\")) or _is_folder(head):
        return _build("trained", head, parameters)
    if head in (EVERYWHERE, REPAIR):
        aim = "repeat" if head == EVERYWHERE else "repair"
        raise PlanError(f"found nothing to {aim}; expected another anonymizer in brackets, as in {head}(rules)", head)
    raise PlanError(
        f"unknown anonymizer {quote_value(head)}; {suggest_name(name, ANONYMIZERS)}there are: {', '.join(ANONYMIZERS)}"
    )


def _everywhere(inside: str) -> Anonymizer:
    *parts, last = _split_outside(inside, ",")
    if not parts or not _DICTIONARY.match(last):
        return Everywhere(_anonymizer(inside.strip()))
    parameters = read_call(f"{EVERYWHERE}({last})", "anonymizer", 'everywhere(rules, dictionary="wordfreq:es")')[1]
    return apply_overrides(f"anonymizer {EVERYWHERE}", Everywhere(_anonymizer(",".join(parts).strip())), parameters)


def _repair(inside: str) -> Anonymizer:
    """The anonymizer comes first in the brackets; what follows are parameters."""
    parts = _split_outside(inside, ",")
    count = next((number for number, part in enumerate(parts) if _PARAMETER.match(part)), len(parts))
    base = Repair(_anonymizer(",".join(parts[:count]).strip()))
    written = ",".join(parts[count:])
    overrides = (
        read_call(f"{REPAIR}({written})", "anonymizer", 'repair(rules, attacker="reader")')[1] if written else {}
    )
    return apply_overrides(f"anonymizer {REPAIR}", base, overrides)


def _is_folder(text: str) -> bool:
    """Whether it is a folder."""
    try:
        return Path(text).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError):  # the last where somebody has no home
        return False


def _build(name: str, argument: str | None, parameters: dict[str, Any]) -> Anonymizer:
    return with_place(f"anonymizer {name}", name, ANONYMIZERS[name], argument, parameters)
