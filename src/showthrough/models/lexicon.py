"""Function words that need not be masked, from word lists that ship: the closed classes of some languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from showthrough.core.arrays import Bools, Codes, Ints, distinct
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import eight_letters, paint
from showthrough.models.closed_classes import CLOSED_CLASSES

TITLES = frozenset({"mr", "mrs", "ms"})
ALWAYS = TITLES | {"no", "nr", "about"}  # what TAB's script takes beside the classes; its words are English
PUNCTUATION = frozenset(" ,.-;:/&()[]–'\"’“”")
is_punctuation: Callable[[str], int] = PUNCTUATION.__contains__  # of a character
NONE = "none"
_APOSTROPHES = frozenset("'’")
# Capitals of Latin-1 to small letters: `bytes.lower` knows those of ASCII alone.
_SMALL = bytes(ord(small) if len(small := chr(code).lower()) == 1 and small <= "ÿ" else code for code in range(256))


def lexicon_of(language: str) -> str:
    """The name of a language's list."""
    return f"lexicon-{language}.1"


LEXICONS = {lexicon_of(language): classes.words for language, classes in CLOSED_CLASSES.items()}
DEFAULT_LEXICON = next(iter(LEXICONS))
_CLASSES = {lexicon_of(language): classes for language, classes in CLOSED_CLASSES.items()}


class NoWords:
    """No word is free, in whichever language: punctuation alone need not be masked."""

    def ignorable(self, axis: SpanLayout) -> Bools:
        return axis.table(is_punctuation).view(np.bool_)


class Lexicon:
    """A word list as a source of function words.

    >>> from showthrough.data.documents import Annotation, Corpus, Document, Mention
    >>> def shown(name, text):
    ...     axis = SpanLayout(Corpus([Document("a", text, (Annotation("b", (Mention(0, len(text)),)),))]))
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
    def _keys(self) -> Codes:
        return _keys_of(self.words | self.elided | self.clitic)

    @cached_property
    def _unsure(self) -> Codes:
        """Words that hang on what stands beside them."""
        return _keys_of(self.elided | self.clitic | TITLES)

    def ignorable(self, axis: SpanLayout) -> Bools:
        """Punctuation everywhere, and function words where a mention has them: nothing else is ever asked about."""
        ignorable = axis.table(is_punctuation).view(np.bool_)
        in_mention = axis.gold_contents.times(len(axis.tokens)) > 0
        in_mention[axis.gold_contents.cut.token] = True
        start, end = axis.tokens.start[in_mention], axis.tokens.end[in_mention]
        listed = self.match_tokens(axis, start, end)
        paint(ignorable, start[listed], end[listed])
        return ignorable

    def match_tokens(self, axis: SpanLayout, start: Ints, end: Ints) -> Bools:
        """Which tokens are words of the list: by their first eight letters as one number, the rest one by one."""
        size = end - start
        keys = eight_letters(np.frombuffer(axis.narrow.translate(_SMALL), dtype=np.uint8), start, end)
        listed = _among(keys, self._keys)
        # Longer words, lone letters and words that hang on their neighbours need a look at the text itself.
        unsure = np.flatnonzero(listed & ((size > 8) | (size == 1) | _among(keys, self._unsure)))
        text = f"\n{axis.text}\n"  # so that every word has a character on either side
        spans = zip(start[unsure].tolist(), end[unsure].tolist(), strict=True)
        words = [text[low : high + 2] for low, high in spans]
        answers = {word: self._is_listed(word) for word in {*words}}  # few different ones, each very often
        listed[unsure] = list(map(answers.__getitem__, words))
        return listed

    def _is_listed(self, around: str) -> bool:
        """Whether a word is, which comes with the characters before and after it."""
        before, written, after = around[0], around[1:-1], around[-1]
        word = written.lower()
        if word in self.elided and after in _APOSTROPHES:
            return True
        if word in self.clitic and before in _APOSTROPHES:
            return True
        if len(written) == 1:
            return written in self.words  # a lone capital is an initial ("A. Smith"), not an article
        # To TAB's script "Mr." is one token, full stop included, and that token is not on its list: published numbers
        # ask for it to be masked where it is marked, so this list does too.
        return word in self.words and not (word in TITLES and after == ".")


def _keys_of(words: Iterable[str]) -> Codes:
    letters = (word.encode("latin-1")[:8].ljust(8, b"\0") for word in words)
    return distinct(np.array(list(map(int.from_bytes, letters)), np.uint64))


def _among(keys: Codes, sorted_keys: Codes) -> Bools:
    """Which of the keys are among others, which are sorted."""
    index = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.asarray(sorted_keys[index] == keys)
