"""Anonymizers made of others: what any of several finds, and every other occurrence of what one finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from showthrough.anonymizers.base import Anonymizer
from showthrough.data.documents import Document
from showthrough.data.masks import Mask


@dataclass(frozen=True)
class Union:
    """Hides what any of its parts hides."""

    parts: tuple[Anonymizer, ...]

    @property
    def name(self) -> str:
        return "+".join(part.name for part in self.parts)

    @property
    def version(self) -> int:
        return sum(part.version for part in self.parts)

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        found = [part.masks(documents) for part in self.parts]
        return [list(chain.from_iterable(each)) for each in zip(*found, strict=True)]


@dataclass(frozen=True)
class Everywhere:
    """Hides what another hides, and wherever else in the document the same words stand."""

    of: Anonymizer

    @property
    def name(self) -> str:
        return f"everywhere({self.of.name})"

    @property
    def version(self) -> int:
        return self.of.version

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
        return self.of.masks(documents)
