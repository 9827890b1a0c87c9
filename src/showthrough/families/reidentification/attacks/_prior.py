"""What people's backgrounds tell about who is in a release: those who are in it often differ in how much is known.

With more individuals than documents, those in the release may all be people of whom much is known, or little. An
attacker learns which without any label, from the fits alone, and weighs it against what each document says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.families.reidentification.attacks.base import Candidates, Words

NOT_RUN = "the prior needs a score for every individual, or an estimate for those that the attack did not keep"
MUCH, LITTLE = "much is known of them", "little is known of them"

_WORD = re.compile(r"\w+")
_CELLS = 5_000_000  # fits that are weighed together: 40 MB
_STEPS, _HALVES = 100, 50
_NOTHING = 1e-12  # a step that changes nothing


def fits(candidates: Candidates) -> bool:
    return candidates.column is None or candidates.rest is not None or not _count_remaining(candidates)


def measure_knowledge(texts: Sequence[str], sizes: Ints) -> Floats:
    """ln(1 + words) of each text, standardised over individuals, of whom `sizes` share each text.

    >>> measure_knowledge(["one", "two words and one", "three"], np.array([1, 1, 1])).round(3).tolist()
    [-0.707, 1.414, -0.707]
    """
    words = np.log1p([len(_WORD.findall(text)) for text in texts])
    centred = words - np.average(words, weights=sizes)
    deviation = np.sqrt(np.average(centred**2, weights=sizes))
    return np.asarray(centred / deviation if deviation > _NOTHING else np.zeros(len(words)))


def apply_prior(candidates: Candidates, knowledge: Floats, sizes: Ints) -> Candidates:
    """Scores that say how likely each individual is to be in the release at all: βS + wγl.

    π_i(γ) ∝ exp(γ l_i); γ = argmax Σ_d ln Σ_i π_i(γ) exp(βS(d, i)) − γ²/2; w = 1 / (1 + exp(−(LR − ln D) / 2)) with
    LR = 2(ℓ(γ) − ℓ(0)), so that it counts only where the documents speak for it; β = π / (√3 rms(S)).
    """
    scale = _scale(candidates)
    documents = int(candidates.heard.sum())
    if not (documents and scale):
        return candidates
    release = _Release(candidates, scale, knowledge, sizes)
    tilt = release.likeliest()
    ratio = 2 * (release.at(tilt)[0] - release.at(0.0)[0])
    term = tilt / (1 + np.exp((np.log(documents) - ratio) / 2)) * knowledge

    def reason(column: int) -> Words:
        added = float(term[column])
        return [(MUCH if knowledge[column] > 0 else LITTLE, added)] if added else []

    score = scale * candidates.score
    score[candidates.heard] += term[candidates.columns()[candidates.heard]]
    explain = candidates.explain
    scaled = None if explain is None else lambda columns: [_scale_words(words, scale) for words in explain(columns)]
    return replace(candidates, score=score, explain=scaled, reason=reason, rest=None)


def _scale_words(words: Words, scale: float) -> Words:
    return [(word, scale * part) for word, part in words]


def _count_remaining(candidates: Candidates) -> int:
    """Individuals of whom no fit was kept."""
    return candidates.individuals - int(candidates.score.shape[1])


def _scale(candidates: Candidates) -> float:
    """β: what makes fits as wide as a logistic distribution; 0 where all are 0."""
    squares = np.mean(candidates.score[candidates.heard] ** 2, axis=1)
    if candidates.rest is not None:
        remaining = _count_remaining(candidates) / candidates.individuals
        squares = remaining * candidates.rest.square[candidates.heard] + (1 - remaining) * squares
    usual = float(np.sqrt(squares.mean())) if len(squares) else 0.0
    return float(np.pi / np.sqrt(3) / usual) if usual > _NOTHING else 0.0


class _Release:
    """The documents that tell something, and how likely they are if it holds people of whom more or less is known."""

    def __init__(self, candidates: Candidates, scale: float, knowledge: Floats, sizes: Ints) -> None:
        fit = scale * candidates.score[candidates.heard]
        most = fit.max(axis=1, keepdims=True)
        self._fit = np.exp(fit - most)
        self._column = None if candidates.column is None else candidates.column[candidates.heard]
        self._rest = np.zeros(len(fit))
        self._known, self._sizes = knowledge, sizes
        if candidates.rest is not None:
            mean, square = (scale**power * part[candidates.heard] for power, part in enumerate(candidates.rest, 1))
            # The mean of exp of what lies as normal numbers do; none of them fits better than the worst that was kept.
            usual = mean + np.maximum(square - mean**2, 0.0) / 2
            self._rest = np.exp(np.minimum(usual, fit.min(axis=1)) - most[:, 0])

    def likeliest(self) -> float:
        """γ, by Newton's method from 0; a step that leads down is halved."""
        tilt, (height, slope, bend) = 0.0, self._penalised_at(0.0)
        for _ in range(_STEPS):
            step = slope / (-bend if bend < 0 else 1.0)
            for _ in range(_HALVES):
                candidate = self._penalised_at(tilt + step)
                if candidate[0] >= height - _NOTHING * abs(height):  # near the top, rounding decides what is higher
                    break
                step /= 2
            else:
                return tilt
            tilt, (height, slope, bend) = tilt + step, candidate
            if abs(step) < _NOTHING:
                return tilt
        return tilt

    def _penalised_at(self, tilt: float) -> tuple[float, float, float]:
        height, slope, bend = self.at(tilt)
        return height - tilt**2 / 2, slope - tilt, bend - 1

    def at(self, tilt: float) -> tuple[float, float, float]:
        """ℓ(γ) but for what does not depend on it, and its first two derivatives."""
        exponent = tilt * self._known
        weight = self._sizes * np.exp(exponent - exponent.max())
        moments = weight[:, None] * np.stack([np.ones_like(self._known), self._known, self._known**2], axis=1)
        among_all = moments.sum(axis=0)
        among_likely = self._sums(moments, among_all)
        if not (among_likely[:, 0] > 0).all():
            return -np.inf, 0.0, 0.0  # so far that nothing is left of a document
        height = np.log(among_likely[:, 0]).sum() - len(among_likely) * np.log(among_all[0])
        (mean, variance), (usual, spread) = _mean_and_variance(among_likely), _mean_and_variance(among_all[None])
        return float(height), float((mean - usual).sum()), float((variance - spread).sum())

    def _sums(self, moments: Floats, among_all: Floats) -> Floats:
        """Of each document the moments over individuals, each as likely as it fits: documents × 3."""
        if self._column is None:
            return np.asarray(self._fit @ moments)
        sums = np.empty((len(self._fit), 3))
        size = max(1, _CELLS // max(self._fit.shape[1], 1))
        for low in range(0, len(sums), size):
            part = slice(low, low + size)
            fit, column, rest = self._fit[part], self._column[part], self._rest[part]
            for index, moment in enumerate(moments.T):
                values = moment[column]
                sums[part, index] = (fit * values).sum(axis=1) + rest * (among_all[index] - values.sum(axis=1))
        return sums


def _mean_and_variance(moments: Floats) -> tuple[Floats, Floats]:
    mean = moments[:, 1] / moments[:, 0]
    return mean, moments[:, 2] / moments[:, 0] - mean**2
