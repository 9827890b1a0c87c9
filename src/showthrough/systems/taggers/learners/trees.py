"""Decision trees over features that hold or do not, and boosting of them.

Real AdaBoost (Schapire and Singer 1999) with the logistic weights of Collins, Schapire and Singer (2002), which forgive
what annotators got wrong. Each round looks at the tokens that weigh most alone (Friedman, Hastie and Tibshirani 2000):
nearly all others are right already.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from showthrough.data.layout.spans import Bools, Ints
from showthrough.statistics.numerics.sparse import Floats, SparseRows

_LOOKED_AT = 0.98  # of all weight
_LEAF = -1


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one under the other. The children of a node n are 2n + 1, where its feature does not hold, and 2n + 2."""

    feature: NDArray[np.int32]  # trees × nodes; −1: a leaf
    value: NDArray[np.float32]

    @property
    def depth(self) -> int:
        return int(self.feature.shape[1]).bit_length() - 1

    def sums(self, holds: Bools) -> Floats:
        """What all trees say together of each row of features that hold."""
        levels, values = self._full
        start = np.arange(len(holds), dtype=np.int64)[:, None] * holds.shape[1]
        flat = holds.ravel().view(np.int8)
        node = np.zeros((len(holds), len(self.feature)), dtype=np.int64)
        for level, feature in enumerate(levels):
            first = np.arange(len(self.feature), dtype=np.int64) << level
            node += node + flat.take(start + feature.take(first + node))
        first = np.arange(len(self.feature), dtype=np.int64) << self.depth
        return np.asarray(values.take(first + node).sum(axis=1))

    @cached_property
    def _full(self) -> tuple[list[Ints], Floats]:
        """The features of each level, and the values of the last: a leaf further up has its value everywhere below."""
        feature, value = self.feature.astype(np.int64), self.value.astype(np.float64)
        for node in range(2**self.depth - 1):
            leaf = feature[:, node] == _LEAF
            for child in (2 * node + 1, 2 * node + 2):
                value[leaf, child] = value[leaf, node]
        levels = [np.maximum(feature[:, 2**level - 1 : 2 ** (level + 1) - 1], 0).ravel() for level in range(self.depth)]
        return levels, value[:, 2**self.depth - 1 :].ravel()

    def with_feature(self, feature: int) -> Trees:
        """Those of them that ask for a feature."""
        selection = (self.feature == feature).any(axis=1)
        return Trees(self.feature[selection], self.value[selection])


@dataclass(frozen=True)
class Boosting:
    """How trees are grown."""

    rounds: int
    depth: int
    rate: float  # how much of what a tree says is believed: less is slower, and better on new texts

    def grow(self, matrix: SparseRows, true: Bools) -> Trees:
        """Trees that tell the rows of which something is true from the others."""
        turned = matrix.transpose()
        sign = np.where(true, 1.0, -1.0)
        scores = np.full(len(true), _half_odds(true.sum(), (~true).sum(), 1.0))
        feature = np.full((self.rounds + 1, 2 ** (self.depth + 1) - 1), _LEAF, np.int32)
        value = np.zeros(feature.shape, np.float32)
        if not len(true):
            return Trees(feature, value)
        value[0, 0] = scores[0]  # what is said of all of them
        for turn in range(1, self.rounds + 1):
            weight = 1.0 / (1.0 + np.exp(2.0 * sign * scores))
            weight /= weight.sum()
            chosen = _heaviest(weight)
            _Growing(matrix.rows(chosen), true[chosen], weight[chosen], feature[turn], value[turn]).grow(self.depth)
            value[turn] *= self.rate
            scores += value[turn, _leaves(turned, feature[turn], len(true), self.depth)]
        return Trees(feature, value)


def _heaviest(weight: Floats) -> Ints:
    """The rows that have nearly all of the weight, as few as can be."""
    order = np.argsort(-weight, kind="stable")
    count = int(np.searchsorted(np.cumsum(weight[order]), _LOOKED_AT)) + 1
    return np.sort(order[:count])


def _half_odds(positive: Any, other: Any, smooth: float) -> Any:
    return 0.5 * np.log((positive + smooth) / (other + smooth))


@dataclass(eq=False)
class _Growing:
    """One tree as it grows: always by the feature that leaves the least of both kinds together."""

    held: SparseRows
    true: Bools
    weight: Floats
    feature: NDArray[np.int32]
    value: NDArray[np.float32]

    def grow(self, depth: int) -> None:
        self.smooth = self.weight.sum() / max(len(self.weight), 1)  # the weight of one usual row
        self.kinds = np.where(self.true, self.weight, 0.0), np.where(self.true, 0.0, self.weight)
        self._part(0, depth, np.arange(len(self.held)), self.held.column, self.held.row)

    def _part(self, node: int, depth: int, rows: Ints, column: Ints, row: Ints) -> None:
        positive, other = (float(kind[rows].sum()) for kind in self.kinds)
        self.value[node] = _half_odds(positive, other, self.smooth)
        if not depth or not len(column) or min(positive, other) <= 0.0:
            return
        with_it, without = (np.bincount(column, kind[row], self.held.width) for kind in self.kinds)
        smooth = self.smooth
        mixed = np.sqrt((with_it + smooth) * (without + smooth))
        mixed += np.sqrt(np.maximum(positive - with_it, 0.0) + smooth) * np.sqrt(
            np.maximum(other - without, 0.0) + smooth
        )
        best = int(mixed.argmin())
        if mixed[best] >= np.sqrt((positive + smooth) * (other + smooth)):
            return
        holds = np.zeros(len(self.held), dtype=bool)
        holds[row[column == best]] = True
        self.feature[node] = best
        of_entry = holds[row]
        for yes in (False, True):
            selection = of_entry == yes
            self._part(2 * node + 1 + yes, depth - 1, rows[holds[rows] == yes], column[selection], row[selection])


def _leaves(turned: SparseRows, feature: NDArray[np.int32], count: int, depth: int) -> Ints:
    """The leaf that each row comes to."""
    node = np.zeros(count, dtype=np.int64)
    for level in range(depth):
        nodes = range(2**level - 1, 2 ** (level + 1) - 1)
        yes = np.zeros(count, dtype=bool)
        for parent in nodes:
            if feature[parent] != _LEAF:
                first, last = turned.bound[feature[parent] : feature[parent] + 2]
                having = turned.column[first:last]
                yes[having[node[having] == parent]] = True
        node = np.where(feature[node] == _LEAF, node, 2 * node + 1 + yes)
    return node
