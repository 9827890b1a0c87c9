"""A model that `showthrough train` made, by its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Protocol

import msgspec

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.models.device import torch_device
from showthrough.models.files import folder_digest, library_versions
from showthrough.models.model_folders import CARD, VERSIONS, Card, Kind, TrainingRecord, read_card, size_of
from showthrough.systems.base import BaseAnonymizer

# What a kind of model finds may change with these; what only training needs is not among them.
_PACKAGES: dict[Kind, tuple[str, ...]] = {
    "tagger": ("python-crfsuite", "wordfreq"),
    "transformer": ("transformers", "tokenizers"),
}


class LoadedModel(Protocol):
    """A loaded model."""

    @property
    def device(self) -> str: ...

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]: ...


@dataclass(frozen=True)
class Trained(BaseAnonymizer):
    """Hides what a model finds that was trained here: a tagger or a transformer, by its folder."""

    kind: ClassVar[str] = "trained"
    needs: ClassVar[str] = "a folder of showthrough train"

    folder: str = parameter("", "the folder of the model")
    threshold: float | None = parameter(None, "masks from this probability on; none: what training chose")

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise PlanError(f"threshold={self.threshold} is no probability; expected 0 to 1", "anonymizer trained")

    @property
    def name(self) -> str:
        named = self._path.resolve().name if self.folder else self.kind
        return named if self.threshold is None else f"{named}(threshold={self.threshold})"

    @property
    def written(self) -> str:
        folder = f"{self.folder.rstrip('/')}/"
        return folder if self.threshold is None else f"{self.kind}:{folder}(threshold={self.threshold})"

    @property
    def version(self) -> int:  # type: ignore[override]  # that of its kind, which its card has
        return VERSIONS[self._card.kind] if self.folder else 1

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]:
        return self._model.masks(documents)

    def prepare(self) -> None:
        _ = self._model

    @property
    def pinned(self) -> Mapping[str, str]:
        libraries = library_versions(*_PACKAGES[self._card.kind])
        return {"model": folder_digest(self._path), "libraries": libraries, "device": self.device}

    @property
    def model_bytes(self) -> int | None:
        return size_of(self._path)

    @property
    def training(self) -> TrainingRecord | None:
        return self._card.training

    @property
    def device(self) -> str:
        if self._card.kind == "tagger":
            return "cpu"
        return str(torch_device("auto"))  # whoever asks may not have loaded it

    @property
    def _path(self) -> Path:
        if not self.folder:
            raise PlanError("no folder was named; expected one that showthrough train made", "anonymizer trained")
        try:
            return Path(self.folder).expanduser()
        except RuntimeError:
            raise PlanError("names the home of nobody", f"anonymizer {shorten(self.folder)}") from None

    @property
    def _card(self) -> Card:
        return read_card(self._path)

    @property
    def _model(self) -> LoadedModel:
        return _load_model(self._path.resolve(), (self._path / CARD).stat().st_mtime_ns, self.threshold)


@lru_cache(maxsize=2)
def _load_model(folder: Path, changed: int, threshold: float | None) -> LoadedModel:
    """The model, which stays loaded from batch to batch."""
    card = read_card(folder)
    if threshold is not None:
        card = msgspec.structs.replace(card, settings={**card.settings, "threshold": threshold})
    if card.kind == "tagger":
        from showthrough.systems.taggers.tagger import load_tagger

        return load_tagger(folder, card)
    from showthrough.systems.encoders.classifier import load_classifier

    return load_classifier(folder, card)
