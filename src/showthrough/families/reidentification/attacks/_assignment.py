"""One-to-one assignment on top of an attack: every individual has one document, so a sure match frees the others.

The best matching as a whole (Kuhn 1955, Munkres 1957) is sought instead of everybody's best. Documents that tell
nothing are left out of it; they get whoever is left.
"""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import (
    NOBODY,
    RankPosition,
    RankResult,
    control,
    find_positions,
    shares,
    summarize_ranks,
)
from showthrough.statistics.numerics.matching import best_matching

LARGEST = 5_000  # documents and individuals up to which the best matching is sought
NOT_RUN = f"one-to-one assignment takes at most {LARGEST:,} documents and {LARGEST:,} individuals"


def fits(documents: int, individuals: int) -> bool:
    return max(documents, individuals) <= LARGEST


def assign_documents(
    candidates: Candidates, document: Ints, truth: Ints, sizes: Ints, k: int, another: Ints | None = None
) -> RankResult:
    """Standings when documents and individuals are matched one to one.

    Rows of `candidates` are distinct texts, `document` is the row of every document. Documents with the same text
    cannot be told apart, nor can individuals with the same profile: each of them has each of their matches alike.
    """
    times = np.bincount(document, minlength=len(candidates.score))
    row, column = _match_documents(candidates, times, sizes)
    slots = [column[row == number] for number in range(len(times))]

    def first_shares(rows: Ints, true: Ints) -> Floats:
        own = candidates.of_documents(rows)
        position = find_positions(own, true, sizes)
        total = shares(position, k)
        for number in np.flatnonzero(own.heard & (true != NOBODY)).tolist():
            before, beside, individual = position.before[number], position.beside[number], true[number]
            total[:, number] = _document_shares(
                own.score[number], individual, sizes[individual], before, beside, slots[rows[number]], k
            )
        silent = ~own.heard
        total[:3, silent] = _remaining_shares(column, true[silent], sizes, k)[:3]
        return total

    own = candidates.of_documents(document)
    guess = np.array([slots[number][0] if len(slots[number]) else NOBODY for number in document], dtype=np.int64)
    swapped = control(lambda documents, true: first_shares(document[documents], true)[0], truth, another)
    return summarize_ranks(own, truth, sizes, first_shares(document, truth), guess, swapped)


def _match_documents(candidates: Candidates, times: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """Rows and their columns: one entry a document that tells something, NOBODY where individuals run out."""
    rows = np.repeat(np.arange(len(times)), np.where(candidates.heard, times, 0))
    columns = np.repeat(np.arange(len(sizes)), sizes)
    column = best_matching(candidates.score[rows][:, columns])
    return rows, np.where(column >= 0, columns[column], NOBODY)


def _document_shares(score: Floats, true: int, size: int, before: float, beside: float, slots: Ints, k: int) -> Floats:
    """The shares of one document, on average over the matches that it may have."""
    expected = []
    for slot in slots.tolist():
        # The match moves to the front; the others keep their order behind it.
        ahead = slot != NOBODY and score[slot] > score[true]
        tied = slot != NOBODY and score[slot] == score[true]
        behind = RankPosition(np.array([before + (not ahead)]), np.array([beside - tied]))
        chance = 1 / size if slot == true else 0.0
        expected.append(chance + (1 - chance) * shares(behind, k)[:, 0])
    return np.asarray(np.mean(expected, axis=0))


def _remaining_shares(column: Ints, truth: Ints, sizes: Ints, k: int) -> Floats:
    """The shares of documents that tell nothing: anybody of those whom no other document took."""
    match_counts = np.bincount(column[column != NOBODY], minlength=len(sizes))
    remaining = sizes - match_counts
    share_left = np.where(truth != NOBODY, (remaining / sizes)[truth], 0.0)
    position = RankPosition(np.zeros(len(truth)), np.full(len(truth), float(remaining.sum())))
    return shares(position, k) * share_left
