"""The character axis: all texts of a chunk laid end to end, and everything on it as arrays.

Token, mention and mask boundaries are integer arrays on one axis of code points. An anonymization is painted on it
once; after that "is this span covered?" is two look-ups and a subtraction, for any number of spans at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from showthrough.masks import Anonymization
from showthrough.text import Corpus

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Counts = NDArray[np.float64]

_WORD = re.compile(r"\w")
# Scripts written without spaces between words: every ideograph is a token of its own.
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_LEVEL = {"NO_MASK": 0, "QUASI": 1, "DIRECT": 2}


@dataclass(frozen=True)
class Spans:
    """Spans on the axis, each with the number of the thing it came from (a mention, a mask)."""

    start: Ints
    end: Ints
    origin: Ints

    def __len__(self) -> int:
        return len(self.start)


class Axis:
    """The texts of a corpus (or of a chunk of one) on one line, a line feed between each two.

    >>> from showthrough.text import Document
    >>> axis = Axis(Corpus([Document("a", "Mr Doe"), Document("b", "Oslo 東京")]))
    >>> axis.bounds.tolist(), [axis.text[s:e] for s, e in zip(axis.tokens.start, axis.tokens.end)]
    ([0, 7, 15], ['Mr', 'Doe', 'Oslo', '東', '京'])
    """

    def __init__(self, corpus: Corpus) -> None:
        self.documents = list(corpus)
        texts = [document.text for document in self.documents]
        self.text = "\n".join(texts)
        # The line feed keeps tokens and masks of neighbours apart, so no document boundary needs a special case.
        self.bounds: Ints = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])]).astype(np.int64)
        self.codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self._ignorable: dict[object, Bools] = {}

    def __len__(self) -> int:
        return len(self.codes)

    def table(self, test: Callable[[str], bool]) -> Bools:
        """Which positions hold a character that passes the test; each distinct character is asked once."""
        size = int(self.codes.max()) + 1 if len(self.codes) else 1
        present = np.zeros(size, dtype=bool)
        present[self.codes] = True
        passes = np.zeros(size, dtype=bool)
        for code in np.flatnonzero(present).tolist():
            passes[code] = test(chr(code))
        found: Bools = passes[self.codes]
        return found

    @cached_property
    def tokens(self) -> Spans:
        """Maximal runs of word characters, ideographs one by one."""
        word = self.table(lambda character: _WORD.match(character) is not None)
        alone = self.table(_is_ideograph)
        joined = word[1:] & word[:-1] & ~alone[1:] & ~alone[:-1]
        starts, ends = word.copy(), word.copy()
        starts[1:] &= ~joined
        ends[:-1] &= ~joined
        start, end = np.flatnonzero(starts), np.flatnonzero(ends) + 1
        return Spans(start, end, np.arange(len(start)))

    def tokens_in(self, start: Ints, end: Ints) -> Spans:
        """The tokens of many spans, cut off at the spans' edges; `origin` is the number of the span."""
        tokens = self.tokens
        first = np.searchsorted(tokens.end, start, side="right")
        last = np.maximum(np.searchsorted(tokens.start, end, side="left"), first)
        origin = np.repeat(np.arange(len(start)), last - first)
        number = np.arange(len(origin)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        token = first[origin] + number
        return Spans(np.maximum(tokens.start[token], start[origin]), np.minimum(tokens.end[token], end[origin]), origin)

    @cached_property
    def gold(self) -> Gold:
        return Gold.of(self)

    def ignorable(self, key: object, paint: Callable[[Axis], Bools]) -> Bools:
        """Which characters need not be masked, painted once for each source of function words."""
        if key not in self._ignorable:
            self._ignorable[key] = paint(self)
        return self._ignorable[key]

    def by_document(self, document: Ints, weight: NDArray[np.generic] | None = None) -> Counts:
        """How many (or how much weight) each document has."""
        return np.bincount(document, weight, minlength=len(self.documents)).astype(np.float64)


def _is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)


