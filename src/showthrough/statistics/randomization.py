"""Paired randomization: exchange two anonymizations' whole documents by a coin flip, many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from showthrough.statistics.forms import Array, Combine, Form, Ratios, values_at

_CELLS = 1_000_000
_BLOCK = 256  # shuffles whose sums are held at once
_HELD = 4_000_000  # sums of all systems that are held at once: 32 MB
_PAIRS = 64  # pairs, times parts, that are worked out together
_TOLERANCE = 1e-12  # two ways to add the same numbers may differ in the last bit; that is no difference
_EQUAL = 1e-9


def coins(documents: int, shuffles: int, seed: int) -> Iterator[Array]:
    """1 where a document's rows are exchanged, 0 where they stay: blocks of shuffles × documents."""
    random = np.random.default_rng(seed)
    block = max(1, min(_BLOCK, _CELLS // max(documents, 1)))
    for start in range(0, shuffles, block):
        size = min(block, shuffles - start)
        bits = np.unpackbits(random.integers(0, 256, (size, -(-documents // 8)), dtype=np.uint8), axis=1)
        yield bits[:, :documents].astype(np.float64)


def plain_p(
    combine: Combine, columns: Sequence[str], systems: Sequence[Array], parts: Sequence[str], shuffles: int, seed: int
) -> dict[tuple[str, int, int], float | None]:
    """For every part and pair of systems, a p value by plain differences (Uzuner, Luo and Szolovits 2007).

    It is (n + 1) / (N + 1), where n of N shuffles give a difference at least as large as the real one. A shuffle that
    leaves a value undefined (NaN) counts as large: it must not make a result look surer. Two systems are taken for
    interchangeable, also where one masks far more than the other, so this finds too much.
    """
    rows = np.stack(systems, axis=1)
    totals = rows.sum(axis=0)
    real = values_at(combine, columns, totals)
    large = {part: np.zeros((len(systems), len(systems))) for part in parts}
    for flips in coins(len(rows), shuffles, seed):
        sums = (flips @ rows.reshape(len(rows), -1)).reshape(-1, *totals.shape)
        for first in range(len(systems) - 1):
            shift = sums[:, first + 1 :] - sums[:, [first]]
            one = values_at(combine, columns, totals[first] + shift)
            two = values_at(combine, columns, totals[first + 1 :] - shift)
            for part in parts:
                difference = real[part][first] - real[part][first + 1 :]
                smaller = np.abs(one[part] - two[part]) < np.abs(difference) - _TOLERANCE
                large[part][first, first + 1 :] += (~smaller).sum(axis=0)
    return {
        (part, first, second): None
        if np.isnan(real[part][first] - real[part][second])
        else float((large[part][first, second] + 1) / (shuffles + 1))
        for part in parts
        for first, second in combinations(range(len(systems)), 2)
    }


def studentized_p(form: Form, sums: Sequence[Array], shuffles: int, seed: int) -> dict[tuple[int, int], Array]:
    """For every pair of systems, a p value for each part of a form: are the two values equal?

    `sums` are what the form makes of each system's rows.

    Exchanging rows asks whether two systems are interchangeable, which they are not if one masks a hundred times as
    much as the other, however right each mask is. So a difference is measured by its standard error, from what each
    document adds to it (its linearised residual), and by that of every shuffle anew (Chung and Romano 2013).

    All systems share the coins, so a product of coins and rows serves every pair that a system is in. What two systems
    have together is made for a few pairs at a time: of many systems there are more pairs than fit into memory.
    """
    from threadpoolctl import threadpool_limits

    moments = _Moments.of(sums)
    several = [_Several.of(*some, moments) for some in _together(len(sums), len(form.parts))]
    real = [np.abs(_studentized(form, *each.sides(moments.totals), each.total, None))[:, 0] for each in several]
    large = [np.zeros_like(one) for one in real]
    step = max(1, _HELD // max(len(moments.columns), 1))
    with threadpool_limits(1, "blas"):  # products are small; threads would mostly wait for each other
        for block in coins(moments.columns.shape[1], shuffles, seed):
            for flips in (block[first : first + step] for first in range(0, len(block), step)):
                moved = _unflat(moments.columns @ flips.T, moments.totals.shape)  # the sums of what is exchanged
                for each, so_far, observed in zip(several, large, real, strict=True):
                    sides = each.sides(moments.totals, moved)
                    shuffled = _studentized(form, *sides, each.total, each.turned(flips, moments.rows))
                    # What adding in another order makes of an equal number must not count as smaller.
                    so_far += (~(np.abs(shuffled) < observed[:, None] * (1 - _EQUAL))).sum(axis=1)
    return {
        (each.one, two): np.where(np.isnan(one), np.nan, (count + 1) / (shuffles + 1))
        for each, observed, counts in zip(several, real, large, strict=True)
        for two, one, count in zip(range(each.first, each.last), observed, counts, strict=True)
    }


@dataclass(frozen=True)
class _Moments:
    """All systems' sums, then the sums of products of each two; `totals` is (sums + products) × systems × 1 × parts."""

    rows: Array  # sums × systems × documents × parts
    columns: Array  # (sums + products) · systems · parts × documents
    totals: Array

    @classmethod
    def of(cls, systems: Sequence[Array]) -> _Moments:
        rows = np.stack(systems, axis=1)
        every = np.stack([*rows, *(one * two for one, two in combinations_with_replacement(rows, 2))])
        return cls(rows, _flat(every), every.sum(axis=2, keepdims=True))


@dataclass(frozen=True)
class _Several:
    """One system beside some others. Exchanging a document exchanges the order of what two have together."""

    one: int
    first: int  # of the others
    last: int  # the one after them
    total: Array  # products of one side's sums with the other's: sums × sums × others × 1 × parts

    @classmethod
    def of(cls, one: int, first: int, last: int, moments: _Moments) -> _Several:
        rows = moments.rows
        products = [np.einsum("anp,bnp->abp", rows[:, one], rows[:, two]) for two in range(first, last)]
        return cls(one, first, last, np.stack(products, axis=2)[:, :, :, None])

    def _split(self, values: Array) -> tuple[Array, Array]:
        return values[:, self.one : self.one + 1], values[:, self.first : self.last]

    def sides(self, totals: Array, moved: Array | None = None) -> tuple[Array, Array]:
        """Sums and products of either side, after some documents changed sides."""
        here, there = self._split(totals)
        if moved is None:
            return np.broadcast_to(here, there.shape), there
        mine, theirs = self._split(moved)
        shift = theirs - mine
        return here + shift, there - shift

    def turned(self, flips: Array, rows: Array) -> Array:
        """What an exchange adds to the products of unlike sums: those × others × shuffles × parts."""
        here, there = self._split(rows)
        both = [here[b] * there[a] - here[a] * there[b] for a, b in combinations(range(len(rows)), 2)]
        columns = np.stack(both) if both else there[:0]
        return _unflat(_flat(columns) @ flips.T, columns.shape)


def _together(systems: int, parts: int) -> Iterator[tuple[int, int, int]]:
    """All pairs, a system with a few others at a time: its number, that of the first and the one after the last."""
    width = max(1, _PAIRS // max(parts, 1))
    for one in range(systems):
        for first in range(one + 1, systems, width):
            yield one, first, min(first + width, systems)


def _flat(values: Array) -> Array:
    """… × systems × documents × parts as all the rest × documents, for one product with many coins."""
    return np.ascontiguousarray(np.swapaxes(values, -2, -1).reshape(-1, values.shape[-2]))


def _unflat(products: Array, like: tuple[int, ...]) -> Array:
    """Products with coins, laid out as what was flattened: … × systems × shuffles × parts."""
    return np.swapaxes(products.reshape(*like[:-2], like[-1], products.shape[1]), -2, -1)


def _of_ratios(one: Array, two: Array, across: Array, turned: Array | None) -> tuple[Array, Array]:
    """The difference of two ratios and its variance: as below, with the slopes 1 / b and −a / b² worked in."""
    over, other_over = 1 / one[1], 1 / two[1]
    value, other = one[0] * over, two[0] * other_over
    extra = 0.0 if turned is None else turned[0]
    own = (one[2] + value * (value * one[4] - 2 * one[3])) * over * over
    its = (two[2] + other * (other * two[4] - 2 * two[3])) * other_over * other_over
    both = across[0, 0] - other * (across[0, 1] + extra) - value * (across[1, 0] - extra - other * across[1, 1])
    return value - other, own + its - 2 * both * over * other_over


def _of_slopes(form: Form, one: Array, two: Array, across: Array, turned: Array | None) -> tuple[Array, Array]:
    """The difference of two values of any form and its variance, from how fast they change with each sum."""
    size = len(across)
    value, slope = form.at(one[:size])
    other, away = form.at(two[:size])
    variance = np.zeros_like(value)
    for number, (a, b) in enumerate(combinations_with_replacement(range(size), 2), size):
        variance += (slope[a] * slope[b] * one[number] + away[a] * away[b] * two[number]) * (1 if a == b else 2)
    for a in range(size):
        variance -= 2 * slope[a] * sum(away[b] * across[a, b] for b in range(size))
    for (a, b), extra in zip(combinations(range(size), 2), () if turned is None else turned, strict=False):
        variance -= 2 * (slope[a] * away[b] - slope[b] * away[a]) * extra
    return value - other, variance


def _studentized(form: Form, one: Array, two: Array, across: Array, turned: Array | None) -> Array:
    """The difference of two values over its standard error, from sums and products: others × shuffles × parts."""
    with np.errstate(divide="ignore", invalid="ignore"):  # an undefined value has no slope
        if isinstance(form, Ratios):
            difference, variance = _of_ratios(one, two, across, turned)
        else:
            difference, variance = _of_slopes(form, one, two, across, turned)
    # What rounding leaves of a variance that is none is nothing.
    variance[variance <= _TOLERANCE] = 0.0
    difference[np.abs(difference) < _TOLERANCE] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.sqrt(variance))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for a family of tests; never below the value it corrects, never above 1.

    >>> holm([0.01, 0.04, 0.03])  # 3 × 0.01; then 2 × 0.03; then the largest, which may not fall below it
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = highest
    return corrected
