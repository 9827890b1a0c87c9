"""What a word tells by itself, found out once for each word that occurs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from showthrough.models import common_words
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.systems.surrogates import wordlists
from showthrough.systems.taggers.features.settings import Features

_REPEATED = re.compile(r"(.)\1+")
_LONGEST_SHAPE, _LONGEST = 12, 15  # characters; what is longer is as long
_ENDINGS = ("aciones", "ación", "mente", "ing", "ies", "ed", "es", "os", "as", "en", "er", "s", "a", "o", "e", "n")
_SHORTEST_ROOT = 3
_HOSPITAL_WORDS = """
    hospital hospitals clinic clinics clínica clinica sanatorio sanatorium infirmary klinik krankenhaus hôpital
    hospitalario hospitalier ospedale ziekenhuis sykehus sjukhus ambulatorio medical salud health
"""
_LISTS: Mapping[str, frozenset[str]] = {
    "given": common_words.GIVEN | frozenset(wordlists.GIVEN),
    "family": frozenset(wordlists.FAMILY),
    "place": frozenset(wordlists.PLACES),
    "calendar": frozenset().union(*common_words.CALENDAR.values()),
    "title": common_words.TITLES | wordlists.TITLES,
    "particle": common_words.PARTICLES | wordlists.PARTICLES,
    "institution": common_words.INSTITUTIONS,
    "hospital": frozenset(_HOSPITAL_WORDS.split()),
}


@dataclass(frozen=True)
class Facts:
    """A word: what all its groups say, what a neighbour is told of it, and how it reads in small letters."""

    small: str
    own: tuple[str, ...]
    light: tuple[str, ...]


@dataclass(frozen=True)
class WordFacts:
    """Finds out what words tell, by some settings, in a language (none: no frequencies)."""

    features: Features
    language: str = ""

    def of(self, word: str) -> Facts:
        on, small, shape = self.features, normal(word), shape_of(word)
        light: list[str] = []
        own: list[str] = []
        if on.shape:
            light.append("s=" + _REPEATED.sub(r"\1", shape))
            own.append(f"S={shape}")
        if on.orthography:
            light.append(f"o={orthography(word)}")
        if on.dictionaries:
            light += [f"d={name}" for name, words in _LISTS.items() if small in words]
        if on.word_class:
            light += [f"c={name}" for name, words in _classes().items() if small in words]
        if on.frequency and self.language and word[0].isalpha():
            light.append(f"z={_zipf(small, self.language)}")
        if on.token:
            own += [f"w={word}", f"l={small}"]
        if on.root:
            own.append(f"r={root_of(small)}")
        if word[0].isalnum():
            own += [f"p={small[:many]}" for many in range(2, min(on.affixes, len(small)) + 1)]
            own += [f"f={small[-many:]}" for many in range(2, min(on.affixes, len(small)) + 1)]
        if on.length:
            own.append(f"n={min(len(word), _LONGEST)}")
        if on.special and not word[0].isalnum():
            own.append(f"x={word}")
        return Facts(small, tuple(own + light), tuple(light))


def normal(word: str) -> str:
    """Small letters, each digit a 0 where there are more than two: numbers are as alike as they look."""
    if word[0].isdigit():
        return word if len(word) <= 2 else "0" * min(len(word), _LONGEST)
    return word.lower()


def shape_of(word: str) -> str:
    """
    >>> shape_of("McDonald"), shape_of("28"), shape_of("º")
    ('XxXxxxxx', '00', 'x')
    """
    return "".join(map(_shape, word[:_LONGEST_SHAPE]))


@cache
def _shape(letter: str) -> str:
    if letter.isdigit():
        return "0"
    if not letter.isalpha():
        return letter
    return "X" if letter.isupper() or letter.istitle() else "x"


def orthography(word: str) -> str:
    """How a word is written, in one word."""
    if word[0].isdigit():
        return f"digits{min(len(word), 9)}"
    if not word[0].isalpha():
        return "sign"
    if len(word) == 1:
        return "Initial" if word.isupper() else "letter"
    if word.islower():
        return "small"
    if word.isupper():
        return "CAPITALS"
    return "Capital" if word[0].isupper() and word[1:].islower() else "mIxed"


def root_of(small: str) -> str:
    """A word without a common ending; rough, and the same for each of its forms."""
    for ending in _ENDINGS:
        if small.endswith(ending) and len(small) - len(ending) >= _SHORTEST_ROOT:
            return small[: -len(ending)]
    return small


@cache
def _classes() -> dict[str, frozenset[str]]:
    kinds = ("adpositions", "conjunctions", "determiners", "particles")
    return {
        kind: frozenset(word for classes in CLOSED_CLASSES.values() for word in getattr(classes, kind).split())
        for kind in kinds
    }


def _zipf(small: str, language: str) -> int:
    from wordfreq import zipf_frequency

    return int(zipf_frequency(small, language))
