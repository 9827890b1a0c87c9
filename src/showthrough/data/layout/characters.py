"""Classifies characters: word character or not, space, letter regardless of case."""

from __future__ import annotations

from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import reading_form

_WORD = lazy_pattern(r"\w")
# Scripts written without spaces between words: every ideograph is a token of its own.
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
WORD_KIND = 1
PLAIN, UNSURE = 128, 255  # of `letter_codes`: up to here a number is one letter; a letter that reads as several


def is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in IDEOGRAPHS)


def token_kind(character: str) -> int:
    """0: between tokens; 1: joins its neighbours; 2: a token of its own."""
    if is_ideograph(character):
        return 2
    return WORD_KIND if _WORD.match(character) else 0


def is_space(character: str) -> int:
    return character.isspace()


def letter_code(character: str) -> int:
    """A number that letters share which read alike: é, E and a mathematical e; beyond ASCII others may have it too."""
    letters = reading_form(character) or character.casefold()
    if len(letters) > 1:  # ß is SS
        return UNSURE
    code = ord(letters)
    return 1 + code if code < PLAIN else 1 + PLAIN + code % (UNSURE - PLAIN - 1)
