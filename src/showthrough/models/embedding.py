"""Embeddings that workers make, some texts each: what was learned travels there, and models are loaded there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from showthrough.core.arrays import Floats32
from showthrough.models.embedder import Embed, LongTexts

if TYPE_CHECKING:
    from showthrough.models import Resources

LSA = "lsa"
_BATCH = 1024  # texts that are embedded at a time
Item = TypeVar("Item")


class FittedEmbedder(NamedTuple):
    """The embedder of a name, and what it learned from originals where it is none that every process can load."""

    name: str
    long_texts: LongTexts
    embed: Embed | None

    @classmethod
    def of(cls, resources: Resources, name: str, originals: Sequence[str], long_texts: LongTexts) -> FittedEmbedder:
        """`originals` are what `lsa` learns from; models ask for none."""
        return cls(name, long_texts, resources.embedder(name).fitted(originals, long_texts) if name == LSA else None)

    def embedded(self, resources: Resources, texts: Sequence[str]) -> Floats32:
        """The texts as vectors, by whoever has these resources. What a text's vector is hangs on no other text."""
        embed = self.embed or resources.embedder(self.name).fitted((), self.long_texts)
        return embed(texts)


def in_batches(resources: Resources, learned: FittedEmbedder, texts: Sequence[str]) -> Floats32:
    """All texts as vectors, some at a time."""
    batches = [texts[first : first + _BATCH] for first in range(0, len(texts), _BATCH)] or [texts]
    return gather_vectors(resources, learned, _embedded, learned, batches, len(texts))


def _embedded(resources: Resources, learned: FittedEmbedder, texts: Sequence[str]) -> Floats32:
    return learned.embedded(resources, texts)


def gather_vectors(
    resources: Resources,
    learned: FittedEmbedder,
    function: Callable[[Resources, Any, Item], Floats32],
    context: Any,
    items: Iterable[Item],
    total: int,
) -> Floats32:
    """The vectors that a function makes of all items, which have so many texts; a watch hears of all of them as one."""
    embedder: Any = None if learned.embed else resources.embedder(learned.name)
    watch, batches, done = resources.watch, [], 0

    def tell(task: str, texts: int, of: int) -> None:
        if watch:
            watch(task, done + texts, total)

    if embedder is not None:
        embedder.watch = tell if watch else None
    try:
        for vectors in resources.map_items(function, context, items):
            batches.append(vectors)
            done += len(vectors)
            tell("embeddings", 0, total)
    finally:
        if embedder is not None:
            embedder.watch = watch
    return np.concatenate(batches)
