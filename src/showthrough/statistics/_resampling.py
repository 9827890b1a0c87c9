"""Documents drawn again, with replacement: what sums would be, had other documents come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.statistics.rows import Table, blocks

_CELLS = 1_000_000  # of the matrix of draws that is held at once: 8 MB


def resampled_totals(rows: Table, resamples: int, seed: int) -> Floats:
    """Column sums of many resamples of the rows: `resamples` × columns.

    A resample draws as many documents as there are, with replacement. All columns share the same draws, so that
    whatever is computed from them is resampled together.

    Of several blocks it is drawn first how many of a resample's documents are in each, and then which ones: that is
    as likely as drawing them all at once, and asks for one block after the other.

    >>> resampled_totals(np.array([[1.0], [1.0]]), resamples=3, seed=0).tolist()
    [[2.0], [2.0], [2.0]]
    """
    random = np.random.default_rng(seed)
    remaining, to_draw = len(rows), np.full(resamples, len(rows), dtype=np.int64)
    totals = np.zeros((resamples, 0))
    for number, block in enumerate(blocks(rows)):
        if not number:
            totals = np.zeros((resamples, block.shape[1]))
        if len(block) == len(rows):
            drawn = _draw_counts(random, len(block), resamples)
        else:
            draws = random.binomial(to_draw, len(block) / remaining)
            remaining, to_draw = remaining - len(block), to_draw - draws
            drawn = _draw_sized(random, len(block), draws)
        start = 0
        for times in drawn:
            totals[start : start + len(times)] += times @ block
            start += len(times)
    return totals


def _draw_counts(random: np.random.Generator, documents: int, resamples: int) -> Iterator[Floats]:
    """How often each document is in each resample of as many: some resamples × documents at a time."""
    if not documents:
        return
    together = max(1, _CELLS // documents)
    for start in range(0, resamples, together):
        size = min(together, resamples - start)
        drawn = random.integers(0, documents, size=(size, documents), dtype=np.int32)
        drawn += (np.arange(size, dtype=np.int32) * documents)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * documents).reshape(size, documents)
        yield times.astype(np.float64)


def _draw_sized(random: np.random.Generator, documents: int, draws: Ints) -> Iterator[Floats]:
    """The same where each resample draws its own number of these documents."""
    together = max(1, _CELLS // documents)
    kind = np.uint16 if documents <= np.iinfo(np.uint16).max + 1 else np.int32
    for start in range(0, len(draws), together):
        batch = draws[start : start + together]
        times = np.zeros((len(batch), documents))
        drawn = random.integers(0, documents, int(batch.sum()), dtype=kind)
        for index, documents_drawn in enumerate(np.split(drawn, np.cumsum(batch)[:-1])):
            times[index] = np.bincount(documents_drawn, minlength=documents)
        yield times
