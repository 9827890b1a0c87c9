"""How many more documents would make an unsure threshold met, if nothing leaked in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Bools, Floats, distinct
from showthrough.run.records import Score
from showthrough.run.thresholds import Threshold
from showthrough.statistics.numerics.distributions import beta_quantile

_MOST = 10_000_000  # documents: more than that is no advice
_AT_ONCE = 8, 64  # that are tried together, doubled and in between: many quantiles cost little more than one
_SAME = 1e-6


@dataclass(frozen=True)
class Need:
    """So many more documents, or groups of them, without a leak; `None` where no number can be given."""

    count: int | None
    unit: str
    exact: bool = True  # else it takes the others to be like those that are there
    never: bool = False  # a limit at the end of the scale, which nothing shows

    def __str__(self) -> str:
        """
        >>> str(Need(19, "document")), str(Need(1, "group", exact=False))
        ('19 more documents without a leak would be enough', 'about 1 more group without a leak would be enough')
        """
        if self.never:
            return f"no number of {self.unit}s could show it"
        if self.count is None:
            return f"it is not known how many more {self.unit}s would be enough"
        about = "" if self.exact else "about "
        return f"{about}{self.count:,} more {self.unit}{'' if self.count == 1 else 's'} without a leak would be enough"


def count_needed(threshold: Threshold, score: Score, confidence: float, drawn: int, unit: str) -> Need:
    """How many more would do, from the interval that there is; `drawn` documents, or groups, are there.

    The interval of a share is that of so many trials (Clopper and Pearson). Documents without a leak add trials that
    all go well, as many for each as those that are there are worth.

    >>> perfect = Score("a", "er_di", "", 1.0, 0.05 ** (1 / 40), 1.0, "", "")
    >>> count_needed(Threshold("er_di", "min", 0.95), perfect, 0.95, 40, "document").count  # 0.05 ** (1 / 59) = 0.9505
    19
    """
    leaks = threshold.end == "max"  # what is counted is what goes wrong
    value, end, limit = score.value, score.high if leaks else score.low, threshold.limit
    if value is None or end is None:
        return Need(None, unit)
    if leaks:
        value, end, limit = 1 - value, 1 - end, 1 - limit
    if limit == 1:
        return Need(None, unit, never=True)
    if not (0 < value <= 1 and 0 < end < 1 and 0 < limit < 1):
        return Need(None, unit)
    return _need_of_share(value, end, limit, confidence, drawn, unit)


@lru_cache(maxsize=256)  # the state and the verdict of one run ask for the same
def _need_of_share(value: float, low: float, limit: float, confidence: float, drawn: int, unit: str) -> Need:
    """The same for shares of what goes well, whose interval begins at `low`."""
    trials = _trials(value, low, confidence)
    if trials is None:
        return Need(None, unit)
    weight = trials / drawn

    def does(counts: ArrayLike) -> Bools:
        more = np.asarray(counts) * weight
        return _low(value * trials + more, trials + more, confidence) >= limit

    least, most = _double_until(does, 1.0, _MOST)
    if most is None:
        return Need(None, unit)
    while most - least > 1:
        counts = distinct(np.linspace(least, most, _AT_ONCE[1]).astype(np.int64))[1:]
        first = _first(does(counts))
        least, most = (least if first == 0 else float(counts[first - 1])), float(counts[first])
    return Need(int(most), unit, value == 1 and abs(weight - 1) < _SAME)


def _low(right: ArrayLike, trials: ArrayLike, confidence: float) -> Floats:
    """Where the interval of a share begins that is above 0 (`binomial_ends` has both ends)."""
    right, trials = np.asarray(right), np.asarray(trials)
    tail = np.where(right == trials, 1 - confidence, (1 - confidence) / 2)
    return beta_quantile(right, trials - right + 1, tail)


def _trials(value: float, low: float, confidence: float) -> float | None:
    """With how many trials the interval of a share begins there; `None` where with none."""
    if value == 1:  # low = (1 − confidence) ** (1 / trials)
        return math.log(1 - confidence) / math.log(low)
    least, most = _double_until(lambda trials: _low(value * trials, trials, confidence) >= low, 1 / 8, _MOST)
    if most is None or not least:
        return None
    for _ in range(3):  # each finds nearly two digits more
        trials = np.linspace(least, most, _AT_ONCE[1])[1:]
        first = _first(_low(value * trials, trials, confidence) >= low)
        least, most = (least if first == 0 else float(trials[first - 1])), float(trials[first])
    return most


def _first(done: Bools) -> int:
    """Where the first is that does; the last does, whatever rounding makes of it among other numbers."""
    return int(done.argmax()) if done.any() else len(done) - 1


def _double_until(does: Callable[[Any], Bools], start: float, most: float) -> tuple[float, float | None]:
    """Of start, twice that and so on the first number that does, and the last that does not; 0 where all do."""
    least = 0.0
    while start <= most:
        tried = start * 2.0 ** np.arange(_AT_ONCE[0])
        done = does(tried)
        if done.any():
            first = int(done.argmax())
            return (least if first == 0 else float(tried[first - 1])), float(tried[first])
        least, start = float(tried[-1]), float(2 * tried[-1])
    return least, None
