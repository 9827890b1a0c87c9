"""The character axis: all texts of a chunk laid end to end, and everything on it as arrays.

Token, mention and mask boundaries are integer arrays on one axis of code points. An anonymization is painted on it
once; after that "is this span covered?" is two look-ups and a comparison, for any number of spans at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from showthrough.masks import Anonymization
from showthrough.text import Corpus

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Counts = NDArray[np.float64]
Counts32 = NDArray[np.int32]

_WORD = re.compile(r"\w")
# Scripts written without spaces between words: every ideograph is a token of its own.
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_WORD_KIND = 1
_FEW = 20  # one character in so many may be looked up one by one
_LEVEL = {"NO_MASK": 0, "QUASI": 1, "DIRECT": 2}


@dataclass(frozen=True)
class Spans:
    """Tokens on the axis, each with its number and that of the thing it was found in (a mention, a mask)."""

    start: Ints
    end: Ints
    token: Ints
    origin: Ints

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class Ruler:
    """Counts only the characters that have to be masked: those of mentions that are not ignorable.

    `before[x]` is how many of them lie before position x. Most of a text is no mention, so painting masks on this
    short ruler instead of on the whole axis makes a further anonymization cheap.
    """

    before: Counts32

    def solid(self, start: Ints, end: Ints) -> Bools:
        """Which spans have anything that has to be masked."""
        return np.asarray(self.before[end] > self.before[start])


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
        # The line feed keeps tokens and masks of neighbours apart, so no document boundary needs a special case.
        self.bounds: Ints = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])]).astype(np.int64)
        self._rulers: dict[str, Ruler] = {}

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def text(self) -> str:
        return "\n".join(document.text for document in self.documents)

    @cached_property
    def narrow(self) -> bytes:
        """One byte a character; whatever is not Latin-1 is a question mark."""
        return self.text.encode("latin-1", "replace")

    @cached_property
    def _wide(self) -> tuple[Ints, Ints]:
        """Where the question marks of `narrow` stand, and which characters they really are."""
        places = np.flatnonzero(np.frombuffer(self.narrow, dtype=np.uint8) == ord("?"))
        if len(places) * _FEW > len(self.text):  # a script beyond Latin-1: all characters at once
            codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")[places]
            return places, codes.astype(np.int64)
        return places, np.array([ord(self.text[place]) for place in places.tolist()], dtype=np.int64)

    def table(self, kind: Callable[[str], int]) -> NDArray[np.uint8]:
        """A small number for every character; each distinct character is asked about once."""
        found = np.frombuffer(self.narrow.translate(_latin(kind)), dtype=np.uint8).copy()
        places, codes = self._wide
        if len(places):
            lookup = np.zeros(int(codes.max()) + 1, dtype=np.uint8)
            lookup[codes] = 1
            for code in np.flatnonzero(lookup).tolist():
                lookup[code] = kind(chr(code))
            found[places] = lookup[codes]
        return found

    @cached_property
    def tokens(self) -> Spans:
        """Maximal runs of word characters, ideographs one by one."""
        kinds = self.table(_token_kind)
        edged = np.zeros(len(kinds) + 2, dtype=np.uint8)
        edged[1:-1] = kinds
        borders = edged[1:] != edged[:-1]
        if kinds.max(initial=0) > _WORD_KIND:  # ideographs have a border on both sides, whatever stands there
            borders |= (edged[1:] > _WORD_KIND) | (edged[:-1] > _WORD_KIND)
            edges = np.flatnonzero(borders)
            start, end = edges[edged[edges + 1] > 0], edges[edged[edges] > 0]
        else:  # borders alternate: one opens a token, the next closes it
            edges = np.flatnonzero(borders)
            start, end = edges[::2].copy(), edges[1::2].copy()
        number = np.arange(len(start))
        return Spans(start, end, number, number)

    @cached_property
    def gold_tokens(self) -> Spans:
        """The tokens of all mentions; `origin` is the mention."""
        return self.tokens_in(self.gold.start, self.gold.end)

    def tokens_in(self, start: Ints, end: Ints) -> Spans:
        """The tokens of many spans, cut off at the spans' edges; `origin` is the number of the span."""
        tokens = self.tokens
        first = np.searchsorted(tokens.end, start, side="right")
        last = np.searchsorted(tokens.start, end, side="left")
        size = np.maximum(last - first, 0)
        origin = np.repeat(np.arange(len(start)), size)
        token = np.arange(len(origin)) + np.repeat(first - (np.cumsum(size) - size), size)
        return Spans(
            np.maximum(tokens.start[token], start[origin]), np.minimum(tokens.end[token], end[origin]), token, origin
        )

    @cached_property
    def gold(self) -> Gold:
        return Gold.of(self)

    def ruler(self, function_words: str, ignorable: Callable[[Axis], Bools]) -> Ruler:
        """The characters that count, for one source of function words; made once for each."""
        if function_words not in self._rulers:
            asked = np.zeros(len(self), dtype=bool)
            paint(asked, self.gold.start, self.gold.end)
            asked &= ~ignorable(self)
            before = np.zeros(len(self) + 1, dtype=np.int32)
            np.cumsum(asked, out=before[1:], dtype=np.int32)
            self._rulers[function_words] = Ruler(before)
        return self._rulers[function_words]

    def by_document(self, document: Ints, weight: NDArray[np.generic] | None = None) -> Counts:
        """How many (or how much weight) each document has."""
        return np.bincount(document, weight, minlength=len(self.documents)).astype(np.float64)


