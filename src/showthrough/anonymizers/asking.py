"""How anonymizers are asked for.

rules                        an entry of the table
presidio(org=true)           an entry with parameters
spacy:en_core_web_md         an entry whose first parameter follows the colon; parameters may follow that
crf/                         the folder of a trained model
http://localhost:5002        a service
cmd:python mine.py --fast    a program: all that follows
presidio+crf/                what any of them finds
everywhere(presidio+crf/)    and every other occurrence of what they find
mine=cmd:python mine.py      any of these, under a name
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from showthrough.anonymizers.base import Anonymizer
from showthrough.anonymizers.combined import Everywhere, Union
from showthrough.anonymizers.table import ANONYMIZERS
from showthrough.errors import PlanError, quoted, shown
from showthrough.tables.calls import completed, read_call

_NAMED = re.compile(r"(?P<name>[\w.-]+)=(?P<rest>.+)", re.DOTALL)
_EVERYWHERE = "everywhere"
_EXAMPLE = 'spacy(model="en_core_web_sm")'


def anonymizer(text: str) -> Anonymizer:
    """The anonymizer that is written so. Raises PlanError.

    >>> anonymizer("everywhere(rules)").name
    'everywhere(rules)'
    """
    parts = [_single(part.strip()) for part in _split(text.strip())]
    return parts[0] if len(parts) == 1 else Union(tuple(parts))


def named_anonymizer(text: str) -> tuple[str, Anonymizer]:
    """The same with the name it is to have in tables and files: `mine=presidio`, or one made of how it is written."""
    match = _NAMED.fullmatch(text.strip())
    if match:
        return match["name"], anonymizer(match["rest"])
    made = anonymizer(text)
    return made.name, made


def named_anonymizers(texts: Iterable[str]) -> dict[str, Anonymizer]:
    """Several of them by name. Raises PlanError where two have one."""
    made: dict[str, Anonymizer] = {}
    for name, one in map(named_anonymizer, texts):
        if name in made:
            fault = "is there twice; expected each once, or a name of its own, as in second=presidio"
            raise PlanError(fault, f"anonymizer {shown(name)}")
        made[name] = one
    return made


def _split(text: str) -> list[str]:
    """At each + that stands in no brackets; what a program is told is its own."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth and text.startswith("cmd:", start):
            break
        if letter == "+" and not depth:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _single(text: str) -> Anonymizer:
    if text.startswith(f"{_EVERYWHERE}(") and text.endswith(")"):
        return Everywhere(anonymizer(text[len(_EVERYWHERE) + 1 : -1]))
    if text.startswith(("http://", "https://")):
        return _placed("http", text)
    name, colon, place = text.partition(":")
    if colon and name in ANONYMIZERS:
        return _placed(name, place)
    if text not in ANONYMIZERS and _is_folder(text):
        return _placed("trained", text)
    return _called(text)


def _is_folder(text: str) -> bool:
    try:
        return text.endswith("/") or ("(" not in text and Path(text).expanduser().is_dir())
    except (OSError, ValueError):
        return False


def _placed(name: str, place: str) -> Anonymizer:
    """An entry with its first parameter, and perhaps others in brackets behind it."""
    given: dict[str, Any] = {}
    if name != "cmd" and place.endswith(")") and "(" in place:
        place, _, rest = place.rpartition("(")
        given = read_call(f"{name}({rest}", "anonymizer", _EXAMPLE)[1]
    usual = ANONYMIZERS[name]
    keys: list[str] = [each.name for each in fields(usual)] if is_dataclass(usual) else []
    if not keys:
        raise PlanError("takes no parameters", f"anonymizer {name}")
    if not place:
        raise PlanError(f"found nothing after {name}:; expected the {keys[0]}", f"anonymizer {name}")
    return completed(f"anonymizer {name}", usual, {keys[0]: place, **given})


def _called(text: str) -> Anonymizer:
    name, given = text, dict[str, Any]()
    if "(" in text:  # a name alone may have dashes, which no call has
        name, given = read_call(text, "anonymizer", _EXAMPLE)
    if name not in ANONYMIZERS:
        raise PlanError(f"unknown anonymizer {quoted(name)}; there are: {', '.join(ANONYMIZERS)}")
    usual = ANONYMIZERS[name]
    if given and not is_dataclass(usual):
        raise PlanError("takes no parameters", f"anonymizer {name}")
    return completed(f"anonymizer {name}", usual, given) if given else usual