@dataclass(frozen=True)
class Gold:
    """What annotators marked, as arrays: mentions, the entities they make, the layers they stand in.

    A *layer* is one annotator's work on one document. Mentions are sorted by layer as they were read.
    """

    start: Ints
    end: Ints
    level: NDArray[np.int8]  # of a mention: 2 DIRECT, 1 QUASI, 0 NO_MASK
    entity: Ints  # of a mention
    layer: Ints  # of a mention
    layer_document: Ints
    entity_document: Ints
    entity_level: NDArray[np.int8]  # the highest of its mentions: one direct mention makes it direct
    entity_type: Ints
    types: tuple[str, ...]
    bounds: Ints

    @classmethod
    def of(cls, axis: Axis) -> Gold:
        layers = [
            (number, annotation.mentions)
            for number, document in enumerate(axis.documents)
            for annotation in document.annotations
        ]
        layer_document = np.array([number for number, _ in layers], dtype=np.int64)
        sizes = np.array([len(mentions) for _, mentions in layers], dtype=np.int64)
        layer = np.repeat(np.arange(len(layers)), sizes)
        marks = [mention for _, mentions in layers for mention in mentions]
        shift = axis.bounds[layer_document[layer]]
        level = np.array([_LEVEL[mark.identifier] for mark in marks], dtype=np.int8)

        # Entities are numbered in the order of their first mention, whose type names the entity.
        numbers: dict[tuple[int, str], int] = {}
        entity = np.array(
            [
                numbers.setdefault((place, mark.entity_id or f"\0{index}"), len(numbers))
                for index, (place, mark) in enumerate(zip(layer.tolist(), marks, strict=True))
            ],
            dtype=np.int64,
        )
        first = np.unique(entity, return_index=True)[1]
        entity_level = np.zeros(len(first), dtype=np.int8)
        np.maximum.at(entity_level, entity, level)
        kinds: dict[str, int] = {}
        entity_type = np.array(
            [kinds.setdefault(marks[index].entity_type, len(kinds)) for index in first.tolist()], dtype=np.int64
        )
        return cls(
            start=np.array([mark.start for mark in marks], dtype=np.int64) + shift,
            end=np.array([mark.end for mark in marks], dtype=np.int64) + shift,
            level=level,
            entity=entity,
            layer=layer,
            layer_document=layer_document,
            entity_document=layer_document[layer[first]],
            entity_level=entity_level,
            entity_type=entity_type,
            types=tuple(kinds),
            bounds=axis.bounds,
        )

    def entities(self, include: tuple[str, ...]) -> Bools:
        """Which entities are to be masked and of the kinds asked for."""
        direct, quasi = self.entity_level == 2, self.entity_level == 1
        return np.asarray((direct & ("direct" in include)) | (quasi & ("quasi" in include)))

    @cached_property
    def annotators(self) -> Ints:
        """How many annotators each document has; one who marked nothing counts too."""
        return np.bincount(self.layer_document, minlength=len(self.bounds) - 1).astype(np.int64)

    @cached_property
    def _reach(self) -> tuple[Ints, Ints, Ints]:
        """To-be-masked mentions with every layer on a stretch of its own, sorted, and how far they reach.

        A mention contains a span when, among the mentions that start no later, the farthest end lies no earlier
        than the span's end: a running maximum answers that for all annotators at once.
        """
        size = np.diff(self.bounds)[self.layer_document]
        base = np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64) if len(size) else size
        shift = base - self.bounds[self.layer_document]
        masked = self.level > 0
        start = (self.start + shift[self.layer])[masked]
        end = (self.end + shift[self.layer])[masked]
        order = np.argsort(start, kind="stable")
        return shift, start[order], np.maximum.accumulate(end[order])

    def agreement(self, start: Ints, end: Ints, document: Ints) -> Ints:
        """For each span, how many annotators have a to-be-masked mention that contains it whole."""
        shift, opens, reach = self._reach
        if not len(opens):
            return np.zeros(len(start), dtype=np.int64)
        first = np.concatenate([[0], np.cumsum(self.annotators)])  # layers are sorted by document
        span = np.repeat(np.arange(len(start)), self.annotators[document])
        place = np.arange(len(span)) - np.searchsorted(span, span, side="left")
        layer = first[document[span]] + place
        low, high = start[span] + shift[layer], end[span] + shift[layer]
        before = np.searchsorted(opens, low, side="right") - 1
        contained = (before >= 0) & (reach[before] >= high)
        return np.bincount(span, contained, minlength=len(start)).astype(np.int64)


class Coverage:
    """One anonymization painted on an axis: its masks joined where they overlap, and what they hide."""

    def __init__(self, axis: Axis, anonymization: Anonymization) -> None:
        self.axis = axis
        of_documents = [anonymization.of(document.id) for document in axis.documents]
        sizes = [len(masks) for masks in of_documents]
        document = np.repeat(np.arange(len(sizes)), sizes)
        shift = axis.bounds[document]
        start = np.array([mask.start for masks in of_documents for mask in masks], dtype=np.int64) + shift
        end = np.array([mask.end for masks in of_documents for mask in masks], dtype=np.int64) + shift
        order = np.argsort(start, kind="stable")
        start, end, document = start[order], end[order], document[order]
        reach = np.maximum.accumulate(end) if len(end) else end
        opens = np.flatnonzero(np.concatenate([[True], start[1:] >= reach[:-1]])) if len(start) else order
        self.start: Ints = start[opens]
        self.end: Ints = np.maximum.reduceat(end, opens) if len(opens) else end
        self.document: Ints = document[opens]
        self._readable: dict[int, NDArray[np.int32]] = {}

    @cached_property
    def hidden(self) -> Bools:
        """Which characters are gone."""
        step = np.zeros(len(self.axis) + 1, dtype=np.int8)
        step[self.start] = 1
        step[self.end] -= 1
        return np.cumsum(step[:-1], dtype=np.int8).view(np.bool_)

    def covered(self, start: Ints, end: Ints, ignorable: Bools) -> Bools:
        """Which spans have all of their non-ignorable characters hidden."""
        key = id(ignorable)
        if key not in self._readable:
            readable = np.zeros(len(self.axis) + 1, dtype=np.int32)
            np.cumsum(~(self.hidden | ignorable), out=readable[1:], dtype=np.int32)
            self._readable[key] = readable
        counts = self._readable[key]
        return np.asarray(counts[start] == counts[end])
