"""The words of texts as rules know them: each with a number, so that equal words are found at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from showthrough.core.arrays import Bools, Codes, Ints
from showthrough.data.layout.characters import WORD_KIND, token_kind
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import SortedSpans, count_before

# Scripts in which words are not told apart by spaces, or have endings that are no part of a name: Thai, Lao, Tibetan,
# Burmese, Khmer, kana, Hangul. Each character is a word of its own, as ideographs are.
_UNSPACED = ((0xE00, 0xFFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0xAC00, 0xD7AF), (0xFF66, 0xFF9F))
_LETTERS = 64  # of a word that its key is made of; longer ones are told apart where they are found
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _kind(character: str) -> int:
    kind = token_kind(character)
    return kind + (kind == WORD_KIND and any(low <= ord(character) <= high for low, high in _UNSPACED))


class WordIndex:
    """All words of a span layout."""

    def __init__(self, axis: SpanLayout) -> None:
        self._axis = axis
        self.laid = axis.split_runs(_kind)

    @classmethod
    def of(cls, texts: Sequence[str]) -> WordIndex:
        return cls(SpanLayout.of_texts(texts))

    @cached_property
    def document(self) -> Ints:
        return self._axis.document_at(self.laid.start)

    @cached_property
    def keys(self) -> Codes:
        """A number for each word as written; words that share one differ, if at all, after many letters."""
        start, end = self.laid.start, self.laid.end
        codes = np.frombuffer(self._axis.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        keys = (end - start).astype(np.uint64)
        active = np.arange(len(start))
        for offset in range(_LETTERS):
            active = active[start[active] + offset < end[active]]
            if not len(active):
                break
            mixed = (keys[active] + codes[start[active] + offset]) * _FACTOR
            keys[active] = mixed ^ (mixed >> np.uint64(29))
        return keys

    @cached_property
    def key_index(self) -> tuple[Codes, Ints]:
        """All keys, ascending, and of each word the number of its key."""
        keys, number = np.unique(self.keys, return_inverse=True)
        return keys, number.astype(np.int64)

    @cached_property
    def neighbours(self) -> Neighbours:
        return Neighbours(self._axis, self.laid)

    def same(self, words: Sequence[str]) -> list[Ints]:
        """Where each of some words stands."""
        order = np.argsort(self.keys, kind="stable")
        low, high = (
            np.searchsorted(self.keys[order], WordIndex.of(words).keys, side=side) for side in ("left", "right")
        )
        return [order[first:last] for first, last in zip(low.tolist(), high.tolist(), strict=True)]


# Runs of capitalised words and numbers, and the words that they stand beside.

_LONGEST = 5  # words of a run
_FARTHEST = 2  # characters between two words of a run
_ABBREVIATED = 3  # letters: a stop after a longer word, or after a number, ends a sentence
_STRAY, _OTHER, _STOP, _NUMBER, _CAPITAL = range(5)
_JOINING = frozenset(" \u00a0\u202f-‐‑'’")


def _neighbour_kind(character: str) -> int:
    """Whether a character opens a capitalised word or a number, is a stop, or keeps words apart."""
    if character.isdecimal():
        return _NUMBER
    if character.isupper() or character.istitle():
        return _CAPITAL
    if character == ".":
        return _STOP
    return _OTHER if character in _JOINING or character.isalnum() else _STRAY


class Neighbours:
    """Which words make a run. In scripts without capitals, numbers alone."""

    def __init__(self, axis: SpanLayout, words: SortedSpans) -> None:
        kinds = axis.table(_neighbour_kind)
        self._telling: Bools = kinds[words.start] >= _NUMBER
        stray, stops = count_before(kinds == _STRAY), count_before(kinds == _STOP)
        left, right = words.end[:-1], words.start[1:]
        edge = np.ones(min(1, len(words.start)), dtype=bool)
        joins = (right - left <= _FARTHEST) & (stray[right] == stray[left])
        short = (left - words.start[:-1] <= _ABBREVIATED) & (kinds[words.start[:-1]] == _CAPITAL)
        joins &= (stops[right] == stops[left]) | short
        self._joins: Bools = np.append(joins, ~edge)  # to the next
        apart = ~(self._telling[:-1] & self._telling[1:] & joins)
        number = np.arange(len(words.start))
        opens, closes = np.concatenate([edge, apart]), np.concatenate([apart, edge])
        self._first: Ints = np.maximum.accumulate(np.where(opens, number, 0))
        self._last: Ints = np.minimum.accumulate(np.where(closes, number, len(number))[::-1])[::-1]

    def before(self, word: Ints) -> tuple[Bools, Ints]:
        """Which of some words have a run before them, and its first word."""
        previous = np.maximum(word - 1, 0)
        has = (word > 0) & self._telling[previous] & self._joins[previous]
        return has, np.maximum(self._first[previous], word - _LONGEST)

    def after(self, word: Ints) -> tuple[Bools, Ints]:
        """Which have one after them, and its last word."""
        following = np.minimum(word + 1, len(self._telling) - 1)
        has = self._joins[word] & self._telling[following]
        return has, np.minimum(self._last[following], word + _LONGEST)
