"""GLAD: a linear support vector machine over 24 features of a text and others (Hürlimann et al. 2015).

The machine and its cost were chosen on authors who were held out of PAN's training problems. The library's usual one,
with a radial kernel, learns problems by heart: it is right more often on those that it was trained on, and less often
on authors whom it has not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from showthrough.core.errors import ResourceError
from showthrough.data.layout.spans import Bools, Ints
from showthrough.families.authorship.verifiers.base import Array, Question
from showthrough.families.authorship.verifiers.calibration import Calibration, fit_and_calibrate
from showthrough.families.authorship.verifiers.remembering import Remembering
from showthrough.families.authorship.verifiers.style import FEATURES, OF_LINES, laid_out, style

_COST = 0.01  # of a margin that is not kept
_SAME = 1e-12  # of a deviation: a feature that does not differ
_FAR = 3.0  # deviations from the mean of training, beyond which nothing was learned


def _features_of(question: Question) -> Array:
    """The features, and whether those of lines tell anything."""
    return np.append(style(question), laid_out(question))


_FEATURE_ROWS = Remembering(_features_of, len(FEATURES) + 1)


@dataclass(frozen=True, eq=False)
class _Machine:
    """A fitted machine: with what features are scaled, and what each adds to the margin."""

    mean: Array
    scale: Array
    weight: Array
    shift: float

    def margins(self, features: Array) -> Array:
        """Row by row, so that none depends on which others are asked for beside it.

        What is far from all that training had counts as its border does: a line is not drawn on into nowhere.
        """
        near = np.clip(_scale(features, self.mean, self.scale), -_FAR, _FAR)
        return np.asarray((near * self.weight).sum(axis=1) + self.shift)


@dataclass(frozen=True, eq=False)
class FittedGlad:
    """The machine, and how its margins become probabilities."""

    features: ClassVar[tuple[str, ...]] = FEATURES

    machine: _Machine
    calibration: Calibration

    def outside(self, questions: Sequence[Question]) -> Bools:
        """Questions × features: which are far from all that training had."""
        scaled = _scale(_FEATURE_ROWS.rows(questions), self.machine.mean, self.machine.scale)
        return np.asarray(np.abs(scaled) > _FAR)

    def answers(self, questions: Sequence[Question]) -> Array:
        return self.calibration.chances(self.machine.margins(_FEATURE_ROWS.rows(questions)))

    def saved(self) -> Mapping[str, Array]:
        machine = self.machine
        arrays = {
            "mean": machine.mean,
            "scale": machine.scale,
            "weight": machine.weight,
            "shift": np.array([machine.shift]),
        }
        return {**arrays, **self.calibration.saved()}


@dataclass(frozen=True)
class Glad:
    """Learns a machine, and from margins of problems whose authors were held out what they are worth."""

    name: ClassVar[str] = "glad"
    version: ClassVar[int] = 2
    oldest: ClassVar[int] = 1

    def prepare(self, questions: Sequence[Question]) -> None:
        _library()  # nobody waits for features that nothing can learn from
        _FEATURE_ROWS.rows(questions)

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedGlad:
        return FittedGlad(*fit_and_calibrate(_FEATURE_ROWS.rows(questions), same, authors, seed, _fit_machine))

    def loaded(self, arrays: Mapping[str, Array]) -> FittedGlad:
        mean, scale, weight = (arrays[name] for name in ("mean", "scale", "weight"))
        if any(array.shape != (len(FEATURES),) for array in (mean, scale, weight)):
            raise ValueError(f"expected {len(FEATURES)} features")
        machine = _Machine(mean, scale, weight, float(arrays["shift"][0]))
        return FittedGlad(machine, Calibration.loaded(arrays))


def _scale(features: Array, mean: Array, scale: Array) -> Array:
    """Features by the statistics of training; what is not told is as usual."""
    scaled = (features[:, :-1] - mean) / scale
    scaled[np.ix_(features[:, -1] == 0, OF_LINES)] = 0.0
    return scaled


def _fit_machine(features: Array, same: Bools) -> _Machine:
    counted = np.ones_like(features[:, :-1])
    counted[np.ix_(features[:, -1] == 0, OF_LINES)] = 0.0
    many = np.maximum(counted.sum(axis=0), 1)
    mean = (features[:, :-1] * counted).sum(axis=0) / many
    scale = np.sqrt(((features[:, :-1] - mean) ** 2 * counted).sum(axis=0) / many)
    scale[scale < _SAME] = 1.0
    scaled = _scale(features, mean, scale)
    if same.all() or not same.any():  # nothing to tell apart
        return _Machine(mean, scale, np.zeros(len(mean)), 1.0 if same.any() else -1.0)
    svc = _library().SVC(C=_COST, kernel="linear").fit(scaled, same)
    return _Machine(mean, scale, np.asarray(svc.coef_[0], dtype=np.float64), float(svc.intercept_[0]))


def _library() -> Any:
    try:
        from sklearn import svm
    except ImportError as error:
        fault = "the learner glad needs scikit-learn, which is not installed: pip install 'showthrough[authors]'"
        raise ResourceError(fault) from error
    return svm
