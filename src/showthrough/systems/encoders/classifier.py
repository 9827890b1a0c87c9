"""A token classifier at work: documents in, typed masks with scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from showthrough.core.errors import PlanError, ResourceError, quote_value
from showthrough.data.documents import Document
from showthrough.data.masks import ScoredMask
from showthrough.models.files import model_files
from showthrough.models.model_folders import CARD, Card
from showthrough.models.names import SourceName
from showthrough.models.settings import ModelSettings
from showthrough.systems.encoders.decoding import Decoder
from showthrough.systems.encoders.loading import CLASSIFIER, Encoder, load_encoder
from showthrough.systems.encoders.prediction import predict
from showthrough.systems.encoders.schemes import tagset
from showthrough.systems.encoders.windows import usual_stride


@dataclass(frozen=True)
class WindowClassifier:
    """A loaded classifier, the windows it reads in, and how it is decoded."""

    encoder: Encoder
    decoder: Decoder
    window: int  # tokens with the tokenizer's marks
    stride: int  # tokens

    @property
    def device(self) -> str:
        return str(self.encoder.model.device)

    def masks(self, documents: Sequence[Document]) -> list[list[ScoredMask]]:
        texts = [document.text for document in documents]
        predicted = predict(self.encoder, texts, self.window, self.stride)
        return [self.decoder.masks(text, *prediction) for text, prediction in zip(texts, predicted, strict=True)]


def classifier(encoder: Encoder, decoder: Decoder, window: int = 0, stride: int = 0) -> WindowClassifier:
    """With windows of as many tokens as the model takes, where nobody says. Raises PlanError for what cannot be."""
    window = encoder.window(window)
    room = window - encoder.marks
    if not 0 <= stride <= room:
        fault = f"found {stride}; expected 1 to {room} tokens, the window without its {encoder.marks} marks"
        raise PlanError(f"{fault}; or 0, three quarters of that", "stride")
    return WindowClassifier(encoder, decoder, window, stride or usual_stride(room))


def load_classifier(folder: Path, card: Card) -> WindowClassifier:
    """What `showthrough train transformer` wrote: the model's files with its card. Raises ResourceError."""
    path = str(folder)
    files = model_files(SourceName(CLASSIFIER.kinds[0], str(folder.resolve())), CLASSIFIER)
    encoder = load_encoder(path, files, ModelSettings())
    try:
        window, stride, threshold = (_number(card, key) for key in ("window", "stride", "threshold"))
        decoder = Decoder(tagset(encoder.labels, {}, model=path), threshold)
        return classifier(encoder, decoder, int(window), int(stride))
    except PlanError as error:
        raise ResourceError(f"{folder / CARD}: settings: {error}") from error


def _number(card: Card, key: str) -> float:
    """A setting of the card; 0, the usual, where it says nothing."""
    value: Any = card.settings.get(key) or 0
    if not isinstance(value, int | float) or value < 0:
        raise PlanError(f"found {quote_value(value)}; expected a number", key)
    return value
