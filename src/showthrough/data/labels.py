"""What types are called: in maps that rename them, and in the text that stands for what was masked."""

from __future__ import annotations

import re

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


def label_of(replacement: str | None) -> str:
    """The type that a replacement spells out, without brackets and numbers.

    >>> label_of("[PERSON_1]"), label_of("<LOC>"), label_of("***")
    ('PERSON', 'LOC', '')
    """
    return _BARE.sub("", replacement or "")
