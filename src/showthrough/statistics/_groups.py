"""One group of documents against all others: do they differ, or are there too few to say?

Units change places between the group and the rest, many times. A unit that has documents on both sides exchanges
these. A difference is measured by its standard error, and by that of every shuffle anew (Janssen 1997; Chung and Romano
2013): groups of other sizes, or with longer documents, are no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.statistics._comparison import MOST, Among, Freedoms, PairTest
from showthrough.statistics._influence import InfluenceSums
from showthrough.statistics._randomization import studentize
from showthrough.statistics.forms import Form, Ratios, influences
from showthrough.statistics.intervals import alike
from showthrough.statistics.numerics.distributions import student_below

LEAST_UNITS = 5  # of a group, and of the rest: with fewer nothing is tested
_MANY = 20_000  # units that shuffles exchange at most
_CELLS = 1_000_000  # places of one block of shuffles: 8 MB
_EQUAL = 1e-9  # what adding in another order makes of an equal number must not count as smaller
_NONE = 1e-12  # a difference or an error that is nothing but rounding


@dataclass(frozen=True)
class GroupSums:
    """What units have in a group and outside of it: sums × units × parts each, as a form makes them of rows."""

    form: Form
    inside: Floats
    outside: Floats

    def part(self, units: Ints) -> GroupSums:
        """The same of some units, by number."""
        if len(units) == self.inside.shape[1]:
            return self
        return GroupSums(self.form, self.inside[:, units], self.outside[:, units])


@dataclass(frozen=True)
class GroupTests:
    """The parts of one form, in a group against the rest, and what the units of each side do to its values."""

    tests: Sequence[PairTest]
    inside: InfluenceSums
    outside: InfluenceSums


def group_tests(
    tables: Sequence[GroupSums], inside: Bools, outside: Bools, shuffles: int, seed: int, unit: str = "document"
) -> list[GroupTests]:
    """All forms by the same shuffles; `inside` and `outside` are the units that have documents there.

    The p value is that of the shuffles. Where few units make all the difference that finds too much, so Student's t
    is asked too, and the larger one counts. Of very many units the larger side is a sample in the shuffles; where both
    sides are large, Student's t is asked alone.
    """
    from threadpoolctl import threadpool_limits

    observed = [_observe(table) for table in tables]
    sample = _sample_units(inside, outside, seed)
    inside, outside = inside[sample], outside[sample]
    shuffles = shuffles if len(sample) else 0
    both = inside & outside
    exchanges = [
        _Exchange.of(table.part(sample), both) if shuffles and table.form.size <= MOST else None for table in tables
    ]
    real = [
        None if exchange is None else np.abs(exchange.statistic(table.form, inside[None].astype(np.float64)))
        for table, exchange in zip(tables, exchanges, strict=True)
    ]
    large = [None if value is None else np.zeros(value.shape[1:]) for value in real]
    enough = min(inside.sum(), outside.sum()) >= LEAST_UNITS
    with threadpool_limits(1, "blas"):  # products are small; threads would mostly wait for each other
        for labels in _iter_labels(inside, outside, shuffles, seed) if enough and shuffles else ():
            for table, exchange, value, count in zip(tables, exchanges, real, large, strict=True):
                if exchange is not None and value is not None and count is not None:
                    statistic = np.abs(exchange.statistic(table.form, labels))
                    count += (~(statistic < value * (1 - _EQUAL))).sum(axis=0)
    results = []
    for table, sides, value, count in zip(tables, observed, real, large, strict=True):
        shuffled = np.full(len(table.form.parts), np.nan)
        if shuffles and enough and value is not None and count is not None:
            shuffled = np.where(np.isnan(value[0]), np.nan, (count + 1) / (shuffles + 1))
        results.append(_results(table, sides, shuffled, unit))
    return results


def _sample_units(inside: Bools, outside: Bools, seed: int) -> Ints:
    """The units that shuffles exchange, by number: all; of very many, the smaller side and some of the larger one.

    None where both sides are large, or very many units are on both.
    """
    sides = np.flatnonzero(inside), np.flatnonzero(outside & ~inside)
    small, large = sorted(sides, key=len)
    if len(small) + len(large) <= _MANY:
        return np.flatnonzero(inside | outside)
    if len(small) > _MANY // 2 or (inside & outside).any():
        return np.zeros(0, dtype=np.int64)
    chosen = np.random.default_rng([seed, 1]).choice(large, _MANY - len(small), replace=False)
    return np.sort(np.concatenate((small, chosen)))


def _iter_labels(inside: Bools, outside: Bools, shuffles: int, seed: int) -> Iterator[Floats]:
    """1 where a unit is in the group, some shuffles × units at a time; as many units as there are stay in it.

    Of a unit on both sides: 1 where its two sides stay, 0 where they change places.
    """
    random = np.random.default_rng(seed)
    single, both = np.flatnonzero(inside != outside), np.flatnonzero(inside & outside)
    taken = int((inside & ~outside).sum())
    size = max(1, _CELLS // max(len(inside), 1))
    for start in range(0, shuffles, size):
        count = min(size, shuffles - start)
        labels = np.zeros((count, len(inside)))
        if 0 < taken < len(single):
            order = np.argpartition(random.random((count, len(single)), dtype=np.float32), taken - 1, axis=1)
            np.put_along_axis(labels, single[order[:, :taken]], 1.0, axis=1)
        else:
            labels[:, single] = inside[single]
        if len(both):
            labels[:, both] = random.integers(0, 2, (count, len(both)))
        yield labels


@dataclass(frozen=True)
class _Exchange:
    """What shuffles need of the sums of units, each as columns of units × (sums and products) · parts."""

    base: Floats  # (sums + products) × parts of the group with no unit where it is
    changes: Floats  # units × …: what the group gains by a unit that is where it is
    every: Floats  # (sums + products) × parts of both sides
    across: Floats  # products of the two sides of units: sums × sums × 1 × 1 × parts
    turned: Floats | None  # units × …: what exchanging the sides adds to the products of unlike sums

    @classmethod
    def of(cls, table: GroupSums, both: Bools) -> _Exchange:
        mixed = both[None, :, None]
        here, away = np.where(mixed, table.inside, table.inside + table.outside), np.where(mixed, table.outside, 0.0)
        own, other = _moments(here), _moments(away)
        units = own.shape[1]
        first, second = table.inside[:, both], table.outside[:, both]
        pairs = combinations(range(len(here)), 2)
        turned = [second[i] * first[j] - first[i] * second[j] for i, j in pairs] if both.any() else []
        return cls(
            other.sum(axis=1),
            np.ascontiguousarray(np.moveaxis(own - other, 1, 0).reshape(units, -1)),
            (own + other).sum(axis=1),
            np.einsum("aup,bup->abp", first, second)[:, :, None, None],
            _spread_out(np.stack(turned), both) if turned else None,
        )

    def statistic(self, form: Form, labels: Floats) -> Floats:
        """The difference over its standard error: shuffles × parts."""
        shape = (len(labels), *self.base.shape)
        group = self.base + (labels @ self.changes).reshape(shape)
        first, second = (np.moveaxis(side, 0, 1)[:, None] for side in (group, self.every - group))
        extra = None
        if self.turned is not None:
            away = self.turned.sum(axis=0) - labels @ self.turned
            extra = np.moveaxis(away.reshape(len(labels), -1, self.base.shape[1]), 0, 1)[:, None]
        return np.asarray(studentize(form, first, second, self.across, extra)[0])


def _moments(rows: Floats) -> Floats:
    """Sums and the products of each two of them: (sums + products) × units × parts."""
    return np.stack([*rows, *(left * right for left, right in combinations_with_replacement(rows, 2))])


def _spread_out(values: Floats, both: Bools) -> Floats:
    """What only units on both sides have, for all units: units × all the rest."""
    every = np.zeros((len(both), values.shape[0], values.shape[2]))
    every[both] = np.moveaxis(values, 1, 0)
    return every.reshape(len(both), -1)


@dataclass(frozen=True)
class _Observed:
    """A group and the rest as they are: by Student's t, and what units do to the group's values."""

    difference: Floats
    error: Floats
    degrees: Floats
    flat: Bools  # whether every unit of one side is alike
    inside: InfluenceSums
    outside: InfluenceSums


def _observe(table: GroupSums) -> _Observed:
    own, others = influences(table.form, table.inside), influences(table.form, table.outside)
    counted = own.counted.sum(axis=0), others.counted.sum(axis=0)
    moves = [
        side.moves * np.sqrt(count / np.maximum(count - 1, 1))
        for side, count in zip((own, others), counted, strict=True)
    ]
    variances = [(side**2).sum(axis=0) for side in moves]
    apart = moves[0] - moves[1]
    squares = (apart**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        welch = sum(variances) ** 2 / sum(
            variance**2 / np.maximum(count - 1, 1) for variance, count in zip(variances, counted, strict=True)
        )
    # A few large deviations leave few degrees of freedom (Satterthwaite 1946), and so does a small side (Welch 1947).
    degrees = np.fmax(np.fmin(2 * alike(squares, ((apart**2) ** 2).sum(axis=0)), np.nan_to_num(welch)), 1.0)
    flat = np.minimum(*(np.abs(side).max(axis=0, initial=0) for side in moves)) <= _NONE
    difference = own.values - others.values
    sums = InfluenceSums.of(own), InfluenceSums.of(others)
    return _Observed(difference, np.sqrt(squares), degrees, flat, *sums)


def _results(table: GroupSums, observed: _Observed, shuffled: Floats, unit: str) -> GroupTests:
    with np.errstate(divide="ignore", invalid="ignore"):
        by_t = 2 * student_below(observed.degrees, -np.abs(observed.difference) / observed.error)
    by_t = np.where(np.abs(observed.difference) <= _NONE, 1.0, np.where(observed.error > _NONE, by_t, np.nan))
    p = np.fmax(by_t, shuffled)
    tests, freedoms = [], Freedoms(observed.degrees[None])
    for index, part in enumerate(table.form.parts):
        fault = _too_few(observed.inside.counted[index], observed.outside.counted[index], unit)
        value = None if fault or np.isnan(p[index]) or np.isnan(observed.difference[index]) else float(p[index])
        if value is None and not fault and not np.isnan(observed.difference[index]):
            fault = f"nothing varies between {unit}s, so chance cannot be judged"
        spread = float(observed.error[index]), float(observed.degrees[index]), bool(observed.flat[index])
        tests.append(PairTest(part, 0, 1, value, *spread, fault, Among(freedoms, 0, index)))
    return GroupTests(tests, observed.inside, observed.outside)


def _too_few(inside: float, outside: float, unit: str) -> str:
    """Why there is no test, where a side is too small."""
    for count, where in ((inside, "in the group"), (outside, "outside the group")):
        if count < LEAST_UNITS:
            return (
                f"too few to say: {count:.0f} {unit}{'' if count == 1 else 's'} {where}, and {LEAST_UNITS} are needed"
            )
    return ""


def even_units(influences: InfluenceSums) -> Floats:
    """As many units that weigh alike as carry each ratio; NaN where the numbers are none."""
    if influences.sizes is None:
        return np.full(influences.values.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 / influences.sizes.squares)


def side_by_side(tables: Sequence[GroupSums]) -> GroupSums:
    """Ratios of the same units as parts of one form, which costs hardly more than one of them."""
    parts = tuple(str(number) for number in range(sum(len(table.form.parts) for table in tables)))
    stacked = Ratios(parts, np.zeros((2, len(parts), 0)))  # its weights were used when sums were made
    inside, outside = (
        np.concatenate([getattr(table, side) for table in tables], axis=2) for side in ("inside", "outside")
    )
    return GroupSums(stacked, inside, outside)
