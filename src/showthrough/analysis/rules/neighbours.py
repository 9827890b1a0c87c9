"""Runs of capitalised words and numbers, and the words that they stand beside."""

from __future__ import annotations

import numpy as np

from showthrough.axis.axis import Axis
from showthrough.axis.spans import Bools, Ints, counted

_LONGEST = 5  # words of a run
_FARTHEST = 2  # characters between two words of a run
_ABBREVIATED = 3  # letters: a stop after a longer word ends a sentence
_STRAY, _TELLING, _STOP, _OTHER = range(4)
_JOINING = frozenset(" \u00a0\u202f-‐‑'’")


def _kind(character: str) -> int:
    """Whether a character opens a capitalised word or a number, is a stop, or stands between words of different runs."""
    if character.isupper() or character.istitle() or character.isdecimal():
        return _TELLING
    if character == ".":
        return _STOP
    return _OTHER if character in _JOINING or character.isalnum() else _STRAY


class Neighbours:
    """Which tokens make a run. In scripts without capitals, numbers alone."""

    def __init__(self, axis: Axis) -> None:
        tokens, kinds = axis.tokens, axis.table(_kind)
        self._telling: Bools = kinds[tokens.start] == _TELLING
        stray, stops = counted(kinds == _STRAY), counted(kinds == _STOP)
        left, right = tokens.end[:-1], tokens.start[1:]
        joins = (right - left <= _FARTHEST) & (stray[right] == stray[left])
        joins &= (stops[right] == stops[left]) | (left - tokens.start[:-1] <= _ABBREVIATED)
        self._joins: Bools = np.append(joins, np.zeros(min(1, len(tokens)), dtype=bool))  # to the next
        apart = ~(self._telling[:-1] & self._telling[1:] & joins)
        number, edge = np.arange(len(tokens)), np.ones(min(1, len(tokens)), dtype=bool)
        opens, closes = np.concatenate([edge, apart]), np.concatenate([apart, edge])
        self._first: Ints = np.maximum.accumulate(np.where(opens, number, 0))
        self._last: Ints = np.minimum.accumulate(np.where(closes, number, len(tokens))[::-1])[::-1]

    def before(self, word: Ints) -> tuple[Bools, Ints]:
        """Which of some tokens have a run before them, and its first token."""
        previous = np.maximum(word - 1, 0)
        has = (word > 0) & self._telling[previous] & self._joins[previous]
        return has, np.maximum(self._first[previous], word - _LONGEST)

    def after(self, word: Ints) -> tuple[Bools, Ints]:
        """Which have one after them, and its last token."""
        following = np.minimum(word + 1, len(self._telling) - 1)
        has = self._joins[word] & self._telling[following]
        return has, np.minimum(self._last[following], word + _LONGEST)
