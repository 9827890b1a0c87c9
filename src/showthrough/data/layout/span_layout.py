"""The span layout: all texts of a chunk laid end to end on one axis of characters, and everything on it as arrays.

Token and mention boundaries are integer arrays of positions on that axis of code points. What has to be masked is in a
span index, which is shorter: `coverage` marks anonymizations in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from showthrough.core.arrays import Bools, Bytes, Floats, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.data.layout.characters import WORD_KIND, letter_code, token_kind
from showthrough.data.layout.gold import AnnotationLayers, Gold
from showthrough.data.layout.span_index import Asking, SpanIndex
from showthrough.data.layout.spans import Contents, Spans, TokenFinder, contents_of, expand_ranges

_FEW = 20  # one character in so many may be looked up one by one


class SpanLayout:
    """The texts of a corpus (or of a chunk of one) on one line, a line feed between each two.

    >>> from showthrough.data.documents import Document
    >>> axis = SpanLayout(Corpus([Document("a", "Mr Doe"), Document("b", "Oslo 東京")]))
    >>> axis.bounds.tolist(), [axis.text[s:e] for s, e in zip(axis.tokens.start, axis.tokens.end)]
    ([0, 7, 15], ['Mr', 'Doe', 'Oslo', '東', '京'])
    """

    def __init__(self, corpus: Corpus) -> None:
        self.documents = list(corpus)
        self._lay_out([document.text for document in self.documents])

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> SpanLayout:
        """A layout of texts that are no documents, such as replacements: they have no ids and no annotations."""
        axis = cls.__new__(cls)
        axis.documents = []
        axis._lay_out(texts)
        return axis

    def _lay_out(self, texts: Sequence[str]) -> None:
        self._texts = texts
        # The line feed keeps tokens and masks of neighbours apart, so no document boundary needs a special case.
        self.bounds: Ints = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=self.bounds[1:])
        self._rulers: dict[tuple[str, Asking], SpanIndex] = {}
        self._ignorable: dict[str, Bools] = {}  # which characters of mentions need not be masked, by function words

    def part(self, numbers: Sequence[int], documents: Sequence[Document]) -> SpanLayout:
        """A layout of some documents, by their numbers, with all or some of their annotations here.

        What was found out about their texts is not found out again.
        """
        axis = SpanLayout(Corpus(documents))
        low, high = self.bounds[:-1][numbers], self.bounds[1:][numbers]
        first, last = np.searchsorted(self.tokens.start, low), np.searchsorted(self.tokens.start, high)
        origin, number = expand_ranges(first, last)
        shift = (axis.bounds[:-1] - low)[origin]
        start, end, token = self.tokens.start[number] + shift, self.tokens.end[number] + shift, np.arange(len(number))
        slices = list(map(slice, low.tolist(), high.tolist()))  # each with the line feed that follows, if one does
        length = max(int(axis.bounds[-1]) - 1, 0)
        narrow = self.narrow + b"\n"  # so that one follows the last text as well, which may come before others now
        axis.narrow = b"".join([narrow[each] for each in slices])[:length]

        def chosen(which: NDArray[Any]) -> NDArray[Any]:
            padded = np.append(which, which.dtype.type(0))
            return np.concatenate([padded[each] for each in slices])[:length]

        axis.kinds = chosen(self.kinds)
        axis.tokens = Spans(start, end, token, token)
        # Function words are sought in every mention: fewer mentions have no others.
        for name, ignorable in self._ignorable.items():
            axis._ignorable[name] = chosen(ignorable)
        return axis

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def text(self) -> str:
        return "\n".join(self._texts)

    @cached_property
    def narrow(self) -> bytes:
        """One byte a character; whatever is not Latin-1 is a question mark."""
        return self.text.encode("latin-1", "replace")

    @cached_property
    def _wide(self) -> tuple[Ints, Ints]:
        """Where the question marks of `narrow` stand, and which characters they really are."""
        positions = np.flatnonzero(np.frombuffer(self.narrow, dtype=np.uint8) == ord("?"))
        if len(positions) * _FEW > len(self.text):  # a script beyond Latin-1: all characters at once
            return positions, _codes_of(self.text)[positions]
        return positions, _codes_of("".join(map(self.text.__getitem__, positions.tolist())))

    def table(self, kind: Callable[[str], int]) -> Bytes:
        """A small number for every character; each distinct character is asked about once."""
        numbers = np.frombuffer(self.narrow.translate(_latin(kind)), dtype=np.uint8).copy()
        positions, codes = self._wide
        if len(positions):
            lookup = np.zeros(int(codes.max()) + 1, dtype=np.uint8)
            lookup[codes] = 1
            for code in np.flatnonzero(lookup).tolist():
                lookup[code] = kind(chr(code))
            numbers[positions] = lookup[codes]
        return numbers

    @cached_property
    def tokens(self) -> Spans:
        """Maximal runs of word characters, ideographs one by one."""
        return _split_runs(self.kinds)

    @cached_property
    def kinds(self) -> Bytes:
        """Of every character, whether it is of a token."""
        return self.table(token_kind)

    def split_runs(self, kind: Callable[[str], int]) -> Spans:
        """Runs of characters of kind 1, and those of kind 2 one by one."""
        return _split_runs(self.table(kind))

    @cached_property
    def letter_codes(self) -> Bytes:
        """A number from 1 for every character, the same for a letter and its capital."""
        return self.table(letter_code)

    @cached_property
    def gold_contents(self) -> Contents:
        """The tokens of all mentions."""
        return self.contents(self.gold.start, self.gold.end)

    def contents(self, start: Ints, end: Ints) -> Contents:
        """The tokens of many spans, which may overlap."""
        return contents_of(self.tokens, start, end, self.find_tokens(start, end))

    def tokens_in(self, start: Ints, end: Ints) -> Spans:
        """The tokens of spans that do not overlap, cut off at the spans' edges; `origin` is the number of the span."""
        tokens = self.tokens
        origin, token = expand_ranges(*self.find_tokens(start, end))
        low, high = np.maximum(tokens.start[token], start[origin]), np.minimum(tokens.end[token], end[origin])
        return Spans(low, high, token, origin)

    def find_tokens(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The first token that each span has, at least in part, and the one after the last."""
        return self._token_finder.touching(start, end)

    @cached_property
    def _token_finder(self) -> TokenFinder:
        return TokenFinder(self.tokens, len(self))

    @cached_property
    def layers(self) -> AnnotationLayers:
        return AnnotationLayers.of(self.documents, self.bounds)

    @cached_property
    def gold(self) -> Gold:
        return Gold.of(self)

    def span_index(
        self, function_words: str, ignorable: Callable[[SpanLayout], Bools], asking: Asking = "mention"
    ) -> SpanIndex:
        """The characters that count, for one source of function words; made once for each."""
        key = function_words, asking
        if key not in self._rulers:
            if function_words not in self._ignorable:
                self._ignorable[function_words] = ignorable(self)
            self._rulers[key] = SpanIndex(self, self._ignorable[function_words], asking)
        return self._rulers[key]

    def document_at(self, position: Ints) -> Ints:
        """The number of the document in which each place lies."""
        return np.asarray(np.searchsorted(self.bounds, position, side="right") - 1)

    def by_document(self, document: Ints, weight: NDArray[np.generic] | None = None) -> Floats:
        """How many (or how much weight) each document has."""
        return np.bincount(document, weight, minlength=len(self._texts)).astype(np.float64)


def _codes_of(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


@cache
def _latin(kind: Callable[[str], int]) -> bytes:
    return bytes(kind(chr(code)) for code in range(256))


def _split_runs(kinds: Bytes) -> Spans:
    edged = np.zeros(len(kinds) + 2, dtype=np.uint8)
    edged[1:-1] = kinds
    borders = edged[1:] != edged[:-1]
    if kinds.max(initial=0) > WORD_KIND:  # ideographs have a border on both sides, whatever is there
        borders |= (edged[1:] > WORD_KIND) | (edged[:-1] > WORD_KIND)
        edges = np.flatnonzero(borders)
        start, end = edges[edged[edges + 1] > 0], edges[edged[edges] > 0]
    else:  # borders alternate: one opens a token, the next closes it
        edges = np.flatnonzero(borders)
        start, end = edges[::2].copy(), edges[1::2].copy()
    number = np.arange(len(start))
    return Spans(start, end, number, number)
