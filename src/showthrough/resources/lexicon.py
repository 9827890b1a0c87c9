"""Function words that need not be masked, from word lists that ship: the closed classes of some languages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from showthrough.axis.axis import Axis
from showthrough.axis.spans import Bools, Ints, paint
from showthrough.resources.closed_classes import CLOSED_CLASSES

TITLES = frozenset({"mr", "mrs", "ms"})
ALWAYS = TITLES | {"no", "nr", "about"}  # what TAB's script takes beside the classes; its words are English
PUNCTUATION = frozenset(" ,.-;:/&()[]–'\"’“”")
NONE = "none"
_KEY = 8
_APOSTROPHES = frozenset("'’")
# Capitals of Latin-1 to small letters: `bytes.lower` knows those of ASCII alone.
_SMALL = bytes(ord(small) if len(small := chr(code).lower()) == 1 and small <= "ÿ" else code for code in range(256))


def lexicon_of(language: str) -> str:
    """The name of a language's list."""
    return f"lexicon-{language}.1"


LEXICONS = {lexicon_of(language): classes.words for language, classes in CLOSED_CLASSES.items()}
_CLASSES = {lexicon_of(language): classes for language, classes in CLOSED_CLASSES.items()}


class NoWords:
    """No word is free, in whichever language: punctuation alone need not be masked."""

    def ignorable(self, axis: Axis) -> Bools:
        return axis.table(is_punctuation).view(np.bool_)


class Lexicon:
    """A word list as a source of function words.

    >>> from showthrough.data.documents import Annotation, Corpus, Document, Mention
    >>> def shown(name, text):
    ...     axis = Axis(Corpus([Document("a", text, (Annotation("b", (Mention(0, len(text)),)),))]))
    ...     return "".join("-" if free else letter for free, letter in zip(Lexicon(name).ignorable(axis), text))
    >>> shown("lexicon-en.1", "Mr Doe's trip to Oslo"), shown("lexicon-fr.1", "L'hôtel à Nice")
    ('---Doe---trip----Oslo', '--hôtel---Nice')
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.words = LEXICONS[name] | (ALWAYS if name == lexicon_of("en") else frozenset())
        self.elided = frozenset(_CLASSES[name].elided.split())
        self.clitic = frozenset(_CLASSES[name].clitic.split())

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return _keys_of(self.words | self.elided | self.clitic)

    @cached_property
    def _unsure(self) -> NDArray[np.uint64]:
        """Words that hang on what stands beside them."""
        return _keys_of(self.elided | self.clitic | TITLES)

    def ignorable(self, axis: Axis) -> Bools:
        """Punctuation everywhere, and function words where a mention has them: nothing else is ever asked about."""
        free = axis.table(is_punctuation).view(np.bool_)
        asked = axis.gold_contents.times(len(axis.tokens)) > 0
        asked[axis.gold_contents.cut.token] = True
        start, end = axis.tokens.start[asked], axis.tokens.end[asked]
        found = self._listed(axis, start, end)
        paint(free, start[found], end[found])
        return free

    def _listed(self, axis: Axis, start: Ints, end: Ints) -> Bools:
        """Which tokens are words of the list: by their first eight letters as one number, the rest one by one."""
        size = end - start
        keys = _keys_at(axis.narrow.translate(_SMALL), start, end)
        found = _among(keys, self._keys)
        # Longer words, lone letters and words that hang on their neighbours need a look at the text itself.
        unsure = np.flatnonzero(found & ((size > _KEY) | (size == 1) | _among(keys, self._unsure)))
        spans = zip(start[unsure].tolist(), end[unsure].tolist(), strict=True)
        found[unsure] = [self._is_free(axis.text, low, high) for low, high in spans]
        return found

    def _is_free(self, text: str, start: int, end: int) -> bool:
        found = text[start:end]
        word = found.lower()
        if word in self.elided and text[end : end + 1] in _APOSTROPHES:
            return True
        if word in self.clitic and start > 0 and text[start - 1] in _APOSTROPHES:
            return True
        if len(found) == 1:
            return found in self.words  # a lone capital is an initial ("A. Smith"), not an article
        # To TAB's script "Mr." is one token, full stop included, and that token is not on its list: published numbers
        # ask for it to be masked where it is marked, so this list does too.
        return word in self.words and not (word in TITLES and text[end : end + 1] == ".")


def _keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    letters = (word.encode("latin-1")[:_KEY].ljust(_KEY, b"\0") for word in words)
    return np.unique(np.array(list(map(int.from_bytes, letters)), np.uint64))


def _among(keys: NDArray[np.uint64], known: NDArray[np.uint64]) -> Bools:
    """Which of the keys are known; `known` is sorted."""
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.asarray(known[place] == keys)


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
