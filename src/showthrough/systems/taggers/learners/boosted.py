"""Boosted decision trees: first whether a token is part of anything, then whether it begins it, and of which type.

Each question has trees of its own. The first knows whether the token before is part of anything. The second is asked
where it is (after O a phrase can only begin), the third of tokens that are part of something: a tenth of all, which is
what makes training a matter of minutes. The best sequence of labels is that of the whole record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Bools, Floats, Floats32, Ints, Ints32
from showthrough.models.model_folders import arrays_as_file, arrays_of_file
from showthrough.statistics.numerics.sparse import SparseRows
from showthrough.systems.taggers.labels import type_of
from showthrough.systems.taggers.learners._columns import FeatureColumns, laid_out
from showthrough.systems.taggers.learners._label_sequences import (
    best_path,
    build_answer,
    may_begin,
    may_follow,
    names_of,
    number_labels,
    state_probabilities,
)
from showthrough.systems.taggers.learners.base import Rows, TaggedSequence

# Decision trees ask whether features hold. Boosting adds tree after tree.

_LOOKED_AT = 0.98  # of all weight
_LEAF = -1


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one under the other. The children of a node n are 2n + 1, where its feature does not hold, and 2n + 2."""

    feature: Ints32  # trees × nodes; −1: a leaf
    value: Floats32

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
            _TreeGrower(matrix.rows(chosen), true[chosen], weight[chosen], feature[turn], value[turn]).grow(self.depth)
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
class _TreeGrower:
    """One tree as it grows: always by the feature that leaves the least of both kinds together."""

    held: SparseRows
    true: Bools
    weight: Floats
    feature: Ints32
    value: Floats32

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


def _leaves(turned: SparseRows, feature: Ints32, count: int, depth: int) -> Ints:
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


_NUMBERS, _NAMES = "boosted.npz", "boosted.json"
_PART, _BEGINS = "part", "begins"
_UNLIKELY = 0.002  # of a token being part of anything, below which nobody asks of what
_IMPOSSIBLE = -1e9
_AT_ONCE = 2000  # tokens, each with a place for every feature that is asked for
_TINY = 1e-12


class _Names(msgspec.Struct, frozen=True):
    labels: list[str]
    columns: list[str]
    questions: list[str]


