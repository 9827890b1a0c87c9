"""Features as numbers: every name that training had often enough is a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.statistics.numerics.sparse import SparseRows
from showthrough.systems.taggers.learners.base import Rows


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """Names of features, each with its place.

    >>> rows = FeatureColumns(["a", "b"]).of([["b", "new"], ["a", "b"]])
    >>> rows.column.tolist(), rows.bound.tolist()
    ([1, 0, 1], [0, 1, 3])
    """

    names: Sequence[str]
    _place: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {name: index for index, name in enumerate(self.names)})

    @classmethod
    def from_sequences(cls, sequences: Iterable[Rows], fewest: int) -> FeatureColumns:
        """Those that so many tokens have, by the alphabet: the order of records changes nothing."""
        counts = Counter(chain.from_iterable(chain.from_iterable(sequences)))
        return cls(sorted(name for name, count in counts.items() if count >= fewest))

    def __len__(self) -> int:
        return len(self.names)

    def of(self, rows: Rows) -> SparseRows:
        """Which columns each row has; names that are not known are left out."""
        indices = np.fromiter(map(self._place.get, chain.from_iterable(rows), repeat(-1)), np.int64)
        present = indices >= 0
        ends = np.cumsum([0, *map(len, rows)])
        bound = np.concatenate([[0], np.cumsum(present)])[ends]
        column = indices[present]
        return SparseRows(np.ones(len(column), np.int8), column, bound, len(self))

    def select(self, stay: Bools) -> FeatureColumns:
        """Some of them."""
        return FeatureColumns([self.names[index] for index in np.flatnonzero(stay).tolist()])

    def where(self, holds: Callable[[str], bool]) -> Ints:
        """The places of the names of which something holds."""
        return np.flatnonzero(np.fromiter(map(holds, self.names), bool, len(self.names)))


def laid_out(sequences: Sequence[Rows]) -> tuple[list[Sequence[str]], Ints]:
    """All rows one under the other, and where each sequence begins and the last one ends."""
    return list(chain.from_iterable(sequences)), np.cumsum([0, *map(len, sequences)])
