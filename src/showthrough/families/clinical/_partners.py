"""Gold and system instances paired one to one, best overlap first.

Where both sides overlap themselves there may be as many pairs as their product: a hundred thousand nested masks over as
many nested mentions are ten thousand million. So pairs are listed only where there are few. Else each span is asked for
its best partner, that one for its own, and so on: each pair is better than the one before, until two are each other's
best. These are the pairs that going through the whole list would find.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.core.errors import ResourceError
from showthrough.data.layout.spans import find_overlaps
from showthrough.families.clinical._instances import TypedSpans, beginning_alike, match_one_to_one

_LISTED = 2_000_000  # pairs
_MOST = 20_000_000  # that share enough of their union
_BLOCK = 256  # spans that are looked at together
_NOWHERE = 1 << 40


@dataclass(frozen=True)
class Pairs:
    """A system's instances and the gold ones they stand for, one to one."""

    gold: Ints
    system: Ints
    correct: Bools


def pair_instances(gold: TypedSpans, system: TypedSpans, types: bool) -> Pairs:
    """Pairs by best overlap: most characters shared, then fewest outside, then the same type, then by position."""
    alike = _of_one_extent(gold, system, types)
    ours, theirs = complement(len(gold), alike[0]), complement(len(system), alike[1])
    overlap = _by_overlap(gold.at(ours), system.at(theirs), types)
    true = np.concatenate([alike[0], np.flatnonzero(ours)[overlap[0]]])
    partner = np.concatenate([alike[1], np.flatnonzero(theirs)[overlap[1]]])
    same = (gold.kind[true] == system.kind[partner]) | (not types)
    exact = np.arange(len(true)) < len(alike[0])
    return Pairs(true, partner, np.asarray(same & exact))


def pair_same_types(gold: TypedSpans, system: TypedSpans) -> Pairs:
    """The same for pairs of one type alone."""
    width = int(max(gold.end.max(initial=0), system.end.max(initial=0))) + 1
    ours, theirs = (np.lexsort((spans.end, spans.start, spans.kind)) for spans in (gold, system))
    pairs = pair_instances(_shift_kinds(gold.at(ours), width), _shift_kinds(system.at(theirs), width), types=False)
    return Pairs(ours[pairs.gold], theirs[pairs.system], pairs.correct)


def _shift_kinds(spans: TypedSpans, width: int) -> TypedSpans:
    """Each kind on a stretch of its own, so that only spans of one kind overlap."""
    shift = spans.kind * width
    return TypedSpans(spans.start + shift, spans.end + shift, spans.layer, spans.kind)


def pair_by_union(gold: TypedSpans, system: TypedSpans, types: bool, least: float) -> Pairs:
    """Pairs that share at least so much of their union, those that share most of it first."""
    parts = [np.zeros((3, 0))]
    begun = np.searchsorted(gold.start, system.end, side="left")
    ended = np.searchsorted(np.sort(gold.end), system.start, side="right")
    block = np.cumsum(begun - ended) // _LISTED  # so many pairs are looked at together
    for number in np.unique(block):
        chosen = np.flatnonzero(block == number)
        true, partner, shared = find_overlaps(gold, system.at(chosen))
        partner = chosen[partner]
        share = shared / (gold.size[true] + system.size[partner] - shared)
        enough = (share >= least) & ((gold.kind[true] == system.kind[partner]) | (not types))
        parts.append(np.stack([true[enough], partner[enough], share[enough]]))
        if sum(part.shape[1] for part in parts) > _MOST:
            raise ResourceError(f"more than {_MOST:,} pairs of spans share that much; expected fewer nested spans")
    true, partner, share = np.concatenate(parts, axis=1)
    true, partner = true.astype(np.int64), partner.astype(np.int64)
    stands = match_one_to_one(true, partner, (partner, true, -share))
    return Pairs(true[stands], partner[stands], np.ones(int(stands.sum()), dtype=bool))


def complement(count: int, indices: Ints) -> Bools:
    """Which of so many are not among the indices."""
    left = np.ones(count, dtype=bool)
    left[indices] = False
    return left


def _of_one_extent(gold: TypedSpans, system: TypedSpans, types: bool) -> tuple[Ints, Ints]:
    """Pairs of the same extent, which no other can better: those of one type, then the rest in their order."""
    true, partner = beginning_alike(gold, system, tolerance=0)
    unlike = (gold.kind[true] != system.kind[partner]) & types
    stands = match_one_to_one(true, partner, (partner, true, unlike))
    return true[stands], partner[stands]


