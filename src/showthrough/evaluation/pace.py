"""How long chunks are: so that each takes some seconds, whatever is done with it.

A chunk is what can be saved. A million characters take most metrics a moment, and a model an hour. No number depends on
where chunks end, so their lengths may follow the clock.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from showthrough.core.plugins import is_guest
from showthrough.data.documents import CHUNK_CHARACTERS, Corpus
from showthrough.metrics import Metric

_SECONDS = 10.0  # that a chunk is meant to take
_FIRST = 20_000  # characters, where nobody knows how long it will take
_GROWTH = 4  # times the last: that may have been an easy one


class Pace:
    """The length of the next chunk, in characters."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        slow = any(metric.models or metric.slow or is_guest(metric) for metric in metrics)
        self.characters = _FIRST if slow else CHUNK_CHARACTERS

    def took(self, characters: int, seconds: float) -> None:
        """A chunk of so many characters took so long."""
        fitting = int(characters * _SECONDS / max(seconds, 1e-3))
        if seconds > _SECONDS:
            self.characters = max(fitting, 1)
        elif fitting > self.characters:  # never fewer after a chunk that was quick: it may have been a short one
            self.characters = min(fitting, _GROWTH * self.characters, CHUNK_CHARACTERS)

    def next_chunk(self, corpus: Corpus, start: int) -> range:
        """The next documents, one at least."""
        usual = next(corpus.chunks(start=start))
        if self.characters >= CHUNK_CHARACTERS:
            return usual
        ends = np.cumsum(corpus.survey.lengths[usual.start : usual.stop])
        return usual[: max(1, int(np.searchsorted(ends, self.characters, side="right")))]
