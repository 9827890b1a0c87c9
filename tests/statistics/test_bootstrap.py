from __future__ import annotations

from math import comb

import numpy as np
import pytest

from in_blocks import Blocks
from showthrough.statistics import resampled_totals


def test_the_same_seed_gives_the_same_totals() -> None:
    values = np.random.default_rng(1).random((50, 3))
    assert np.array_equal(resampled_totals(values, 20, 7), resampled_totals(values, 20, 7))
    assert not np.array_equal(resampled_totals(values, 20, 7), resampled_totals(values, 20, 8))


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(12.0).reshape(6, 2)
    whole = resampled_totals(values, 30, 3)
    monkeypatch.setattr("showthrough.statistics._resampling._CELLS", 6 * 7)  # seven resamples at a time
    assert np.array_equal(resampled_totals(values, 30, 3), whole)


def test_every_resample_draws_as_many_documents_as_there_are() -> None:
    totals = resampled_totals(np.ones((17, 1)), 100, 0)
    assert (totals == 17).all()


def test_a_block_may_hold_more_documents_than_two_bytes_count() -> None:
    totals = resampled_totals(Blocks(np.ones((66_001, 1)), 66_000), 2, 0)
    assert totals.tolist() == [[66_001], [66_001]]


def test_columns_are_resampled_together() -> None:
    values = np.random.default_rng(0).random((30, 1))
    totals = resampled_totals(np.hstack([values, 2 * values]), 50, 0)
    assert totals[:, 1] == pytest.approx(2 * totals[:, 0])


def test_spread_agrees_with_theory() -> None:
    # The mean of n documents varies by sd / √n; 4,000 resamples give that to a few per cent.
    values = np.random.default_rng(5).normal(size=(400, 1))
    means = resampled_totals(values, 4000, 0)[:, 0] / 400
    assert means.std() == pytest.approx(values.std() / np.sqrt(400), rel=0.05)


@pytest.mark.parametrize("size", [3, 5, 11])
def test_documents_of_several_blocks_are_drawn_as_likely_as_all_at_once(size: int) -> None:
    """How often each of 11 documents is drawn: 1 on average, variance 1 − 1/11, covariance −1/11."""
    documents, resamples = 11, 20_000
    times = resampled_totals(Blocks(np.eye(documents), size), resamples, 1)
    assert (times.sum(axis=1) == documents).all()
    assert (times == np.rint(times)).all()
    covariance = np.cov(times.T)
    expected = np.eye(documents) - 1 / documents
    assert times.mean(axis=0) == pytest.approx(np.ones(documents), abs=4 * np.sqrt(1 / resamples))
    # A variance of 20,000 draws is known to about √(2 / 20,000) of itself, a covariance to √(1 / 20,000).
    assert np.abs(covariance - expected).max() < 5 * np.sqrt(2 / resamples)
    # All of what is drawn: how often a document is in a resample 0, 1, 2 … times is binomial.
    chances = [comb(documents, k) * (1 / documents) ** k * (1 - 1 / documents) ** (documents - k) for k in range(5)]
    for document in (0, size - 1, documents - 1):
        seen = np.bincount(times[:, document].astype(int), minlength=5)[:5]
        chi_square = ((seen - resamples * np.array(chances)) ** 2 / (resamples * np.array(chances))).sum()
        assert chi_square < 22  # of 5 degrees of freedom at most: beyond it once in 2,000


def test_draws_do_not_hang_on_the_columns() -> None:
    values = np.random.default_rng(0).integers(0, 9, (40, 6)).astype(np.float64)
    whole = resampled_totals(Blocks(values, 16), 50, 3)
    assert np.array_equal(resampled_totals(Blocks(values[:, :2], 16), 50, 3), whole[:, :2])
    assert not np.array_equal(resampled_totals(Blocks(values, 16), 50, 4), whole)


def test_resamples_of_several_blocks_vary_as_those_of_one() -> None:
    values = np.random.default_rng(5).normal(size=(200, 1))
    means = resampled_totals(Blocks(values, 64), 4000, 0)[:, 0] / 200
    assert means.std() == pytest.approx(values.std() / np.sqrt(200), rel=0.05)
    assert means.mean() == pytest.approx(values.mean(), abs=0.01)