def _by_overlap(gold: TypedSpans, system: TypedSpans, types: bool) -> tuple[Ints, Ints]:
    begun = np.searchsorted(gold.start, system.end, side="left")
    ended = np.searchsorted(np.sort(gold.end), system.start, side="right")
    if (begun - ended).sum() > _LISTED:  # so many pairs share characters
        return _pair_by_search(gold, system, types)
    true, partner, shared = find_overlaps(gold, system)
    outside = gold.size[true] + system.size[partner] - 2 * shared
    unlike = (gold.kind[true] != system.kind[partner]) & types
    stands = match_one_to_one(true, partner, (partner, true, unlike, outside, -shared))
    return true[stands], partner[stands]


def _pair_by_search(gold: TypedSpans, system: TypedSpans, types: bool) -> tuple[Ints, Ints]:
    """The same pairs, found by asking each span for its best partner."""
    sides = _Side(gold, types), _Side(system, types)
    spans = [np.column_stack([instances.start, instances.end, instances.kind]).tolist() for instances in (gold, system)]
    pairs: list[tuple[int, int]] = []
    for first in range(len(gold)):
        chain = [] if sides[0].gone[first] else [first]  # of gold and system in turn
        while chain:
            turn = (len(chain) - 1) % 2
            best = sides[1 - turn].best(*spans[turn][chain[-1]])
            if best is None:
                chain.pop()
            elif len(chain) > 1 and best == chain[-2]:
                pair = (best, chain[-1]) if turn else (chain[-1], best)
                for side, number in zip(sides, pair, strict=True):
                    side.remove(number)
                pairs.append(pair)
                del chain[-2:]
            else:
                chain.append(best)
    true, partner = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return true, partner


class _Side:
    """The spans of one side that have no partner yet, in blocks of such as begin and end near each other.

    How good the best of a block can be at most follows from where its spans begin and end; so few are looked into.
    """

    def __init__(self, spans: TypedSpans, types: bool) -> None:
        self.gone = np.zeros(len(spans), dtype=bool)
        self._types = types
        count = max(1, -(-len(spans) // _BLOCK))
        slab = _BLOCK * max(1, round(count**0.5))
        by_start = np.argsort(spans.start, kind="stable")
        order = by_start[np.lexsort((spans.end[by_start], np.arange(len(spans)) // slab))]
        self._number = np.pad(order, (0, count * _BLOCK - len(order)), constant_values=-1).reshape(count, _BLOCK)
        filled = self._number >= 0
        self._start = np.where(filled, spans.start[self._number], _NOWHERE)
        self._end = np.where(filled, spans.end[self._number], -_NOWHERE)
        self._size = np.where(filled, spans.size[self._number], 0)
        self._kind = spans.kind[self._number]
        self._place = np.argsort(order)
        self._weight = 4 * int(spans.end.max(initial=0)) + 4
        self._opens, self._closes = self._start.min(axis=1), self._end.max(axis=1)
        self._largest = self._size.max(axis=1)
        self._smallest = np.where(filled, self._size, _NOWHERE).min(axis=1)

    def remove(self, number: int) -> None:
        self.gone[number] = True
        block, offset = divmod(int(self._place[number]), _BLOCK)
        self._start[block, offset], self._end[block, offset], self._size[block, offset] = _NOWHERE, -_NOWHERE, 0
        sizes = self._size[block]
        self._opens[block], self._closes[block] = self._start[block].min(), self._end[block].max()
        self._largest[block] = sizes.max()
        self._smallest[block] = sizes[sizes > 0].min(initial=_NOWHERE)

    def best(self, start: int, end: int, kind: int) -> int | None:
        """The best partner of a span; `None` where nothing overlaps it."""
        size = end - start
        weight = max(self._weight, 4 * end + 4)
        shared = np.minimum(np.minimum(end, self._closes) - np.maximum(start, self._opens), self._largest)
        at_most = shared * weight - (size + np.maximum(self._smallest, shared) - 2 * shared)
        at_most[shared <= 0] = -1
        best = (0, 0, 0)  # how good, which is above 0, then unlike and number, negative: larger is better
        while at_most[block := int(at_most.argmax())] >= best[0]:
            best = max(best, self._best_in(block, start, end, kind, weight))
            at_most[block] = -1
        return -best[2] if best[0] else None

    def _best_in(self, block: int, start: int, end: int, kind: int, weight: int) -> tuple[int, int, int]:
        shared = np.minimum(self._end[block], end) - np.maximum(self._start[block], start)
        value = shared * weight - (end - start + self._size[block] - 2 * shared)
        value[shared <= 0] = -1
        good = int(value.max())
        offsets = np.flatnonzero(value == good)
        numbers = self._number[block, offsets]
        unlike = (self._kind[block, offsets] != kind) & self._types
        chosen = np.lexsort((numbers, unlike))[0]
        return good, -int(unlike[chosen]), -int(numbers[chosen])
