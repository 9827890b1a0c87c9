"""Intervals that hold near 0 and 1 too, where a share of identifiers that leak usually lies.

A share that is 1 in every document is 1 in every resample, and a percentile interval then says 1 to 1. So the resamples
only tell how much the value varies. From that follows how many independent trials would be as uncertain, and the
interval is the exact one of a binomial share with so many trials (Korn and Graubard 1998, after Clopper and Pearson
1934).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from showthrough.statistics.forms import Influences

Array = NDArray[np.float64]

_NONE = 1e-12  # a spread that is nothing but rounding


@dataclass(frozen=True)
class Spread:
    """How uncertain some values are: the variance of each, and how many documents that rests on."""

    variance: Array
    documents: Array  # that count for a value at all
    weight: Array  # of these, as many equally heavy ones as weigh the same
    speaking: Array  # as many equally large deviations as there are

    @classmethod
    def of(cls, resampled: Array, each: Influences) -> Spread:
        """From resampled values (resamples × values) and what documents do to them."""
        counted = each.counted.sum(axis=0)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of a value that no resample has
            variance = np.nanvar(resampled, axis=0) * counted / np.maximum(counted - 1, 1)
            variance[variance <= _NONE * np.nanmax(np.abs(resampled), axis=0) ** 2] = 0.0
        return cls(variance, counted, alike(each.weights), alike(each.moves**2))


def alike(shares: Array) -> Array:
    """As many equal shares as are as uneven as these: all of them if they are equal, 1 if one has everything.

    >>> alike(np.array([[1.0, 1.0], [1.0, 0.0]])).tolist()
    [2.0, 1.0]
    """
    whole = shares.sum(axis=0) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(whole / (shares**2).sum(axis=0)))


def share_interval(value: Array, spread: Spread, confidence: float) -> tuple[Array, Array]:
    """Intervals of values between 0 and 1; at exactly 0 or 1, and where nothing varies, every document is one trial.

    At 0 or 1 all of the error is on the one side: with nothing seen in n documents up to about 3 in n may be there.

    >>> spread = Spread(*np.array([[0.0], [42.0], [42.0], [0.0]]))
    >>> low, high = share_interval(np.array([1.0]), spread, 0.95)
    >>> round(low.item(), 4), high.item()  # 0.05 ** (1 / 42): at most 6.9 % leak
    (0.9312, 1.0)
    """
    from scipy.special import betaincinv

    trials = _trials(value, spread, confidence)
    tail = (1 - confidence) / 2
    at_none, at_all = value <= _NONE, value >= 1 - _NONE
    right = value * trials
    with np.errstate(invalid="ignore"):
        low = betaincinv(np.maximum(right, _NONE), trials - right + 1, np.where(at_all, 2 * tail, tail))
        high = betaincinv(right + 1, np.maximum(trials - right, _NONE), 1 - np.where(at_none, 2 * tail, tail))
    low, high = np.where(at_none, 0.0, low), np.where(at_all, 1.0, high)
    return np.minimum(low, value), np.maximum(high, value)


def _trials(value: Array, spread: Spread, confidence: float) -> Array:
    """As many independent trials as are as uncertain as the value.

    Fewer where the variance itself rests on few documents (by Student's t), though no fewer than documents that
    weigh alike: a few leaks in one document say little about how leaks come.
    """
    varying = spread.variance > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(varying, value * (1 - value) / spread.variance, spread.documents)
        cautious = found * _widening(freedom(spread), confidence) ** -2
        usual = found * _widening(np.maximum(spread.documents - 1, 1), confidence) ** -2
    trials = np.maximum(cautious, np.minimum(usual, spread.weight))
    return np.where(varying & (value > _NONE) & (value < 1 - _NONE), trials, spread.documents)


def number_interval(value: Array, spread: Spread, confidence: float) -> tuple[Array, Array]:
    """Intervals of values without bounds, by Student's t; undefined where nothing varies."""
    from scipy.special import ndtri

    with np.errstate(invalid="ignore"):
        reach = _widening(freedom(spread), confidence) * ndtri((1 + confidence) / 2) * np.sqrt(spread.variance)
    reach = np.where(spread.variance > 0, reach, np.nan)
    return value - reach, value + reach


def freedom(spread: Spread) -> Array:
    """Degrees of freedom of the variance. A few large deviations leave few (Satterthwaite 1946)."""
    return np.clip(2 * spread.speaking, 1, np.maximum(spread.documents - 1, 1))


def _widening(degrees: Array, confidence: float) -> Array:
    """How much wider Student's t makes an interval than the normal distribution."""
    from scipy.special import ndtri, stdtrit

    return np.asarray(stdtrit(degrees, (1 + confidence) / 2) / ndtri((1 + confidence) / 2))


def difference_interval(value: float, error: float, freedom: float, confidence: float) -> tuple[float, float]:
    """The interval of a difference by Student's t; what the test finds to differ has one without 0."""
    from scipy.special import stdtrit

    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return value - reach, value + reach


def sure_difference_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """The interval of first minus second, each given as value, low and high, where nothing varies.

    What each side's interval leaves below and above its value is put together as independent errors are (Zou and
    Donner 2008). So where both sides are perfect the difference is not sure to be 0.

    >>> low, high = sure_difference_interval((1.0, 0.9, 1.0), (1.0, 0.9, 1.0))
    >>> round(low, 3), round(high, 3)
    (-0.1, 0.1)
    """
    value = first[0] - second[0]
    below = np.hypot(first[0] - first[1], second[2] - second[0])
    above = np.hypot(first[2] - first[0], second[0] - second[1])
    return float(value - below), float(value + above)
