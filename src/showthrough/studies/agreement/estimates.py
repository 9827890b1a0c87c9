"""From sums to coefficients with intervals over documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.statistics import Spread, resampled_totals, share_interval
from showthrough.statistics.agreement import ONE_CATEGORY
from showthrough.statistics.forms import Influences
from showthrough.statistics.numerics.chance import correct_for_chance, expected_of_draws
from showthrough.studies.agreement.tallies import AgreementTally
from showthrough.studies.agreement.values import Estimate

FEWEST = 5  # documents that an interval needs
_TOGETHER = 1024  # categories that are resampled together: 8 MB for a thousand resamples
_CELLS = 2_000_000  # of draws that are kept: 16 MB
_PERFECT = 1e-12

_FEW = f"fewer than {FEWEST} documents: too few to say how uncertain it is"
_NOT_DRAWN = "no resamples were asked for"
_ONE = "without one of the documents it would be undefined"


@dataclass(frozen=True)
class Draws:
    """How intervals are made."""

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def totals(self, rows: Floats) -> Floats:
        """Sums of rows over and over; many tables are drawn in the same way, so draws are kept where they are small."""
        if self.resamples * len(rows) > _CELLS:
            return resampled_totals(rows, self.resamples, self.seed)
        return np.asarray(_times(len(rows), self.resamples, self.seed) @ rows)


@lru_cache(maxsize=4)
def _times(documents: int, resamples: int, seed: int) -> Floats:
    """How often each document is in each resample."""
    return resampled_totals(np.eye(documents), resamples, seed)


@dataclass(frozen=True)
class Sums:
    """What one number is made of, in a stack."""

    whole: Floats
    agreeing: Floats
    products: Floats

    def observed_difference(self) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - self.agreeing / self.whole)

    def expected(self, *, returned: bool) -> Floats:
        return expected_of_draws(self.whole, self.products, returned=returned)

    def disagreement(self, *, returned: bool) -> Floats:
        """What is seen over what chance would do; 1 less the coefficient."""
        return 1 - correct_for_chance(self.observed_difference(), self.expected(returned=returned))


class Stacks(NamedTuple):
    """Sums of all documents, of all but each, and of every resample."""

    now: Sums
    without: Sums
    again: Sums


class Estimates:
    """Coefficients of one series of a tally."""

    def __init__(self, tally: AgreementTally, series: int, tables: tuple[Sparse, Sparse], draws: Draws) -> None:
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
        self._sums = Stacks(
            Sums(total[:1], total[1:], np.array([products])),
            Sums(total[0] - whole, total[1] - agreeing, without),
            Sums(again[:, 0], again[:, 1], drawn),
        )

    def _products(self, tables: tuple[Sparse, Sparse], used: Ints, resamples: int) -> tuple[float, Floats, Floats]:
        """Products of the margins: of all documents, without each, and of resamples; some categories at a time."""
        products, without, drawn = 0.0, np.zeros(len(used)), np.zeros(resamples)
        first_table, two = tables
        categories = np.union1d(first_table.category, two.category)
        for start in range(0, len(categories), _TOGETHER):
            chunk = categories[start : start + _TOGETHER]
            first = first_table.dense(chunk, used)
            second = first if two is first_table else two.dense(chunk, used)
            left, right = first.sum(axis=0), second.sum(axis=0)
            products += float(left @ right)
            without += left @ right - first @ right - second @ left + (first * second).sum(axis=1)
            if resamples:
                totals = self.draws.totals(first)
                second_totals = totals if second is first else self.draws.totals(second)
                drawn += (totals * second_totals).sum(axis=1)
        return products, without, drawn

    def observed_agreement(self, undefined: str) -> Number:
        """The share of what was compared that agrees; `undefined` says why nothing was compared."""
        if not self.items:
            return Number(None, reason=undefined)
        return self._number(*(1 - sums.observed_difference() for sums in self._sums), lowest=0.0)

    def correct_for_chance(self, undefined: str, *, returned: bool) -> Number:
        """κ, or α, whose draws are not returned."""
        if not self.items:
            return Number(None, reason=undefined)
        now, without, again = (1 - sums.disagreement(returned=returned) for sums in self._sums)
        if np.isnan(now[0]):
            return Number(None, reason=ONE_CATEGORY)
        number = self._number(now, without, again, lowest=-1.0)
        if number.spread is None or now[0] < 1 - _PERFECT:
            return number
        chance = float(self._sums.now.expected(returned=returned)[0])
        return replace(number, observed=self.observed_agreement(undefined), chance=chance)

    def _number(self, now: Floats, without: Floats, again: Floats, *, lowest: float) -> Number:
        value = float(now[0])
        if not self.draws.resamples:
            return Number(value, note=_NOT_DRAWN)
        if self.documents < FEWEST:
            return Number(value, note=_FEW)
        if np.isnan(without).any():
            return Number(value, note=_ONE)
        at, left_out, drawn = (np.clip((values - lowest) / (1 - lowest), 0, 1) for values in (now, without, again))
        moves = (at - left_out) * (self.documents - 1) / self.documents
        weights = self._whole[:, None]
        influence = Influences((moves - moves.mean())[:, None], weights, np.ones_like(weights), at)
        return Number(value, lowest=lowest, at=at, spread=Spread.of(drawn[:, None], influence))


@dataclass(frozen=True)
class Number:
    """A number between `lowest` and 1 whose interval is still to be found, or why there is none."""

    value: float | None
    reason: str = ""
    note: str = ""
    lowest: float = 0.0
    at: Floats | None = None  # the share of the way from `lowest` to 1
    spread: Spread | None = None  # of that share
    observed: Number | None = None  # where agreement is perfect: what that is seen in,
    chance: float = 1.0  # and how much disagreement chance would give


def find_intervals(numbers: Sequence[Number], confidence: float) -> list[Estimate]:
    """The same with their intervals, all of which are found at once."""
    every = [*numbers, *(number.observed for number in numbers if number.observed)]
    spreads = {index: number.spread for index, number in enumerate(every) if number.spread}
    ends = {}
    if spreads:
        columns = zip(
            *((spread.variance, spread.documents, spread.weight, spread.speaking) for spread in spreads.values()),
            strict=True,
        )
        at = np.concatenate([number.at for number in every if number.at is not None])
        low, high = share_interval(at, Spread(*map(np.concatenate, columns)), confidence)
        ends = dict(zip(spreads, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    seen = iter(range(len(numbers), len(every)))
    return [
        _estimate(number, ends.get(index), ends.get(next(seen)) if number.observed else None)
        for index, number in enumerate(numbers)
    ]


def _estimate(number: Number, ends: tuple[float, float] | None, observed: tuple[float, float] | None) -> Estimate:
    if number.value is None or ends is None:
        return Estimate(number.value, reason=number.reason, note=number.note)
    low, high = (number.lowest + (1 - number.lowest) * end for end in ends)
    if observed:  # no surer than it is that there is no disagreement at all
        low = max(number.lowest, min(low, 1 - (1 - observed[0]) / number.chance))
    return Estimate(number.value, low, high)


@dataclass(frozen=True)
class Sparse:
    """Sums by block and category, only where there are any."""

    block: Ints
    category: Ints
    value: Floats

    def dense(self, categories: Ints, blocks: Ints) -> Floats:
        """Blocks × categories; both are sorted."""
        table = np.zeros((len(blocks), len(categories)))
        low, high = np.searchsorted(self.category, [categories[0], categories[-1] + 1])
        column = np.searchsorted(categories, self.category[low:high])
        table[np.searchsorted(blocks, self.block[low:high]), column] = self.value[low:high]
        return table


def estimates(tally: AgreementTally, draws: Draws) -> list[Estimates]:
    """Of every series."""
    first = [Sparse(*table) for table in tally.first.tables()]
    second = first if tally.second is tally.first else [Sparse(*table) for table in tally.second.tables()]
    pairs = zip(first, second, strict=True)
    return [Estimates(tally, series, tables, draws) for series, tables in enumerate(pairs)]
