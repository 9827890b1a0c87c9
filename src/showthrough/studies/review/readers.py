"""How far two readers of the same copies agree on whether the person can still be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np

from showthrough.statistics.agreement import NO_PAIR
from showthrough.studies.agreement.estimates import Draws, estimates, find_intervals
from showthrough.studies.agreement.tallies import AgreementTally
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.review.columns import TOLD
from showthrough.studies.review.filled import FilledFolder


class TwoReaders(msgspec.Struct, frozen=True):
    """What two readers answered on the documents that both confirmed."""

    first: str
    second: str
    documents: int
    alike: int
    cohen: Estimate  # of yes, no and unsure


def two_readers(filled: Sequence[FilledFolder], confidence: float) -> Iterator[TwoReaders]:
    """Each two folders that share documents."""
    for left, two in combinations(filled, 2):
        both = sorted(left.answers.keys() & two.answers.keys())
        if both:
            choices = [np.array([TOLD.index(sheet.answers[number].told) for number in both]) for sheet in (left, two)]
            alike = choices[0] == choices[1]
            tally, block, once = AgreementTally.empty(len(both), sides=2), np.arange(len(both)), np.ones(len(both))
            tally.add(block, once, alike.astype(np.float64))
            for side, category in zip((tally.first, tally.second), choices, strict=True):
                side.add(np.zeros_like(block), block, category, once)
            (estimate,) = estimates(tally, Draws(confidence=confidence))
            (cohen,) = find_intervals([estimate.correct_for_chance(NO_PAIR, returned=True)], confidence)
            first, second = _names(left, two)
            yield TwoReaders(first, second, len(both), int(alike.sum()), cohen)


def _names(*filled: FilledFolder) -> Sequence[str]:
    """Who filled folders, where each says one name and no other does; else what the folders are called."""
    by_sheet = [{answer.reviewer for answer in sheet.answers.values()} for sheet in filled]
    names = [name for reviewers in by_sheet for name in reviewers if name]
    distinct = len(set(names)) == len(names) == len(filled) and all(len(reviewers) == 1 for reviewers in by_sheet)
    return names if distinct else [sheet.folder.name for sheet in filled]
