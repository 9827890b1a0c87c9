"""Sufficient statistics: one row of counts a document, from which every score, interval and test is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from showthrough._former import FormerName
from showthrough.core.arrays import Floats

Array = Floats  # the name by which metrics of other packages know it
Totals = Mapping[str, Floats]  # a statistic's name -> its sum, or many sums (one a resample)
BLOCK = 16_384  # documents whose rows are looked at together, wherever the rows are


@dataclass(frozen=True)
class Rows:
    """Sufficient statistics, one row a document: `values` is documents × `columns`.

    `evidence` is what a reader may want to see of single documents, by id, where a metric has any.
    """

    columns: tuple[str, ...]
    values: Floats
    evidence: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, **columns: ArrayLike) -> Rows:
        return cls.named(columns)

    @classmethod
    def named(cls, columns: Mapping[str, ArrayLike], documents: int = 0) -> Rows:
        """Rows from their columns by name; of so many documents, where there may be no column to tell."""
        arrays = [np.asarray(column, dtype=np.float64) for column in columns.values()]
        return cls(tuple(columns), np.column_stack(arrays) if arrays else np.zeros((documents, 0)))

    @classmethod
    def concatenate(cls, chunks: Sequence[Rows]) -> Rows:
        """Rows of consecutive chunks; a column that a chunk lacks is zero there."""
        columns = tuple(dict.fromkeys(column for chunk in chunks for column in chunk.columns))
        values = np.zeros((sum(len(chunk.values) for chunk in chunks), len(columns)))
        position = 0
        for chunk in chunks:
            column_indices = [columns.index(column) for column in chunk.columns]
            values[position : position + len(chunk.values), column_indices] = chunk.values
            position += len(chunk.values)
        return cls(columns, values, {key: entry for chunk in chunks for key, entry in chunk.evidence.items()})

    joined = FormerName("concatenate")  # for metrics of packages

    def __len__(self) -> int:
        return len(self.values)

    def column(self, name: str) -> Floats:
        """One number of every document."""
        index = self.columns.index(name)
        return np.concatenate([np.zeros(0), *(block[:, index] for block in self.blocks())])

    def blocks(self) -> Iterator[Floats]:
        """The same values, those of `BLOCK` documents at a time: rows may lie in files, and none has to hold them all.

        Whatever adds up over documents is added up so, also where they are in memory: the last digit of a sum depends
        on the order.
        """
        for start in range(0, len(self.values), BLOCK):
            yield self.values[start : start + BLOCK]

    def totals(self) -> Totals:
        sums = np.zeros(len(self.columns))
        for block in self.blocks():
            sums = sums + np.ascontiguousarray(block).sum(axis=0)  # however a block is laid out
        return dict(zip(self.columns, sums, strict=True))


Table = Floats | Rows  # documents × columns
Made = TypeVar("Made")


def blocks(table: Table) -> Iterator[Floats]:
    """The rows of some documents after those of others, laid out alike; of no document at all, one without any."""
    rows = table if isinstance(table, Rows) else Rows((), table)
    if not len(rows):
        yield np.zeros((0, len(table.columns) if isinstance(table, Rows) else table.shape[1]))
    for block in rows.blocks():
        yield np.ascontiguousarray(block, dtype=np.float64)


def abreast(tables: Sequence[Table]) -> Iterator[tuple[Floats, ...]]:
    """What several tables have of the same documents."""
    return zip(*map(blocks, tables), strict=True)


def is_single_block(table: Table) -> bool:
    """Whether there is but one block."""
    return len(next(blocks(table))) == len(table)


def sum_columns(table: Table) -> Floats:
    """The sum of each column."""
    sums = [block.sum(axis=0) for block in blocks(table)]
    return np.asarray(sum(sums[1:], start=sums[0]))


class BlockReplay(Generic[Made]):
    """What is made of blocks and gone through over and over: made anew each time, unless there is but one block."""

    def __init__(self, tables: Sequence[Table], make: Callable[[tuple[Floats, ...]], Made]) -> None:
        self._tables = tables
        self._make = make
        self.once = is_single_block(tables[0])
        self._kept = [*self._build()] if self.once else []

    def __iter__(self) -> Iterator[Made]:
        return iter(self._kept) if self.once else self._build()

    def _build(self) -> Iterator[Made]:
        return map(self._make, abreast(self._tables))
