"""Sparse rows give what dense matrices give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from showthrough.statistics.numerics import sparse
from showthrough.statistics.numerics.sparse import SparseRows, sums


def sparse_rows(dense: NDArray[np.float64]) -> SparseRows:
    row, column = np.nonzero(dense)
    return SparseRows(dense[row, column], column, np.searchsorted(row, np.arange(len(dense) + 1)), dense.shape[1])


def random(rows: int, width: int, share: float, seed: int = 0) -> NDArray[np.float64]:
    chance = np.random.default_rng(seed)
    return chance.normal(size=(rows, width)) * (chance.random((rows, width)) < share)


SHAPES = st.tuples(st.integers(0, 7), st.integers(1, 9), st.sampled_from([0.0, 0.2, 1.0]), st.integers(0, 99))


@given(SHAPES)
def test_what_goes_in_comes_out(shape: tuple[int, int, float, int]) -> None:
    dense = random(*shape)
    rows = sparse_rows(dense)
    assert rows.dense().tolist() == dense.tolist()
    assert rows.transpose().dense().tolist() == dense.T.tolist()
    assert rows.transpose().transpose().column.tolist() == rows.column.tolist()
    chosen = np.random.default_rng(0).integers(0, len(dense), size=5 * (len(dense) > 0))
    assert rows.rows(chosen).dense().tolist() == dense[chosen].tolist()
    half = len(dense) // 2
    assert rows.row_range(half, len(dense)).dense().tolist() == dense[half:].tolist()
    stacked = SparseRows.stack([rows, rows.row_range(0, half), rows])
    assert stacked.dense().tolist() == np.vstack([dense, dense[:half], dense]).tolist()


@given(SHAPES)
def test_products(shape: tuple[int, int, float, int]) -> None:
    dense = random(*shape)
    rows = sparse_rows(dense)
    vector, matrix = random(dense.shape[1], 1, 1.0)[:, 0], random(dense.shape[1], 3, 1.0)
    assert rows.times(vector) == pytest.approx(dense @ vector)
    assert rows.times(matrix) == pytest.approx(dense @ matrix)
    other = random(5, dense.shape[1], 0.5)
    assert rows.product(sparse_rows(other).transpose()) == pytest.approx(dense @ other.T)


@pytest.mark.parametrize("meeting", [0, 1, 3, 10**9])
def test_frequent_and_rare_columns_add_up(meeting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever columns are multiplied zeros and all, and however few cells are held at once."""
    monkeypatch.setattr(sparse, "_MEETING", meeting)
    monkeypatch.setattr(sparse, "_CELLS", 100)
    one, two = (random(rows, 60, 1.0) * (np.random.default_rng(rows).random((rows, 60)) ** 4) for rows in (20, 30))
    one[np.abs(one) < 0.1] = 0
    assert sparse_rows(one).product(sparse_rows(two).transpose()) == pytest.approx(one @ two.T)


def test_lengths() -> None:
    rows = sparse_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).unit()
    assert rows.dense().tolist() == [[0.6, 0.8], [0.0, 0.0]]
    nothing = SparseRows(np.zeros(1, dtype=np.float32), np.array([1]), np.array([0, 1]), 2).unit()
    assert (nothing.data.tolist(), nothing.data.dtype) == ([0.0], np.float32)


def test_entries_and_other_columns() -> None:
    rows = sparse_rows(np.array([[0.0, 5.0, 7.0], [6.0, 0.0, 0.0]]))
    assert rows.at(np.array([0, 1, 1, 0]), np.array([1, 2, 0, 2])).tolist() == [5.0, 0.0, 6.0, 7.0]
    assert sparse_rows(np.zeros((2, 2))).at(np.array([1]), np.array([1])).tolist() == [0.0]
    assert rows.within(np.array([1, -1, 0]), 2).dense().tolist() == [[7.0, 0.0], [0.0, 6.0]]


def test_sums_do_not_depend_on_what_is_summed_beside_them() -> None:
    """A few long ones are made one by one, many short ones together: to the last digit the same."""
    values = random(300, 4, 1.0)
    which = np.random.default_rng(1).integers(0, 300, size=5_000)
    few = sums(values, which[:500], np.array([0, 499, 500]))
    many = sums(values, which, np.array([0, *range(499, 5_001)]))
    assert few.tolist() == many[:2].tolist()
    weights = random(5_000, 1, 1.0)[:, 0]
    few = sums(values, which[:500], np.array([0, 499, 500]), weights[:500])
    assert few.tolist() == sums(values, which, np.array([0, *range(499, 5_001)]), weights)[:2].tolist()
    assert few[0] == pytest.approx(weights[:499] @ values[which[:499]])
