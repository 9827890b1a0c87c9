"""Intervals of shares: near the exact ones of independent documents, on either side, and with coverage in groups."""

from __future__ import annotations

import numpy as np
import pytest

from inferring import run_of
from showthrough.metrics import Rows
from showthrough.run.run import Run
from showthrough.studies.risk._singling import shares


@pytest.fixture(scope="module")
def run() -> Run:
    return run_of([[]] * 60)


def interval(run: Run, above: np.ndarray, below: np.ndarray) -> tuple[float, float, float]:
    found = shares(run, Rows.of(above=above, below=below), {"x": ("above", "below")}, "nothing")["x"]
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


@pytest.mark.parametrize("few", [1, 3, 10, 29])
def test_single_documents_are_nearly_as_exact_as_trials(run: Run, few: int) -> None:
    """A little wider than Clopper and Pearson's, and alike from both sides."""
    from scipy.stats import beta

    above = (np.arange(60) < few).astype(float)
    value, low, high = interval(run, above, np.ones(60))
    exact = beta.ppf(0.025, few, 61 - few), beta.ppf(0.975, few + 1, 60 - few)
    assert value == few / 60
    assert 0 < low <= exact[0] + 0.01
    assert exact[1] - 0.01 <= high <= 1.25 * exact[1]
    assert interval(run, 1 - above, np.ones(60)) == pytest.approx((1 - value, 1 - high, 1 - low), abs=1e-9)


def test_at_the_ends(run: Run) -> None:
    assert interval(run, np.zeros(60), np.ones(60)) == pytest.approx((0.0, 0.0, 1 - 0.05 ** (1 / 60)))
    assert interval(run, np.ones(60), np.ones(60)) == pytest.approx((1.0, 0.05 ** (1 / 60), 1.0))


def test_nothing_below_the_line(run: Run) -> None:
    found = shares(run, Rows.of(above=np.zeros(60), below=np.zeros(60)), {"x": ("above", "below")}, "nothing")["x"]
    assert (found.value, found.low, found.reason) == (None, None, "nothing")


@pytest.mark.slow
def test_coverage_where_people_stand_together(run: Run) -> None:
    """People of a document are alike: of 200 samples nearly all intervals hold the share of 5 %."""
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        people = random.integers(1, 8, 60).astype(float)
        above = random.binomial(people.astype(int), random.beta(0.5, 9.5, 60)).astype(float)
        _, low, high = interval(run, above, people)
        hits += low <= 0.05 <= high
    assert hits >= 186  # 95 % of 200, less 1.3 standard deviations
