"""The best matching has SciPy's total, whatever is matched."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from showthrough.statistics.numerics.matching import NOBODY, best_matching

SHAPES = st.tuples(st.integers(0, 12), st.integers(0, 12))
NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, allow_nan=False))


def total(score: NDArray[np.float64]) -> float:
    """Of our matching, which must be one."""
    column = best_matching(score)
    matched = column != NOBODY
    assert matched.sum() == min(score.shape)
    assert len(np.unique(column[matched])) == matched.sum()
    return float(score[np.flatnonzero(matched), column[matched]].sum())


def scipys(score: NDArray[np.float64]) -> float:
    from scipy.optimize import linear_sum_assignment

    return float(score[linear_sum_assignment(score, maximize=True)].sum())


@settings(max_examples=300)
@given(SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=NUMBERS)))
def test_any_scores(score: NDArray[np.float64]) -> None:
    assert total(score) == pytest.approx(scipys(score), rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("shape", [(120, 120), (60, 200), (200, 60)])
@pytest.mark.parametrize("kind", ["uniform", "few values", "everybody wants the same"])
def test_many(kind: str, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    score = random.random(shape)
    if kind == "few values":
        score = np.floor(4 * score)
    elif kind == "everybody wants the same":
        score = np.outer(random.random(shape[0]), random.random(shape[1])) + 0.01 * score
    assert total(score) == pytest.approx(scipys(score), rel=1e-12)


def test_all_ways_are_tried() -> None:
    score = np.random.default_rng(1).normal(size=(6, 6))
    best = max(score[range(6), list(order)].sum() for order in permutations(range(6)))
    assert total(score) == pytest.approx(best)


def test_ties_are_broken_the_same_way() -> None:
    score = np.random.default_rng(2).integers(0, 3, size=(40, 40)).astype(np.float64)
    assert best_matching(score).tolist() == best_matching(score.copy()).tolist()
    assert best_matching(np.zeros((3, 5))).tolist() == [0, 1, 2]


def test_whole_numbers() -> None:
    assert best_matching(np.array([[1, 2], [1, 3]])).tolist() == [0, 1]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_scores_that_are_none(odd: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        best_matching(np.array([[odd, 1.0], [1.0, 1.0]]))


def test_whom_one_takes_another_gives_up() -> None:
    """All three like the first column best; the chain that frees it goes over both others."""
    score = np.array([[10.0, 9.0, 0.0], [10.0, 8.0, 7.0], [10.0, 2.0, 1.0]])
    assert best_matching(score).tolist() == [1, 2, 0]
