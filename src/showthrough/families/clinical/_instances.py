"""Gold and system instances of PHI as arrays, side by side.

Every annotator's copy of a document is a *layer*; all layers lie end to end on one line, and a system's instances are
copied onto each layer of their document. So several annotators need no loop, and where there is one, a layer is a
document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.documents import Mention
from showthrough.data.labels import TypeResolver, label_of
from showthrough.data.layout.gold import AnnotationLayers
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import SortedSpans, expand_ranges, find_openings
from showthrough.data.masks import Anonymization, Mask

NONE = -1  # the kind of what is no PHI
_ROUNDS = 16  # of pairing all at once


class Kinds(dict[str, int]):
    """The number of every type by what it means; one that is new gets the next. `NONE`: the map leaves it out."""

    def __init__(self, meaning: TypeResolver, names: Iterable[str] = ()) -> None:
        self._meaning = meaning
        self._numbers = {name: number for number, name in enumerate(names)}
        super().__init__()

    @property
    def names(self) -> list[str]:
        return list(self._numbers)

    def __missing__(self, name: str) -> int:
        meaning = self._meaning(name)
        number = self[name] = self._numbers.setdefault(meaning, len(self._numbers)) if meaning else NONE
        return number

    def fork(self) -> Kinds:
        """The same numbers, in a copy that may meet further types."""
        return Kinds(self._meaning, self.names)

    def numbers(self, types: Iterable[str], count: int) -> Ints:
        """Those of so many types."""
        return np.fromiter(map(self.__getitem__, types), np.int64, count)


@dataclass(frozen=True)
class TypedSpans:
    """Spans on layers with their kinds, by start: instances of PHI, or tokens."""

    start: Ints
    end: Ints
    layer: Ints
    kind: Ints

    def __len__(self) -> int:
        return len(self.start)

    @property
    def size(self) -> Ints:
        return self.end - self.start

    @cached_property
    def rank(self) -> Ints:
        """Which goes before which: a longer one is higher, and of equally long ones the first."""
        rank = np.empty(len(self), dtype=np.int64)
        rank[np.lexsort((-np.arange(len(self)), self.size))] = np.arange(len(self))
        return rank

    def at(self, which: Bools | Ints) -> TypedSpans:
        return TypedSpans(self.start[which], self.end[which], self.layer[which], self.kind[which])

    @cached_property
    def untyped(self) -> TypedSpans:
        """Every span once, whatever kinds it was said to be."""
        return self.at(_firsts_in_order(self.start, self.end))

    @cached_property
    def joined(self) -> TypedSpans:
        """Those that overlap joined to one: a character is covered once."""
        return self.merge(find_openings(self.start, self.end))

    def merge(self, opens: Ints) -> TypedSpans:
        """Each from one that opens to the farthest end before the next that does."""
        ends = np.maximum.reduceat(self.end, opens) if len(opens) else self.end
        return replace(self.at(opens), end=ends)


def gold_instances(axis: SpanLayout, kinds: Kinds) -> TypedSpans:
    """What annotators want masked."""
    layers = axis.layers
    marks = list(chain.from_iterable(layers.mentions))
    kind = kinds.numbers([mark.entity_type for mark in marks], len(marks))
    kind[np.fromiter([not mark.must_mask for mark in marks], bool, len(marks))] = NONE
    return _lay_out(marks, np.arange(len(marks)), layers.of_mentions, kinds, kind, layers)


def may_instances(axis: SpanLayout) -> SortedSpans:
    """What annotators let be masked or stay, ascending on the line of layers."""
    layers = axis.layers
    marks = [
        (mark.start + base, mark.end + base)
        for mentions, base in zip(layers.mentions, layers.base.tolist(), strict=True)
        for mark in mentions
        if mark.identifier == "MAY_MASK"
    ]
    start, end = np.array(sorted(marks), dtype=np.int64).reshape(-1, 2).T
    return TypedSpans(start, end, *np.zeros((2, len(start)), dtype=np.int64))


def without_may(system: TypedSpans, gold: TypedSpans, may: SortedSpans) -> TypedSpans:
    """A system's instances that count: not those inside what may be masked, unless they touch what must be."""
    if not len(may.start):
        return system
    inside = _farthest_end(may, np.searchsorted(may.start, system.start, side="right")) >= system.end
    touching = _farthest_end(gold, np.searchsorted(gold.start, system.end)) > system.start
    return system.at(~inside | touching)


def _farthest_end(spans: SortedSpans, count: Ints) -> Ints:
    """How far the first so many spans reach."""
    return np.concatenate([[-1], np.maximum.accumulate(spans.end)])[count]


@dataclass(frozen=True)
class PhiSystem:
    """A system's instances, for each document how many masks it has and how many say a type, and all kinds' names."""

    instances: TypedSpans
    masks: Floats
    typed: Floats
    names: tuple[str, ...]

    @property
    def type_columns(self) -> dict[str, Floats]:
        """The columns from which to tell whether any mask says its type."""
        return {"masks": self.masks, "typed": self.typed}


