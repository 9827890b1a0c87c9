"""Compression: how well one text can be foretold after reading others, and the other way round.

PAN's baseline (after Teahan and Harper 2003) compresses by prediction by partial matching, and so does this, with
contexts of up to four characters and escapes by method C (Moffat 1990), as sums over arrays: zlib and lzma cannot be
asked what a text would cost after another. The mean of both cross-entropies and how far they are apart go into a
logistic regression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.families.authorship.verifiers._calibration import Calibration, fit_and_calibrate, logistic
from showthrough.families.authorship.verifiers._ngrams import code_points, gram_codes, spaced_once
from showthrough.families.authorship.verifiers.base import KeptAnswers, Question

_ORDER = 4  # characters of context at most
_UNSEEN = 2.0**-16  # the chance of a character that was never read


def cross_entropies(question: Question) -> Floats:
    """Mean and distance of what the text costs after the others and they after it, in bits a character."""
    texts = [code_points(spaced_once(text)) for text in ("\n".join(question.known), question.text)]
    characters, symbol = np.unique(np.concatenate(texts), return_inverse=True)
    border, length = len(texts[0]), len(symbol)
    codes = gram_codes(symbol, len(characters), _ORDER + 1)
    first = [grams[: max(border - n, 0)] for n, grams in enumerate(codes)]  # without those over the border
    second = [grams[border : max(length - n, border)] for n, grams in enumerate(codes)]
    costs = _bits_per_character(first, second), _bits_per_character(second, first)
    return np.array([sum(costs) / 2, abs(costs[0] - costs[1])])


def _bits_per_character(context: Sequence[Ints], target: Sequence[Ints]) -> float:
    """Of a text after another, both as codes of n-grams: the longest context first, then the next after an escape."""
    if not len(target[0]):
        return 0.0
    bits, waiting = np.zeros(len(target[0])), np.ones(len(target[0]), dtype=bool)
    for order in range(_ORDER, -1, -1):
        position = np.flatnonzero(waiting[order:])  # where a context begins; its character is `order` later
        grams, where, many = np.unique(context[order], return_index=True, return_counts=True)
        before = context[order - 1][where] if order else np.zeros(len(grams), dtype=np.int64)
        contexts, number = np.unique(before, return_inverse=True)
        total, distinct = np.bincount(number, many), np.bincount(number)
        at = _index_in(contexts, target[order - 1][position] if order else np.zeros(len(position), dtype=np.int64))
        position, at = position[at >= 0], at[at >= 0]
        gram = _index_in(grams, target[order][position])
        is_seen = gram >= 0
        chance = np.where(is_seen, many[gram], distinct[at]) / (total[at] + distinct[at])
        bits[position + order] -= np.log2(chance)
        waiting[position[is_seen] + order] = False
    bits[waiting] -= np.log2(_UNSEEN)
    return float(bits.mean())


def _index_in(ascending: Ints, values: Ints) -> Ints:
    """Where each stands; −1 where it does not."""
    if not len(ascending):
        return np.full(len(values), -1)
    index = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.where(ascending[index] == values, index, -1)


_COSTS = KeptAnswers(cross_entropies, 2)


@dataclass(frozen=True, eq=False)
class _Regression:
    weights: Floats  # the constant first

    def margins(self, rows: Floats) -> Floats:
        """Row by row, so that none depends on which others are asked for beside it."""
        return np.asarray((rows * self.weights[1:]).sum(axis=1) + self.weights[0])


@dataclass(frozen=True, eq=False)
class FittedCompression:
    """The regression, and how its margins become probabilities."""

    regression: _Regression
    calibration: Calibration

    def answers(self, questions: Sequence[Question]) -> Floats:
        return self.calibration.chances(self.regression.margins(_COSTS.rows(questions)))

    def saved(self) -> Mapping[str, Floats]:
        return {"weights": self.regression.weights, **self.calibration.saved()}


@dataclass(frozen=True)
class Compression:
    """Compares texts by how well a compression model of one predicts the other."""

    name: ClassVar[str] = "compression"
    version: ClassVar[int] = 1
    oldest: ClassVar[int] = 1

    def prepare(self, questions: Sequence[Question]) -> None:
        _COSTS.rows(questions)

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedCompression:
        return FittedCompression(*fit_and_calibrate(_COSTS.rows(questions), same, authors, seed, _regression))

    def loaded(self, arrays: Mapping[str, Floats]) -> FittedCompression:
        return FittedCompression(_Regression(arrays["weights"]), Calibration.loaded(arrays))


def _regression(rows: Floats, same: Bools) -> _Regression:
    return _Regression(logistic(rows, same))
