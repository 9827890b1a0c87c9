"""A linear support vector machine for all labels at once (Crammer and Singer 2001), greedy from left to right.

The label of the token before is a feature of the next. Probabilities are a softmax of margins, whose scale is fitted on
records that were held out of training.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Floats, Floats32, Ints
from showthrough.models.model_folders import arrays_as_file, arrays_of_file
from showthrough.statistics.numerics.sparse import SparseRows, sums
from showthrough.systems.taggers.learners._columns import FeatureColumns, laid_out
from showthrough.systems.taggers.learners._label_sequences import (
    build_answer,
    may_begin,
    may_follow,
    names_of,
    number_labels,
    softmax,
)
from showthrough.systems.taggers.learners.base import Rows, TaggedSequence, missing_package

_NUMBERS, _NAMES = "svm.npz", "svm.json"
_HELD_OUT = 5  # a part of so many
_STEPS = 100  # of the optimizer, at most
_NEVER = -1e9
_SCALES = (0.05, 50.0)  # between which that of margins is looked for


class _Names(msgspec.Struct, frozen=True):
    labels: list[str]
    columns: list[str]


@dataclass(frozen=True, eq=False)
class _Machine:
    """A fitted machine: what each feature and each label before adds to the margin of each label."""

    labels: Sequence[str]
    columns: FeatureColumns
    weights: Floats32  # columns × labels
    before: Floats32  # labels, and the beginning last, × labels
    shift: Floats32
    scale: float = 1.0

    def margins(self, rows: Rows) -> tuple[Ints, Floats]:
        """The labels that are taken one after the other, and the margins at each token, given the label before it."""
        matrix = self.columns.of(rows)
        margins = sums(self.weights, matrix.column, matrix.bound) + self.shift
        ends = np.where(may_begin(self.labels), 0.0, _NEVER)
        moves = np.vstack([np.where(may_follow(self.labels), 0.0, _NEVER), ends]) + self.before
        path = np.empty(len(margins), dtype=np.int64)
        last = len(self.labels)
        for at in range(len(margins)):
            margins[at] += moves[last]
            last = int(margins[at].argmax())
            path[at] = last
        return path, margins


@dataclass
class Svm:
    """Labels one token after the other with a linear support vector machine."""

    name: ClassVar[str] = "svm"

    cost: float = 0.1  # of a margin that is not kept
    fewest: int = 2  # tokens that have a feature
    _machine: _Machine | None = field(default=None, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        self._machine = replace(
            self._fit_machine(sequences, labels, seed), scale=self._fitting_scale(sequences, labels, seed)
        )

    def _fitting_scale(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int) -> float:
        """The scale under which sequences that the machine has not seen are most probable.

        They follow each other, so that sentences of one record, and layers of one document, are on one side.
        """
        count = len(sequences) // _HELD_OUT
        if not count:
            return 1.0
        first = int(np.random.default_rng(seed).integers(len(sequences) - count + 1))
        sample = range(first, first + count)
        rest = [at for at in range(len(sequences)) if at not in sample]
        machine = self._fit_machine([sequences[at] for at in rest], [labels[at] for at in rest], seed)
        label_set = set(machine.labels)
        margins, truth = [], []
        for at in sample:
            _, token_margins = machine.margins(sequences[at])
            usable = [index for index, label in enumerate(labels[at]) if label in label_set]
            margins.append(token_margins[usable])
            truth.append(number_labels([[labels[at][index] for index in usable]], machine.labels))
        return _most_probable(np.concatenate(margins), np.concatenate(truth))

    def _fit_machine(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int) -> _Machine:
        names = names_of(labels)
        rows, bound = laid_out(sequences)
        columns = FeatureColumns.from_sequences(sequences, self.fewest)
        truth = number_labels(labels, names)
        matrix = columns.of(rows)
        before = np.append(len(names), truth[:-1])
        before[bound[:-1][bound[:-1] < len(before)]] = len(names)
        weights, shift = self._solve(matrix, before, truth, len(names), seed)
        rest, used = weights[: len(columns)], np.asarray(weights[: len(columns)].any(axis=1))
        return _Machine(names, columns.select(used), rest[used], weights[len(columns) :], shift)

    def _solve(self, matrix: SparseRows, before: Ints, truth: Ints, count: int, seed: int) -> tuple[Floats32, Floats32]:
        weights, shift = np.zeros((matrix.width + count + 1, count), np.float32), np.zeros(count, np.float32)
        present = np.unique(truth)
        if len(present) < 2:  # nothing to tell apart
            shift[present] = 1.0
            return weights, shift
        column = np.insert(matrix.column, matrix.bound[1:], matrix.width + before)
        entries = np.ones(len(column)), column, matrix.bound + np.arange(len(matrix.bound))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it stopped after so many steps
            machine = _sklearn().LinearSVC(
                C=self.cost, loss="hinge", multi_class="crammer_singer", tol=0.1, max_iter=_STEPS, random_state=seed
            )
            machine.fit(_matrix(entries, (len(truth), matrix.width + count + 1)), truth)
        coefficients, begins = machine.coef_, machine.intercept_
        if len(coefficients) == 1:  # of two labels, what the second has before the first
            coefficients, begins = np.vstack([-coefficients, coefficients]) / 2, np.array([-begins[0], begins[0]]) / 2
        weights[:, present] = coefficients.T
        shift[present] = begins
        shift[np.setdiff1d(np.arange(count), present)] = _NEVER
        return weights, shift

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        machine = self._fitted_machine
        answers = []
        for rows in sequences:
            path, margins = machine.margins(rows)
            answers.append(build_answer(machine.labels, path, softmax(margins * machine.scale)))
        return answers

    @property
    def _fitted_machine(self) -> _Machine:
        if self._machine is None:
            raise RuntimeError("the machine was neither fitted nor loaded")
        return self._machine

    def files(self) -> dict[str, bytes]:
        machine = self._fitted_machine
        arrays: dict[str, AnyArray] = {
            "weights": machine.weights,
            "before": machine.before,
            "shift": machine.shift,
            "scale": np.array(machine.scale),
        }
        names = msgspec.json.encode(_Names(list(machine.labels), list(machine.columns.names)))
        return {_NUMBERS: arrays_as_file(arrays), _NAMES: names}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        names = msgspec.json.decode(files[_NAMES], type=_Names)
        arrays = arrays_of_file(files[_NUMBERS], _NUMBERS)
        weights, before, shift = (arrays[key] for key in ("weights", "before", "shift"))
        scale = float(arrays["scale"])
        return cls(_machine=_Machine(names.labels, FeatureColumns(names.columns), weights, before, shift, scale))


def _most_probable(margins: Floats, truth: Ints) -> float:
    """The scale that gives the true labels the highest probability, by golden sections of its logarithm."""
    if not len(truth):
        return 1.0

    def loss(power: float) -> float:
        chance = softmax(margins * np.exp(power))[np.arange(len(truth)), truth]
        return float(-np.log(np.maximum(chance, 1e-12)).mean())

    low, high = np.log(_SCALES)
    ratio = (5**0.5 - 1) / 2
    while high - low > 0.01:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    return float(np.exp((low + high) / 2))


def _matrix(entries: tuple[Floats, Ints, Ints], shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_matrix  # what scikit-learn takes

    data, column, bound = entries
    matrix = csr_matrix((data, column.astype(np.int32), bound.astype(np.int32)), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def _sklearn() -> Any:
    try:
        import sklearn.svm
    except ImportError:
        raise missing_package("svm", "scikit-learn") from None
    return sklearn.svm
