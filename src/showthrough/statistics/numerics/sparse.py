"""Matrices that are mostly 0, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from showthrough.core.arrays import AnyArray, Bools, Floats, Ints
from showthrough.data.layout.spans import expand_ranges

# A column counts as frequent where entries meet in one of so many places: there a product with all zeros is faster.
_MEETING = 200
_CELLS = 4_000_000  # of the arrays that are held at once: 32 MB each


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Of each row the columns that are not 0, ascending, and what is there.

    >>> rows = SparseRows(np.array([2.0, 1.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 3]), width=3)
    >>> rows.dense().tolist()
    [[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]]
    >>> rows.times(np.array([1.0, 10.0, 100.0])).tolist()
    [102.0, 30.0]
    """

    data: AnyArray
    column: AnyArray
    bound: Ints  # where each row begins in both, and where the last one ends
    width: int

    @classmethod
    def stack(cls, blocks: Sequence[SparseRows]) -> SparseRows:
        """All rows of some matrices of one width."""
        ends = np.cumsum([0, *(len(block.data) for block in blocks)])
        bounds = [block.bound[:-1] + before for block, before in zip(blocks, ends[:-1], strict=True)]
        data, column = (np.concatenate([getattr(block, of) for block in blocks]) for of in ("data", "column"))
        return cls(data, column, np.concatenate([*bounds, ends[-1:]]), blocks[0].width)

    def __len__(self) -> int:
        return len(self.bound) - 1

    @property
    def row(self) -> Ints:
        """Of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.bound))

    def with_data(self, data: AnyArray) -> SparseRows:
        """Other numbers in the same places."""
        return replace(self, data=data)

    def rows(self, chosen: Ints) -> SparseRows:
        """Some rows, in the order in which they are named."""
        _, entry = expand_ranges(self.bound[chosen], self.bound[chosen + 1])
        ends = np.concatenate([[0], np.cumsum(np.diff(self.bound)[chosen])])
        return SparseRows(self.data[entry], self.column[entry], ends, self.width)

    def row_range(self, first: int, last: int) -> SparseRows:
        """The rows from one to before another."""
        low, high = self.bound[[first, last]]
        return SparseRows(self.data[low:high], self.column[low:high], self.bound[first : last + 1] - low, self.width)

    def within(self, target: AnyArray, width: int) -> SparseRows:
        """Columns moved to their places, of which there are so many; those whose place is −1 are left out."""
        column = target[self.column]
        stay = column >= 0
        ends = np.concatenate([[0], np.cumsum(stay)])[self.bound]
        return SparseRows(self.data[stay], column[stay], ends, width)

    def transpose(self) -> SparseRows:
        """Columns as rows."""
        order = np.argsort(self.column, kind="stable")
        ends = np.concatenate([[0], np.cumsum(np.bincount(self.column, minlength=self.width))])
        return SparseRows(self.data[order], self.row[order], ends, len(self))

    def dense(self) -> AnyArray:
        matrix = np.zeros((len(self), self.width), dtype=self.data.dtype)
        matrix[self.row, self.column] = self.data
        return matrix

    def unit(self) -> SparseRows:
        """Every row scaled to length 1; a row of nothing stays nothing."""
        length = np.sqrt(np.bincount(self.row, self.data.astype(np.float64) ** 2, minlength=len(self)))
        length[length == 0] = 1.0
        return self.with_data((self.data / length[self.row]).astype(self.data.dtype))

    def at(self, row: Ints, column: AnyArray) -> Floats:
        """Many entries; 0 where there is none."""
        keys = self.row * self.width + self.column
        if not len(keys):
            return np.zeros(len(row))
        wanted_keys = row * self.width + column
        index = np.minimum(np.searchsorted(keys, wanted_keys), len(keys) - 1)
        return np.where(keys[index] == wanted_keys, self.data[index].astype(np.float64), 0.0)

    def times(self, dense: AnyArray) -> Floats:
        """The product with a vector, or with a matrix: rows that are equal have equal sums to the last digit."""
        if dense.ndim == 1:
            return np.bincount(self.row, self.data * dense[self.column], minlength=len(self)).astype(np.float64)
        return sums(dense, self.column, self.bound, self.data)

    def product(self, turned: SparseRows) -> Floats:
        """All rows times all rows of another matrix, which is given turned: dense, rows × rows.

        Columns that many rows of both sides have are multiplied zeros and all; of the others every meeting is listed.
        """
        shape = len(self), turned.width
        meetings = np.bincount(self.column, minlength=self.width) * np.diff(turned.bound)
        often = meetings * _MEETING >= max(1, shape[0] * shape[1])
        frequent, step = np.flatnonzero(often), max(1, _CELLS // max(*shape, 1))
        matrix = np.zeros(shape)
        for first in range(0, len(frequent), step):
            batch = frequent[first : first + step]
            new_column = np.full(self.width, -1)
            new_column[batch] = np.arange(len(batch))
            matrix += self.within(new_column, len(batch)).dense().astype(np.float64) @ turned.rows(batch).dense()
        self._meet(turned, (meetings > 0) & ~often, matrix)
        return matrix

    def _meet(self, turned: SparseRows, rare: Bools, matrix: Floats) -> None:
        """Adds what every two entries in the same rare column make."""
        entry = np.flatnonzero(rare[self.column])
        row, column, data = self.row[entry], self.column[entry], self.data[entry].astype(np.float64)
        turn = np.cumsum(np.diff(turned.bound)[column]) // _CELLS
        cuts = [*np.flatnonzero(np.diff(turn, prepend=-1)).tolist(), len(entry)]
        for first, last in pairwise(cuts):
            window = slice(first, last)
            own, other = expand_ranges(turned.bound[column[window]], turned.bound[column[window] + 1])
            cell = row[window][own] * matrix.shape[1] + turned.column[other]
            added = np.bincount(cell, data[window][own] * turned.data[other], minlength=matrix.size)
            matrix += added.reshape(matrix.shape)


def sums(rows: AnyArray, which: AnyArray, bound: Ints, weights: AnyArray | None = None) -> Floats:
    """Sums of some rows each, weighted or not: `which`, from each of `bound` to before the next.

    Every sum is made from its first row to its last. Many short ones are made together: the first rows of all, then
    the second ones, …

    >>> sums(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 2, 1]), np.array([0, 2, 2, 3])).tolist()
    [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0]]
    """

    def listed(entry: slice | Ints) -> AnyArray:
        selection = rows[which[entry]]
        return np.asarray(selection if weights is None else selection * weights[entry, None])

    length = np.diff(bound)
    totals = np.zeros((len(length), rows.shape[1]))
    if len(length) < length.max(initial=0):
        for index, (first, last) in enumerate(pairwise(bound.tolist())):
            totals[index] = listed(slice(first, last)).sum(axis=0)
        return totals
    longest_first = np.argsort(-length, kind="stable")
    start = bound[longest_first]
    reaching = np.searchsorted(-length[longest_first], -np.arange(length.max(initial=0)))
    for index, reached in enumerate(reaching.tolist()):
        totals[:reached] += listed(start[:reached] + index)
    ordered = np.empty_like(totals)
    ordered[longest_first] = totals
    return ordered
