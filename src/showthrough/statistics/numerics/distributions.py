"""The distributions that intervals and tests need, for arrays: beta and Student's t, below a point and backwards.

Shares of a beta distribution come from the even part of the continued fraction of the incomplete beta function (DLMF
8.17.22; Didonato and Morris 1992), which is fast on the side of the mean where little is left. What comes before it
is kept as a logarithm, in Stirling's form, so that nothing is too small or too large. Quantiles are found by Newton's
method on the logarithm of the share as a function of ln(x / (1 − x)): that is concave, so from below no step goes too
far.

How many steps are taken follows from all that is asked for together: the last digit depends on that. Where `calls`
numbers what was asked for, equal numbers are what one call would have had, and get the digits that it would have given.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats, Ints

# Stirling's series (DLMF 5.11.1), which from 10 on is exact to the last digit.
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
_FROM = 10
_ROOT = 0.5 * np.log(2 * np.pi)
_STEPS = 200
_SMALL = 1e-7
_NONE = 1e-12  # a share that is nothing but rounding
_ROUNDING = 1e-14
_AMISS = 1e-6  # more than rounding makes of any start
_CELLS = 1_000_000  # of the fractions that are held at once: 8 MB each


def log_gamma(x: ArrayLike) -> Floats:
    """The logarithm of the gamma function of numbers above 0.

    >>> np.exp(log_gamma([5.0, 0.5])).round(6).tolist()  # 4!, √π
    [24.0, 1.772454]
    """
    x = np.asarray(x, dtype=np.float64)
    return np.asarray((x - 0.5) * np.log(x) - x + _ROOT + _stirling_error(x))


def beta_quantile(a: ArrayLike, b: ArrayLike, share: ArrayLike, calls: ArrayLike = 0) -> Floats:
    """Below what that share of a beta distribution lies; NaN where there is no such distribution.

    >>> beta_quantile([1.0, 2.0], [1.0, 2.0], [0.3, 0.5]).round(6).tolist()
    [0.3, 0.5]
    """
    share = np.asarray(share, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-_odds(a, b, share, 1 - share, calls))))


def binomial_ends(
    right: ArrayLike, trials: ArrayLike, confidence: float, calls: ArrayLike = 0
) -> tuple[Floats, Floats]:
    """Clopper and Pearson's interval of a share (1934); neither count has to be whole.

    At 0 or all of them the error is on the one side that there is: with nothing seen in n, up to about 3 in n.

    >>> low, high = binomial_ends([42.0, 0.0], [42.0, 42.0], 0.95)
    >>> low.round(4).tolist(), high.round(4).tolist()  # 0.05 ** (1 / 42) = 0.9312
    ([0.9312, 0.0], [1.0, 0.0688])
    """
    right, trials = (np.asarray(count, dtype=np.float64) for count in (right, trials))
    tail = (1 - confidence) / 2
    none, every = right <= _NONE * trials, right >= (1 - _NONE) * trials
    low, high = beta_quantile(
        np.stack([np.maximum(right, _NONE), right + 1]),
        np.stack([trials - right + 1, np.maximum(trials - right, _NONE)]),
        np.stack([np.where(every, 2 * tail, tail), 1 - np.where(none, 2 * tail, tail)]),
        calls,
    )
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


def student_below(freedom: ArrayLike, t: ArrayLike) -> Floats:
    """The share of Student's t distribution that lies below t.

    >>> student_below(1.0, [-1.0, 0.0, 1.0]).round(6).tolist()
    [0.25, 0.5, 0.75]
    """
    freedom, t = np.broadcast_arrays(np.asarray(freedom, dtype=np.float64), np.asarray(t, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = (np.log(freedom) - 2 * np.log(np.abs(t))).ravel()
        a, b = freedom.ravel() / 2, np.full(freedom.size, 0.5)
        share, _, _ = _log_share(a, b, odds, _log_height(a, b), np.zeros(a.size, dtype=np.int64))
    tail = 0.5 * np.exp(share).reshape(freedom.shape)
    return np.where(t > 0, 1 - tail, tail)


def student_quantile(freedom: ArrayLike, share: float, calls: ArrayLike = 0) -> Floats:
    """Below what that share of Student's t distribution lies.

    >>> student_quantile([1.0, 10.0], 0.975).round(4).tolist()
    [12.7062, 2.2281]
    """
    freedom = np.asarray(freedom, dtype=np.float64)
    odds = _odds(freedom / 2, 0.5, 2 * min(share, 1 - share), abs(2 * share - 1), calls)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.copysign(np.sqrt(freedom) * np.exp(-odds / 2), share - 0.5))


def normal_quantile(share: float) -> float:
    """Below what that share of the standard normal distribution lies."""
    return NormalDist().inv_cdf(share)


def _stirling_error(x: Floats) -> Floats:
    """What Stirling's formula lacks of the logarithm of the gamma function."""
    small = x < _FROM
    large = np.where(small, x + _FROM, x)
    square, series = large**-2.0, np.full_like(large, _SERIES[-1])
    for factor in reversed(_SERIES[:-1]):
        series = factor + series * square
    series /= large
    product = np.prod(x[..., None] + np.arange(_FROM), axis=-1, where=small[..., None])
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = (large - 0.5) * np.log(large) - large - np.log(product) - (x - 0.5) * np.log(x) + x
    return np.asarray(series + np.where(small, moved, 0.0))


