"""The character axis: all texts of a chunk laid end to end, and everything on it as arrays.

Token and mention boundaries are integer arrays on one axis of code points. What has to be masked lies on a ruler, which
is shorter: `coverage` paints anonymizations on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from showthrough.text import Corpus

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Counts = NDArray[np.float64]
Counts32 = NDArray[np.int32]
Asking = Literal["mention", "entity", "never"]  # for which mentions made of function words

_WORD = re.compile(r"\w")
# Scripts written without spaces between words: every ideograph is a token of its own.
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_WORD_KIND = 1
_FEW = 20  # one character in so many may be looked up one by one
PLAIN, UNSURE = 128, 255  # of `Axis.folded`: up to here a number is one letter; a letter that has several for a capital
DIRECT = 2
_LEVEL = {"NO_MASK": 0, "QUASI": 1, "DIRECT": DIRECT}


@dataclass(frozen=True)
class Spans:
    """Tokens on the axis, each with its number and that of the thing it was found in (a mention, a mask)."""

    start: Ints
    end: Ints
    token: Ints
    origin: Ints

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Stretches:
    """Spans as they lie on a ruler: from where to where. One of no length has nothing that must be masked."""

    opens: Counts32
    closes: Counts32

    def __getitem__(self, chosen: Bools | Ints) -> Stretches:
        return Stretches(self.opens[chosen], self.closes[chosen])

    @property
    def solid(self) -> Bools:
        """Which have anything that has to be masked."""
        return np.asarray(self.closes > self.opens)


class Ruler:
    """Counts only the characters that have to be masked: those of mentions that are not ignorable.

    `before[x]` is how many of them lie before position x. Most of a text is no mention, so painting masks on this
    short ruler instead of on the whole axis makes a further anonymization cheap.

    A mention without any such character, such as a person called "Per", has to be masked with all its word characters
    (without those, all but space). They follow at the end of the ruler, mention after mention, at the places `whole` of
    the axis: where the same word stands in a longer mention it stays ignorable. `asking` says of which mentions: of
    each, of those whose whole entity has nothing else, or never, as in TAB's script.
    """

    def __init__(self, axis: Axis, ignorable: Bools, asking: Asking = "mention") -> None:
        self._axis = axis
        gold = axis.gold
        asked = np.zeros(len(axis), dtype=bool)
        paint(asked, gold.start, gold.end)
        asked &= ~ignorable
        self.before: Counts32 = np.zeros(len(axis) + 1, dtype=np.int32)
        np.cumsum(asked, out=self.before[1:], dtype=np.int32)
        self._bare: Bools = self.before[gold.start] == self.before[gold.end]  # nothing on the ruler so far
        if asking == "entity":
            self._bare &= (np.bincount(gold.entity, ~self._bare) == 0)[gold.entity]
        elif asking == "never":
            self._bare[:] = False
        self.whole, self._keys = self._words(np.flatnonzero(self._bare))

    def _words(self, mentions: Ints) -> tuple[Ints, Ints]:
        """What is asked for of some mentions: the places, and keys that sort them by mention and place."""
        if not len(mentions):
            return mentions, mentions
        start, end = self._axis.gold.start[mentions], self._axis.gold.end[mentions]
        place, mention = places(start, end), np.repeat(mentions, end - start)
        word = self._axis.table(_token_kind)[place] > 0
        worded = np.bincount(mention, word)[mention] > 0
        asked = np.where(worded, word, self._axis.table(_is_space)[place] == 0)
        return place[asked], self._key(mention[asked], place[asked])

    def _key(self, mention: Ints, place: Ints) -> Ints:
        return mention * (len(self._axis) + 1) + place

    def stretches(self, start: Ints, end: Ints, mention: Ints) -> Stretches:
        """Where spans inside mentions lie."""
        opens, closes = self.before[start], self.before[end]
        bare = np.flatnonzero(self._bare[mention]) if len(self.whole) else mention[:0]
        for found, edge in ((opens, start), (closes, end)):
            found[bare] = self.before[-1] + np.searchsorted(self._keys, self._key(mention[bare], edge[bare]))
        return Stretches(opens, closes)

    @cached_property
    def mentions(self) -> Stretches:
        """Where all mentions lie."""
        gold = self._axis.gold
        return self.stretches(gold.start, gold.end, np.arange(len(gold.start)))

    @cached_property
    def tokens(self) -> Stretches:
        """Where the tokens of all mentions lie."""
        tokens = self._axis.gold_tokens
        return self.stretches(tokens.start, tokens.end, tokens.origin)


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
        self._rulers: dict[tuple[str, Asking], Ruler] = {}

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
    def folded(self) -> NDArray[np.uint8]:
        """A number from 1 for every character, the same for a letter and its capital."""
        return self.table(_folded)

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

    def ruler(self, function_words: str, ignorable: Callable[[Axis], Bools], asking: Asking = "mention") -> Ruler:
        """The characters that count, for one source of function words; made once for each."""
        key = function_words, asking
        if key not in self._rulers:
            self._rulers[key] = Ruler(self, ignorable(self), asking)
        return self._rulers[key]

    def by_document(self, document: Ints, weight: NDArray[np.generic] | None = None) -> Counts:
        """How many (or how much weight) each document has."""
        return np.bincount(document, weight, minlength=len(self.documents)).astype(np.float64)


def places(start: Ints, end: Ints) -> Ints:
    """All places of some spans, span after span."""
    size = end - start
    return np.asarray(np.arange(size.sum()) + np.repeat(start - (np.cumsum(size) - size), size))


def paint(canvas: Bools, start: Ints, end: Ints) -> None:
    """Sets all places of some spans; they may overlap."""
    canvas[places(start, end)] = True


def is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)


def _token_kind(character: str) -> int:
    """0: between tokens; 1: joins its neighbours; 2: a token of its own."""
    if is_ideograph(character):
        return 2
    return _WORD_KIND if _WORD.match(character) else 0


def _is_space(character: str) -> int:
    return character.isspace()


def _folded(character: str) -> int:
    """A number that a letter shares with its capital; beyond ASCII other letters may have it too."""
    letters = character.casefold()
    if len(letters) > 1:  # ß is SS
        return UNSURE
    code = ord(letters)
    return 1 + code if code < PLAIN else 1 + PLAIN + code % (UNSURE - PLAIN - 1)


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
