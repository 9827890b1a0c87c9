"""Texts as counts of terms: runs of words, and runs of characters inside words.

All texts lie on one packed axis, their words with one space between each two. Every term is then a span of that axis,
and one rolling hash (Karp and Rabin 1987) numbers millions of spans at once, without a string for any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Codes, Ints
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import expand_ranges, list_positions
from showthrough.statistics.numerics.sparse import SparseRows

_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that its powers have inverses modulo 2^64
_SPACE = 32


@dataclass(frozen=True)
class TermView:
    """One kind of term: runs of `low` to `high` words, or of characters of one word with its edges.

    A term's number has `bits` bits: enough that two of a background rarely share one.
    """

    name: str
    characters: bool
    low: int
    high: int
    bits: int


@dataclass(frozen=True)
class Occurrences:
    """Every term of some texts at every place: its number, whose text it is in, its first word, how many words."""

    term: Ints
    text: Ints
    word: Ints
    words: Ints


class TextWords:
    """Some texts as words.

    >>> wording = TextWords(["Mr Doe", "Oslo"])
    >>> wording.word(1), wording.text_of_word.tolist()
    ('Doe', [0, 0, 1])
    >>> pairs = wording.occurrences(TermView("pairs", False, 1, 2, 20))
    >>> len(pairs.term), pairs.text.tolist()  # Mr, Doe, Oslo, Mr Doe
    (4, [0, 0, 1, 0])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        axis = SpanLayout.of_texts(texts)
        tokens = axis.tokens
        self._text, self._texts = axis.text, len(texts)
        self._start, self._end = tokens.start, tokens.end
        self.text_of_word: Ints = axis.document_at(tokens.start)
        self._length = tokens.end - tokens.start
        # Of each word on the packed axis, which has a space first.
        self._place = np.cumsum(self._length + 1) - self._length
        self._before, self._inverse = self._prefixes()

    def word(self, number: int) -> str:
        return self._text[self._start[number] : self._end[number]]

    def passage(self, first: int, stop: int) -> str:
        """The text from one word to before another, as it stands."""
        return self._text[self._start[first] : self._end[stop - 1]]

    def _prefixes(self) -> tuple[Codes, Codes]:
        """Sums of hashed characters times powers of the base before each place, and the inverse powers."""
        codes = np.frombuffer(self._text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        size = int(self._length.sum()) + len(self._length) + 1
        packed = np.full(size, _SPACE, dtype=np.int64)
        inside = list_positions(self._place, self._place + self._length)
        packed[inside] = codes[list_positions(self._start, self._start + self._length)]
        with np.errstate(over="ignore"):
            powers = _powers(_BASE, size)
            before = np.zeros(size + 1, dtype=np.uint64)
            np.cumsum(_hash_characters(packed) * powers, out=before[1:])
        return before, _powers(np.uint64(pow(int(_BASE), -1, 1 << 64)), size + 1)

    def occurrences(self, view: TermView) -> Occurrences:
        """All terms of one kind."""
        sizes = range(view.low, view.high + 1)
        parts = [self._characters(size) if view.characters else self._runs(size) for size in sizes]
        low, high, word, words = (np.concatenate([part[field] for part in parts]) for field in range(4))
        with np.errstate(over="ignore"):
            span = (self._before[high] - self._before[low]) * self._inverse[low]
            term = (_mix_bits(span) >> np.uint64(64 - view.bits)).astype(np.int64)
        return Occurrences(term, self.text_of_word[word], word, words)

    def _runs(self, size: int) -> tuple[Ints, Ints, Ints, Ints]:
        first = np.arange(max(len(self._place) - size + 1, 0))
        last = first + size - 1
        same = self.text_of_word[first] == self.text_of_word[last]
        first, last = first[same], last[same]
        return self._place[first], self._place[last] + self._length[last], first, np.full(len(first), size)

    def _characters(self, size: int) -> tuple[Ints, Ints, Ints, Ints]:
        """Runs inside a word that may take in the space before or behind it."""
        word, low = expand_ranges(self._place - 1, self._place + self._length + 2 - size)
        return low, low + size, word, np.ones(len(word), dtype=np.int64)

    def counts(self, view: TermView) -> SparseRows:
        """How often each text has each term of one kind: texts × 2^bits."""
        occurrences = self.occurrences(view)
        keys, count = np.unique((occurrences.text << view.bits) | occurrences.term, return_counts=True)
        ends = np.searchsorted(keys, np.arange(self._texts + 1) << view.bits)
        term = (keys & ((1 << view.bits) - 1)).astype(np.int32)
        return SparseRows(count.astype(np.float32), term, ends, 1 << view.bits)


def _powers(base: np.uint64, count: int) -> Codes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers)


def _hash_characters(codes: Ints) -> Codes:
    """A well-mixed number for each character, the same for a capital as for its small letter."""
    present = np.bincount(codes) > 0
    small = np.zeros(len(present), dtype=np.uint64)
    for code in np.flatnonzero(present).tolist():
        lowered = chr(code).lower()
        small[code] = ord(lowered) if len(lowered) == 1 else code
    return _mix_bits(small + np.uint64(1))[codes]


def _mix_bits(values: Codes) -> Codes:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))
