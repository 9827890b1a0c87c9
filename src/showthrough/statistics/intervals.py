"""Intervals that hold near 0 and 1 too, where a share of identifiers that leak usually lies.

A share that is 1 in every document is 1 in every resample, and a percentile interval then says 1 to 1. So the resamples
only tell how much the value varies. From that follows how many independent trials would be as uncertain, and the
interval is the exact one of a binomial share with so many trials (Korn and Graubard 1998, after Clopper and Pearson
1934).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.statistics._influence import InfluenceSums, Sizes
from showthrough.statistics.forms import Influences
from showthrough.statistics.numerics.distributions import binomial_ends, normal_quantile, student_quantile
from showthrough.statistics.rows import BLOCK

Ends = tuple[float, float, float]  # a value with the low and the high end of its interval

_NONE = 1e-12  # a spread that is nothing but rounding
_EVEN = 1e-9  # a spread of sizes that is
_FURTHER = 600  # how much heavier documents may be than those that were seen; from simulations, see the docs
ALIKE = "all documents are alike, so its uncertainty cannot be estimated"


@dataclass(frozen=True)
class Spread:
    """How uncertain some values are: the variance of each, and how many documents that rests on."""

    variance: Floats
    documents: Floats  # that count for a value at all
    weight: Floats  # of these, as many equally heavy ones as weigh the same
    speaking: Floats  # as many equally large deviations as there are
    heaviest: Floats = field(default_factory=lambda: np.zeros(1))  # document's part of all that is counted
    lean: Floats = field(
        default_factory=lambda: np.zeros(1)
    )  # how far from the value documents may lie that are heavier

    @classmethod
    def of(cls, resampled: Floats, influences: Influences | InfluenceSums) -> Spread:
        """From resampled values (resamples × values) and what documents do to them."""
        moved = influences if isinstance(influences, InfluenceSums) else InfluenceSums.of(influences)
        counted = moved.counted
        defined = ~np.isnan(resampled)
        number = np.maximum(defined.sum(axis=0), 1)
        mean = np.where(defined, resampled, 0).sum(axis=0) / number
        variance = np.where(defined, (resampled - mean) ** 2, 0).sum(axis=0) / number
        # A few resamples may by chance lie close together; documents do not.
        variance = np.maximum(variance, moved.squares) * counted / np.maximum(counted - 1, 1)
        variance[variance <= _NONE * np.maximum(moved.values**2, 1) * fewer(counted) ** 2] = 0.0
        weight, speaking = alike(moved.weights, moved.squared), alike(moved.squares, moved.fourths)
        if moved.sizes is None:
            return cls(variance, counted, weight, speaking, np.zeros(counted.shape), np.zeros(counted.shape))
        return cls(
            variance,
            counted,
            weight,
            speaking,
            np.nan_to_num(moved.sizes.largest),
            lean_of(moved.sizes, moved.squares, counted),
        )


def lean_of(sizes: Sizes, squares: Floats, counted: Floats) -> Floats:
    """How far from the value documents may lie that are heavier than all that were seen.

    By the line through the documents' own values over their sizes, each counting by its size. Of its slope as much is
    left as is no noise (James and Stein 1961; noise after White 1980). How much heavier they may be is
    told by how uneven sizes are, and how few: the variance of their mean over its square, times what of their squares
    is there because they are uneven.
    """
    spread = sizes.cubes - sizes.squares**2  # of sizes, each counting by its size
    noise = sizes.twice - 2 * sizes.squares * sizes.once + sizes.squares**2 * squares
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.maximum(sizes.products**2 - noise, 0) / (sizes.products * spread)
        uneven = np.maximum(sizes.squares - 1 / counted, 0) ** 2 / sizes.squares
        lean = slope * (sizes.largest * (1 + _FURTHER * uneven) - sizes.squares)
    return np.where((spread > _EVEN * sizes.cubes) & np.isfinite(lean), lean, 0.0)


def unseen(heaviest: Floats, confidence: float) -> Floats:
    """What part of all documents might be heavier than all that were seen: with none seen in n, up to about 3 in n."""
    more = -np.log1p(-confidence) * heaviest
    return np.asarray(more / (1 + more))


def fewer(documents: Floats | float) -> Floats:
    """How much less a single document moves a value than one of a block does: what is nothing is less by as much."""
    return np.asarray(np.minimum(BLOCK / np.maximum(documents, 1), 1.0))


def alike(sums: Floats, squares: Floats) -> Floats:
    """As many equal shares as are as uneven as some: all of them if they are equal, 1 if one has everything.

    >>> alike(np.array([2.0, 1.0]), np.array([2.0, 1.0])).tolist()  # of the shares 1 and 1, and of 1 and 0
    [2.0, 1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(sums**2 / squares))


