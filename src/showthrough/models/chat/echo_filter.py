"""Whether somebody repeats what was told: no message is a place for a document."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from functools import cached_property

from showthrough.core.patterns import lazy_pattern

LETTERS = 10  # of a message that may stand in a document too before it is kept back
KEPT_BACK = "(it repeats what it was sent, and is not shown)"
_BETWEEN = lazy_pattern(r"[\W_]+")
_ACCENTS = lazy_pattern(r"[\u0300-\u036f]+")
_NAME, _NUMBER = 3, 4  # letters of the shortest name, digits of the shortest number that tells


class ToldTexts:
    """What somebody was told. A message repeats it with many letters in a row, or with one name or number.

    Names are by their shape: words that the texts write with a capital, and nowhere small.

    >>> told = ToldTexts(["Ann Lee of Oslo is ill. Ill as she is, room 4711 is hers."])
    >>> told.repeated_in("ANN  LEE\\nOF OSLO"), told.repeated_in("cannot read “Lee”"), told.repeated_in("4711?")
    (True, True, True)
    >>> told.repeated_in("Ill-formed request")
    False
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = frozenset(texts)

    def and_also(self, texts: Collection[str]) -> ToldTexts:
        return self if self._texts.issuperset(texts) else ToldTexts(self._texts.union(texts))

    @cached_property  # most servers never say anything that must be compared
    def _folded(self) -> list[str]:
        return [_fold_letters(text) for text in self._texts]

    @cached_property
    def _names(self) -> set[str]:
        capital: set[str] = set()
        small: set[str] = set()
        for text in self._texts:
            for word in _words(text):
                (small if word[0].islower() else capital).add(word.casefold())
        return {word for word in capital - small if len(word) >= (_NUMBER if word.isdecimal() else _NAME)}

    def repeated_in(self, message: str, letters: int = LETTERS) -> bool:
        """Whether so many letters of a message in a row stand in the texts, or all of it, or a name or number does."""
        own = _fold_letters(message)
        pieces = {own[at : at + letters] for at in range(max(1, len(own) - letters + 1))} - {""}
        if any(word.casefold() in self._names for word in _words(message)):
            return True
        return any(piece in folded for folded in self._folded for piece in pieces)


def _fold_letters(text: str) -> str:
    """Letters and digits alone, whatever their case and accents.

    >>> _fold_letters("Élise  O’BRIEN\\n")
    'eliseobrien'
    """
    return _BETWEEN.sub("", unicodedata.normalize("NFKD", text).casefold())


def _words(text: str) -> list[str]:
    """
    >>> _words("Élise's bed_12")
    ['Elise', 's', 'bed', '12']
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return [word for word in _BETWEEN.split(plain) if word]
