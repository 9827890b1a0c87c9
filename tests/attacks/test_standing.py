"""Honest counting: expectations over every way to break ties, checked by breaking them all."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import NOBODY, plain

ONES = np.ones(4, dtype=np.int64)


def standing(score: list[list[float]], truth: list[int], sizes: list[int] | None = None, k: int = 2):  # type: ignore[no-untyped-def]
    found = np.array(score)
    return plain(Candidates.of(found), np.array(truth), np.array(sizes or [1] * found.shape[1]), k)


def test_by_hand() -> None:
    found = standing([[3, 2, 1, 0], [3, 3, 1, 0], [3, 2, 1, 1]], [1, 0, 3])
    assert found.right.tolist() == [0, 1 / 2, 0]  # second; one of two firsts; one of two thirds
    assert found.right_at_k.tolist() == [1, 1, 0]
    assert found.reciprocal == pytest.approx([1 / 2, (1 + 1 / 2) / 2, (1 / 3 + 1 / 4) / 2])
    assert found.rank.tolist() == [2, 1.5, 3.5]
    assert found.margin.tolist() == [-1, 0, -2]
    assert found.guess.tolist() == [0, 0, 0]


def test_a_document_that_tells_nothing_fits_everybody_alike() -> None:
    found = standing([[0, 0, 0, 0]], [2])
    assert (found.right[0], found.right_at_k[0], found.rank[0]) == (1 / 4, 2 / 4, 2.5)
    assert found.guess[0] == NOBODY
    assert found.margin[0] == 0


def test_somebody_whom_the_background_lacks_is_never_found() -> None:
    found = standing([[3, 2, 1, 0], [0, 0, 0, 0]], [NOBODY, NOBODY])
    assert found.right.tolist() == found.right_at_k.tolist() == found.reciprocal.tolist() == [0, 0]
    assert found.rank.tolist() == [0, 0]
    assert found.guess.tolist() == [0, NOBODY]


def test_individuals_with_the_same_profile_share() -> None:
    found = standing([[3, 2]], [0], sizes=[3, 1])
    assert found.right[0] == 1 / 3
    assert found.right_at_k[0] == 2 / 3
    assert found.rank[0] == 2
    assert found.margin[0] == 0  # the others of the profile fit as well
    behind = standing([[3, 2]], [1], sizes=[3, 1])
    assert (behind.right[0], behind.right_at_k[0], behind.rank[0]) == (0, 0, 4)  # three stand before


def test_beyond_the_candidates_that_are_kept_nobody_is_in_sight() -> None:
    score, column = np.array([[5.0, 4.0], [5.0, 4.0]]), np.array([[7, 3], [2, 7]])
    candidates = Candidates(score, 9, np.array([True, True]), column)
    found = plain(candidates, np.array([3, 8]), np.ones(9, dtype=np.int64), 2)
    assert found.right_at_k.tolist() == [1, 0]
    assert found.rank.tolist() == [2, 0]
    assert found.guess.tolist() == [7, 2]


def broken(scores: list[int], sizes: list[int], truth: int, k: int) -> tuple[float, float, float, float]:
    """Means over all orders of the individuals, ties broken by that order; `truth` is the first of its profile."""
    people = [(score, column) for column, score in enumerate(scores) for _ in range(sizes[column])]
    person = sum(sizes[:truth])
    ranks = []
    for order in permutations(range(len(people))):
        ranked = sorted(order, key=lambda one: -people[one][0])  # stable: keeps the order among ties
        ranks.append(ranked.index(person) + 1)
    found = np.array(ranks)
    return float((found == 1).mean()), float((found <= k).mean()), float((1 / found).mean()), float(found.mean())


@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=4),
    st.lists(st.integers(1, 2), min_size=4, max_size=4),
    st.integers(0, 3),
    st.integers(1, 3),
)
@settings(max_examples=60)
def test_ties_share_as_if_broken_in_every_way(scores: list[int], sizes: list[int], truth: int, k: int) -> None:
    sizes, truth = sizes[: len(scores)], truth % len(scores)
    found = standing([[float(score) for score in scores]], [truth], sizes, k)
    expected = broken(scores, sizes, truth, k)
    assert (found.right[0], found.right_at_k[0], found.reciprocal[0], found.rank[0]) == pytest.approx(expected)
