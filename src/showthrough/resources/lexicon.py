"""Function words that need not be masked, from word lists that ship.

The closed classes of English: adpositions, particles, coordinating conjunctions and determiners (the Universal
Dependencies classes ADP, PART, CCONJ, DET). Words that are more often something else ("one", "then") are left out:
a word on this list may stay readable without counting as a leak, so in doubt it is not on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from showthrough.axis import Axis, Bools, Ints, paint

TITLES = frozenset({"mr", "mrs", "ms"})
ALWAYS = TITLES | {"no", "nr", "about"}
PUNCTUATION = frozenset(" ,.-;:/&()[]–'\"’“”")
_KEY = 8
_APOSTROPHES = frozenset("'’")

_ADPOSITIONS = """
    aboard above across after against along alongside amid amidst among amongst around as at atop before behind
    below beneath beside besides between beyond by despite down during except for from in inside into near
    notwithstanding of off on onto opposite out outside over past per since through throughout till to toward towards
    under underneath until unto up upon via with within without
"""
_PARTICLES = "not nt"
_CONJUNCTIONS = "and but or nor yet plus"
_DETERMINERS = "a an the this these those each every either neither another all both some any"

LEXICONS = {"lexicon-en.1": frozenset(f"{_ADPOSITIONS} {_PARTICLES} {_CONJUNCTIONS} {_DETERMINERS}".split())}


class Lexicon:
    """A word list as a source of function words.

    >>> from showthrough.text import Annotation, Corpus, Document, Mention
    >>> axis = Axis(Corpus([Document("a", "Mr Doe's trip to Oslo", (Annotation("b", (Mention(0, 21),)),))]))
    >>> "".join("-" if free else letter for free, letter in zip(Lexicon("lexicon-en.1").ignorable(axis), axis.text))
    '---Doe---trip----Oslo'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.words = LEXICONS[name] | ALWAYS

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return _keys_of({*self.words, "s"})

    def ignorable(self, axis: Axis) -> Bools:
        """Punctuation everywhere, and function words where a mention has them: nothing else is ever asked about."""
        free = axis.table(is_punctuation).view(np.bool_)
        asked = np.zeros(len(axis.tokens), dtype=bool)
        asked[axis.gold_tokens.token] = True
        start, end = axis.tokens.start[asked], axis.tokens.end[asked]
        found = self._listed(axis, start, end)
        paint(free, start[found], end[found])
        return free

    def _listed(self, axis: Axis, start: Ints, end: Ints) -> Bools:
        """Which tokens are words of the list: by their first eight letters as one number, the rest one by one."""
        size = end - start
        keys = _keys_at(axis.narrow.lower(), start, end)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found = np.asarray(self._keys[place] == keys)
        titled = (keys[:, None] == _TITLE_KEYS).any(axis=1)
        # Longer words, lone letters and titles need a look at the text itself.
        unsure = np.flatnonzero(found & ((size > _KEY) | (size == 1) | titled))
        text, words = axis.text, self.words
        spans = zip(start[unsure].tolist(), end[unsure].tolist(), strict=True)
        found[unsure] = [_is_free(text, low, high, words) for low, high in spans]
        return found


def _keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    return np.unique(np.array([int.from_bytes(word.encode()[:_KEY].ljust(_KEY, b"\0")) for word in words], np.uint64))


_TITLE_KEYS = _keys_of(TITLES)


def _keys_at(letters: bytes, start: Ints, end: Ints) -> NDArray[np.uint64]:
    """The first eight letters of many words, each eight as one number."""
    codes = np.frombuffer(letters + bytes(_KEY), dtype=np.uint8)
    keys = np.zeros(len(start), dtype=np.uint64)
    for place in range(_KEY):
        keys <<= np.uint64(8)
        keys |= codes[start + place] * (start + place < end)
    return keys


def is_punctuation(character: str) -> int:
    return character in PUNCTUATION


def _is_free(text: str, start: int, end: int, words: frozenset[str]) -> bool:
    found = text[start:end]
    word = found.lower()
    if len(found) == 1:
        # A lone capital is an initial ("A. Smith"), not an article; a lone s is one only as in "Doe's".
        return found in words or (word == "s" and start > 0 and text[start - 1] in _APOSTROPHES)
    # To TAB's script "Mr." is one token, full stop included, and that token is not on its list: published numbers
    # ask for it to be masked where it is marked, so this list does too.
    return word in words and not (word in TITLES and text[end : end + 1] == ".")
