"""Whether days differ from a month before them, by looks that somebody takes day after day.

A day is what is drawn: documents of one day resemble each other. The root of a day's rate, such as finds for each word,
differs from that of the reference by chance within the day, which its documents show, and by what the day has of its
own, which the days of the reference show (DerSimonian and Laird 1986). Roots are less skewed than rates. Student's t
holds the days of a window against the reference, with the scale of Hartung and Knapp (2001), which is never taken for
less than documents show. Of counts an exact test must agree: given their sum, the finds of both are binomial if days
have nothing of their own. So rare finds raise no alarm that Student's t alone would raise.

Each look takes the last day, the last seven and all days so far. Limits are such that at most 5 % of months in which
nothing changes raise any alarm: over all looks of a month by the law of the largest t, and over windows and rates by
Bonferroni's correction. A day may be like the one before it: how much, the reference shows, as well as few days can. If
days are very much alike, more months raise an alarm. `benchmarks/drift.py` tries all of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.statistics._losses import LEVEL
from showthrough.statistics.numerics.distributions import beta_quantile, student_below, student_quantile

LOOKS = 31  # of a month, at most
WINDOWS = (1, 7, LOOKS)  # days that a look takes
_MOST_ALIKE = 0.9
MONTHS = 40_000  # quiet months, from which limits are taken


@dataclass(frozen=True)
class DayTotals:
    """Of each day and each rate the sums over documents: of what is counted, of what by, their squares and products.

    The last axes are days and rates; those before them are months that are looked at together.
    """

    documents: Floats  # one for each day, without an axis of rates
    counted: Floats
    by: Floats
    counted_squares: Floats
    products: Floats
    by_squares: Floats


@dataclass(frozen=True)
class Rate:
    """How a rate is tested: whether a fall is an alarm too, whether it counts, and its part of the error."""

    name: str
    both_ways: bool = True
    counts: bool = True
    weight: float = 1.0


@dataclass(frozen=True)
class Drift:
    """What the looks found: for each month, look, window and rate 1 a rise, -1 a fall, 0 neither."""

    alarms: Ints
    reference: Floats  # the rates of the reference
    rates: Floats  # those of each look and window

    @property
    def any(self) -> Bools:
        """Whether a month has an alarm."""
        return np.asarray(self.alarms.any(axis=(-3, -2, -1)))


def find_drift(days: DayTotals, reference: int, rates: tuple[Rate, ...], level: float = LEVEL) -> Drift:
    """Looks at each day after the first ones, which are the reference."""
    first = np.s_[..., :reference, :]
    counted, by = days.counted, days.by
    before, before_by = counted[first].sum(-2), by[first].sum(-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = before / before_by
        root = np.sqrt(np.where(by > 0, counted / by, 0))
        precision = 4 * by / _dispersion(days, rate, reference)[..., None, :]
        between = _between_days(root[first], precision[first])
        weight = np.where(by > 0, 1 / (1 / precision + between[..., None, :]), 0)
        mean, trust = _mean(root[first], weight[first])
        rest = np.sqrt(weight[first]) * (root[first] - mean[..., None, :])
        scale = np.maximum((rest**2).sum(-2) / (reference - 1), 1)
        memory = _memory(rest)
        sums = [_windows(values[..., reference:, :]) for values in (weight, weight * root, counted, by)]
        shift = sums[1] / sums[0] - mean[..., None, None, :]
        looks = np.minimum(np.arange(1, shift.shape[-3] + 1)[:, None], WINDOWS)[..., None]
        before_alike = _alike(memory, np.array(reference))
        scale = scale / (1 - (before_alike - 1) / (reference - 1))
        spread = _alike(memory[..., None, None, :], looks) / sums[0] + (before_alike / trust)[..., None, None, :]
        t = shift / np.sqrt(scale[..., None, None, :] * spread)
        found = sums[2] / sums[3]
        freedom = trust**2 / (weight[first] ** 2).sum(-2) - 1  # days of few documents tell little
    every = level / sum(each.weight for each in rates)
    alarms = np.zeros(t.shape, dtype=np.int64)
    for number, each in enumerate(rates):
        for window, share in enumerate(_shares(reference, every * each.weight / (1 + each.both_ways)).tolist()):
            limit = student_quantile(freedom[..., number], 1 - share)[..., None]
            here = t[..., window, number]
            sides = (here > limit).astype(np.int64) - (each.both_ways & (here < -limit))
            if each.counts:
                at = np.nonzero(sides)
                month = (*at[:-1], number)
                sides[at] *= _are_exact(
                    sides[at],
                    sums[2][..., window, number][at],
                    sums[3][..., window, number][at],
                    before[month],
                    before_by[month],
                    share,
                )
            alarms[..., window, number] = sides
    return Drift(alarms, rate, found)


def _dispersion(days: DayTotals, rate: Floats, reference: int) -> Floats:
    """How many times the variance of a count within a day is that of Poisson's law, from the documents of all days."""
    own, documents = rate[..., None, :], days.documents[..., None]
    squares = days.counted_squares - 2 * own * days.products + own**2 * days.by_squares
    within = np.where(documents > 0, squares - (days.counted - own * days.by) ** 2 / documents, 0)[..., :reference, :]
    documents = documents[..., :reference, :]
    spread = within.sum(-2) / np.maximum(documents - 1, 0).sum(-2) * documents.sum(-2)
    counted = days.counted[..., :reference, :].sum(-2)
    return np.where((counted > 0) & (spread > 0), spread / counted, 1.0)


