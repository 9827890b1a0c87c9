"""Where the true individual stands among the candidates, counted honestly: whoever is tied shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.families.reidentification.attacks.base import Candidates

NOBODY = -1  # in place of a column: this document's individual is not in the background


class RankPosition(NamedTuple):
    """How many individuals stand before the true one, and how many beside them (themselves too); 0 if not in sight."""

    before: Floats
    beside: Floats


@dataclass(frozen=True, eq=False)
class RankResult:
    """Of every document: is its individual found? All are expectations over the ways to break ties."""

    right: Floats  # the share of the first place
    right_at_k: Floats  # of the first k places
    reciprocal: Floats  # of the rank
    rank: Floats  # 0 where the individual is not in sight
    margin: Floats  # how far the true individual is ahead of the best other (behind, where negative)
    guess: Ints  # the column of the first place; NOBODY where there is none
    lead: Floats  # how far the guess is ahead of the best other, right or wrong: how sure the attacker is
    control: Floats  # the share of the first place that the individual has by another document's text


def plain(candidates: Candidates, truth: Ints, sizes: Ints, k: int, another: Ints | None = None) -> RankResult:
    """Everybody guesses the best fit. `truth` is a column or NOBODY, `sizes` are the individuals of each column.

    `another` is for each document the number of one that is about somebody else, or NOBODY.

    >>> candidates = Candidates.of(np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> ranks = plain(candidates, np.array([0, 1, 2]), np.ones(3, dtype=int), k=2)
    >>> ranks.right.round(2).tolist(), ranks.right_at_k.round(2).tolist()  # alone; one of two; one of three
    ([1.0, 0.5, 0.33], [1.0, 1.0, 0.67])
    """
    own, guess = shares(find_positions(candidates, truth, sizes), k), best(candidates)

    def swapped(documents: Ints, true: Ints) -> Floats:
        return np.asarray(shares(find_positions(candidates.of_documents(documents), true, sizes), k)[0])

    return summarize_ranks(candidates, truth, sizes, own, guess, control(swapped, truth, another))


def summarize_ranks(
    candidates: Candidates, truth: Ints, sizes: Ints, own: Floats, guess: Ints, control: Floats
) -> RankResult:
    """What four rows of shares and the guesses come to."""
    right, right_at_k, reciprocal, rank = own
    ahead, lead = margin(candidates, truth, sizes), margin(candidates, guess, sizes)
    return RankResult(right, right_at_k, reciprocal, rank, ahead, guess, lead, control)


def control(right: Callable[[Ints, Ints], Floats], truth: Ints, another: Ints | None) -> Floats:
    """What is found by other documents' texts; `right` tells it of documents and the individuals sought in them."""
    rates = np.zeros(len(truth))
    if another is not None:
        rows = np.flatnonzero(another != NOBODY)
        rates[rows] = right(another[rows], truth[rows])
    return rates


def find_positions(candidates: Candidates, truth: Ints, sizes: Ints) -> RankPosition:
    """Everybody's place. A document that tells nothing has all individuals beside one another."""
    size = sizes[candidates.columns()]
    own = _own(candidates, truth)
    before = np.where(candidates.score > own[:, None], size, 0).sum(axis=1)
    beside = np.where(candidates.score == own[:, None], size, 0).sum(axis=1)
    silent = ~candidates.heard
    before[silent], beside[silent] = 0, sizes.sum()
    beside[truth == NOBODY] = 0
    return RankPosition(before.astype(np.float64), beside.astype(np.float64))


def shares(position: RankPosition, k: int) -> Floats:
    """Expected shares of the first place and of the first k, reciprocal rank, and rank: four rows.

    With b before and s beside, ranks b + 1 … b + s are equally likely: 1/s if b = 0; min(1, max(0, k − b)/s);
    (H(b + s) − H(b))/s, H being harmonic numbers; b + (s + 1)/2. All are 0 where the individual is not in sight.
    """
    before, beside = position
    is_present = beside > 0
    among = np.where(is_present, beside, 1)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 1 + int((before + beside).max(initial=0))))])
    first = np.clip(1 - before, 0, 1) / among
    first_k = np.clip((k - before) / among, 0, 1)
    reciprocal = (harmonic[(before + beside).astype(int)] - harmonic[before.astype(int)]) / among
    return np.stack([first, first_k, reciprocal, before + (among + 1) / 2]) * is_present


def best(candidates: Candidates) -> Ints:
    """The column that fits best; NOBODY where a document tells nothing."""
    if not candidates.score.shape[1]:
        return np.full(len(candidates.score), NOBODY)
    columns = np.take_along_axis(candidates.columns(), candidates.score.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(candidates.heard, columns, NOBODY)


def _own(candidates: Candidates, truth: Ints) -> Floats:
    """The true individual's score; not a number where it is not in sight."""
    own: Bools = candidates.columns() == truth[:, None]
    score = np.where(own, candidates.score, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(own.any(axis=1), score, np.nan)


def margin(candidates: Candidates, truth: Ints, sizes: Ints) -> Floats:
    """How far the true individual is ahead of the best other; 0 where it is not in sight or nothing is told."""
    columns = candidates.columns()
    # Another individual of the same profile is as good: then there is no margin.
    rivals = np.where((columns == truth[:, None]) & (sizes[columns] == 1), -np.inf, candidates.score)
    ahead = _own(candidates, truth) - rivals.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(ahead) & candidates.heard, ahead, 0.0)
