"""The character axis: all texts of a chunk laid end to end, and everything on it as arrays.

Token and mention boundaries are integer arrays on one axis of code points. What has to be masked lies on a ruler, which
is shorter: `coverage` paints anonymizations on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, Protocol

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
_PLAIN, _WORDS, _SIGNS = range(3)  # what is asked for of a mention: what is not ignorable, its words, its signs
DIRECT = 2
_LEVEL = {"NO_MASK": 0, "QUASI": 1, "DIRECT": DIRECT}


class Laid(Protocol):
    """Things on a line, by start."""

    @property
    def start(self) -> Ints: ...
    @property
    def end(self) -> Ints: ...


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
class Contents:
    """What spans have of tokens, without a list of them span by span: of nested spans that would be endless.

    A span has the tokens `first` to before `last` whole, and cuts off at most one at either edge.
    """

    first: Ints
    last: Ints
    cut: Spans  # `origin` is the span

    def times(self, tokens: int) -> Ints:
        """Of each token, how many of the spans have it whole."""
        edges = np.bincount(self.first, minlength=tokens + 1) - np.bincount(self.last, minlength=tokens + 1)
        return np.asarray(np.cumsum(edges)[:tokens], dtype=np.int64)


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

    @classmethod
    def together(cls, parts: Sequence[Stretches]) -> Stretches:
        return cls(np.concatenate([one.opens for one in parts]), np.concatenate([one.closes for one in parts]))


@dataclass(frozen=True)
class Runs:
    """Things on a ruler, and runs of them, from `first` to before `last`: what a mention has of them.

    A thing may be in many runs. So they are counted by what stands before either end, and never listed.
    """

    place: Stretches
    first: Ints
    last: Ints
    mention: Ints  # of a run

    @classmethod
    def alone(cls, place: Stretches) -> Runs:
        """Every mention as one thing."""
        number = np.arange(len(place.opens))
        return cls(place, number, number + 1, number)

    def __getitem__(self, chosen: Bools) -> Runs:
        """Some of the runs."""
        return Runs(self.place, self.first[chosen], self.last[chosen], self.mention[chosen])

    def counts(self, which: Bools) -> Ints:
        """How many of the things of each run are among some."""
        before = counted(which)
        return np.asarray(before[self.last] - before[self.first], dtype=np.int64)


class Ruler:
    """Counts only the characters that have to be masked: those of mentions that are not ignorable.

    `before[x]` is how many of them lie before position x. Most of a text is no mention, so painting masks on this
    short ruler instead of on the whole axis makes a further anonymization cheap.

    A mention without any such character, such as a person called "Per", has to be masked with all its word characters
    (without those, all but space). They follow at the end of the ruler, at the places `whole` of the axis: first the
    word characters of such mentions, then the signs of those without a word. So where the same word stands in a longer
    mention it stays ignorable. `asking` says of which mentions: of each, of those whose whole entity has nothing else,
    or never, as in TAB's script.
    """

    def __init__(self, axis: Axis, ignorable: Bools, asking: Asking = "mention") -> None:
        self._axis = axis
        gold = axis.gold
        asked = np.zeros(len(axis), dtype=bool)
        paint(asked, gold.start, gold.end)
        asked &= ~ignorable
        self.before: Counts32 = counted(asked)
        bare: Bools = self.before[gold.start] == self.before[gold.end]  # nothing on the ruler so far
        if asking == "entity":
            bare &= (np.bincount(gold.entity, ~bare) == 0)[gold.entity]
        elif asking == "never":
            bare[:] = False
        self._section: NDArray[np.int8] = bare.astype(np.int8)  # of a mention
        self._words = self._signs = np.zeros(0, dtype=np.int64)
        if bare.any():
            self._lay(np.flatnonzero(bare))
        self.whole: Ints = np.concatenate([self._words, self._signs])

    def _lay(self, mentions: Ints) -> None:
        """Lays what is asked for of mentions that have nothing else: words, or signs where there are none."""
        start, end = self._axis.gold.start[mentions], self._axis.gold.end[mentions]
        word = self._axis.table(_token_kind) > 0
        before = counted(word)
        worded = before[end] > before[start]
        self._section[mentions[~worded]] = _SIGNS
        self._words = _set_within(word, start[worded], end[worded])
        if not worded.all():
            self._signs = _set_within(self._axis.table(_is_space) == 0, start[~worded], end[~worded])

    def _stretches(self, start: Ints, end: Ints, section: NDArray[np.int8]) -> Stretches:
        """Where spans lie, each of which is asked about on some section."""
        opens, closes = self.before[start], self.before[end]
        if len(self.whole):
            base = int(self.before[-1])
            for number, places in ((_WORDS, self._words), (_SIGNS, self._signs)):
                here = np.flatnonzero(section == number)
                for found, edge in ((opens, start), (closes, end)):
                    found[here] = base + np.searchsorted(places, edge[here])
                base += len(places)
        return Stretches(opens, closes)

    @cached_property
    def mentions(self) -> Stretches:
        """Where all mentions lie."""
        return self._stretches(self._axis.gold.start, self._axis.gold.end, self._section)

    @cached_property
    def tokens(self) -> Runs:
        """Where the tokens of all mentions lie: each once, however many mentions it is in, and those cut off apart."""
        tokens, held = self._axis.tokens, self._axis.gold_contents
        cut = held.cut
        found, first, last = [], np.zeros_like(held.first), np.zeros_like(held.last)
        count = 0
        for section in (_PLAIN, _WORDS):  # the same word may be ignorable on one of them; there are no words in signs
            mentions = np.flatnonzero(self._section == section)
            low, high = held.first[mentions], held.last[mentions]
            number = places(*joined(low, high))
            sections = np.full(len(number), section, dtype=np.int8)
            found.append(self._stretches(tokens.start[number], tokens.end[number], sections))
            first[mentions] = count + np.searchsorted(number, low)
            last[mentions] = count + np.searchsorted(number, high)
            count += len(number)
        found.append(self._stretches(cut.start, cut.end, self._section[cut.origin]))
        alone = count + np.arange(len(cut))
        return Runs(
            Stretches.together(found),
            np.concatenate([first, alone]),
            np.concatenate([last, alone + 1]),
            np.concatenate([np.arange(len(first)), cut.origin]),
        )


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
    def gold_contents(self) -> Contents:
        """The tokens of all mentions."""
        return self.contents(self.gold.start, self.gold.end)

    def contents(self, start: Ints, end: Ints) -> Contents:
        """The tokens of many spans, which may overlap."""
        return contents_of(self.tokens, start, end)

    def tokens_in(self, start: Ints, end: Ints) -> Spans:
        """The tokens of spans that do not overlap, cut off at the spans' edges; `origin` is the number of the span."""
        tokens = self.tokens
        first, last = _touched(tokens, start, end)
        size = last - first
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


