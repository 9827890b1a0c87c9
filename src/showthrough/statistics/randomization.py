"""Paired approximate randomization: exchange two anonymizations' whole documents by a coin flip, many times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_CELLS = 1_000_000
_TOLERANCE = 1e-12  # two ways to add the same numbers may differ in the last bit; that is no difference


def shuffled_shifts(difference: Array, shuffles: int, seed: int) -> Array:
    """How much each column's total moves from one side to the other, for many shuffles: `shuffles` × columns.

    `difference` holds, document by document, the second side's rows minus the first's. Flipping a document adds its
    difference to the first side's total and takes it from the second's.
    """
    documents = len(difference)
    random = np.random.default_rng(seed)
    shifts = np.zeros((shuffles, difference.shape[1]))
    block = max(1, _CELLS // max(documents, 1))
    for start in range(0, shuffles, block):
        size = min(block, shuffles - start)
        coins = np.unpackbits(random.integers(0, 256, (size, -(-documents // 8)), dtype=np.uint8), axis=1)
        shifts[start : start + size] = coins[:, :documents].astype(np.float64) @ difference
    return shifts


def p_value(observed: float, shuffled: Array) -> float:
    """(n + 1) / (N + 1), where n counts shuffles whose difference is at least as large as the real one.

    A shuffle that leaves a value undefined (NaN) counts as large: it must not make a result look surer.

    >>> p_value(0.5, np.array([0.5, 0.1, -0.6, 0.0]))  # two of four: (2 + 1) / (4 + 1)
    0.6
    """
    large = ~(np.abs(shuffled) < abs(observed) - _TOLERANCE)
    return float((large.sum() + 1) / (len(shuffled) + 1))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for a family of tests; never below the value it corrects, never above 1.

    >>> holm([0.01, 0.04, 0.03])  # 3 × 0.01; then 2 × 0.03; then the largest, which may not fall below it
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = highest
    return corrected
