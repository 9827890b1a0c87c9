"""From margins to probabilities, and logistic regression of a few columns, which needs NumPy alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.families.authorship.verifiers.traces import split_folds

_FOLDS = 5  # of authors
_STEPS = 100
_RIDGE = 1e-6  # what keeps steps finite where columns say the same, or one tells the kinds apart for sure
_LARGEST = 30.0  # of a logit, so that no probability is 0 or 1 in all its digits


class MarginModel(Protocol):
    """What tells the kinds of rows apart: the higher, the more it speaks for one author."""

    def margins(self, rows: Floats) -> Floats: ...


Model = TypeVar("Model", bound=MarginModel)


@dataclass(frozen=True)
class Calibration:
    """What margins are worth.

    In the middle is where as many of the problems of training are answered "same" as are: safety is measured on
    problems of one author, and whoever leans to that answer would be right there without knowing anything.
    """

    middle: float
    slope: float

    def chances(self, margins: Floats) -> Floats:
        return chances((margins - self.middle) * self.slope)

    def saved(self) -> dict[str, Floats]:
        return {"calibration": np.array([self.middle, self.slope])}

    @classmethod
    def loaded(cls, arrays: Mapping[str, Floats]) -> Calibration:
        middle, slope = arrays["calibration"].tolist()
        return cls(middle, slope)


def fit_and_calibrate(
    rows: Floats, same: Bools, authors: Ints, seed: int, fit: Callable[[Floats, Bools], Model]
) -> tuple[Model, Calibration]:
    """What was fitted to all rows, and what its margins are worth: how steeply, authors who were held out tell."""
    fold = split_folds(authors, same, _FOLDS, seed)
    margins = np.zeros(len(rows))
    for number in range(fold.max() + 1):
        inside = fold != number
        if inside.any():
            model = fit(rows[inside], same[inside])
            margins[~inside] = model.margins(rows[~inside]) - middle_of(model.margins(rows[inside]), same[inside])
    model = fit(rows, same)
    slope = float(logistic(margins[:, None], same, constant=False)[1])
    # What tells nothing is near one half, and nothing is ever turned around.
    return model, Calibration(middle_of(model.margins(rows), same), max(slope, _RIDGE))


def middle_of(margins: Floats, same: Bools) -> float:
    """Above which there are as many margins as problems of one author."""
    below = int((~same).sum())
    return float(np.sort(margins)[max(below - 1, 0) : below + 1].mean())


def logistic(columns: Floats, same: Bools, constant: bool = True) -> Floats:
    """Weights, the constant first, by Newton's method.

    What is to be met is drawn in a little from 0 and 1, as by Platt (1999): nothing is ever sure after a few problems.
    """
    design = np.column_stack([np.full(len(columns), float(constant)), columns])
    many, few = int(same.sum()), int((~same).sum())
    target = np.where(same, (many + 1) / (many + 2), 1 / (few + 2))
    weights = np.zeros(design.shape[1])
    ridge = _RIDGE * np.eye(design.shape[1])
    loss = _loss(design, target, weights)
    for _ in range(_STEPS):
        predicted = chances(design @ weights)
        slope = design.T @ (predicted - target) + _RIDGE * weights
        step = np.linalg.solve((design * (predicted * (1 - predicted))[:, None]).T @ design + ridge, slope)
        scale = 1.0
        while (tried := _loss(design, target, weights - scale * step)) > loss and scale > _RIDGE:
            scale /= 2
        if not tried < loss:
            break
        weights, loss = weights - scale * step, tried
    return weights


def _loss(design: Floats, target: Floats, weights: Floats) -> float:
    logit = design @ weights
    return float((np.logaddexp(0, logit) - target * logit).sum() + _RIDGE / 2 * (weights @ weights))


def chances(logits: Floats) -> Floats:
    """The probabilities that logits stand for."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -_LARGEST, _LARGEST))))