def paint(canvas: Bools, start: Ints, end: Ints) -> None:
    """Sets all places of some spans; they may overlap."""
    size = end - start
    canvas[np.arange(size.sum()) + np.repeat(start - (np.cumsum(size) - size), size)] = True


def is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)


def _token_kind(character: str) -> int:
    """0: between tokens; 1: joins its neighbours; 2: a token of its own."""
    if is_ideograph(character):
        return 2
    return _WORD_KIND if _WORD.match(character) else 0


@cache
def _latin(kind: Callable[[str], int]) -> bytes:
    return bytes(kind(chr(code)) for code in range(256))


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
        names: list[int] = []
        count = 0
        for _, mentions in layers:
            known: dict[str, int] = {}
            for mark in mentions:
                number = known.get(mark.entity_id)
                if number is None:
                    number = count
                    count += 1
                    if mark.entity_id:  # a mention without an entity id is an entity of its own
                        known[mark.entity_id] = number
                names.append(number)
        entity = np.array(names, dtype=np.int64)
        first = np.flatnonzero(np.diff(np.maximum.accumulate(entity), prepend=-1)) if len(entity) else entity
        entity_level = np.zeros(len(first), dtype=np.int8)
        np.maximum.at(entity_level, entity, level)
        kinds = [marks[index].entity_type for index in first.tolist()]
        types = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        entity_type = np.array(list(map(types.__getitem__, kinds)), dtype=np.int64)
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
            types=tuple(types),
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
        size = self.annotators[document]
        span = np.repeat(np.arange(len(start)), size)
        layer = np.arange(len(span)) + np.repeat(first[document] - (np.cumsum(size) - size), size)
        low, high = start[span] + shift[layer], end[span] + shift[layer]
        before = np.searchsorted(opens, low, side="right") - 1
        contained = (before >= 0) & (reach[before] >= high)
        return np.bincount(span, contained, minlength=len(start)).astype(np.int64)


class Coverage:
    """One anonymization painted on an axis: its masks joined where they overlap, and what they hide."""

    def __init__(self, axis: Axis, anonymization: Anonymization) -> None:
        self.axis = axis
        of_documents = [anonymization.of(document.id) for document in axis.documents]
        masks = [mask for found in of_documents for mask in found]
        sizes = list(map(len, of_documents))
        document = np.repeat(np.arange(len(sizes)), sizes)
        shift = axis.bounds[document]
        start = np.array([mask.start for mask in masks], dtype=np.int64) + shift
        end = np.array([mask.end for mask in masks], dtype=np.int64) + shift
        order = np.argsort(start, kind="stable")
        start, end, document = start[order], end[order], document[order]
        reach = np.maximum.accumulate(end) if len(end) else end
        opens = np.flatnonzero(np.concatenate([[True], start[1:] >= reach[:-1]])) if len(start) else order
        self.start: Ints = start[opens]
        self.end: Ints = np.maximum.reduceat(end, opens) if len(opens) else end
        self.document: Ints = document[opens]
        self._readable: dict[Ruler, Counts32] = {}

    def covered(self, start: Ints, end: Ints, ruler: Ruler) -> Bools:
        """Which spans have all of the characters hidden that count on the ruler."""
        if ruler not in self._readable:
            opens, closes = ruler.before[self.start], ruler.before[self.end]
            solid = opens < closes
            step = np.zeros(ruler.before[-1] + 1, dtype=np.int8)
            step[opens[solid]] = 1
            step[closes[solid]] -= 1
            readable = np.zeros(ruler.before[-1] + 1, dtype=np.int32)
            np.cumsum(np.cumsum(step[:-1], dtype=np.int8) == 0, out=readable[1:], dtype=np.int32)
            self._readable[ruler] = readable
        readable = self._readable[ruler]
        return np.asarray(readable[ruler.before[start]] == readable[ruler.before[end]])
