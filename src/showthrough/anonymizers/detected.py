"""Anonymizers made of detectors: what one finds is masked, its type written in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from showthrough.data.documents import Document
from showthrough.data.masks import TypedMask
from showthrough.detectors import presidio, spacy
from showthrough.detectors.base import Detector
from showthrough.detectors.presidio import Presidio
from showthrough.detectors.spacy import Spacy
from showthrough.tables.calls import parameter


def _masks(document: Document, detector: Detector) -> list[TypedMask]:
    (finds,) = detector.find([document.text])
    return [TypedMask(find.start, find.end, find.entity_type.upper(), find.entity_type) for find in finds]


@dataclass(frozen=True)
class SpacyAnonymizer:
    """Hides the named entities of a spaCy pipeline, each by its type in capitals."""

    name: ClassVar[str] = "spacy"
    version: ClassVar[int] = 1

    model: str = parameter(spacy.MODEL, "the pipeline: an installed package, or the path of a folder")

    def masks(self, document: Document) -> list[TypedMask]:
        return _masks(document, Spacy(self.model))


@dataclass(frozen=True)
class PresidioAnonymizer:
    """Hides all that Presidio's analyzer finds, each by its type in capitals."""

    name: ClassVar[str] = "presidio"
    version: ClassVar[int] = 1

    model: str = parameter(presidio.MODEL, "the spaCy pipeline: an installed package, or the path of a folder")
    language: str = parameter("en", "the language of the texts, as Presidio names it")
    threshold: float = parameter(0.0, "finds with a lower score are left out")

    def masks(self, document: Document) -> list[TypedMask]:
        return _masks(document, Presidio(self.model, self.language, self.threshold))
