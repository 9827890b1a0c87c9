"""The attack `dense`: whose background has passages that mean what the document's passages mean.

Texts are cut into windows of words, windows are embedded, and every window of a document takes the best window of each
individual. It finds people by what is said in other words; it needs an embedding model, or `lsa`, which ships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from showthrough.core.arrays import Bools, Floats, Floats32, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError
from showthrough.families.reidentification.attacks._terms import TextWords
from showthrough.families.reidentification.attacks.base import Attack, Candidates, standardise
from showthrough.models import Resources
from showthrough.models.names import EMBEDDING

_CELLS = 50_000_000  # similarities that are held at once: 200 MB


@dataclass(frozen=True)
class Dense(Attack):
    """Whose background has passages that mean what the document's passages mean."""

    embedding: str = parameter("st:sentence-transformers/all-MiniLM-L6-v2", "what embeds: st:MODEL, a folder, or lsa")
    window: int = parameter(100, "words of a passage")
    step: int = parameter(50, "words from one passage to the next")

    def __post_init__(self) -> None:
        EMBEDDING.parse(self.embedding)
        if self.window < 1 or not 1 <= self.step <= self.window:
            raise PlanError(f"window={self.window}, step={self.step}; expected 1 or more, and a step within the window")

    @property
    def models(self) -> dict[str, str]:
        return EMBEDDING.models(self.embedding)

    def fit(self, background: Mapping[str, str], resources: Resources, watched: object = None) -> FittedDense:
        return FittedDense(self, background, resources)


class FittedDense:
    """The attack once it knows a background."""

    def __init__(self, attack: Dense, background: Mapping[str, str], resources: Resources) -> None:
        self.individuals = tuple(background)
        self.attack = attack
        windows, owner = cut_windows(tuple(background.values()), attack.window, attack.step)
        self._resources = resources
        self._embed = resources.embedding(attack.embedding, windows, "truncate")
        self._vectors = _unit(self._embed(windows))
        self._first = np.searchsorted(owner, np.arange(len(background)))
        self._silent = np.setdiff1d(np.arange(len(background)), owner)

    def scores(self, documents: Sequence[str]) -> Candidates:
        windows, owner = cut_windows(documents, self.attack.window, self.attack.step)
        fit = np.zeros((len(documents), len(self.individuals)))
        if windows:
            np.add.at(fit, owner, self._best(_unit(self._embed(windows))))
            fit /= np.maximum(np.bincount(owner, minlength=len(documents)), 1)[:, None]
        heard: Bools = np.isin(np.arange(len(documents)), owner)
        spoken = fit[heard] - fit[heard].mean(axis=1, keepdims=True)
        fit[heard] = standardise(spoken)[0]
        return Candidates(fit, len(self.individuals), heard)

    def _best(self, windows: Floats32) -> Floats:
        """Of every window, the similarity of each individual's best window; −1 for whoever has none."""
        first = np.minimum(self._first, len(self._vectors) - 1)
        block = max(1, _CELLS // max(len(self._vectors), 1))
        blocks = (windows[low : low + block] for low in range(0, len(windows), block))
        best = np.concatenate(list(self._resources.map_items(_nearest, (self._vectors, first), blocks)))
        best[:, self._silent] = -1.0
        return best


def _nearest(resources: Resources, indexed: tuple[Floats32, Ints], windows: Floats32) -> Floats:
    """How like each of some windows is to the most similar of each individual's, which begin at some places."""
    from threadpoolctl import threadpool_limits

    vectors, first = indexed
    with threadpool_limits(1, "blas"):  # with more threads the last digits hang on how many there are
        return np.maximum.reduceat(windows @ vectors.T, first, axis=1).astype(np.float64)


def cut_windows(texts: Sequence[str], window: int, step: int) -> tuple[list[str], Ints]:
    """The windows of all texts, and whose each is; a text without a word has none.

    >>> cut_windows(["one two three", "", "four"], window=2, step=1)
    (['one two', 'two three', 'four'], array([0, 0, 2]))
    """
    wording = TextWords(texts)
    windows, owner = [], []
    bounds = np.searchsorted(wording.text_of_word, np.arange(len(texts) + 1)).tolist()
    for number, (low, high) in enumerate(pairwise(bounds)):
        stop = max(low + 1, high - window + step) if high > low else low
        for first in range(low, stop, step):
            windows.append(wording.passage(first, min(first + window, high)))
            owner.append(number)
    return windows, np.array(owner, dtype=np.int64)


def _unit(vectors: Floats32) -> Floats32:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0), dtype=np.float32)