@lru_cache(maxsize=256)
def _shares(reference: int, share: float) -> Floats:
    """The error of a single look by window, so that Student's t exceeds its limits in such a share of quiet months."""
    limits = np.array([np.quantile(row, 1 - share / len(WINDOWS)) for row in _maxima(reference)])
    return 1 - student_below(float(reference - 1), limits)


@lru_cache(maxsize=8)
def _maxima(reference: int) -> Floats:
    """The largest t of each window over all looks, in quiet months. Seeded."""
    random = np.random.default_rng(0)
    before = random.standard_normal((MONTHS, reference))
    sums = _windows(random.standard_normal((MONTHS, LOOKS, 1)))[..., 0]
    days = np.minimum(np.arange(1, LOOKS + 1)[:, None], WINDOWS)
    scale = before.std(1, ddof=1)[:, None, None]
    t = (sums / days - before.mean(1)[:, None, None]) / (scale * np.sqrt(1 / days + 1 / reference))
    return np.asarray(t.max(1).T)


def _memory(rest: Floats) -> Floats:
    """How much a day is like the one before it, as a correlation, without its bias in short series (Kendall 1954).

    Days that vary less than documents make them vary have no more to share than what documents say.
    """
    days = rest.shape[-2]
    found = (rest[..., 1:, :] * rest[..., :-1, :]).sum(-2) / np.maximum((rest**2).sum(-2), days - 1)
    return np.asarray(np.clip(np.nan_to_num(found + (1 + 3 * found) / days), 0, _MOST_ALIKE))


def _alike(memory: Floats, days: Ints) -> Floats:
    """How many times the variance of the mean of days is what it would be if no day were like the one before."""
    return np.asarray((1 + memory) / (1 - memory) - 2 * memory * (1 - memory**days) / (days * (1 - memory) ** 2))


def _between_days(values: Floats, precision: Floats) -> Floats:
    """The variance that days have of their own, by DerSimonian and Laird."""
    mean, total = _mean(values, precision)
    heterogeneity = (precision * (values - mean[..., None, :]) ** 2).sum(-2)
    days = (precision > 0).sum(-2)
    between = (heterogeneity - (days - 1)) / (total - (precision**2).sum(-2) / total)
    return np.where(between > 0, between, 0.0)


def _mean(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The weighted mean over days, and the sum of the weights."""
    total = weight.sum(-2)
    return (weight * values).sum(-2) / total, total


def _windows(values: Floats) -> Floats:
    """The sums over the last days, for each look and window."""
    sums = np.concatenate([np.zeros_like(values[..., :1, :]), values.cumsum(-2)], axis=-2)
    looks = np.arange(1, sums.shape[-2])
    return np.stack([sums[..., looks, :] - sums[..., np.maximum(looks - days, 0), :] for days in WINDOWS], axis=-2)


def _are_exact(sides: Ints, counted: Floats, by: Floats, before: Floats, before_by: Floats, share: float) -> Bools:
    """Whether the exact test agrees: the smallest share of all counts that they do not speak against is above, or the
    largest below, the window's part of what is counted by.
    """
    part = by / (by + before_by)
    rises = sides > 0
    a, b = np.where(rises, counted, counted + 1), np.where(rises, before + 1, before)
    sound = (a > 0) & (b > 0)
    ends = beta_quantile(np.where(sound, a, 1), np.where(sound, b, 1), np.where(rises, share, 1 - share))
    ends = np.where(sound, ends, np.where(rises, 0.0, 1.0))
    return np.where(rises, ends > part, ends < part)
