"""Named entities of a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from showthrough.detectors.base import Detector, Find
from showthrough.detectors.titles import named
from showthrough.resources.pipeline import Pipeline
from showthrough.tables.calls import parameter

MODEL = "en_core_web_sm"
INSTEAD = 'the detector "patterns" or the anonymizer "rules", which need none'


@lru_cache(maxsize=2)
def pipeline(model: str) -> Pipeline:
    """A pipeline, which stays loaded from chunk to chunk. Raises ResourceError where it is not there."""
    made = Pipeline(model, INSTEAD, exclude=())
    _ = made.revision
    return made


@dataclass(frozen=True)
class Spacy(Detector):
    """The named entities of a spaCy pipeline, with its own types. Nothing is downloaded."""

    model: str = parameter(MODEL, "the pipeline: an installed package, or the path of a folder")

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        read = pipeline(self.model).read(texts, None, "entities")
        return [
            [
                Find(one.start_char, one.end_char, one.label_, core=named(text, one.start_char, one.end_char))
                for one in document.ents
            ]
            for text, document in zip(texts, read, strict=True)
        ]

    @property
    def types(self) -> tuple[str, ...]:
        return pipeline(self.model).entity_types

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return (("pipeline", pipeline(self.model).revision),)