def _log_before(a: Floats, b: Floats, odds: Floats, x: Floats, y: Floats) -> Floats:
    """ln(x^a (1 − x)^b / B(a, b)) less what it is at the mean: the density of the odds' logarithm."""
    off = x * b - y * a  # from the mean: near it most of the two logarithms cancels
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = a * _log1p_excess(off / a) + b * _log1p_excess(-off / b)
        far = a * (_log_share_of(odds) + np.log1p(b / a)) + b * (_log_share_of(-odds) + np.log1p(a / b))
    return np.where(np.abs(odds - np.log(a / b)) < 0.5, near, far)


def _log_height(a: Floats, b: Floats) -> Floats:
    """ln(x^a (1 − x)^b / B(a, b)) at the mean, x = a / (a + b)."""
    total = a + b
    return np.asarray(
        0.5 * np.log(a / total * b) - _ROOT + _stirling_error(total) - _stirling_error(a) - _stirling_error(b)
    )


def _log1p_excess(u: Floats) -> Floats:
    return np.log1p(u) - u


def _log_share_of(odds: Floats) -> Floats:
    """ln x from ln(x / (1 − x))."""
    return -np.logaddexp(0, -odds)


def _both(odds: Floats) -> tuple[Floats, Floats]:
    """x and 1 − x, each with all of its digits."""
    return np.exp(_log_share_of(odds)), np.exp(_log_share_of(-odds))


