"""How far two readers of the same copies agree on whether the person can still be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np

from showthrough.statistics.agreement import NO_PAIR
from showthrough.studies.agreement.estimates import Draws, estimates, settled
from showthrough.studies.agreement.tallies import Tally
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.review.columns import TOLD
from showthrough.studies.review.filled import Filled


class TwoReaders(msgspec.Struct, frozen=True):
    """What two readers answered on the documents that both confirmed."""

    first: str
    second: str
    documents: int
    alike: int
    cohen: Estimate  # of yes, no and unsure


def two_readers(filled: Sequence[Filled], confidence: float) -> Iterator[TwoReaders]:
    """Each two folders that share documents."""
    for one, two in combinations(filled, 2):
        both = sorted(one.answers.keys() & two.answers.keys())
        if both:
            said = [np.array([TOLD.index(each.answers[number].told) for number in both]) for each in (one, two)]
            alike = said[0] == said[1]
            tally, block, once = Tally.empty(len(both), sides=2), np.arange(len(both)), np.ones(len(both))
            tally.add(block, once, alike.astype(np.float64))
            for side, category in zip((tally.first, tally.second), said, strict=True):
                side.add(np.zeros_like(block), block, category, once)
            (found,) = estimates(tally, Draws(confidence=confidence))
            (cohen,) = settled([found.corrected(NO_PAIR, returned=True)], confidence)
            first, second = _names(one, two)
            yield TwoReaders(first, second, len(both), int(alike.sum()), cohen)


def _names(*filled: Filled) -> Sequence[str]:
    """Who filled folders, where each says one name and no other does; else what the folders are called."""
    said = [{answer.reviewer for answer in one.answers.values()} for one in filled]
    names = [name for each in said for name in each if name]
    known = len(set(names)) == len(names) == len(filled) and all(len(each) == 1 for each in said)
    return names if known else [one.folder.name for one in filled]
