from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.statistics import holm, p_value, shuffled_shifts


def exact_p(first: np.ndarray, second: np.ndarray) -> float:
    """All 2^n exchanges of documents: the share whose difference of means is at least the real one."""
    real = abs((first - second).mean())
    count = 0
    for coins in product((False, True), repeat=len(first)):
        flip = np.array(coins)
        one, two = np.where(flip, second, first), np.where(flip, first, second)
        count += abs((one - two).mean()) >= real - 1e-12
    return count / 2 ** len(first)


def approximate_p(first: np.ndarray, second: np.ndarray, shuffles: int) -> float:
    shift = shuffled_shifts((second - first)[:, None], shuffles, 0)[:, 0]
    total = first.sum() - second.sum()
    return p_value(total / len(first), (total + 2 * shift) / len(first))


def test_agrees_with_exact_enumeration() -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        first, second = random.random(8), random.random(8)
        assert approximate_p(first, second, 9999) == pytest.approx(exact_p(first, second), abs=0.02)


def test_equal_sides_give_one_and_clear_ones_the_smallest_value() -> None:
    same = np.random.default_rng(0).random(30)
    assert approximate_p(same, same, 999) == 1.0
    assert approximate_p(same + 1, same, 9999) == 1 / 10_000


def test_blocks_do_not_change_the_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = np.arange(20.0).reshape(10, 2)
    monkeypatch.setattr("showthrough.statistics.randomization._CELLS", 30)  # three shuffles at a time
    shifts = shuffled_shifts(difference, 10, 0)
    assert shifts.shape == (10, 2)
    assert len(np.unique(shifts[:, 0])) > 1
    assert (shifts[:, 1] >= shifts[:, 0]).all()  # each document's second column is its first plus one


def test_undefined_shuffles_never_make_a_result_surer() -> None:
    assert p_value(0.5, np.array([np.nan, 0.1, 0.1])) == (1 + 1) / (3 + 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(after >= before for before, after in zip(values, corrected, strict=True))
    assert all(value <= 1 for value in corrected)
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)


def test_holm_by_hand() -> None:
    # 0.005 × 4, 0.01 × 3, 0.03 × 2, 0.04 × 1, each at least the one before: 0.02, 0.03, 0.06, 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
