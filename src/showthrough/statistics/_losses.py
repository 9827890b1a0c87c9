"""Whether a system lost against an earlier one, by more than a margin, and how much it may have lost at most.

Both are one-sided. That a loss is not shown does not say that there is none: `most` tells what cannot be excluded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from showthrough.statistics._comparison import PairTest, pair_tests
from showthrough.statistics._influence import Between, InfluenceSums, moved_together
from showthrough.statistics.forms import Combine, forms
from showthrough.statistics.intervals import Spread, difference_interval, share_interval
from showthrough.statistics.rows import Table

_NONE = 1e-12  # what rounding makes of nothing
LEVEL = 0.05  # at which a loss larger than told is excluded
SHOWN = 0.04  # at which a loss is shown: below 0.05, so that of 1,000 equal systems no more than 50 fail, by luck too


@dataclass(frozen=True)
class Loss:
    """What a later system lost against an earlier one in a number, or why nobody can say whether chance made it.

    `p` is how likely chance makes it look so far beyond the margin, `most` the largest loss that cannot be excluded.
    """

    p: float | None
    most: float | None
    fault: str = ""


def loss_of(
    combine: Combine,
    columns: Sequence[str],
    later: Table,
    earlier: Table,
    part: str,
    *,
    higher: bool,
    margin: float,
    shuffles: int,
    seed: int,
    unit: str = "document",
    bounded: bool = True,
) -> Loss:
    """What the later one lost, where `higher` values are the better ones or lower ones are.

    A side that is the same in every document, as a perfect score is, has no error that could be measured. The test
    stands all the same: it then asks whether the two are interchangeable, and no longer whether they are equally good.
    """
    arguments = combine, columns, [later, earlier], [part], shuffles, seed, unit, margin if higher else -margin
    test = next(pair_tests(*arguments), None)
    if test is None:
        return Loss(None, None, "it is the same whatever happens")
    if test.fault or test.p is None:
        return Loss(None, None, test.fault)
    (form,) = forms(combine, columns, [part])
    sides, between = moved_together(form, [later, earlier], [(0, 1)])
    low, high = sides if higher else sides[::-1]
    lost = float((high.values - low.values)[0])
    p = test.p / 2 if lost > margin else 1 - test.p / 2
    shift = max(-test.shift if higher else test.shift, 0.0)
    return Loss(p, _largest_loss(test, lost, shift, low, high, between, bounded))


def _largest_loss(
    test: PairTest, lost: float, shift: float, low: InfluenceSums, high: InfluenceSums, between: Between, bounded: bool
) -> float | None:
    """The largest loss that cannot be excluded, the loss being what the high side has more than the low one.

    `shift` is by how much documents that are heavier than all that were seen might make it larger.

    Student's t trusts the error of few leaks too much, and finds none where none was seen. So the intervals of the two
    sides are put together as well, as of values that move together, and the larger end counts.
    """
    by_error = None
    if not test.flat:
        by_error = difference_interval(lost, test.error or 0.0, test.freedom, 1 - 2 * LEVEL)[1] + shift
    if not bounded:
        return by_error
    above, below = _ends(high)[1] - float(high.values[0]), float(low.values[0]) - _ends(low)[0]
    together = math.sqrt(max(above**2 + below**2 - 2 * _correlation(low, high, between) * above * below, 0.0))
    return min(max(lost + together + shift, lost if by_error is None else by_error), 1.0)


def _ends(side: InfluenceSums) -> tuple[float, float]:
    """The ends of a value's interval without resamples, each exceeded as rarely as the level says."""
    value = np.clip(side.values, 0, 1)
    extreme = min(value[0], 1 - value[0]) <= _NONE  # where all of the error is on one side anyway
    side = replace(side, sizes=None)  # heavier documents than were seen shift the difference itself
    low, high = share_interval(value, Spread.of(side.values[None], side), 1 - LEVEL * (1 if extreme else 2))
    return float(low[0]), float(high[0])


def _correlation(first: InfluenceSums, second: InfluenceSums, between: Between) -> float:
    """How far documents move two values together; 0 where one does not move."""
    size = float(np.sqrt(first.squares[0] * second.squares[0]))
    return float(between.products[0, 0]) / size if size > 0 else 0.0
