"""Shares of sums over documents, with intervals as scores have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from showthrough.metrics import Rows
from showthrough.run.run import Run
from showthrough.statistics import Ratios, Spread, influences, resampled_totals, share_interval
from showthrough.studies.agreement.values import Estimate

_NOT_DRAWN = "the run was made without resamples"


def shares(run: Run, rows: Rows, fractions: Mapping[str, tuple[str, str]], reason: str) -> dict[str, Estimate]:
    """By name one column over another, each between 0 and 1; `reason` where there is nothing below the line.

    Drawn again are the documents, or groups of them, with the run's resamples, seed and confidence.
    """
    table, settings = run.units(rows), run.settings
    sides = np.array([[table.values[:, table.columns.index(column)] for column in pair] for pair in fractions.values()])
    above, below = (sides[:, side].T for side in (0, 1))  # documents × shares
    with np.errstate(invalid="ignore"):
        values = above.sum(axis=0) / below.sum(axis=0)
    if not settings.resamples:
        return {name: _estimate(value, reason) for name, value in zip(fractions, values.tolist(), strict=True)}
    both = np.hstack([above, below])
    count = len(fractions)
    weights = np.stack([np.eye(count, 2 * count), np.eye(count, 2 * count, count)])
    form = Ratios(tuple(fractions), weights)
    own_influences = influences(form, form.sums(both))
    drawn, of = form.sums(resampled_totals(both, settings.resamples, settings.seed))
    again = np.divide(drawn, of, out=np.full(drawn.shape, np.nan), where=of != 0)
    seen = np.where(np.isnan(own_influences.values), 0.0, np.clip(own_influences.values, 0, 1))
    low, high = share_interval(seen, Spread.of(again, own_influences), settings.confidence)
    rows_by_name = zip(fractions, values.tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: _estimate(value, reason, (start, end)) for name, value, start, end in rows_by_name}


def _estimate(value: float, reason: str, ends: Sequence[float] = ()) -> Estimate:
    if np.isnan(value):
        return Estimate(None, reason=reason)
    low, high = ends or (None, None)
    return Estimate(value, low, high, note="" if ends else _NOT_DRAWN)


def complement(estimate: Estimate) -> Estimate:
    """1 less a share.

    >>> complement(Estimate(0.75, 0.5, 1.0))
    Estimate(value=0.25, low=0.0, high=0.5, reason='', note='')
    """
    value, high, low = (None if end is None else 1 - end for end in (estimate.value, estimate.low, estimate.high))
    return Estimate(value, low, high, estimate.reason, estimate.note)
