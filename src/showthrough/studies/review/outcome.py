"""What a review found, as a value, and how far two readers agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.statistics import Spread, share_interval
from showthrough.statistics.agreement import NO_PAIR
from showthrough.studies.agreement.estimates import Draws, estimates, find_intervals
from showthrough.studies.agreement.tallies import AgreementTally
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.review._columns import TOLD, Told
from showthrough.studies.review._filled_sheets import FilledFolder

# Two readers of the same copies agree more or less on whether the person can still be told.


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
            choices = [
                np.array([TOLD.index(sheet.answers[number].identifiable) for number in both]) for sheet in (left, two)
            ]
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


class ReviewerVerdict(msgspec.Struct, frozen=True):
    """What one reviewer says of one document."""

    document: str
    reviewer: str
    told: Told
    who: str = ""
    sure: str = ""
    remarks: str = ""


class ReviewDisagreement(msgspec.Struct, frozen=True):
    """What a reviewer sees otherwise than the annotator, and nobody has settled."""

    document: str
    words: str
    note: str
    start: int | None = None  # where the words stand first; none where they do not
    before: str = ""
    after: str = ""


class ReviewOutcome(msgspec.Struct, frozen=True):
    """What a review found. A document with several readers is told as soon as one of them can tell."""

    annotator: str
    documents: int  # that the annotator looked at
    handed_out: int
    reviewed: int
    told: int  # in which the person can still be told
    unsure: int  # in which nobody can tell and somebody is unsure
    share: float | None  # told of reviewed
    low: float | None
    high: float | None
    confidence: float
    applied: dict[str, int]  # marks by kind of finding
    readings: tuple[ReviewerVerdict, ...]
    disagreements: tuple[ReviewDisagreement, ...] = ()
    read_twice: int = 0  # documents that several reviewers confirmed
    answered_alike: int = 0  # of these, those in which all say the same
    readers: tuple[TwoReaders, ...] = ()  # each two who share documents

    def without_text(self) -> ReviewOutcome:
        """The same without words of documents and what readers wrote of them; an id may have a name in it as well."""
        names = [
            *(reading.document for reading in self.readings),
            *(disagreement.document for disagreement in self.disagreements),
        ]
        called = {name: f"document {number}" for number, name in enumerate(dict.fromkeys(names), 1)}
        readings = tuple(
            replace(reading, document=called[reading.document], who="", remarks="") for reading in self.readings
        )
        disagreements = tuple(
            ReviewDisagreement(called[disagreement.document], "", "") for disagreement in self.disagreements
        )
        return replace(self, readings=readings, disagreements=disagreements)


def exact_interval(part: int, whole: int, confidence: float) -> tuple[float, float] | None:
    """The interval of a share by Clopper and Pearson; none of nothing.

    >>> [round(end, 3) for end in exact_interval(1, 10, 0.95)]
    [0.003, 0.445]
    """
    if not whole:
        return None
    trials, none = np.full(1, float(whole)), np.zeros(1)
    spread = Spread(none, documents=trials, weight=trials, speaking=none)  # nothing varies but by chance
    low, high = share_interval(np.array([part / whole]), spread, confidence)
    return float(low[0]), float(high[0])
