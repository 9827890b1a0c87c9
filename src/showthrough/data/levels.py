"""What a type tells where nobody said how a mention identifies: directly, or together with others.

Names of persons, contact data and codes identify directly: `types` says it of each. A type that is not in that tree is
a guess, and is told as one.
"""

from __future__ import annotations

from functools import lru_cache

from showthrough.data.documents import Identifier, InferredMention, Mention
from showthrough.data.types import nearest, treated_as

LEVELS: tuple[Identifier, ...] = ("NO_MASK", "MAY_MASK", "QUASI", "DIRECT")  # each stronger than those before
GUESS: Identifier = "QUASI"  # of a type that nobody knows


@lru_cache(maxsize=4096)
def level_of(entity_type: str) -> Identifier | None:
    """How mentions of a type identify; `None` where nobody knows. `NAME/NICKNAME` is told by its first part.

    >>> level_of("phone number"), level_of("DATE"), level_of("NAME/NICKNAME"), level_of("TATTOO")
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
    return InferredMention(start, end, entity_type, level_of(entity_type) or GUESS, entity_id, confidential, edit)
