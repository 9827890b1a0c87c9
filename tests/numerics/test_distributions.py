"""Distributions against SciPy's, where SciPy has all digits, and against known values where it has not."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.statistics.numerics.distributions import (
    beta_quantile,
    log_gamma,
    normal_quantile,
    student_below,
    student_quantile,
)

pytestmark = pytest.mark.filterwarnings("error")

PARAMETERS = np.array([1e-3, 0.01, 0.3, 0.5, 1, 1.5, 3, 10, 42.3, 200, 999, 1e4])
SHARES = np.array([1e-30, 1e-10, 1e-4, 0.005, 0.025, 0.05, 0.3, 0.5, 0.7, 0.95, 0.975, 0.999, 1 - 1e-9])
FREEDOMS = np.array([0.1, 0.5, 1, 1.5, 2, 3, 5, 10, 30, 41, 100, 999, 1e4, 1e6])


def test_log_gamma() -> None:
    from scipy.special import gammaln

    x = np.concatenate([10.0 ** np.arange(-12, 10), np.arange(1, 60) / 2, [9.999, 10.001]])
    assert log_gamma(x) == pytest.approx(gammaln(x), rel=1e-13, abs=1e-14)
    assert log_gamma(np.arange(0) + 1.0).tolist() == []
    assert np.exp(log_gamma(np.arange(1, 15))) == pytest.approx([math.factorial(n) for n in range(14)], rel=1e-12)


def test_beta_quantiles() -> None:
    from scipy.special import betaincinv

    a, b, share = np.meshgrid(PARAMETERS, PARAMETERS, SHARES)
    expected = betaincinv(a, b, share)
    there = expected > 1e-290  # below, nothing but 0 can be told
    found = beta_quantile(a, b, share)
    assert found[there] == pytest.approx(expected[there], rel=1e-10)
    assert (found[~there] < 1e-289).all()


@pytest.mark.parametrize(
    ("a", "b", "share", "expected"),
    [
        # Checked against sums of the power series (DLMF 8.17.8) in 40 digits; SciPy 1.17 is off by up to 82 % here.
        (10, 1e8, 0.7, 1.1387271376046195e-07),
        (1000, 1e6, 0.975, 0.001061826441281342),
        (1000, 1e8, 0.025, 9.389639199746692e-06),
        (1000, 1e8, 1e-30, 6.7962495043219244e-06),
        (1000, 10, 1e-300, 0.47983441468950633),
        (1e6, 10, 1e-300, 0.9992628608263555),
    ],
)
def test_large_parameters(a: float, b: float, share: float, expected: float) -> None:
    assert float(beta_quantile(a, b, share)) == pytest.approx(expected, rel=1e-11)


@given(st.floats(1, 1e7), st.floats(1e-6, 1 - 1e-6))
def test_where_there_is_a_formula(a: float, share: float) -> None:
    """x^a, and the same from the other side."""
    assert float(beta_quantile(a, 1, share)) == pytest.approx(share ** (1 / a), rel=1e-12)
    assert float(beta_quantile(1, a, share)) == pytest.approx(-math.expm1(math.log1p(-share) / a), rel=1e-12)


def test_edges() -> None:
    assert beta_quantile(2, 3, [0, 1]).tolist() == [0.0, 1.0]
    none = beta_quantile([0.0, 1, np.nan, 1, 1, np.inf], [1.0, -1, 1, 1, 1, 1], [0.5, 0.5, 0.5, -0.1, 1.1, 0.5])
    assert np.isnan(none).all()
    assert beta_quantile(np.zeros((0, 2)), 1, 0.5).shape == (0, 2)
    assert beta_quantile([[1.0], [2.0]], [1.0, 2.0, 3.0], 0.5).shape == (2, 3)
    assert float(beta_quantile(1e-12, 5, 0.5)) == 0.0
    assert float(beta_quantile(5, 1e-12, 0.5)) == 1.0


def test_student_below() -> None:
    from scipy.special import stdtr

    t = np.concatenate([-(10.0 ** np.arange(-3, 13)), [0.0], np.linspace(-6, 6, 41), 10.0 ** np.arange(4)])
    freedom, t = np.meshgrid(FREEDOMS, t)
    expected = stdtr(freedom, t)
    there = expected > 1e-290
    assert student_below(freedom, t)[there] == pytest.approx(expected[there], rel=1e-10)
    assert (student_below(freedom, t)[~there] < 1e-289).all()
    assert np.isnan(student_below([1.0, np.nan], [np.nan, 1.0])).all()
    assert student_below(3.0, [-np.inf, np.inf]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("t", [1e-12, 1e-8, 0.5, 3.0, 1e6])
def test_one_degree_of_freedom(t: float) -> None:
    assert float(student_below(1, -t)) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-16, rel=1e-10)


@pytest.mark.parametrize("share", [1e-10, 1e-4, 0.025, 0.3, 0.6, 0.9, 0.975, 0.995, 1 - 1e-9])
def test_student_quantiles(share: float) -> None:
    from scipy.special import stdtrit

    assert student_quantile(FREEDOMS, share) == pytest.approx(stdtrit(FREEDOMS, share), rel=1e-10)
    back = student_below(FREEDOMS, student_quantile(FREEDOMS, share))
    assert back == pytest.approx(np.full(len(FREEDOMS), share), rel=1e-11)


def test_student_and_normal() -> None:
    assert student_quantile([3.0, 1e9], 0.5).tolist() == [0.0, 0.0]
    assert np.isnan(student_quantile([np.nan, -1.0], 0.9)).all()
    assert float(student_quantile(1e12, 0.975)) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-10)
    from scipy.special import ndtri

    assert [normal_quantile(share) for share in SHARES.tolist()] == pytest.approx(ndtri(SHARES), rel=1e-13)


def test_every_share_of_every_distribution_is_somewhere() -> None:
    random = np.random.default_rng(3)
    a, b = 10 ** random.uniform(-12, 5, size=(2, 500))
    found = beta_quantile(a, b, 1 / (1 + np.exp(random.uniform(-20, 20, size=500))))
    assert ((found >= 0) & (found <= 1)).all()
