"""Annotations that programs made and nobody has looked through: silver, not gold. Their annotator's name says so.

A name is what formats keep of an annotator, so that is where it is written, with the programs and their versions:
`silver(rules.v1+presidio.v1)`, or `silver(2 of rules.v1+presidio.v1+spacy.v1)` where so many had to agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SILVER = re.compile(r"silver(?:\((?:\d+ of )?(.*)\))?", re.DOTALL)


def silver_name(programs: Sequence[str], vote: int = 1) -> str:
    """The annotator that stands for these programs.

    >>> silver_name(["rules.v1", "presidio.v1"]), silver_name(["a.v1", "b.v2", "c.v1"], 2)
    ('silver(rules.v1+presidio.v1)', 'silver(2 of a.v1+b.v2+c.v1)')
    """
    return f"silver({f'{vote} of ' if vote > 1 else ''}{'+'.join(programs)})"


def is_silver(annotator: str) -> bool:
    return annotator.startswith("silver") and _SILVER.fullmatch(annotator) is not None


def programs_of(annotator: str) -> tuple[str, ...]:
    """The programs that a silver annotator names.

    >>> programs_of("silver(2 of a.v1+b.v2+c.v1)"), programs_of("silver"), programs_of("Ann")
    (('a.v1', 'b.v2', 'c.v1'), (), ())
    """
    named = _SILVER.fullmatch(annotator)
    return tuple(named[1].split("+")) if named and named[1] else ()
