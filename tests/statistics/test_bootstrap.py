from __future__ import annotations

import numpy as np
import pytest

from showthrough.statistics import resampled_totals


def test_the_same_seed_gives_the_same_totals() -> None:
    values = np.random.default_rng(1).random((50, 3))
    assert np.array_equal(resampled_totals(values, 20, 7), resampled_totals(values, 20, 7))
    assert not np.array_equal(resampled_totals(values, 20, 7), resampled_totals(values, 20, 8))


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(12.0).reshape(6, 2)
    whole = resampled_totals(values, 30, 3)
    monkeypatch.setattr("showthrough.statistics.resampling._CELLS", 6 * 7)  # seven resamples at a time
    assert np.array_equal(resampled_totals(values, 30, 3), whole)


def test_every_resample_draws_as_many_documents_as_there_are() -> None:
    totals = resampled_totals(np.ones((17, 1)), 100, 0)
    assert (totals == 17).all()


def test_columns_are_resampled_together() -> None:
    values = np.random.default_rng(0).random((30, 1))
    totals = resampled_totals(np.hstack([values, 2 * values]), 50, 0)
    assert totals[:, 1] == pytest.approx(2 * totals[:, 0])


def test_spread_agrees_with_theory() -> None:
    # The mean of n documents varies by sd / √n; 4,000 resamples give that to a few per cent.
    values = np.random.default_rng(5).normal(size=(400, 1))
    means = resampled_totals(values, 4000, 0)[:, 0] / 400
    assert means.std() == pytest.approx(values.std() / np.sqrt(400), rel=0.05)