@dataclass
class BoostedTrees:
    """Boosting: many small decision trees vote on each token."""

    name: ClassVar[str] = "boosted"

    rounds: int = 300
    depth: int = 4
    type_rounds: int = 40  # for each type
    rate: float = 0.5  # how much of what a tree says is believed
    fewest: int = 3  # tokens that have a feature
    labels: list[str] = field(default_factory=list, repr=False)
    columns: FeatureColumns = field(default_factory=lambda: FeatureColumns([]), repr=False)
    trees: dict[str, Trees] = field(default_factory=dict, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        """The seed changes nothing: there is no chance in it."""
        rows, bound = laid_out(sequences)
        columns = FeatureColumns.from_sequences(sequences, self.fewest)
        matrix = columns.of(rows)
        self.labels = names_of(labels)
        truth = number_labels(labels, self.labels)
        part = truth > 0
        inner, types = matrix.rows(np.flatnonzero(part)), np.array([type_of(name) for name in self.labels])
        begins = np.array([name.startswith("B-") for name in self.labels])
        after = np.append(False, part[:-1])
        after[bound[:-1][bound[:-1] < len(after)]] = False
        trees = {_PART: Boosting(self.rounds, self.depth, self.rate).grow(_with_column(matrix, after), part)}
        few = Boosting(self.type_rounds, self.depth, self.rate)
        goes_on = np.flatnonzero(part & after)
        trees[_BEGINS] = few.grow(matrix.rows(goes_on), begins[truth[goes_on]])
        for kind in self._types:
            trees[f"type {kind}"] = few.grow(inner, types[truth[part]] == kind)
        self._keep(columns, trees)

    @property
    def _types(self) -> list[str]:
        return sorted({type_of(name) for name in self.labels} - {""})

    def _keep(self, columns: FeatureColumns, trees: Mapping[str, Trees]) -> None:
        """Keeps those features alone that some tree asks for."""
        used = np.zeros(len(columns) + 1, dtype=bool)
        for forest in trees.values():
            used[forest.feature[forest.feature >= 0]] = True
        used[-1] = True  # whether the token before is part of anything
        new_index = np.append(np.cumsum(used) - 1, -1).astype(np.int32)  # the last is that of leaves
        self.columns = columns.select(used[:-1])
        self.trees = {question: Trees(new_index[forest.feature], forest.value) for question, forest in trees.items()}

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        moves = np.where(may_follow(self.labels), 0.0, _IMPOSSIBLE)
        begins = np.where(may_begin(self.labels), 0.0, _IMPOSSIBLE)
        inside = (np.arange(len(self.labels)) > 0).astype(np.int64)
        trees = self.trees[_PART]
        both = trees, trees.with_feature(len(self.columns))
        answers = []
        for rows in sequences:
            pieces = [self._chances(rows[at : at + _AT_ONCE], *both) for at in range(0, len(rows), _AT_ONCE)]
            emitted = np.log(np.maximum(np.concatenate([np.zeros((0, 2, len(self.labels))), *pieces]), _TINY))
            path = best_path(emitted, moves, begins, inside)
            answers.append(build_answer(self.labels, path, state_probabilities(emitted, moves, begins, inside)))
        return answers

    def _chances(self, rows: Rows, trees: Trees, knowing: Trees) -> Floats:
        """The probability of each label for each token, where the one before is outside (first) and inside.

        Trees that do not know of the one before say the same in both cases.
        """
        matrix = self.columns.of(rows)
        holds = np.zeros((len(rows), len(self.columns) + 1), dtype=bool)
        holds[matrix.row, matrix.column] = True
        chance = np.zeros((len(rows), 2, len(self.labels)))
        after_o, out = trees.sums(holds), knowing.sums(holds)
        holds[:, -1] = True
        part = _chance(np.stack([after_o, after_o - out + knowing.sums(holds)], axis=1))
        likely = np.flatnonzero(part.max(axis=1) >= _UNLIKELY)
        chance[:, :, 0] = 1.0 - part
        if len(likely) and self._types:
            of_what = self._of_what(holds[likely])
            chance[likely, :, 1:] = part[likely][:, :, None] * of_what
        return chance

    def _of_what(self, holds: Bools) -> Floats:
        """The probability of each label but O, of tokens that are part of something, after O and after others."""
        begins = _chance(self.trees[_BEGINS].sums(holds))
        kinds = np.array([_chance(self.trees[f"type {kind}"].sums(holds)) + _TINY for kind in self._types])
        kinds = (kinds / kinds.sum(axis=0)).T
        index = {kind: at for at, kind in enumerate(self._types)}
        first = np.array([name.startswith("B-") for name in self.labels[1:]])
        of_type = kinds[:, [index[type_of(name)] for name in self.labels[1:]]]
        after = np.where(first, begins[:, None], 1.0 - begins[:, None])
        return np.stack([of_type * first, of_type * after], axis=1)

    def files(self) -> dict[str, bytes]:
        arrays: dict[str, AnyArray] = {}
        for number, forest in enumerate(self.trees.values()):
            arrays |= {f"feature{number}": forest.feature, f"value{number}": forest.value}
        names = _Names(self.labels, list(self.columns.names), list(self.trees))
        return {_NUMBERS: arrays_as_file(arrays), _NAMES: msgspec.json.encode(names)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        names = msgspec.json.decode(files[_NAMES], type=_Names)
        arrays = arrays_of_file(files[_NUMBERS], _NUMBERS)
        trees = {
            question: Trees(arrays[f"feature{number}"], arrays[f"value{number}"])
            for number, question in enumerate(names.questions)
        }
        return cls(labels=names.labels, columns=FeatureColumns(names.columns), trees=trees)


def _chance(scores: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-2.0 * scores)))


def _with_column(matrix: SparseRows, holds: Bools) -> SparseRows:
    """With one column more, the last, which some rows have."""
    column = np.insert(matrix.column, matrix.bound[1:][holds], matrix.width)
    bound = matrix.bound + np.append(0, np.cumsum(holds))
    return SparseRows(np.ones(len(column), np.int8), column, bound, matrix.width + 1)
