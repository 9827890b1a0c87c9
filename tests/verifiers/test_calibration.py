"""Probabilities from margins."""

from __future__ import annotations

import numpy as np
import pytest

from showthrough.families.authorship.verifiers._calibration import (
    Calibration,
    chances,
    fit_and_calibrate,
    logistic,
    middle_of,
)


class Plain:
    """Margins that are the rows themselves."""

    def margins(self, rows: np.ndarray) -> np.ndarray:
        return rows[:, 0]


def drawn(count: int, skill: float) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    same = np.arange(count) % 2 == 0
    return random.normal(size=(count, 2)) + skill * same[:, None], same


def test_logistic_finds_what_scipy_finds() -> None:
    from scipy.optimize import minimize

    columns, same = drawn(60, 1.0)
    target = np.where(same, 31 / 32, 1 / 32)

    def loss(weights: np.ndarray) -> float:
        logit = columns @ weights[1:] + weights[0]
        return float((np.logaddexp(0, logit) - target * logit).sum())

    assert logistic(columns, same) == pytest.approx(minimize(loss, np.zeros(3)).x, abs=1e-4)


@pytest.mark.parametrize("columns", [np.zeros((6, 2)), np.array([[-9.0, 1], [-8, 1], [-7, 1], [7, 1], [8, 1], [9, 1]])])
def test_columns_that_tell_nothing_or_all(columns: np.ndarray) -> None:
    assert np.isfinite(logistic(columns, np.arange(6) > 2)).all()


def test_as_many_are_above_the_middle_as_are_by_one_author() -> None:
    margins = np.array([0.3, -2.0, 5.0, 0.1, 9.0])
    same = np.array([True, False, True, False, True])
    assert middle_of(margins, same) == pytest.approx(0.2)
    assert (margins > middle_of(margins, same)).sum() == 3
    for kind in (True, False):
        assert np.isfinite(middle_of(margins, np.full(5, kind)))


def test_calibrated_probabilities_are_right_as_often_as_they_say() -> None:
    rows, same = drawn(4000, 1.0)
    _, found = fit_and_calibrate(rows, same, np.arange(4000), 0, lambda *_: Plain())
    answers = found.chances(rows[:, 0])
    for low in (0.2, 0.4, 0.6, 0.8):
        inside = (answers > low - 0.1) & (answers < low + 0.1)
        assert same[inside].mean() == pytest.approx(low, abs=0.06)


def test_nothing_is_turned_around() -> None:
    rows, same = drawn(100, 1.0)
    _, found = fit_and_calibrate(-rows, same, np.arange(100), 0, lambda *_: Plain())
    assert found.slope > 0
    assert found.chances(np.array([-50.0, 50.0])) == pytest.approx(0.5, abs=0.01)


def test_never_sure() -> None:
    assert 0 < chances(np.array([-1e9])).item() < 1e-9
    assert 1 > chances(np.array([1e9])).item() > 1 - 1e-9
    assert Calibration.loaded(Calibration(0.1, 2.0).saved()) == Calibration(0.1, 2.0)
