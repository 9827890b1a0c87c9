"""Paired randomization: exchange two anonymizations' whole documents by a coin flip, many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations, combinations_with_replacement
from operator import add
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.statistics.forms import Combine, Form, Ratios, values_at
from showthrough.statistics.rows import BlockReplay, Table, sum_columns

# The coins of a randomization test say in every shuffle whether a document changes sides.

_CELLS = 1_000_000  # coins of one block that are held at once: 8 MB
_BLOCK = 256  # shuffles that are tossed for at once
_EACH = 64  # shuffles that a generator tosses for, where there are several blocks of documents


class Tosses(NamedTuple):
    """The coins of some shuffles: `of` a block, by its number and its documents, those of some shuffles at a time."""

    shuffles: int
    of: Callable[[int, int], Iterator[tuple[slice, Floats]]]


def tosses(documents: int, shuffles: int, seed: int, once: bool, most: int) -> Iterator[Tosses]:
    """All shuffles, at most so many together; `once`: all documents are in one block.

    Coins of several blocks are those of a generator for each block and each few shuffles, so that blocks can be asked
    for over and over, and how many shuffles go together moves no coin.
    """
    most = max(1, most)
    if once:
        for flips in coins(documents, shuffles, seed):
            for first in range(0, len(flips), most):
                batch = flips[first : first + most]
                yield Tosses(len(batch), partial(_yield_flips, batch))
        return
    most = max(_EACH, most // _EACH * _EACH)
    for first in range(0, shuffles, most):
        numbers = range(first, min(first + most, shuffles))
        yield Tosses(len(numbers), partial(_toss_blocks, seed, numbers))


def coins(documents: int, shuffles: int, seed: int) -> Iterator[Floats]:
    """1 where a document's rows are exchanged, 0 where they stay: blocks of shuffles × documents."""
    random = np.random.default_rng(seed)
    block = max(1, min(_BLOCK, _CELLS // max(documents, 1)))
    for start in range(0, shuffles, block):
        yield _flip(random, min(block, shuffles - start), documents)


def _yield_flips(flips: Floats, number: int, documents: int) -> Iterator[tuple[slice, Floats]]:
    yield slice(None), flips


def _toss_blocks(seed: int, shuffles: range, number: int, documents: int) -> Iterator[tuple[slice, Floats]]:
    for first in range(shuffles.start, shuffles.stop, _EACH):
        size = min(_EACH, shuffles.stop - first)
        random = np.random.default_rng([seed, number, first])
        offset = first - shuffles.start
        yield slice(offset, offset + size), _flip(random, size, documents)


def _flip(random: np.random.Generator, shuffles: int, documents: int) -> Floats:
    bits = np.unpackbits(random.integers(0, 256, (shuffles, -(-documents // 8)), dtype=np.uint8), axis=1)
    return bits[:, :documents].astype(np.float64)


_HELD = 4_000_000  # sums of all systems and pairs that are held at once: 32 MB
_TOGETHER = 256  # shuffles that are worked out together
_PAIRS = 64  # pairs, times parts, that are worked out together
_TOLERANCE = 1e-12  # two ways to add the same numbers may differ in the last bit; that is no difference
_EQUAL = 1e-9


def plain_p(
    combine: Combine, columns: Sequence[str], systems: Sequence[Table], parts: Sequence[str], shuffles: int, seed: int
) -> dict[tuple[str, int, int], float | None]:
    """For every part and pair of systems, a p value by plain differences (Uzuner, Luo and Szolovits 2007).

    It is (n + 1) / (N + 1), where n of N shuffles give a difference at least as large as the real one. A shuffle that
    leaves a value undefined (NaN) counts as large: it must not make a result look surer. Two systems are taken for
    interchangeable, also where one masks far more than the other, so this finds too much.
    """
    totals = np.stack([sum_columns(system) for system in systems])
    real = values_at(combine, columns, totals)
    large = {part: np.zeros((len(systems), len(systems))) for part in parts}
    flat = BlockReplay(systems, lambda blocks: np.stack(blocks, axis=1).reshape(len(blocks[0]), -1))
    for shuffled in tosses(len(systems[0]), shuffles, seed, flat.once, _HELD // max(totals.size, 1)):
        moved = np.zeros((shuffled.shuffles, totals.size))
        for number, rows in enumerate(flat):
            for shuffle_rows, flips in shuffled.of(number, len(rows)):
                moved[shuffle_rows] += flips @ rows
        for start in range(0, len(moved), _TOGETHER):
            sums = moved[start : start + _TOGETHER].reshape(-1, *totals.shape)
            for first in range(len(systems) - 1):
                shift = sums[:, first + 1 :] - sums[:, [first]]
                first_values = values_at(combine, columns, totals[first] + shift)
                second_values = values_at(combine, columns, totals[first + 1 :] - shift)
                for part in parts:
                    difference = real[part][first] - real[part][first + 1 :]
                    smaller = np.abs(first_values[part] - second_values[part]) < np.abs(difference) - _TOLERANCE
                    large[part][first, first + 1 :] += (~smaller).sum(axis=0)
    return {
        (part, first, second): None
        if np.isnan(real[part][first] - real[part][second])
        else float((large[part][first, second] + 1) / (shuffles + 1))
        for part in parts
        for first, second in combinations(range(len(systems)), 2)
    }


def studentized_p(
    form: Form, systems: Sequence[Table], shuffles: int, seed: int, lead: float = 0.0
) -> dict[tuple[int, int], Floats]:
    """For every pair of systems, a p value for each part of a form: are the two values equal?

    With a `lead`, which the first system is given, the parts are shares.

    Exchanging rows asks whether two systems are interchangeable, which they are not if one masks a hundred times as
    much as the other, however right each mask is. So a difference is measured by its standard error, from what each
    document adds to it (its linearised residual), and by that of every shuffle anew (Chung and Romano 2013).

    All systems share the coins, so a product of coins and rows serves every pair that a system is in. What two systems
    have together is made for a few pairs at a time: of many systems there are more pairs than fit into memory. Where
    there are several blocks of documents, what is exchanged is added up over them for as many shuffles as can be held.
    """
    from threadpoolctl import threadpool_limits

    def moments_of(blocks: tuple[Floats, ...]) -> _Moments:
        first, *rest = map(form.sums, blocks)
        return _Moments.of([form.raise_by(first, lead) if lead and isinstance(form, Ratios) else first, *rest])

    several = [_SystemGroup(*bounds) for bounds in _system_groups(len(systems), len(form.parts))]
    moments = BlockReplay(systems, moments_of)
    sums = _Sums.of(moments, several)
    real = [
        np.abs(studentize(form, *group.sides(sums.totals), value, None))[:, 0] for group, value in sums.across(several)
    ]
    large = [np.zeros_like(value) for value in real]
    with threadpool_limits(1, "blas"):  # products are small; threads would mostly wait for each other
        for shuffled in tosses(len(systems[0]), shuffles, seed, moments.once, _HELD // max(sums.size, 1)):
            moved, turned = sums.exchange(moments, several, shuffled)
            for start in range(0, shuffled.shuffles, _TOGETHER):
                window = slice(start, start + _TOGETHER)
                changed = _unflat(moved[:, window], sums.totals.shape)
                for (group, across), by_turning, so_far, observed in zip(
                    sums.across(several), turned, large, real, strict=True
                ):
                    sides = group.sides(sums.totals, changed)
                    statistic = studentize(form, *sides, across, group.unlike(by_turning[:, window], len(form.parts)))
                    # What adding in another order makes of an equal number must not count as smaller.
                    so_far += (~(np.abs(statistic) < observed[:, None] * (1 - _EQUAL))).sum(axis=1)
    return {
        (group.system, other): np.where(np.isnan(value), np.nan, (count + 1) / (shuffles + 1))
        for group, observed, counts in zip(several, real, large, strict=True)
        for other, value, count in zip(range(group.first, group.last), observed, counts, strict=True)
    }


@dataclass(frozen=True)
class _Moments:
    """All systems' sums of some documents, and the products of each two of them."""

    rows: Floats  # sums × systems × documents × parts
    columns: Floats  # (sums + products) · systems · parts × documents
    totals: Floats  # (sums + products) × systems × 1 × parts

    @classmethod
    def of(cls, systems: Sequence[Floats]) -> _Moments:
        rows = np.stack(systems, axis=1)
        every = np.stack([*rows, *(left * right for left, right in combinations_with_replacement(rows, 2))])
        return cls(rows, _flat(every), every.sum(axis=2, keepdims=True))


@dataclass(frozen=True)
class _SystemGroup:
    """One system beside some others. Exchanging a document exchanges the order of what two have together."""

    system: int
    first: int  # of the others
    last: int  # the one after them

    def across(self, rows: Floats) -> Floats:
        """Products of one side's sums with the other's, summed: sums × sums × others × 1 × parts."""
        indices = range(self.first, self.last)
        products = [np.einsum("anp,bnp->abp", rows[:, self.system], rows[:, other]) for other in indices]
        return np.stack(products, axis=2)[:, :, :, None]

    def _split(self, values: Floats) -> tuple[Floats, Floats]:
        return values[:, self.system : self.system + 1], values[:, self.first : self.last]

    def sides(self, totals: Floats, moved: Floats | None = None) -> tuple[Floats, Floats]:
        """Sums and products of either side, after some documents changed sides."""
        own_totals, other_totals = self._split(totals)
        if moved is None:
            return np.broadcast_to(own_totals, other_totals.shape), other_totals
        own_moved, other_moved = self._split(moved)
        shift = other_moved - own_moved
        return own_totals + shift, other_totals - shift

    def exchange_products(self, rows: Floats) -> Floats:
        """What an exchange adds to the products of unlike sums: those · others · parts × documents."""
        own_rows, other_rows = self._split(rows)
        both = [own_rows[b] * other_rows[a] - own_rows[a] * other_rows[b] for a, b in combinations(range(len(rows)), 2)]
        return _flat(np.stack(both) if both else other_rows[:0])

    def unlike(self, products: Floats, parts: int) -> Floats:
        """The same, added up by coins: unlike sums × others × shuffles × parts."""
        count = self.last - self.first
        return _unflat(products, (len(products) // (count * parts), count, 1, parts))


@dataclass(frozen=True)
class _Sums:
    """What all documents sum up to."""

    totals: Floats  # (sums + products) × systems × 1 × parts
    products: list[Floats]  # of what several have together: sums × sums × others × 1 × parts

    @classmethod
    def of(cls, moments: Iterable[_Moments], several: Sequence[_SystemGroup]) -> _Sums:
        return reduce(
            _Sums._plus, (cls(block.totals, [group.across(block.rows) for group in several]) for block in moments)
        )

    def _plus(self, more: _Sums) -> _Sums:
        return _Sums(self.totals + more.totals, [*map(add, self.products, more.products)])

    @property
    def size(self) -> int:
        """How many sums are kept of each shuffle."""
        return self.totals.size + sum(self._unlike)

    @property
    def _unlike(self) -> list[int]:
        """Of those, how many are products of unlike sums that several have together."""
        return [len(block) * (len(block) - 1) // 2 * block[0, 0].size for block in self.products]

    def across(self, several: Sequence[_SystemGroup]) -> Iterator[tuple[_SystemGroup, Floats]]:
        return zip(several, self.products, strict=True)

    def exchange(
        self, moments: Iterable[_Moments], several: Sequence[_SystemGroup], shuffled: Tosses
    ) -> tuple[Floats, list[Floats]]:
        """Sums and products of what shuffles exchange, and what that adds to the products of unlike sums."""
        moved = np.zeros((self.totals.size, shuffled.shuffles))
        turned = [np.zeros((size, shuffled.shuffles)) for size in self._unlike]
        for number, block in enumerate(moments):
            for shuffle_columns, flips in shuffled.of(number, block.columns.shape[1]):
                moved[:, shuffle_columns] += block.columns @ flips.T
                for group, so_far in zip(several, turned, strict=True):
                    so_far[:, shuffle_columns] += group.exchange_products(block.rows) @ flips.T
        return moved, turned


def _system_groups(systems: int, parts: int) -> Iterator[tuple[int, int, int]]:
    """All pairs, a system with a few others at a time: its number, that of the first and the one after the last."""
    width = max(1, _PAIRS // max(parts, 1))
    for system in range(systems):
        for first in range(system + 1, systems, width):
            yield system, first, min(first + width, systems)


def _flat(values: Floats) -> Floats:
    """… × systems × documents × parts as all the rest × documents, for one product with many coins."""
    return np.ascontiguousarray(np.swapaxes(values, -2, -1).reshape(-1, values.shape[-2]))


def _unflat(products: Floats, like: tuple[int, ...]) -> Floats:
    """Products with coins, laid out as what was flattened: … × systems × shuffles × parts."""
    return np.swapaxes(products.reshape(*like[:-2], like[-1], products.shape[1]), -2, -1)


def _of_ratios(first: Floats, second: Floats, across: Floats, turned: Floats | None) -> tuple[Floats, Floats, Floats]:
    """The difference of two ratios, its variance, and what that is left of: as below, with the slopes worked in."""
    over, other_over = 1 / first[1], 1 / second[1]
    value, second_value = first[0] * over, second[0] * other_over
    extra = 0.0 if turned is None else turned[0]
    own = (first[2] + value * (value * first[4] - 2 * first[3])) * over * over
    its = (second[2] + second_value * (second_value * second[4] - 2 * second[3])) * other_over * other_over
    both = (
        across[0, 0]
        - second_value * (across[0, 1] + extra)
        - value * (across[1, 0] - extra - second_value * across[1, 1])
    )
    gross = (first[2] + value * value * first[4]) * over * over + (
        second[2] + second_value * second_value * second[4]
    ) * other_over * other_over
    return value - second_value, own + its - 2 * both * over * other_over, gross


def _of_slopes(
    form: Form, first: Floats, second: Floats, across: Floats, turned: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """The difference of two values of any form and its variance, from how fast they change with each sum.

    Last the squares of which the variance is what is left when products are taken away.
    """
    size = len(across)
    value, slope = form.at(first[:size])
    second_value, away = form.at(second[:size])
    variance, gross = np.zeros_like(value), np.zeros_like(value)
    for number, (a, b) in enumerate(combinations_with_replacement(range(size), 2), size):
        both = slope[a] * slope[b] * first[number] + away[a] * away[b] * second[number]
        variance += both * (1 if a == b else 2)
        gross += both * (a == b)
    for a in range(size):
        variance -= 2 * slope[a] * sum(away[b] * across[a, b] for b in range(size))
    for (a, b), extra in zip(combinations(range(size), 2), () if turned is None else turned, strict=False):
        variance -= 2 * (slope[a] * away[b] - slope[b] * away[a]) * extra
    return value - second_value, variance, gross


def studentize(form: Form, first: Floats, second: Floats, across: Floats, turned: Floats | None) -> Floats:
    """The difference of two values over its standard error, from sums and products: others × shuffles × parts."""
    with np.errstate(divide="ignore", invalid="ignore"):  # an undefined value has no slope
        if isinstance(form, Ratios):
            difference, variance, gross = _of_ratios(first, second, across, turned)
        else:
            difference, variance, gross = _of_slopes(form, first, second, across, turned)
    # What rounding leaves of a variance that is none is nothing. A variance itself may be as small as documents are
    # many and long: what few of a million differ in is sure all the same.
    variance[variance <= _TOLERANCE * gross] = 0.0
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
