"""Rows that are made of others, a block at a time: tables side by side, and tables with the columns of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.statistics.rows import Rows


class DerivedRows(Rows):
    """Rows whose blocks are made whenever somebody goes through them."""

    def __init__(self, columns: tuple[str, ...], documents: int, make: Callable[[], Iterator[Floats]]) -> None:
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "evidence", {})
        object.__setattr__(self, "_documents", documents)
        object.__setattr__(self, "_make", make)

    _documents: int
    _make: Callable[[], Iterator[Floats]]

    def __len__(self) -> int:
        return self._documents

    def blocks(self) -> Iterator[Floats]:
        return self._make()

    @property
    def values(self) -> Floats:  # of all documents: for what is small
        return np.concatenate([np.zeros((0, len(self.columns))), *self.blocks()])


def join_columns(tables: Sequence[Rows]) -> Rows:
    """All columns of tables of the same documents, one table's after another's."""
    columns = tuple(column for table in tables for column in table.columns)

    def blocks() -> Iterator[Floats]:
        return map(np.hstack, zip(*(table.blocks() for table in tables), strict=True))

    return DerivedRows(columns, len(tables[0]), blocks)


def aligned(tables: Sequence[Rows]) -> list[Rows]:
    """The same tables, all with the columns of all; a column that one lacks is zero there."""
    columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
    return [table if table.columns == columns else _padded(table, columns) for table in tables]


def _padded(table: Rows, columns: tuple[str, ...]) -> Rows:
    column_indices = [columns.index(column) for column in table.columns]

    def blocks() -> Iterator[Floats]:
        for block in table.blocks():
            values = np.zeros((len(block), len(columns)))
            values[:, column_indices] = block
            yield values

    return DerivedRows(columns, len(table), blocks)
