"""How mentions leak that are to be masked, as arrays: the kinds of Table 11 in Pilán et al. 2022.

*Missed*: everything of it can be read, and no other mention of its entity is hidden. *Another*: everything can be read,
but another mention of the same entity, by the same annotator, is hidden. *Partly*: some of it can be read, and no mask
over it goes beyond it. *Border*: some can be read, and a mask over it hides words outside as well. What can be read is
what the metrics say can be read, so every mention that they do not call covered is of exactly one kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from showthrough.core.arrays import Bools, Ints, Ints8
from showthrough.data.layout.characters import token_kind
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.spans import count_before
from showthrough.studies.failures import HIDDEN, LEAKED, PARTLY, Inspection

LeakKind = Literal["missed", "another", "partly", "border"]
LEAK_KINDS: tuple[LeakKind, ...] = get_args(LeakKind)
_MISSED, _ANOTHER, _PARTLY, _BORDER, NO_LEAK = range(5)


@dataclass(frozen=True)
class MentionLeaks:
    """What is to be masked, and how it leaks: the mentions of each annotator, or the spans of all."""

    start: Ints
    end: Ints
    entity_type: Ints
    level: Ints8
    kind: Ints8  # the number of a kind, or NO_LEAK
    repeated: Bools  # whether words of it can be read only because replacements say them

    def merge(self) -> MentionLeaks:
        """Each span of a type once. Direct for one annotator is direct, and of several kinds the worse counts."""
        marks = np.column_stack([self.start, self.end, self.entity_type])
        spans, number = np.unique(marks, axis=0, return_inverse=True)
        number = number.ravel()
        level = np.zeros(len(spans), dtype=np.int8)
        np.maximum.at(level, number, self.level)
        kind = np.full(len(spans), NO_LEAK, dtype=np.int8)
        np.minimum.at(kind, number, self.kind)
        repeated = np.zeros(len(spans), dtype=bool)
        repeated[number[self.repeated]] = True
        return MentionLeaks(spans[:, 0], spans[:, 1], spans[:, 2], level, kind, repeated)

    def __getitem__(self, chosen: Bools) -> MentionLeaks:
        """Some of them."""
        return MentionLeaks(
            self.start[chosen],
            self.end[chosen],
            self.entity_type[chosen],
            self.level[chosen],
            self.kind[chosen],
            self.repeated[chosen],
        )

    @property
    def leaking(self) -> MentionLeaks:
        """Those that leak."""
        return self[self.kind < NO_LEAK]

    def table(self, types: int) -> Ints:
        """How many there are, by type, by level (quasi, direct) and by kind, NO_LEAK the last."""
        counts = np.zeros((types, 2, NO_LEAK + 1), dtype=np.int64)
        np.add.at(counts, (self.entity_type, self.level - 1, self.kind), 1)
        return counts


@dataclass(frozen=True)
class Leaks:
    """What leaks under one anonymization."""

    marks: MentionLeaks  # each annotator's
    spared: int  # mentions marked as not to be masked of entities that are to be masked: recall asks for these as well
    spared_leaking: int

    @classmethod
    def of(cls, inspection: Inspection, coverage: Coverage) -> Leaks:
        gold = inspection.gold
        state = inspection.states(coverage)
        kind, repeated = _kinds(inspection, coverage, state), _find_repeated(inspection, coverage)
        every = MentionLeaks(gold.start, gold.end, inspection.entity_type, gold.level, kind, repeated)
        spared = (gold.level == 0) & (gold.entity_level[gold.entity] > 0)
        return cls(every[gold.level > 0], int(spared.sum()), int((state[spared] <= PARTLY).sum()))


def _kinds(inspection: Inspection, coverage: Coverage, state: Ints8) -> Ints8:
    """The kind that each mention would leak in, were it to be masked."""
    gold = inspection.gold
    kind = np.full(len(state), NO_LEAK, dtype=np.int8)
    hidden = np.bincount(gold.entity[state == HIDDEN], minlength=len(gold.entity_level)) > 0
    kind[state == LEAKED] = _MISSED
    kind[(state == LEAKED) & hidden[gold.entity]] = _ANOTHER
    kind[state == PARTLY] = _PARTLY
    kind[(state == PARTLY) & _find_crossed(inspection, coverage)] = _BORDER
    return kind


def _find_crossed(inspection: Inspection, coverage: Coverage) -> Bools:
    """Over which mentions a mask lies that hides words outside. Masks are disjoint: only those at its edges can."""
    start, end = inspection.gold.start, inspection.gold.end
    words = count_before(inspection.axis.table(token_kind) > 0)
    first = np.searchsorted(coverage.end, start, side="right")
    last = np.searchsorted(coverage.start, end, side="left") - 1
    crossed = first <= last  # some mask lies over it
    low, high = coverage.start[first[crossed]], coverage.end[last[crossed]]
    left = words[start[crossed]] > words[np.minimum(low, start[crossed])]
    right = words[np.maximum(high, end[crossed])] > words[end[crossed]]
    crossed[crossed] = left | right
    return np.asarray(crossed)


def _find_repeated(inspection: Inspection, coverage: Coverage) -> Bools:
    """Of which mentions words can be read that a mask hides: its replacement says them again."""
    mentions, span_index = inspection.span_index.mentions, inspection.span_index
    by_masks = coverage.readable(span_index, "trusted")
    in_all = coverage.readable(span_index, inspection.texts.replacements)
    return np.asarray(
        in_all[mentions.closes] - in_all[mentions.opens] > by_masks[mentions.closes] - by_masks[mentions.opens]
    )
