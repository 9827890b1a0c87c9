"""Token classifiers that somebody trained and published, by name on the hub or by folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from showthrough.core.call_syntax import check_choices, parameter
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.documents import Document
from showthrough.data.labels import label_map
from showthrough.data.masks import ScoredMask
from showthrough.evaluation.settings import settings_problems
from showthrough.models.device import torch_device
from showthrough.models.files import Changed, ModelFiles, library_versions, state_of
from showthrough.models.model_folders import size_of
from showthrough.models.settings import ModelSettings
from showthrough.systems.base import BaseAnonymizer
from showthrough.systems.encoders._decoding import Decoder, Scores, Words
from showthrough.systems.encoders._loading import CLASSIFIER, Encoder, encoder_files, encoder_name, load_encoder
from showthrough.systems.encoders._schemes import Scheme, tagset
from showthrough.systems.encoders.classifier import WindowClassifier, classifier


@dataclass(frozen=True)
class TokenClassifier(BaseAnonymizer):
    """Hides what a token classifier of the Hugging Face hub finds, each by its type in capitals.

    Weights are read from safetensors alone, and no code of a model is run.
    """

    kind: ClassVar[str] = "hf"
    needs: ClassVar[str] = "showthrough[models], a model"

    model: str = parameter("", "its name on the hub, with a revision after an @ if need be, or the path of a folder")
    window: int = parameter(0, "tokens that are read at once, with the marks at both ends; 0: as many as it takes")
    stride: int = parameter(0, "tokens from the start of a window to that of the next; 0: three quarters of it")
    labels: str = parameter("", "what its types are to be called, such as PER=PERSON,MISC=; to nothing: not masked")
    scheme: Scheme = parameter("auto", "types: labels are types as they stand, and B-, I- or the like say nothing")
    words: Words = parameter("any", "which pieces decide on a word: any of them, the first, or each on itself (piece)")
    threshold: float = parameter(0.0, "masked is what is so probably not O; 0: what has another likeliest label than O")
    scores: Scores = parameter("mean", "a mask's score: the mean or the least probability of its words not to be O")
    on: str = parameter("auto", "where it runs: auto, cpu, cuda, cuda:1 or mps")
    dtype: Literal["fp32", "bf16"] = parameter("fp32", "in which numbers it calculates; bf16 is faster and coarser")

    def __post_init__(self) -> None:
        check_choices(self)
        for key, most in (("window", None), ("stride", None), ("threshold", 1)):
            value = getattr(self, key)
            if value < 0 or (most is not None and not value <= most):
                expected = "0 or more" if most is None else f"0 to {most}"
                raise PlanError(f"found {quote_value(value)}; expected {expected}", key)
        for problem in settings_problems(self._settings):
            raise PlanError(problem.message, "on")
        _ = self._mapping

    def masks(self, documents: Sequence[Document]) -> list[list[ScoredMask]]:
        return self._classifier.masks(documents)

    def prepare(self) -> None:
        _ = self._classifier

    @property
    def pinned(self) -> Mapping[str, str]:
        # Another device gives other last digits, and so, rarely, another mask.
        return {"model": self._files.revision, "libraries": library_versions(), "device": self.device}

    @property
    def model_bytes(self) -> int | None:
        return size_of(self._files.folder)

    @property
    def device(self) -> str:
        return self.on if self.on == "cpu" else str(torch_device(self.on))  # whoever asks may not have loaded it

    @property
    def _settings(self) -> ModelSettings:
        return ModelSettings(device=self.on, dtype=self.dtype)

    @property
    def _mapping(self) -> dict[str, str]:
        try:
            return label_map(self.labels)
        except PlanError as error:
            raise PlanError(error.problems[0].message, "labels") from None

    @property
    def _files(self) -> ModelFiles:
        folder = encoder_name(self.model, CLASSIFIER).folder if self.model else None
        return _locate_files(self.model, state_of(folder))

    @property
    def _classifier(self) -> WindowClassifier:
        encoder = _load_model(self.model, self._files, self._settings)
        try:
            tags = tagset(encoder.labels, self._mapping, self.scheme, self.model)
            decoder = Decoder(tags, self.threshold, self.words, self.scores)
            return classifier(encoder, decoder, self.window, self.stride)
        except PlanError as error:
            fault = error.problems[0]
            raise PlanError(fault.message, f"anonymizer {shorten(self.name)}: {fault.place}") from None


@lru_cache(maxsize=8)
def _locate_files(model: str, state: Changed) -> ModelFiles:
    """Its files, of which a digest is made once."""
    return encoder_files(model)


@lru_cache(maxsize=2)
def _load_model(model: str, files: ModelFiles, settings: ModelSettings) -> Encoder:
    """The model, which stays loaded from batch to batch."""
    return load_encoder(model, files, settings)