def system_instances(axis: SpanLayout, gold: Kinds, anonymization: Anonymization, from_replacement: bool) -> PhiSystem:
    """What a system masked, a copy on each layer of the document; it may have kinds that gold does not have."""
    kinds = gold.fork()
    of_documents = [anonymization.of(document.id) for document in axis.documents]
    document = np.repeat(np.arange(len(of_documents)), list(map(len, of_documents)))
    masks = list(chain.from_iterable(of_documents))
    labels = (label_of(mask.replacement) for mask in masks)
    types = labels if from_replacement else map(attrgetter("entity_type"), masks)
    kind = kinds.numbers(types, len(masks))
    thing, layer = axis.layers.copies(document)
    return PhiSystem(
        _lay_out(masks, thing, layer, kinds, kind[thing], axis.layers),
        axis.by_document(document),
        axis.by_document(document[kind != kinds[""]]),
        tuple(kinds.names),
    )


def _lay_out(
    spans: Sequence[Mask] | Sequence[Mention],
    thing: Ints,
    layer: Ints,
    kinds: Kinds,
    kind: Ints,
    layers: AnnotationLayers,
) -> TypedSpans:
    """Spans of documents, laid on layers and sorted: the order in which they were read changes no number.

    What is said twice, the same span with the same kind, is there once.
    """
    base = layers.base[layer]
    start = np.fromiter(map(attrgetter("start"), spans), np.int64, len(spans))[thing] + base
    end = np.fromiter(map(attrgetter("end"), spans), np.int64, len(spans))[thing] + base
    laid = TypedSpans(start, end, layer, kind).at(kind != NONE)
    if (laid.start[1:] >= laid.end[:-1]).all():
        return laid
    rank = np.argsort(np.argsort(kinds.names))  # where kinds decide, their names do
    laid = laid.at(np.lexsort((rank[laid.kind], laid.end, laid.start)))
    return laid.at(_firsts_in_order(laid.start, laid.end, laid.kind))


def _firsts_in_order(*keys: Ints) -> Bools:
    """Which things of a sorted list are not the same as the one before them."""
    differs = [key[1:] != key[:-1] for key in keys]
    return np.concatenate([np.ones(min(1, len(keys[0])), dtype=bool), np.logical_or.reduce(differs)])


def beginning_alike(left: SortedSpans, right: SortedSpans, tolerance: int) -> tuple[Ints, Ints]:
    """All pairs that begin in the same place and whose ends are at most so far apart; both sides by start, then end."""
    width = int(max(left.end.max(initial=0), right.end.max(initial=0))) + 1
    spans = left.start * width + left.end
    low = right.start * width + np.maximum(right.end - tolerance, right.start)
    high = right.start * width + np.minimum(right.end + tolerance, width - 1)
    theirs, ours = expand_ranges(np.searchsorted(spans, low), np.searchsorted(spans, high, side="right"))
    return ours, theirs


def match_one_to_one(left: Ints, right: Ints, keys: Sequence[Ints | Bools]) -> Bools:
    """Which pairs stand when the best goes first and both of its sides are taken by it.

    `keys` rank the pairs, the most important last, small before large. A round takes every pair that is the best left
    to both of its sides, all at once; that gives the same pairs as going through the ranking one by one. A few rounds
    settle nearly all. Where the choice of each hangs on that of its neighbour, the rest is gone through one by one.

    >>> left, right = np.array([0, 0, 1]), np.array([0, 1, 1])  # 0–0, 0–1, 1–1
    >>> match_one_to_one(left, right, [np.array([1, 0, 2])]).tolist()  # 0–1 is best and leaves nothing for the others
    [False, True, False]
    """
    chosen = np.ones(len(left), dtype=bool)
    rival = (np.bincount(left)[left] > 1) | (np.bincount(right)[right] > 1) if len(left) else chosen
    if not rival.any():
        return chosen
    chosen[rival] = False
    alive = np.flatnonzero(rival)[np.lexsort([key[rival] for key in keys])]
    for _ in range(_ROUNDS):
        if not len(alive):
            return chosen
        winners = alive[_firsts(left[alive]) & _firsts(right[alive])]
        chosen[winners] = True
        alive = alive[~(np.isin(left[alive], left[winners]) | np.isin(right[alive], right[winners]))]
    matches: tuple[set[int], set[int]] = set(), set()
    for pair, left_index, right_index in zip(alive.tolist(), left[alive].tolist(), right[alive].tolist(), strict=True):
        if left_index not in matches[0] and right_index not in matches[1]:
            chosen[pair] = True
            matches[0].add(left_index)
            matches[1].add(right_index)
    return chosen


def _firsts(numbers: Ints) -> Bools:
    """Which elements are the first of their number."""
    first = np.empty(int(numbers.max()) + 1, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the last to be written is the first in line
    return np.asarray(first[numbers] == np.arange(len(numbers)))
