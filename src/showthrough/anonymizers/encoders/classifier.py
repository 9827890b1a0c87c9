"""A trained transformer: texts in, typed masks out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from showthrough.anonymizers.model_folders import Card
from showthrough.data.documents import Document
from showthrough.data.masks import Mask


@dataclass
class Classifier:
    """A loaded classifier."""

    device: str = "cpu"

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        raise NotImplementedError


def load_classifier(folder: Path, card: Card) -> Classifier:
    raise NotImplementedError
