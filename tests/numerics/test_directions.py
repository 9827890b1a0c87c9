"""Main directions against LAPACK's decomposition of the dense matrix, and against SciPy's of the sparse one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from showthrough.statistics.numerics import directions
from showthrough.statistics.numerics.directions import main_directions
from showthrough.statistics.numerics.sparse import SparseRows

COUNT = 20


def strewn(rows: int, width: int, entries: int = 30) -> SparseRows:
    """Rows with words as a language has them: the more frequent, the sooner."""
    chance = np.random.default_rng(0)
    column = np.minimum(chance.zipf(1.3, size=(rows, entries)), width) - 1
    keys = np.unique((np.arange(rows)[:, None] * width + column).ravel())
    ends = np.searchsorted(keys, np.arange(rows + 1) * width)
    return SparseRows(1 + chance.random(len(keys)), keys % width, ends, width).unit()


@pytest.fixture(params=["all directions", "iteration"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "_WHOLE", 10_000 if request.param == "all directions" else 0)


def apart(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """How far the vectors of two sets are from each other, either sign being as good."""
    return float(np.abs(one - two * np.sign((one * two).sum(axis=1))[:, None]).max())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("rows", "width"), [(300, 900), (900, 300), (150, 150)])
def test_as_the_dense_decomposition(rows: int, width: int) -> None:
    given = strewn(rows, width)
    sizes, found = main_directions(given, COUNT)
    _, expected_sizes, expected = np.linalg.svd(given.dense(), full_matrices=False)
    assert sizes == pytest.approx(expected_sizes[:COUNT], rel=1e-12)
    assert apart(found, expected[:COUNT]) < 1e-10


@pytest.mark.parametrize("rows", [400, pytest.param(1_200, marks=pytest.mark.slow)])
def test_as_scipy(rows: int) -> None:
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import svds

    given = strewn(rows, 3_000)
    whole = csr_array((given.data, given.column, given.bound), shape=(rows, given.width))
    _, expected_sizes, expected = svds(whole, k=100, v0=np.ones(rows))
    sizes, found = main_directions(given, 100)
    assert sizes == pytest.approx(expected_sizes[::-1], rel=1e-12)
    assert apart(found, expected[::-1]) < 1e-8


@pytest.mark.usefixtures("way")
def test_values_that_occur_often() -> None:
    """30 directions of length 3 and 30 of length 2, more than a block is wide, among 400 of length 1."""
    lengths = np.random.default_rng(0).permutation(np.repeat([3.0, 2.0, 1.0], [30, 30, 400]))
    given = SparseRows(lengths, np.arange(460), np.arange(461), 460)
    sizes, found = main_directions(given, 40)
    assert sizes == pytest.approx(np.repeat([3.0, 2.0], [30, 10]))
    assert found @ found.T == pytest.approx(np.eye(40), abs=1e-12)
    assert np.linalg.norm(given.times(found.T), axis=0) == pytest.approx(sizes)


@pytest.mark.usefixtures("way")
def test_rows_that_repeat() -> None:
    """Twelve rows, each many times: what lies beyond twelve directions has length 0."""
    given = SparseRows.stack([strewn(12, 500)] * 20)
    sizes, found = main_directions(given, COUNT)
    assert (sizes[:12] > 0.1).all()
    assert (sizes[12:] < 1e-12).all()
    assert given.times(found[:12].T) @ found[:12] == pytest.approx(given.dense())


@pytest.mark.usefixtures("way")
def test_what_is_small_keeps_its_digits() -> None:
    """A product of the matrix with itself alone would tell lengths below 1e-8 of the largest from none."""
    lengths = np.concatenate([10.0 ** -np.arange(12), np.zeros(188)])
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(200, 200)))[0]
    dense = lengths[:, None] * turned
    given = SparseRows(dense.ravel(), np.tile(np.arange(200), 200), np.arange(0, 40_001, 200), 200)
    sizes, _ = main_directions(given, 12)
    assert sizes[:7] == pytest.approx(lengths[:7], rel=1e-6)


def test_few_rows() -> None:
    given = strewn(5, 40)
    sizes, found = main_directions(given, COUNT)
    assert found.shape == (5, 40)
    assert sizes == pytest.approx(np.linalg.svd(given.dense())[1])
