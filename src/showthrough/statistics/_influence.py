"""What all documents together do to numbers: their influences added up, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import add
from typing import TypeVar

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.statistics.forms import Form, Influences, Ratios, influences
from showthrough.statistics.rows import Table, abreast, blocks

Pair = tuple[int, int]
Sum = TypeVar("Sum", Floats, "InfluenceSums", "Between")
FEW = 10  # documents that weigh alike: where fewer carry a number, intervals cover too seldom


@dataclass(frozen=True)
class Sizes:
    """How moves go with the sizes of documents: sums over documents, part by part."""

    squares: Floats  # of sizes
    cubes: Floats
    largest: Floats
    products: Floats  # of move and size
    once: Floats  # squares of moves times size
    twice: Floats  # squares of moves times squares of sizes

    @classmethod
    def of(cls, sizes: Floats, moves: Floats) -> Sizes:
        squares, products = sizes**2, moves * sizes
        return cls(
            squares.sum(axis=0),
            (squares * sizes).sum(axis=0),
            sizes.max(axis=0, initial=0),
            products.sum(axis=0),
            (products * moves).sum(axis=0),
            (products**2).sum(axis=0),
        )

    def part(self, index: int) -> Sizes:
        """Those of one part."""
        return Sizes(*(getattr(self, size_field.name)[index : index + 1] for size_field in fields(Sizes)))

    @classmethod
    def stack(cls, parts: Sequence[Sizes]) -> Sizes:
        """Of several, one above the other."""
        return cls(*(np.stack([getattr(sizes, size_field.name) for sizes in parts]) for size_field in fields(cls)))

    def __add__(self, more: Sizes) -> Sizes:
        """With other documents of the same table."""
        return Sizes(
            self.squares + more.squares,
            self.cubes + more.cubes,
            np.maximum(self.largest, more.largest),
            self.products + more.products,
            self.once + more.once,
            self.twice + more.twice,
        )


@dataclass(frozen=True)
class InfluenceSums:
    """Sums of influences over documents, part by part."""

    values: Floats
    counted: Floats  # documents that count for a value at all
    squares: Floats  # of moves
    fourths: Floats  # powers of moves
    weights: Floats
    squared: Floats  # weights
    largest: Floats  # move of a single document
    sizes: Sizes | None = None  # of ratios

    @classmethod
    def of(cls, influences: Influences) -> InfluenceSums:
        squares = influences.moves**2
        return cls(
            influences.values,
            influences.counted.sum(axis=0),
            squares.sum(axis=0),
            (squares**2).sum(axis=0),
            influences.weights.sum(axis=0),
            (influences.weights**2).sum(axis=0),
            np.abs(influences.moves).max(axis=0, initial=0),
            None if influences.sizes is None else Sizes.of(influences.sizes, influences.moves),
        )

    def part(self, index: int) -> InfluenceSums:
        """Those of one part."""
        names = [sums.name for sums in fields(self) if sums.name != "sizes"]
        numbers = {name: getattr(self, name)[index : index + 1] for name in names}
        return InfluenceSums(**numbers, sizes=self.sizes and self.sizes.part(index))

    def __add__(self, more: InfluenceSums) -> InfluenceSums:
        """With other documents of the same table."""
        return InfluenceSums(
            self.values,
            self.counted + more.counted,
            self.squares + more.squares,
            self.fourths + more.fourths,
            self.weights + more.weights,
            self.squared + more.squared,
            np.maximum(self.largest, more.largest),
            self.sizes + more.sizes if self.sizes and more.sizes else None,
        )


@dataclass(frozen=True)
class Between:
    """How the same documents move the values of two systems: sums over documents, pairs of systems × parts."""

    squares: Floats  # of what one moves more than the other
    fourths: Floats
    products: Floats  # of the two moves
    alike: Bools  # whether the same counts on either side, in every document
    sizes: Sizes | None = None  # of ratios, with what one moves more than the other

    @classmethod
    def of(cls, influences: Sequence[Influences], counted: Sequence[Floats], pairs: Sequence[Pair]) -> Between:
        """`counted` are the sums that say how much counts: sums × documents × parts of each system."""
        shape = len(pairs), counted[0].shape[-1]
        squares, fourths, products = np.zeros((3, *shape))
        alike = np.ones(shape, dtype=bool)
        sizes = []
        for index, (left_system, right_system) in enumerate(pairs):
            more = influences[left_system].moves - influences[right_system].moves
            apart = more**2
            squares[index], fourths[index] = apart.sum(axis=0), (apart**2).sum(axis=0)
            products[index] = (influences[left_system].moves * influences[right_system].moves).sum(axis=0)
            alike[index] = (counted[left_system] == counted[right_system]).all(axis=(0, 1))
            first, second = influences[left_system].sizes, influences[right_system].sizes
            if first is not None and second is not None:
                sizes.append(Sizes.of((first + second) / 2, more))
        return cls(squares, fourths, products, alike, Sizes.stack(sizes) if sizes else None)

    def __add__(self, more: Between) -> Between:
        """With other documents of the same systems."""
        return Between(
            self.squares + more.squares,
            self.fourths + more.fourths,
            self.products + more.products,
            self.alike & more.alike,
            self.sizes + more.sizes if self.sizes and more.sizes else None,
        )


def sum_influences(every: Sequence[Form], table: Table) -> list[InfluenceSums]:
    """What documents do to the values of some forms; they are gone through twice, for the values first."""
    if not every:
        return []
    at = [form.at(totals) for form, totals in zip(every, _totals(every, table), strict=True)]
    results: list[InfluenceSums] = []
    for block in blocks(table):
        pairs = zip(every, at, strict=True)
        results = _plus(results, [InfluenceSums.of(influences(form, form.sums(block), point)) for form, point in pairs])
    return results


def as_many_alike(form: Form | None, table: Table) -> float | None:
    """As many documents that weigh alike as carry a ratio: (Σw)² / Σw² of what each has below the line.

    `None` where there is no line, or nothing below it.
    """
    if not isinstance(form, Ratios):
        return None
    below = [form.sums(block)[1] for block in blocks(table)]
    squares = sum(float((weights**2).sum()) for weights in below)
    return sum(float(weights.sum()) for weights in below) ** 2 / squares if squares else None


def moved_together(form: Form, systems: Sequence[Table], pairs: Sequence[Pair]) -> tuple[list[InfluenceSums], Between]:
    """What the same documents do to the values of several systems, and to those of each pair."""
    at = [form.at(_totals([form], table)[0]) for table in systems]
    below = slice(1, 2) if isinstance(form, Ratios) else slice(None)
    sides: list[InfluenceSums] = []
    between: list[Between] = []
    for row_blocks in abreast(systems):
        rows = [form.sums(block) for block in row_blocks]
        system_influences = [influences(form, table, point) for table, point in zip(rows, at, strict=True)]
        sides = _plus(sides, [*map(InfluenceSums.of, system_influences)])
        between = _plus(between, [Between.of(system_influences, [table[below] for table in rows], pairs)])
    return sides, between[0]


def _totals(every: Sequence[Form], table: Table) -> list[Floats]:
    """What forms make of all documents: sums × 1 × parts each."""
    sums: list[Floats] = []
    for block in blocks(table):
        sums = _plus(sums, [form.sums(block).sum(axis=1, keepdims=True) for form in every])
    return sums


def _plus(sums: list[Sum], more: list[Sum]) -> list[Sum]:
    """One by one; nothing so far is no zero, which has a sign."""
    return [*map(add, sums, more)] if sums else more