def share_interval(value: Floats, spread: Spread, confidence: float, calls: ArrayLike = 0) -> tuple[Floats, Floats]:
    """Intervals of values between 0 and 1; at exactly 0 or 1, and where nothing varies, every document is one trial.

    At 0 or 1 all of the error is on the one side: with nothing seen in n documents up to about 3 in n may be there.
    `calls` are those of the quantiles (`numerics/distributions.py`).

    >>> spread = Spread(*np.array([[0.0], [42.0], [42.0], [0.0]]))
    >>> low, high = share_interval(np.array([1.0]), spread, 0.95)
    >>> round(low.item(), 4), high.item()  # 0.05 ** (1 / 42): at most 6.9 % leak
    (0.9312, 1.0)
    """
    trials = _trials(value, spread, confidence, calls)
    low, high = binomial_ends(value * trials, trials, confidence, calls)
    extreme, part = np.clip(value + spread.lean, 0, 1), unseen(spread.heaviest, confidence)
    low, high = low - part * np.maximum(low - extreme, 0), high + part * np.maximum(extreme - high, 0)
    return np.minimum(low, value), np.maximum(high, value)


def _trials(value: Floats, spread: Spread, confidence: float, calls: ArrayLike) -> Floats:
    """As many independent trials as are as uncertain as the value.

    Fewer where the variance itself rests on few documents (by Student's t), though no fewer than documents that
    weigh alike: a few leaks in one document say little about how leaks come. And where some documents weigh much more
    than others, few of those were seen: what goes beyond that number counts by how even the documents are.
    """
    varying = spread.variance > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        binomial = np.where(varying, value * (1 - value) / spread.variance, spread.documents)
        cautious = binomial * _student_widening(freedom(spread), confidence, calls) ** -2
        usual = binomial * _student_widening(np.maximum(spread.documents - 1, 1), confidence, calls) ** -2
        trials = np.maximum(cautious, np.minimum(usual, spread.weight))
        even = spread.weight / spread.documents
        trials = np.where(trials > spread.weight, spread.weight + (trials - spread.weight) * even, trials)
    # A single leak must not make a system look surer than none: few deviating documents are few trials.
    trials = np.minimum(trials, spread.documents * np.maximum(spread.speaking, 1))
    return np.where(varying & (value > _NONE) & (value < 1 - _NONE), trials, spread.documents)


def number_interval(value: Floats, spread: Spread, confidence: float, calls: ArrayLike = 0) -> tuple[Floats, Floats]:
    """Intervals of numbers that have no upper bound, by Student's t; undefined where nothing varies."""
    with np.errstate(invalid="ignore"):
        wider = _student_widening(freedom(spread), confidence, calls)
        reach = wider * normal_quantile((1 + confidence) / 2) * np.sqrt(spread.variance)
    reach = np.where(spread.variance > 0, reach, np.nan)
    return np.where(value >= 0, np.maximum(value - reach, 0.0), value - reach), value + reach


def freedom(spread: Spread) -> Floats:
    """Degrees of freedom of the variance. A few large deviations leave few (Satterthwaite 1946)."""
    return np.clip(2 * spread.speaking, 1, np.maximum(spread.documents - 1, 1))


def _student_widening(degrees: Floats, confidence: float, calls: ArrayLike) -> Floats:
    """How much wider Student's t makes an interval than the normal distribution."""
    return student_quantile(degrees, (1 + confidence) / 2, calls) / normal_quantile((1 + confidence) / 2)


def difference_interval(value: float, error: float, freedom: float, confidence: float) -> tuple[float, float]:
    """The interval of a difference by Student's t; what the test finds to differ has one without 0."""
    reach = float(student_quantile(freedom, (1 + confidence) / 2)) * error
    return value - reach, value + reach


def sure_difference_interval(first: Ends, second: Ends) -> tuple[float, float]:
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
