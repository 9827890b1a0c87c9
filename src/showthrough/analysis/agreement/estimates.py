"""From sums to coefficients with intervals over documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.analysis.agreement.tallies import Tally
from showthrough.analysis.agreement.values import Estimate
from showthrough.axis.spans import Ints
from showthrough.statistics import Spread, number_interval, resampled_totals, share_interval
from showthrough.statistics.agreement import ONE_CATEGORY, corrected, expected_of_draws
from showthrough.statistics.forms import Array, Influences

FEWEST = 5  # documents that an interval needs
_TOGETHER = 1024  # categories that are resampled together: 8 MB for a thousand resamples
_PERFECT = 1e-12

_FEW = f"fewer than {FEWEST} documents: too few to tell how uncertain it is"
_ALIKE = "all documents are alike, so that nothing tells how uncertain it is"
_ONE = "without one of the documents it would be undefined"


@dataclass(frozen=True)
class Draws:
    """How intervals are made."""

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def totals(self, rows: Array) -> Array:
        return resampled_totals(rows, self.resamples, self.seed)


@dataclass(frozen=True)
class Sums:
    """What one number is made of, for all documents, without each of them, and for all resamples."""

    whole: Array
    agreeing: Array
    products: Array

    def differing(self) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - self.agreeing / self.whole)

    def expected(self, *, returned: bool) -> Array:
        return expected_of_draws(self.whole, self.products, returned=returned)

    def disagreement(self, *, returned: bool) -> Array:
        """What is seen over what chance would do; 1 less the coefficient."""
        return 1 - corrected(self.differing(), self.expected(returned=returned))


class Estimates:
    """Coefficients of one series of a tally."""

    def __init__(self, tally: Tally, series: int, tables: tuple[Sparse, Sparse], draws: Draws) -> None:
        self.draws = draws
        self.items = float(tally.whole[series].sum())
        used = np.flatnonzero(tally.whole[series] > 0)  # blocks that hold a document
        self.documents = len(used)
        whole, agreeing = tally.whole[series][used], tally.agreeing[series][used]
        both = np.stack([whole, agreeing], axis=1)
        total = both.sum(axis=0)
        self._whole = whole
        again = draws.totals(both) if self.documents >= FEWEST else np.zeros((0, 2))
        products, without, drawn = self._products(tables, used, len(again))
        self._now = Sums(total[:1], total[1:], np.array([products]))
        self._without = Sums(total[0] - whole, total[1] - agreeing, without)
        self._again = Sums(again[:, 0], again[:, 1], drawn)

    def _products(self, tables: tuple[Sparse, Sparse], used: Ints, resamples: int) -> tuple[float, Array, Array]:
        """Products of the margins: of all documents, without each, and of resamples; some categories at a time."""
        products, without, drawn = 0.0, np.zeros(len(used)), np.zeros(resamples)
        one, two = tables
        categories = np.union1d(one.category, two.category)
        for start in range(0, len(categories), _TOGETHER):
            some = categories[start : start + _TOGETHER]
            first = one.dense(some, used)
            second = first if two is one else two.dense(some, used)
            left, right = first.sum(axis=0), second.sum(axis=0)
            products += float(left @ right)
            without += left @ right - first @ right - second @ left + (first * second).sum(axis=1)
            if resamples:
                totals = self.draws.totals(first)
                others = totals if second is first else self.draws.totals(second)
                drawn += (totals * others).sum(axis=1)
        return products, without, drawn

    def observed(self, undefined: str) -> Estimate:
        """The share of what was compared that agrees; `undefined` says why nothing was compared."""
        if not self.items:
            return Estimate(None, reason=undefined)
        value = 1 - self._now.differing()
        if self.documents < FEWEST:
            return Estimate(float(value[0]), note=_FEW)
        spread = self._spread(1 - self._again.differing(), value, 1 - self._without.differing())
        low, high = share_interval(np.clip(value, 0, 1), spread, self.draws.confidence)
        return Estimate(float(value[0]), float(low[0]), float(high[0]))

    def corrected(self, undefined: str, *, returned: bool) -> Estimate:
        """κ, or α, whose draws are not returned."""
        if not self.items:
            return Estimate(None, reason=undefined)
        disagreement = self._now.disagreement(returned=returned)
        if np.isnan(disagreement[0]):
            return Estimate(None, reason=ONE_CATEGORY)
        value = float(1 - disagreement[0])
        if self.documents < FEWEST:
            return Estimate(value, note=_FEW)
        if disagreement[0] <= _PERFECT:  # as sure as it is that there is no disagreement at all
            low = self.observed(undefined).low
            reach = (1 - (low or 0.0)) / float(self._now.expected(returned=returned)[0])
            return Estimate(value, max(-1.0, 1 - reach), 1.0)
        without = self._without.disagreement(returned=returned)
        if np.isnan(without).any():
            return Estimate(value, note=_ONE)
        spread = self._spread(self._again.disagreement(returned=returned), disagreement, without)
        less, more = number_interval(disagreement, spread, self.draws.confidence)
        if np.isnan(less[0]):
            return Estimate(value, note=_ALIKE)
        return Estimate(value, max(-1.0, float(1 - more[0])), float(1 - less[0]))

    def _spread(self, again: Array, value: Array, without: Array) -> Spread:
        moves = (value - without) * (len(without) - 1) / len(without)
        moves = (moves - moves.mean())[:, None]
        weights = self._whole[:, None]
        return Spread.of(again[:, None], Influences(moves, weights, np.ones_like(weights), value))


@dataclass(frozen=True)
class Sparse:
    """Sums by block and category, only where there are any."""

    block: Ints
    category: Ints
    value: Array

    def dense(self, categories: Ints, blocks: Ints) -> Array:
        """Blocks × categories; both are sorted."""
        table = np.zeros((len(blocks), len(categories)))
        low, high = np.searchsorted(self.category, [categories[0], categories[-1] + 1])
        column = np.searchsorted(categories, self.category[low:high])
        table[np.searchsorted(blocks, self.block[low:high]), column] = self.value[low:high]
        return table


def estimates(tally: Tally, draws: Draws) -> list[Estimates]:
    """Of every series."""
    first = [Sparse(*table) for table in tally.first.tables()]
    second = first if tally.second is tally.first else [Sparse(*table) for table in tally.second.tables()]
    pairs = zip(first, second, strict=True)
    return [Estimates(tally, series, tables, draws) for series, tables in enumerate(pairs)]