def _fraction(a: Floats, b: Floats, x: Floats, y: Floats, calls: Ints) -> Floats:
    """What x^a (1 − x)^b / B(a, b) is to be multiplied with for the share below x, where x is not above the mean."""
    # As many as the slowest of a call needs for all digits: found by trying, from 1e-12 to 1e9.
    slowest = np.zeros(calls.max(initial=0) + 1)
    np.fmax.at(slowest, calls, 12 + 6 * np.cbrt(np.minimum(a, b)) + 70 / (1 + b))
    own = slowest.astype(np.int64)[calls]
    steps = int(own.max(initial=0))
    if a.size > 1 and a.size * steps > _CELLS:
        half = a.size // 2
        sides = [(side[:half], side[half:]) for side in (a, b, x, y, calls)]
        return np.concatenate([_fraction(*arguments) for arguments in zip(*sides, strict=True)])
    m = np.arange(steps + 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        odd = np.where(m > 0, m * (b - m) * x / (a + 2 * m - 1), 0.0)
        middle = m + odd + (a + m) * (a * y - b * x + 1 + m * (1 + y)) / (a + 2 * m + 1)
        above = odd * (a + (m - 1)) * (a + b + (m - 1)) * x / (a + 2 * m - 1)
    value = middle[own, np.arange(own.size)]  # from where each begins
    least = int(own.min(initial=steps))
    for number in range(steps - 1, -1, -1):
        step = middle[number] + above[number + 1] / value
        value = step if number < least else np.where(number < own, step, value)
    return np.asarray(1 / value)


def _log_share(a: Floats, b: Floats, odds: Floats, height: Floats, calls: Ints) -> tuple[Floats, Floats, Floats]:
    """ln of the share below, the share above (NaN where the one below has more digits), ln of the density."""
    x, y = _both(odds)
    density = _log_before(a, b, odds, x, y) + height
    below = x * (a + b + 2) < a + 1
    first, second = np.where(below, a, b), np.where(below, b, a)
    ratio = _fraction(first, second, np.where(below, x, y), np.where(below, y, x), calls)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.exp(density) * ratio
        logarithm = np.where(below, density + np.log(ratio), np.log1p(-np.minimum(tail, 1)))
    return logarithm, np.where(below, np.nan, tail), density


def _odds(a: ArrayLike, b: ArrayLike, below: ArrayLike, above: ArrayLike, calls: ArrayLike) -> Floats:
    """ln(x / (1 − x)) of the x below which that share of a beta distribution lies; `above` is the rest of it."""
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (a, b, below, above)))
    a, b, below, above = (value.ravel() for value in arrays)
    calls = np.broadcast_to(np.asarray(calls, dtype=np.int64), arrays[0].shape).ravel()
    odds = np.full(a.shape, np.nan)
    sound = (a > 0) & (b > 0) & np.isfinite(a + b) & (below >= 0) & (above >= 0)
    odds[sound & (below == 0)], odds[sound & (above == 0)] = -np.inf, np.inf
    for smaller, sign in ((below <= above, 1), (below > above, -1)):
        usable = sound & smaller & (np.minimum(below, above) > 0)
        if usable.any():
            sides = (a, b, below, above, calls) if sign > 0 else (b, a, above, below, calls)
            odds[usable] = sign * _newton(*(side[usable] for side in sides))
    return odds.reshape(arrays[0].shape)


def _newton(a: Floats, b: Floats, below: Floats, above: Floats, calls: Ints) -> Floats:
    # The share is at most x^a / (1 − x)^a / (a B(a, b)), so what that gives is not too far, but for rounding.
    height = _log_height(a, b)
    log_beta = -a * np.log1p(b / a) - b * np.log1p(a / b) - height
    least = (np.log(below) + np.log(a) + log_beta) / a
    least -= _AMISS * (1 + np.abs(least))
    normal = np.array([NormalDist().inv_cdf(share) for share in below.tolist()])
    deviation = np.sqrt(1 / a + 1 / b)
    odds = np.maximum(least, np.log(a / b) + normal * deviation)
    still = _SMALL * np.minimum(deviation, 1)  # the error after a step goes with its square
    on = np.arange(a.size)  # those of calls in which one still moves
    for _ in range(_STEPS):
        share, rest, density = _log_share(a[on], b[on], odds[on], height[on], calls[on])
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            excess = np.where(np.isnan(rest), share - np.log(below[on]), np.log1p((above[on] - rest) / below[on]))
            following = np.maximum(odds[on] - excess * np.exp(share - density), least[on])
        moved, odds[on] = np.abs(following - odds[on]), following
        rounding = _ROUNDING / np.where(np.isnan(rest), 1, below[on])
        moves = (moved > np.maximum(still[on], _ROUNDING * np.abs(following))) & (np.abs(excess) > rounding)
        if not moves.any():
            break
        if moves.size > 1:
            on = on[np.isin(calls[on], calls[on][moves])]
    return np.asarray(odds)