def _touched(tokens: Laid, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The first token that each span has, at least in part, and the one after the last."""
    first = np.searchsorted(tokens.end, start, side="right")
    return first, np.maximum(np.searchsorted(tokens.start, end, side="left"), first)


def contents_of(tokens: Laid, start: Ints, end: Ints) -> Contents:
    """What spans, which may overlap, have of tokens, which do not and are in order."""
    first, last = _touched(tokens, start, end)
    some = last > first
    opened, closed = some.copy(), some.copy()
    opened[some] = tokens.start[first[some]] < start[some]
    closed[some] = tokens.end[last[some] - 1] > end[some]
    left, right = np.flatnonzero(opened), np.flatnonzero(closed & ~(opened & (last - first == 1)))
    span, token = np.concatenate([left, right]), np.concatenate([first[left], last[right] - 1])
    low, high = np.maximum(tokens.start[token], start[span]), np.minimum(tokens.end[token], end[span])
    first = first + opened
    return Contents(first, np.maximum(last - closed, first), Spans(low, high, token, span))


def highest(start: Ints, end: Ints, value: Ints) -> tuple[Ints, Ints]:
    """All places that spans cover, and of each the highest value of a span over it; no value is below 0.

    A span is two of a power of two, one from its start and one to its end. From the longest down, what holds for a
    stretch holds for both of its halves: so the work does not grow with how many spans lie over a place.

    >>> place, value = highest(np.array([0, 1, 5]), np.array([4, 3, 6]), np.array([7, 9, 2]))
    >>> place.tolist(), value.tolist()
    ([0, 1, 2, 3, 5], [7, 9, 9, 7, 2])
    """
    place = places(*joined(start, end))
    order = np.argsort(value, kind="stable")  # of several written to one place the last stays
    low, high = np.searchsorted(place, start[order]), np.searchsorted(place, end[order])
    power = np.frexp(high - low)[1] - 1  # -1 of what is empty
    found = np.full(len(place), -1, dtype=np.int64)
    for level in range(int(power.max(initial=-1)), -1, -1):
        step = 1 << level
        found[step:] = np.maximum(found[step:], found[:-step].copy())
        here = np.flatnonzero(power == level)
        for edge in (low[here], high[here] - step):
            found[edge] = np.maximum(found[edge], value[order[here]])
    return place, found


def opening(start: Ints, end: Ints) -> Ints:
    """Of spans in the order of their starts, those that begin where all before them have ended."""
    reach = np.maximum.accumulate(end) if len(end) else end
    return np.flatnonzero(np.concatenate([np.ones(min(1, len(start)), dtype=bool), start[1:] >= reach[:-1]]))


def joined(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Spans in order, those that overlap joined to one: as many places as they cover, however often they do."""
    if (start[1:] >= end[:-1]).all():
        return start, end
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    opens = opening(start, end)
    return start[opens], np.maximum.reduceat(end, opens)


def paint(canvas: Bools, start: Ints, end: Ints) -> None:
    """Sets all places of some spans; they may overlap."""
    canvas[places(*joined(start, end))] = True


def counted(which: Bools) -> Counts32:
    """How many are set before each place, and after the last."""
    before = np.zeros(len(which) + 1, dtype=np.int32)
    np.cumsum(which, out=before[1:], dtype=np.int32)
    return before


def _set_within(which: Bools, start: Ints, end: Ints) -> Ints:
    """The places of some spans that are set, each once."""
    place = places(*joined(start, end))
    return place[which[place]]


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
