"""A token classifier at work: documents in, typed masks with scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from showthrough.core.arrays import Floats32
from showthrough.core.errors import PlanError, ResourceError, quote_value
from showthrough.data.documents import Document
from showthrough.data.masks import ScoredMask
from showthrough.models.device import TableShape, in_shapes, width_of
from showthrough.models.files import model_files
from showthrough.models.model_folders import CARD, Card
from showthrough.models.names import SourceName
from showthrough.models.prediction import PADDED
from showthrough.models.segments import TokenPieces
from showthrough.models.settings import ModelSettings
from showthrough.systems.encoders._decoding import Decoder
from showthrough.systems.encoders._examples import usual_stride, windows_of
from showthrough.systems.encoders._loading import CLASSIFIER, Encoder, load_encoder
from showthrough.systems.encoders._schemes import tagset

# A token classifier reads windows of all texts together, and gives a probability of every label for each token.

# Its own padding is masked as well as ours; its answers are the same with either.
_PADDED = PADDED | {"longformer"}


class Prediction(NamedTuple):
    """The tokens of a text, and of each the probability of every label."""

    pieces: TokenPieces
    probabilities: Floats32


class _Window(NamedTuple):
    text: int
    begin: int
    end: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.end - self.begin


def predict(encoder: Encoder, texts: Sequence[str], window: int, stride: int) -> list[Prediction]:
    """What the model says of every token. What it says of one text does not hang on the others."""
    pieces = encoder.pieces(texts)
    windows = [
        _Window(number, *bounds)
        for number, text_pieces in enumerate(pieces)
        for bounds in zip(*_columns(len(text_pieces.ids), window - encoder.marks, stride), strict=True)
    ]
    labels = len(encoder.labels)
    predicted = [
        Prediction(text_pieces, np.zeros((len(text_pieces.ids), labels), dtype=np.float32)) for text_pieces in pieces
    ]

    def run(items: list[int], rows: int, shape: TableShape) -> list[Floats32]:
        return _run(encoder, [(pieces[windows[item].text], windows[item]) for item in items], rows, shape.width)

    shapes = [_shape(encoder, len(span), window) for span in windows]
    for items, answers in in_shapes(shapes, encoder.model.device, run, CLASSIFIER.what):
        for item, answer in zip(items, answers, strict=True):
            text, begin, _, first, last = windows[item]
            predicted[text].probabilities[first:last] = answer[first - begin : last - begin]
    return predicted


def _columns(length: int, room: int, stride: int) -> list[list[int]]:
    windows = windows_of(length, room, stride)
    return [part.tolist() for part in (windows.begin, windows.end, windows.first, windows.last)]


def _shape(encoder: Encoder, tokens: int, window: int) -> TableShape:
    width = tokens + encoder.marks
    if encoder.model.config.model_type in _PADDED:
        width = width_of(width, window)
    return TableShape(width, width)


def _run(encoder: Encoder, windows: Sequence[tuple[TokenPieces, _Window]], rows: int, width: int) -> list[Floats32]:
    """The probabilities of each window's tokens. The table is filled up with copies of its first row."""
    import torch

    ids = np.full((rows, width), encoder.tokenizer.pad_token_id or 0, dtype=np.int64)
    seen = np.zeros((rows, width), dtype=np.int64)
    wrap = len(encoder.before)
    for row, (pieces, window) in enumerate(windows):
        marked = [*encoder.before, *pieces.ids[window.begin : window.end].tolist(), *encoder.after]
        ids[row, : len(marked)] = marked
        seen[row, : len(marked)] = 1
    ids[len(windows) :], seen[len(windows) :] = ids[0], seen[0]
    shown, attention = (torch.from_numpy(array).to(encoder.model.device) for array in (ids, seen))
    with torch.inference_mode():
        logits: Any = encoder.model(input_ids=shown, attention_mask=attention).logits[: len(windows)]
        answers = logits.float().softmax(dim=-1).cpu().numpy()
    probabilities = [answers[row, wrap : wrap + len(window)] for row, (_, window) in enumerate(windows)]
    if not all(
        np.isfinite(values).all() for values in probabilities
    ):  # left alone, they would look like words that nobody masks
        raise ResourceError(f"{CLASSIFIER.what}: the model answers with NaN; its weights may be damaged")
    return probabilities


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
