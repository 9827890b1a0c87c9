"""Shares of sums over documents, with intervals as scores have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from showthrough.analysis.agreement.values import Estimate
from showthrough.metrics import Rows
from showthrough.run.run import Run
from showthrough.statistics import Ratios, Spread, influences, resampled_totals, share_interval

_NOT_DRAWN = "the run was made without resamples"


def shares(run: Run, rows: Rows, asked: Mapping[str, tuple[str, str]], reason: str) -> dict[str, Estimate]:
    """By name one column over another, each between 0 and 1; `reason` where there is nothing below the line.

    Drawn again are the documents, or groups of them, with the run's resamples, seed and confidence.
    """
    table, settings = run.units(rows), run.settings
    weights = np.zeros((2, len(asked), len(table.columns)))
    for number, pair in enumerate(asked.values()):
        for side, column in enumerate(pair):
            weights[side, number, table.columns.index(column)] = 1.0
    form = Ratios(tuple(asked), weights)
    each = influences(form, form.sums(table.values))
    if not settings.resamples:
        return {name: _estimate(value, reason) for name, value in zip(asked, each.values.tolist(), strict=True)}
    above, below = form.sums(resampled_totals(table.values, settings.resamples, settings.seed))
    again = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    values = np.where(np.isnan(each.values), 0.0, np.clip(each.values, 0, 1))
    low, high = share_interval(values, Spread.of(again, each), settings.confidence)
    ends = zip(each.values.tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: _estimate(value, reason, end) for name, (value, *end) in zip(asked, ends, strict=True)}


def _estimate(value: float, reason: str, ends: Sequence[float] = ()) -> Estimate:
    if np.isnan(value):
        return Estimate(None, reason=reason)
    low, high = ends or (None, None)
    return Estimate(value, low, high, note="" if ends else _NOT_DRAWN)


def turned(one: Estimate) -> Estimate:
    """1 less a share.

    >>> turned(Estimate(0.75, 0.5, 1.0))
    Estimate(value=0.25, low=0.0, high=0.5, reason='', note='')
    """
    value, high, low = (None if end is None else 1 - end for end in (one.value, one.low, one.high))
    return Estimate(value, low, high, one.reason, one.note)
