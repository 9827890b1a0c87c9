"""Made-up words, letters and digits in the shape of those they stand for."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache
from random import Random

from showthrough.data.reading_form import reading_form
from showthrough.systems.surrogates.wordlists import FAMILY, GIVEN, PLACES

Edit = tuple[int, int, str]  # start and end of what is replaced, and what stands there now

_SYLLABLE = re.compile(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$|[^aeiouy](?=[^aeiouy]))?")
_TRIES = 60
_LISTS = {"given": GIVEN, "family": FAMILY, "place": PLACES}


@cache
def syllables(word: str) -> tuple[str, ...]:
    """
    >>> syllables("henderson"), syllables("granada")
    (('hen', 'der', 'son'), ('gra', 'na', 'da'))
    """
    return tuple(_SYLLABLE.findall(word)) or (word,)


@cache
def _parts(source: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """First, middle and last syllables of a list of names."""
    names = [parts for parts in map(syllables, _LISTS[source]) if len(parts) > 1]
    middle = [syllable for parts in names for syllable in parts[1:-1]]
    return tuple(parts[0] for parts in names), tuple(middle), tuple(parts[-1] for parts in names)


def word(random: Random, source: str, like: str, exclusions: Iterable[str] = ()) -> str:
    """A word of recombined syllables, about as long as another one, in small letters; none that is taken."""
    first, middle, last = _parts(source)
    best, read = "", reading_form(like)
    for _ in range(_TRIES):
        inner = [random.choice(middle) for _ in range(max(0, round(len(like) / 3.2) - 2))]
        new = "".join((random.choice(first), *inner, random.choice(last)))
        # Another first letter: initials are those of the surrogate, and have to be others as well.
        other = new not in exclusions and new[0] not in (like[:1], read[:1])
        fits = other and len(new) >= 4 and not re.search(r"(.)\1\1|[^aeiouy]{4}", new)
        if fits and (not best or abs(len(new) - len(like)) < abs(len(best) - len(like))):
            best = new
        if best and abs(len(best) - len(like)) <= 1:
            break
    return best or letters(random, like if len(like) > 3 else like + "abcd", exclusions)


def letters(random: Random, like: str, exclusions: Iterable[str] = ()) -> str:
    """As many other letters, vowels for vowels: `mrn` may become `tpl`."""
    while True:
        new = "".join(random.choice("aeiou" if letter in "aeiouy" else "bcdfghjklmnprstvz") for letter in like.lower())
        if (new != like and new not in exclusions) or len(like) < 2:
            return new


def characters(random: Random, like: str) -> str:
    """Digit for digit and letter for letter, everything else as it is.

    >>> characters(Random(0), "MR-0417 b")
    'MY-6048 p'
    """

    def other(character: str) -> str:
        if character.isdigit():
            return random.choice(string.digits)
        if character.isalpha():
            return random.choice(string.ascii_uppercase if character.isupper() else string.ascii_lowercase)
        return character

    return "".join(map(other, like))


def match_capitals(word: str, like: str) -> str:
    """A word in the capitals of another one.

    >>> [match_capitals("thorney", like) for like in ("SLOAN", "Sloan", "McCoy")], match_capitals("ab", "x")
    (['THORNEY', 'Thorney', 'Thorney'], 'ab')
    """
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def match_case(new: Iterable[str], like: str) -> str:
    """Letters, one by one, in the capitals of those of another word.

    >>> match_case("xyz", "JdK"), match_case("7XY", "4ab")
    ('XyZ', '7xy')
    """
    return "".join(letter.upper() if old.isupper() else letter.lower() for letter, old in zip(new, like, strict=False))
