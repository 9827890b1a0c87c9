"""Runs of capitalised words and numbers, and the words that they stand beside."""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import SortedSpans, count_before

_LONGEST = 5  # words of a run
_FARTHEST = 2  # characters between two words of a run
_ABBREVIATED = 3  # letters: a stop after a longer word, or after a number, ends a sentence
_STRAY, _OTHER, _STOP, _NUMBER, _CAPITAL = range(5)
_JOINING = frozenset(" \u00a0\u202f-‐‑'’")


def _kind(character: str) -> int:
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
        kinds = axis.table(_kind)
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
