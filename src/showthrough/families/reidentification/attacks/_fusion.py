"""Several attacks as one: their fits, made comparable and averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.families.reidentification.attacks.base import EVERYBODY, Candidates, standardise

NOT_RUN = f"fusing attacks takes at most {EVERYBODY:,} individuals"


def fuse(parts: Sequence[Candidates]) -> Candidates:
    """Each attack's fits centred and scaled per document, standardised per individual, then averaged.

    >>> left = Candidates.of(np.array([[3.0, 1.0], [0.0, 1.0]]))
    >>> right = Candidates.of(np.array([[9.0, 0.0], [0.0, 0.0]]))
    >>> fuse([left, right]).score.argmax(axis=1).tolist()
    [0, 1]
    """
    heard = np.any([part.heard for part in parts], axis=0)
    score = np.mean([comparable(part) for part in parts], axis=0)
    explain = next((part.explain for part in parts if part.explain), None)
    return Candidates(score, parts[0].individuals, heard, explain=explain)


def comparable(part: Candidates) -> Floats:
    score = np.zeros(part.score.shape)
    fit = part.score[part.heard] - part.score[part.heard].mean(axis=1, keepdims=True)
    deviation = fit.std(axis=1, keepdims=True)
    score[part.heard] = standardise(fit / np.where(deviation == 0, 1, deviation))[0]
    return score
