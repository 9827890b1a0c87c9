"""How many more documents would make an unsure threshold met, if nothing leaked in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from showthrough.numerics.distributions import Floats, binomial_ends
from showthrough.run.records import Score
from showthrough.run.thresholds import Threshold

_MOST = 10_000_000  # documents: more than that is no advice
_STEPS = 400  # that are tried at once: a quantile costs as much for many as for one
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
        ('19 more documents without a leak would do', 'about 1 more group without a leak would do')
        """
        if self.never:
            return f"no number of {self.unit}s could show it"
        if self.count is None:
            return f"how many more {self.unit}s would do cannot be said"
        about = "" if self.exact else "about "
        return f"{about}{self.count:,} more {self.unit}{'' if self.count == 1 else 's'} without a leak would do"


def needed(threshold: Threshold, score: Score, confidence: float, drawn: int, unit: str) -> Need:
    """How many more would do, from the interval that there is; `drawn` documents, or groups, are there.

    The interval of a share is that of so many trials (Clopper and Pearson). Documents without a leak add trials that
    all go well, as many for each as those that are there are worth.

    >>> perfect = Score("a", "er_di", "", 1.0, 0.05 ** (1 / 40), 1.0, "", "")
    >>> needed(Threshold("er_di", "min", 0.95), perfect, 0.95, 40, "document").count  # 0.05 ** (1 / 59) = 0.9505
    19
    """
    leaks = threshold.end == "max"  # what is counted is what goes wrong
    value, end, limit = score.value, score.high if leaks else score.low, threshold.limit
    if value is None or end is None or not 0 <= value <= 1 or not 0 <= limit <= 1:
        return Need(None, unit)
    if limit == float(not leaks):
        return Need(None, unit, never=True)
    if leaks:
        value, end, limit = 1 - value, 1 - end, 1 - limit
    trials = _trials(value, end, confidence)
    if trials is None:
        return Need(None, unit)
    each = trials / drawn
    counts = np.unique(np.geomspace(1, _MOST, _STEPS).astype(np.int64))
    while True:
        holds = _low(value * trials + counts * each, trials + counts * each, confidence) >= limit
        if not holds.any():
            return Need(None, unit)
        first = int(holds.argmax())
        if not first or counts[first] == counts[first - 1] + 1:
            exact = value == 1 and abs(each - 1) < _SAME
            return Need(int(counts[first]), unit, exact)
        counts = np.unique(np.linspace(counts[first - 1], counts[first], _STEPS).astype(np.int64))


def _low(right: ArrayLike, trials: ArrayLike, confidence: float) -> Floats:
    return binomial_ends(right, trials, confidence)[0]


def _trials(value: float, low: float, confidence: float) -> float | None:
    """With how many trials the interval of a share begins there; `None` where with none."""
    trials = np.geomspace(1e-3, 1e9, _STEPS)
    for _ in range(4):  # each finds two digits more
        above = _low(value * trials, trials, confidence) >= low
        first = int(above.argmax())
        if not first:
            return None
        trials = np.linspace(trials[first - 1], trials[first], _STEPS)
    return float(trials[-1])
