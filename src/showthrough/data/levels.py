"""What a type tells where nobody said how a mention identifies: directly, or together with others.

Names of persons, contact data and codes identify directly: `kinds` says it of each. A type that is not in that tree is
a guess, and is told as one.
"""

from __future__ import annotations

from functools import lru_cache

from showthrough.data.documents import Identifier, InferredMention, Mention
from showthrough.data.kinds import folded as folded, nearest, treated_as

LEVELS: tuple[Identifier, ...] = ("NO_MASK", "QUASI", "DIRECT")  # each stronger than those before
GUESS: Identifier = "QUASI"  # of a type that nobody knows


@lru_cache(maxsize=4096)
def known_level(entity_type: str) -> Identifier | None:
    """How mentions of a type identify; `None` where nobody knows. `NAME/NICKNAME` is told by its first part.

    >>> known_level("phone number"), known_level("DATE"), known_level("NAME/NICKNAME"), known_level("TATTOO")
    ('DIRECT', 'QUASI', 'DIRECT', None)
    """
    kind = nearest(entity_type)
    return treated_as(kind).identifier if kind else None


def by_type(
    start: int,
    end: int,
    entity_type: str,
    entity_id: str = "",
    confidential: str | None = None,
    edit: str | None = None,
) -> Mention:
    """A mention of which nobody said how it identifies."""
    return InferredMention(start, end, entity_type, known_level(entity_type) or GUESS, entity_id, confidential, edit)
