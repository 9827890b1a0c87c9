"""Rows of very many documents, some of them at a time: none has to hold them all.

Whatever is added up is added up block by block, wherever the rows lie: the last digit of a sum depends on the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.statistics.rows import Rows

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
