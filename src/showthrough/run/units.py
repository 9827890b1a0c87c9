"""What is drawn and exchanged as a whole: a document, or a group of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.metrics import Rows
from showthrough.metrics.derived import DerivedRows
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.spill import SpilledColumn, SpilledColumns
from showthrough.storage.columns.strings import Strings

_CELLS = 4_000_000  # sums of groups that are held at once: 32 MB
_NONE = np.zeros(0, dtype=np.int64)


class Units:
    """What is drawn of some documents: they themselves, or the groups that they are in; an empty one is no group."""

    def __init__(self, documents: Sequence[str], groups: Sequence[str]) -> None:
        self._order = _order(documents)
        self._unit, self._count = _number_groups(groups, self._order) if groups else (_NONE, len(documents))
        self._documents = len(documents)

    @property
    def count(self) -> int:
        """How many there are."""
        return self._count

    @property
    def alone(self) -> bool:
        """Whether each document is one, in the order of the ids."""
        return not len(self._unit)

    @property
    def numbers(self) -> Ints:
        """The number of each document's unit, in the order of the documents' ids."""
        return self._unit if len(self._unit) else np.arange(self._documents)

    def by_id(self, rows: Rows) -> Rows:
        """The rows of documents in the order of their ids: the last digit of a sum depends on the order."""
        return rows if self._order is None else Rows(rows.columns, rows.values[self._order])

    def of(self, rows: Rows) -> Rows:
        """The rows of documents in the order of their ids, or of groups."""
        ordered = self.by_id(rows)
        if not len(self._unit):
            return ordered
        if self._count * len(rows.columns) <= _CELLS:
            return Rows(rows.columns, self._sums(ordered, range(len(rows.columns))))
        return self._spill_sums(ordered)

    def _sums(self, rows: Rows, columns: Sequence[int]) -> Floats:
        """The sums of some columns by group: each group's documents are added in the order of their ids."""
        values = np.zeros((self._count, len(columns)))
        start = 0
        for block in rows.blocks():
            np.add.at(values, self._unit[start : start + len(block)], block[:, columns])
            start += len(block)
        return values

    def _spill_sums(self, rows: Rows) -> Rows:
        """The same where the groups are too many to be held: in a file that has no name and goes with the rows."""
        spilled = SpilledColumns()
        columns: list[SpilledColumn] = []
        width = max(1, _CELLS // self._count)
        for first in range(0, len(rows.columns), width):
            sums = self._sums(rows, range(first, min(first + width, len(rows.columns))))
            columns += map(spilled.put, sums.T)
        return DerivedRows(rows.columns, self._count, partial(spilled.blocks, columns, range(self._count), BLOCK))


def _order(documents: Sequence[str]) -> Ints | None:
    """The numbers of documents in the order of their ids; none where they are so already, as stored ones do."""
    if all(earlier <= later for earlier, later in pairwise(documents)):
        return None
    return np.array(sorted(range(len(documents)), key=documents.__getitem__), dtype=np.int64)


def _number_groups(groups: Sequence[str], order: Ints | None) -> tuple[Ints, int]:
    """Of each document, in the order of ids, the number of its group in their order; and how many there are.

    Documents without a group are alone in their own, before all groups.
    """
    named = Strings.of(groups) if order is None else Strings.of(groups).taken(order)
    sorted_ = named.order()
    numbers = number_sorted_groups(named.taken(sorted_))
    unit = np.empty(len(named), dtype=np.int64)
    unit[sorted_] = numbers
    return unit, int(numbers[-1]) + 1


def number_sorted_groups(groups: Strings) -> Ints:
    """The number of each document's group, where they are in the order of their groups; an empty one is no group."""
    begins = np.ones(len(groups), dtype=np.int64)
    before = ""
    for index, group in enumerate(groups):
        begins[index] = not group or group != before
        before = group
    return np.cumsum(begins) - 1
