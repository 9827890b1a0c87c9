"""spaCy's named entities, Presidio and GLiNER as anonymizers; the first two by default as TAB ran them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, ResourceError, join_names, shorten
from showthrough.data.documents import Document
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.models.detectors import presidio, spacy
from showthrough.models.detectors.base import Detector
from showthrough.models.detectors.gliner import GlinerDetector
from showthrough.models.detectors.presidio import Presidio
from showthrough.models.detectors.spacy import Spacy, pipeline
from showthrough.models.device import torch_device
from showthrough.models.gliner import gliner, gliner_files
from showthrough.models.model_folders import size_of
from showthrough.systems.base import BaseAnonymizer

_CARDINAL = "CARDINAL"
_PIPELINE = "the spaCy pipeline: an installed package, or the path of a folder"


@dataclass(frozen=True)
class SpacyAnonymizer(BaseAnonymizer):
    """Hides the named entities of a spaCy pipeline: the neural baseline of the Text Anonymization Benchmark.

    It masked all 18 types of OntoNotes, and numbers (CARDINAL) with at least four digits alone. A pipeline with other
    types has all of them masked.
    """

    kind: ClassVar[str] = "spacy"
    needs: ClassVar[str] = "showthrough[spacy], a pipeline"

    model: str = parameter(spacy.MODEL, _PIPELINE)
    types: str = parameter("", "the types that are masked, with commas between them; empty: all")
    digits: int = parameter(4, "a CARDINAL is masked only with at least so many digits")

    def __post_init__(self) -> None:
        if self.digits < 0:
            raise PlanError(f"found {self.digits}; expected 0 or more", "digits")

    def masks(self, documents: Sequence[Document]) -> list[list[TypedMask]]:
        masked_types = self._masked_types
        all_finds = Spacy(self.model).find([doc.text for doc in documents])
        return [
            [
                TypedMask(find.start, find.end, None, find.entity_type)
                for find in finds
                if (not masked_types or find.entity_type in masked_types)
                and (find.entity_type != _CARDINAL or self._is_long(document.text[find.start : find.end]))
            ]
            for document, finds in zip(documents, all_finds, strict=True)
        ]

    def _is_long(self, number: str) -> bool:
        return sum(map(str.isdigit, number)) >= self.digits

    @property
    def _masked_types(self) -> frozenset[str]:
        return frozenset(filter(None, (name.strip() for name in self.types.split(","))))

    def prepare(self) -> None:
        available_types = _named_entities(self.model)
        if unknown := sorted(self._masked_types.difference(available_types)) if available_types else []:
            available = f"the pipeline {shorten(self.model)} finds {', '.join(available_types)}"
            fault = f"found {join_names(map(shorten, unknown))}; {available}"
            raise PlanError(fault, "anonymizer spacy: types")

    @property
    def pinned(self) -> Mapping[str, str]:
        return dict(Spacy(self.model).pinned)

    @property
    def model_bytes(self) -> int | None:
        return size_of(pipeline(self.model).folder)


@dataclass(frozen=True)
class _DetectorAnonymizer(BaseAnonymizer):
    """Hides all that a detector finds, with its scores."""

    def __post_init__(self) -> None:
        _ = self._detector  # which checks what can be set

    @property
    @abstractmethod
    def _detector(self) -> Detector: ...

    def masks(self, documents: Sequence[Document]) -> list[list[ScoredMask]]:
        all_finds = self._detector.find([document.text for document in documents])
        return [
            [ScoredMask(find.start, find.end, None, find.entity_type, find.score) for find in finds]
            for finds in all_finds
        ]

    @property
    def pinned(self) -> Mapping[str, str]:
        return dict(self._detector.pinned)


@dataclass(frozen=True)
class PresidioAnonymizer(_DetectorAnonymizer):
    """Hides all that Presidio's analyzer finds: persons, places, nationalities and religions, dates, contacts, codes.

    These are its recognizers as they come, with a spaCy pipeline, as the Text Anonymization Benchmark ran it;
    organizations, which it has apart, are an option.
    """

    kind: ClassVar[str] = "presidio"
    needs: ClassVar[str] = "showthrough[presidio], a pipeline"

    model: str = parameter(presidio.MODEL, _PIPELINE)
    language: str = parameter("en", "the language of the texts, as Presidio names it")
    threshold: float = parameter(0.0, "finds with a lower score are left out")
    org: bool = parameter(False, "also organizations, which Presidio leaves out because it is often wrong on them")

    @property
    def _detector(self) -> Presidio:
        return Presidio(self.model, self.language, self.threshold, self.org)

    def prepare(self) -> None:
        _ = self._detector.types  # makes the engine, and says what it lacks
        _named_entities(self.model)

    @property
    def model_bytes(self) -> int | None:
        return size_of(pipeline(self.model).folder)


@dataclass(frozen=True)
class GlinerAnonymizer(_DetectorAnonymizer):
    """Hides what a GLiNER model finds. Labels are plain words, and any will do.

    Weights are read from safetensors alone, and no code of a model is run. Long texts are read in overlapping windows.
    """

    kind: ClassVar[str] = "gliner"
    needs: ClassVar[str] = "showthrough[gliner], a model"

    model: str = parameter("", "its name on the hub, with a revision after an @ if need be, or the path of a folder")
    labels: str = parameter(
        "", "what to look for, with commas between; label=TYPE names the type; empty: 24 usual ones"
    )
    threshold: float = parameter(0.5, "finds with this score or a lower one are left out")
    on: str = parameter("auto", "where it runs: auto, cpu, cuda, cuda:1 or mps")

    @property
    def _detector(self) -> GlinerDetector:
        return GlinerDetector(self.model, self.labels, self.threshold, self.on)

    def prepare(self) -> None:
        gliner(self.model, self.on)

    @property
    def pinned(self) -> Mapping[str, str]:
        # Another device gives other last digits, and so, rarely, another mask.
        return {**super().pinned, "device": self.device}

    @property
    def model_bytes(self) -> int | None:
        return size_of(gliner_files(self.model).folder)

    @property
    def device(self) -> str:
        return self.on if self.on == "cpu" else str(torch_device(self.on))  # whoever asks may not have loaded it


def _named_entities(model: str) -> tuple[str, ...]:
    """The types that a pipeline says it finds. Raises ResourceError where it can find none."""
    loaded = pipeline(model)
    if not loaded.finds_entities:
        has = f"it has {', '.join(loaded.components)}" if loaded.components else "it has no components"
        raise ResourceError(f"the spaCy pipeline {shorten(model)} finds no named entities: {has}; choose another")
    return loaded.entity_types
