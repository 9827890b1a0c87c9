"""Named entities of a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from showthrough.core.call_syntax import parameter
from showthrough.models.detectors._titles import trim_title
from showthrough.models.detectors.base import Detector, Find
from showthrough.models.pipeline import Pipeline

MODEL = "en_core_web_sm"
INSTEAD = 'the detector "patterns" or the anonymizer "rules", which need none'


@lru_cache(maxsize=2)
def pipeline(model: str, written: str = "spacy:{}") -> Pipeline:
    """A pipeline, which stays loaded from chunk to chunk. Raises ResourceError where it is not there."""
    loaded = Pipeline(model, INSTEAD, exclude=(), written=written)
    _ = loaded.revision
    return loaded


@dataclass(frozen=True)
class Spacy(Detector):
    """The named entities of a spaCy pipeline, with its own types. Nothing is downloaded."""

    model: str = parameter(MODEL, "the pipeline: an installed package, or the path of a folder")

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        read = pipeline(self.model).read(texts, None, "entities")
        return [
            [
                Find(
                    entity.start_char,
                    entity.end_char,
                    entity.label_,
                    core=trim_title(text, entity.start_char, entity.end_char),
                )
                for entity in document.ents
            ]
            for text, document in zip(texts, read, strict=True)
        ]

    @property
    def types(self) -> tuple[str, ...]:
        return pipeline(self.model).entity_types

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return (("pipeline", pipeline(self.model).revision),)
