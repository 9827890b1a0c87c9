"""Whether somebody repeats what was told: no message is a place for a document."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from showthrough.core.patterns import lazy_pattern

LETTERS = 10  # of a message that may stand in a document too before it is kept back
KEPT_BACK = "(it repeats what it was sent, and is not shown)"
_BETWEEN = lazy_pattern(r"[\W_]+")


def fold_letters(text: str) -> str:
    """Letters and digits alone, whatever their case and accents.

    >>> fold_letters("Élise  O’BRIEN\\n")
    'eliseobrien'
    """
    return _BETWEEN.sub("", unicodedata.normalize("NFKD", text).casefold())


def repeats(text: str, sources: Iterable[str], letters: int = LETTERS) -> bool:
    """Whether so many letters of a text in a row, or all of it, stand in the sources, which are folded.

    >>> sources = [fold_letters("Ann Lee of Oslo is ill.")]
    >>> repeats("ANN  LEE\\nOF OSLO", sources), repeats("bad request", sources)
    (True, False)
    """
    own = fold_letters(text)
    pieces = {own[at : at + letters] for at in range(max(1, len(own) - letters + 1))} - {""}
    return any(piece in source for source in sources for piece in pieces)
