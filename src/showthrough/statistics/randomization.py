"""Paired randomization: exchange two anonymizations' whole documents by a coin flip, many times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from showthrough.statistics.forms import Form, Ratios

Array = NDArray[np.float64]
_CELLS = 1_000_000
_BLOCK = 128  # shuffles whose sums are held at once
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


def shuffled_shifts(difference: Array, shuffles: int, seed: int) -> Array:
    """How much each column's total moves from one side to the other, for many shuffles: `shuffles` × columns.

    `difference` holds, document by document, the second side's rows minus the first's. Flipping a document adds its
    difference to the first side's total and takes it from the second's.
    """
    return np.concatenate([np.zeros((0, difference.shape[1])), *_products(difference, shuffles, seed)])


def _products(values: Array, shuffles: int, seed: int) -> Iterator[Array]:
    return (flips @ values for flips in coins(len(values), shuffles, seed))


def p_value(observed: float, shuffled: Array) -> float:
    """(n + 1) / (N + 1), where n counts shuffles whose difference is at least as large as the real one.

    A shuffle that leaves a value undefined (NaN) counts as large: it must not make a result look surer.

    >>> p_value(0.5, np.array([0.5, 0.1, -0.6, 0.0]))  # two of four: (2 + 1) / (4 + 1)
    0.6
    """
    large = ~(np.abs(shuffled) < abs(observed) - _TOLERANCE)
    return float((large.sum() + 1) / (len(shuffled) + 1))


def studentized_p(form: Form, systems: Sequence[Array], shuffles: int, seed: int) -> dict[tuple[int, int], Array]:
    """For every pair of systems, a p value for each part of a form: are the two values equal?

    Exchanging rows asks whether two systems are interchangeable, which they are not if one masks a hundred times as
    much as the other, however right each mask is. So a difference is measured by its standard error, from what each
    document adds to it (its linearised residual), and by that of every shuffle anew (Chung and Romano 2013).

    All systems share the coins, so a product of coins and rows serves every pair that a system is in.
    """
    from threadpoolctl import threadpool_limits

    moments = [_Moments.of(form.sums(values)) for values in systems]
    crossed = {
        (one, two): _Crossed.of(moments[one].rows, moments[two].rows)
        for one, two in combinations(range(len(systems)), 2)
    }
    real = {
        (one, two): np.abs(_studentized(form, moments[one].totals, moments[two].totals, both.total, None))[0]
        for (one, two), both in crossed.items()
    }
    large = {pair: np.zeros(len(form.parts)) for pair in crossed}
    blocks = [one.columns for one in moments] + [both.columns for both in crossed.values()]
    every, cuts = np.hstack(blocks), np.cumsum([block.shape[1] for block in blocks])[:-1]
    with threadpool_limits(1, "blas"):  # products are small; threads would mostly wait for each other
        for flips in coins(len(every), shuffles, seed):
            sums = (_unflat(one, len(form.parts)) for one in np.split(flips @ every, cuts, axis=1))
            moved = [next(sums) for _ in moments]
            for (one, two), both in crossed.items():
                shift = moved[two] - moved[one]
                sides = moments[one].totals + shift, moments[two].totals - shift
                found = _studentized(form, *sides, both.total, next(sums))
                # What adding in another order makes of an equal number must not count as smaller.
                large[one, two] += (~(np.abs(found) < real[one, two] * (1 - _EQUAL))).sum(axis=0)
    return {pair: np.where(np.isnan(real[pair]), np.nan, (large[pair] + 1) / (shuffles + 1)) for pair in crossed}


@dataclass(frozen=True)
class _Moments:
    """One side's sums, then the sums of products of each two of them; `totals` is (sums + products) × 1 × parts."""

    rows: Array  # sums × documents × parts
    columns: Array  # documents × ((sums + products) · parts)
    totals: Array

    @classmethod
    def of(cls, rows: Array) -> _Moments:
        every = np.stack([*rows, *(rows[a] * rows[b] for a, b in _twos(len(rows)))])
        return cls(rows, _flat(every), every.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class _Crossed:
    """Products of one side's sums with the other's; exchanging a document exchanges their order."""

    columns: Array  # documents × (products of unlike sums · parts): what an exchange adds
    total: Array  # sums × sums × 1 × parts

    @classmethod
    def of(cls, one: Array, two: Array) -> _Crossed:
        total = np.einsum("anp,bnp->abp", one, two)[:, :, None]
        return cls(_flat(np.stack([one[b] * two[a] - one[a] * two[b] for a, b in _unlike(len(one))])), total)


def _unlike(size: int) -> list[tuple[int, int]]:
    return list(combinations(range(size), 2))


def _twos(size: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(size), 2))


def _flat(values: Array) -> Array:
    """… × documents × parts as documents × all the rest, for one product with many coins."""
    return np.ascontiguousarray(values.transpose(1, 0, 2).reshape(values.shape[1], -1))


def _unflat(products: Array, parts: int) -> Array:
    return np.asarray(products.reshape(len(products), -1, parts).transpose(1, 0, 2))


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
    for number, (a, b) in enumerate(_twos(size), size):
        variance += (slope[a] * slope[b] * one[number] + away[a] * away[b] * two[number]) * (1 if a == b else 2)
    for a in range(size):
        variance -= 2 * slope[a] * sum(away[b] * across[a, b] for b in range(size))
    for (a, b), extra in zip(_unlike(size), () if turned is None else turned, strict=False):
        variance -= 2 * (slope[a] * away[b] - slope[b] * away[a]) * extra
    return value - other, variance


def _studentized(form: Form, one: Array, two: Array, across: Array, turned: Array | None) -> Array:
    """The difference of two values over its standard error, from sums and sums of products: shuffles × parts."""
    with np.errstate(divide="ignore", invalid="ignore"):  # an undefined value has no slope
        found = _of_ratios if isinstance(form, Ratios) else partial(_of_slopes, form)
        difference, variance = found(one, two, across, turned)
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
