"""How near a replacement is to what it replaces, as a cosine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Protocol

import numpy as np

from showthrough.core.arrays import Floats, Floats32
from showthrough.core.errors import ResourceError
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.embedder import SentenceEmbedder
from showthrough.models.pipeline import TOKENS, Pipeline
from showthrough.models.settings import Watch, share_of

Pair = tuple[str, str]

VERSION = 2  # of the answers
_GRAM = 3
_BLOCK = 256  # documents whose answers are stored together: what a stop can lose
_HELD = 100_000  # texts whose embeddings stay in memory


class Similarity(Protocol):
    """Gives the cosine of every pair, group by group (a group is what one document asks)."""

    def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]: ...


class NgramSimilarity:
    """Cosine of the counts of character trigrams, capitals and edges aside.

    >>> pairs = [("Oslo", "OSLO"), ("Oslo", "Olso"), ("1 May 1996", "May 1996")]
    >>> NgramSimilarity().cosines([pairs])[0].round(2).tolist()
    [1.0, 0.0, 0.89]
    """

    def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        grams = cache(_grams)
        return [np.array([_cosine(*map(grams, pair)) for pair in group]) for group in groups]


def _grams(text: str) -> Counter[str]:
    inside = f" {' '.join(text.lower().split())} "
    return Counter(inside[start : start + _GRAM] for start in range(len(inside) - _GRAM + 1))


def _cosine(left: Counter[str], right: Counter[str]) -> float:
    product = sum(count * right[gram] for gram, count in left.items())
    sizes = sum(count * count for count in left.values()) * sum(count * count for count in right.values())
    return product / float(np.sqrt(sizes)) if sizes else 0.0


class WordVectors:
    """A text as the mean of its tokens' vectors in a spaCy pipeline; a token without a vector counts as zeros."""

    def __init__(self, name: str, cache: Cache, watch: Watch | None = None) -> None:
        self.pipeline = Pipeline(name, 'similarity="ngrams"')
        self.cache = cache
        self.watch = watch

    @property
    def revision(self) -> str:
        return self.pipeline.revision

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.revision,)

    def embed(self, texts: Sequence[str], watch: Callable[[float], None] | None = None) -> Floats32:
        vectors = []
        for number, read in enumerate(self.pipeline.read(texts, TOKENS), start=1):
            if not read.vocab.vectors_length:
                raise ResourceError(
                    f"the spaCy pipeline {self.pipeline.name!r} has no word vectors; choose one that has, "
                    f"such as spacy:en_core_web_md, or {self.pipeline.instead}"
                )
            vectors.append(read.vector)
            if watch:
                watch(number / len(texts))
        return np.array(vectors, dtype=np.float32)


class EmbeddingSimilarity:
    """Cosine of embeddings; a text is embedded once, in however many documents and anonymizations it stands."""

    def __init__(self, embedder: SentenceEmbedder | WordVectors) -> None:
        self.embedder = embedder
        self.cache = embedder.cache
        self._vectors: dict[str, Floats32] = {}

    @property
    def revision(self) -> str:
        return self.embedder.revision

    def cosines(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        names = [question("cosines", VERSION, self.embedder.identity, list(group)) for group in groups]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [groups[index] for index in indices[first : first + _BLOCK]]
                tell = share_of(self.embedder.watch, "similarities", first, len(block), len(indices))
                self._learn(dict.fromkeys(text for group in block for pair in group for text in pair), tell)
                for group in block:
                    yield {"cosines": np.array([_angle(*(self._vectors[text] for text in pair)) for pair in group])}

        return [np.asarray(entry["cosines"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def _learn(self, texts: Iterable[str], tell: Callable[[float], None]) -> None:
        """Embeds those that were not embedded before."""
        fresh = [text for text in texts if text not in self._vectors]
        if len(self._vectors) + len(fresh) > _HELD:
            self._vectors, fresh = {}, list(texts)
        self._vectors |= zip(fresh, self.embedder.embed(fresh, tell), strict=True) if fresh else ()


def _angle(left: Floats32, right: Floats32) -> float:
    sizes = float(np.linalg.norm(left)) * float(np.linalg.norm(right))
    return float(left @ right) / sizes if sizes else 0.0
