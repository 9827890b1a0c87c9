"""What types are called: in maps that rename them, and in the text that stands for what was masked."""

from __future__ import annotations

import re

from showthrough.data.masks import Mask
from showthrough.errors import PlanError, quoted, shown

NO_TYPE = "(no type)"
_BARE = re.compile(r"^[\W_]+|[\W_]*\d*[\W_]*$")


def label_map(text: str) -> dict[str, str]:
    """Which type is to be taken as which: `LOCATION=LOC,CITY=LOC`; `AGE=` leaves a type out.

    >>> label_map("LOCATION=LOC, CITY=LOC")
    {'LOCATION': 'LOC', 'CITY': 'LOC'}
    """
    targets: dict[str, str] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        source, sign, target = (part.strip() for part in entry.partition("="))
        if not sign or not source:
            raise PlanError(f"found {quoted(entry)}; expected FROM=TO, such as LOCATION=LOC", "map")
        if targets.setdefault(source, target) != target:
            both = f"{quoted(targets[source])} and {quoted(target)}"
            raise PlanError(f"{shown(source)} is mapped to both {both}; expected one", "map")
    return targets


_LABEL = re.compile(r"[^\W\d_]+(?:[-_/][^\W_]+)*")


def type_of(mask: Mask, text: str) -> str:
    """What a mask of a text says that it hides: its type, or else the label that it writes; empty where there is none.

    A label is one word in capitals that does not stand in what is masked: `Roe` for `Doe` is a surrogate and no type.

    >>> type_of(Mask(3, 6, "[PERSON_1]"), "Mr Doe"), type_of(Mask(3, 6, "Roe"), "Mr Doe"), type_of(Mask(3, 6), "Mr Doe")
    ('PERSON', '', '')
    """
    if mask.entity_type:
        return mask.entity_type
    label = label_of(mask.replacement)
    known = label.isupper() and _LABEL.fullmatch(label)
    return label if known and label.casefold() not in text[mask.start : mask.end].casefold() else ""


def label_of(replacement: str | None) -> str:
    """The type that a replacement spells out, without brackets and numbers.

    >>> label_of("[PERSON_1]"), label_of("<LOC>"), label_of("***")
    ('PERSON', 'LOC', '')
    """
    return _BARE.sub("", replacement or "")
