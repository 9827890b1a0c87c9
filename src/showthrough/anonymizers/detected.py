"""Anonymizers made of detectors: what one finds is masked, its type written in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from showthrough.anonymizers.base import Built
from showthrough.data.documents import Document
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.detectors import presidio, spacy
from showthrough.detectors.base import Detector
from showthrough.detectors.presidio import Presidio
from showthrough.detectors.spacy import Spacy
from showthrough.tables.calls import parameter


@dataclass(frozen=True)
class SpacyAnonymizer(Built):
    """Hides the named entities of a spaCy pipeline, each by its type in capitals."""

    kind: ClassVar[str] = "spacy"

    model: str = parameter(spacy.MODEL, "the pipeline: an installed package, or the path of a folder")

    def masks(self, documents: Sequence[Document]) -> list[list[TypedMask]]:
        found = Spacy(self.model).find([one.text for one in documents])
        return [[TypedMask(find.start, find.end, None, find.entity_type) for find in finds] for finds in found]

    @property
    def pinned(self) -> Mapping[str, str]:
        return dict(Spacy(self.model).pinned)


@dataclass(frozen=True)
class PresidioAnonymizer(Built):
    """Hides all that Presidio's analyzer finds, each by its type in capitals."""

    kind: ClassVar[str] = "presidio"

    model: str = parameter(presidio.MODEL, "the spaCy pipeline: an installed package, or the path of a folder")
    language: str = parameter("en", "the language of the texts, as Presidio names it")
    threshold: float = parameter(0.0, "finds with a lower score are left out")

    @property
    def _detector(self) -> Detector:
        return Presidio(self.model, self.language, self.threshold)

    def masks(self, documents: Sequence[Document]) -> list[list[ScoredMask]]:
        found = self._detector.find([one.text for one in documents])
        return [
            [ScoredMask(find.start, find.end, None, find.entity_type, find.score) for find in finds] for finds in found
        ]

    @property
    def pinned(self) -> Mapping[str, str]:
        return dict(self._detector.pinned)
