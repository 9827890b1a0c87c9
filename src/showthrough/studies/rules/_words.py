"""The words of texts as rules know them: each with a number, so that equal words are found at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from showthrough.core.arrays import Codes, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.data.layout.characters import WORD_KIND, token_kind
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.studies.rules._neighbours import Neighbours

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
        return cls(SpanLayout(Corpus([Document(str(index), text) for index, text in enumerate(texts)])))

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
