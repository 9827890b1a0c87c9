"""One-to-one assignment: the best matching, and honest shares where it is not unique."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.families.reidentification.attacks import _assignment
from showthrough.families.reidentification.attacks._assignment import assign_documents, fits
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import NOBODY, RankResult


def match(
    score: list[list[float]],
    truth: list[int],
    sizes: list[int] | None = None,
    rows: list[int] | None = None,
    k: int = 2,
) -> RankResult:
    found = np.array(score, dtype=float)
    heard = np.ptp(found, axis=1) > 0
    candidates = Candidates(found, found.shape[1], heard)
    rows = rows if rows is not None else list(range(len(score)))
    return assign_documents(candidates, np.array(rows), np.array(truth), np.array(sizes or [1] * found.shape[1]), k)


def test_a_sure_match_frees_the_others() -> None:
    # Both documents like the first individual best; 5 + 3 beats 4 + 2.
    found = match([[5, 2], [4, 3]], [0, 1])
    assert found.guess.tolist() == [0, 1]
    assert found.right.tolist() == [1, 1]
    assert found.rank.tolist() == [1, 1]
    assert found.margin.tolist() == [3, -1]  # of the fits themselves


def test_the_match_goes_to_the_front_and_the_others_keep_their_order() -> None:
    # 9 + 8 is the best whole. The second document's true individual, its best fit, moves to rank 2.
    found = match([[9, 0, 1], [8.5, 8, 0]], [0, 0])
    assert found.guess.tolist() == [0, 1]
    assert found.right.tolist() == [1, 0]
    assert found.rank.tolist() == [1, 2]
    assert found.reciprocal.tolist() == [1, 1 / 2]


def test_more_documents_than_individuals_leaves_some_without() -> None:
    found = match([[5, 1], [4, 2], [3, 0]], [0, 1, 0])
    assert found.guess.tolist() == [0, 1, NOBODY]
    assert found.right.tolist() == [1, 1, 0]
    assert found.rank.tolist() == [1, 1, 2]  # nobody stands in front of its best fit


def test_the_same_text_twice_shares() -> None:
    """Two documents of one text, about different people: nobody can tell which is whose."""
    found = match([[5, 4, 0]], [0, 1], rows=[0, 0])
    assert found.right.tolist() == [1 / 2, 1 / 2]


def test_the_same_profile_twice_shares() -> None:
    found = match([[5, 0]], [0], sizes=[2, 1])
    assert found.right.tolist() == [1 / 2]
    assert found.right_at_k.tolist() == [1]
    assert found.reciprocal.tolist() == [(1 + 1 / 2) / 2]


def test_a_profile_of_two_takes_two_documents() -> None:
    found = match([[5, 0], [4, 1]], [0, 0], sizes=[2, 1])
    assert found.guess.tolist() == [0, 0]
    assert found.right.tolist() == [1 / 2, 1 / 2]


def test_documents_that_tell_nothing_get_whoever_is_left() -> None:
    found = match([[5, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [0, 2, 0])
    assert found.guess.tolist() == [0, NOBODY, NOBODY]
    assert found.right == pytest.approx([1, 1 / 3, 0])  # the third document's individual was taken by the first
    assert found.right_at_k == pytest.approx([1, 2 / 3, 0])


def test_all_documents_tell_nothing() -> None:
    found = match([[0, 0], [0, 0]], [0, 1])
    assert found.right.tolist() == [1 / 2, 1 / 2]


def test_somebody_whom_the_background_lacks_is_never_found() -> None:
    found = match([[5, 2], [4, 3]], [NOBODY, 1])
    assert found.right.tolist() == [0, 1]
    assert found.rank.tolist() == [0, 1]


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=2, max_size=4))
def test_no_matching_is_better(score: list[list[int]]) -> None:
    found = match([[float(value) for value in row] for row in score], [0] * len(score))
    heard = [row for row in range(len(score)) if len(set(score[row])) > 1]
    total = sum(score[row][found.guess[row]] for row in heard)
    best = max(sum(score[row][col] for row, col in zip(heard, cols, strict=False)) for cols in permutations(range(4)))
    assert total == best
    taken = [found.guess[row] for row in heard]
    assert len(set(taken)) == len(taken)


def test_how_large_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fits(5_000, 5_000)
    assert not fits(5_001, 10)
    assert not fits(10, 5_001)
    assert "5,000" in _assignment.NOT_RUN
