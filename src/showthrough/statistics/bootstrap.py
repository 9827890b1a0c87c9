"""The bootstrap over documents, as a matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_CELLS = 1_000_000  # of the count matrix that is held at once: 8 MB


def resampled_totals(values: Array, resamples: int, seed: int) -> Array:
    """Column sums of many resamples of the rows: `resamples` × columns.

    A resample draws as many documents as there are, with replacement. All columns share the same draws, so that
    whatever is computed from them is resampled together.

    >>> resampled_totals(np.array([[1.0], [1.0]]), resamples=3, seed=0).tolist()
    [[2.0], [2.0], [2.0]]
    """
    documents = len(values)
    random = np.random.default_rng(seed)
    totals = np.zeros((resamples, values.shape[1]))
    if not documents:
        return totals
    block = max(1, _CELLS // documents)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = random.integers(0, documents, size=(size, documents), dtype=np.int32)
        drawn += (np.arange(size, dtype=np.int32) * documents)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * documents).reshape(size, documents)
        totals[start : start + size] = times.astype(np.float64) @ values
    return totals
