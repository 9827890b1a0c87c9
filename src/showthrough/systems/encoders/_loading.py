"""Encoders of the `transformers` library by name on the hub or by folder: weights in safetensors, none made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from showthrough.core.errors import PlanError, ResourceError, UnavailableError, shorten
from showthrough.models.device import torch_device, torch_dtype
from showthrough.models.files import (
    EXTRA,
    ModelFiles,
    describe_missing,
    guard_loading,
    model_files,
    tokenizer_fault,
)
from showthrough.models.names import Role, SourceName, folder_exists, is_path
from showthrough.models.prediction import positions
from showthrough.models.segments import TokenPieces
from showthrough.models.settings import ModelSettings

_ENDLESS = 1 << 20  # tokens; whoever takes more takes any number
_ANY_LENGTH = 512  # tokens in a window of a model that takes any number


@dataclass(frozen=True)
class EncoderRole(Role):
    """A model that every token goes through."""

    def missing_error(self, reason: str, install: str) -> UnavailableError:
        """Why there is none, and the ways out: no other source could stand in for it."""
        return UnavailableError(f"{self.what}: {reason.rstrip('.')}. Either {install}, or name the folder of another")


CLASSIFIER = EncoderRole("token classifier", "model", ("hf",), ())
ENCODER = EncoderRole("encoder", "model", ("hf",), ())


@dataclass(frozen=True)
class Encoder:
    """A model that gives every token a number for each label, and its tokenizer."""

    location: str
    model: Any
    tokenizer: Any
    before: tuple[int, ...]  # the tokenizer's own marks around every window
    after: tuple[int, ...]
    longest: int  # tokens of a window with its marks

    @property
    def labels(self) -> list[str]:
        """By number."""
        names = self.model.config.id2label
        return [str(names[number]) for number in range(len(names))]

    @property
    def marks(self) -> int:
        return len(self.before) + len(self.after)

    def window(self, size: int) -> int:
        """Tokens of a window with its marks; 0 asks for the most there can be. Raises PlanError for too many."""
        if not size:
            return self.longest if self.longest < _ENDLESS else _ANY_LENGTH
        if not self.marks < size <= self.longest:
            expected = f"{self.marks + 1} to {self.longest}" if self.longest < _ENDLESS else f"over {self.marks}"
            raise PlanError(f"found {size}; expected {expected} tokens, which {shorten(self.location)} takes", "window")
        return size

    def pieces(self, texts: Sequence[str]) -> list[TokenPieces]:
        """Each text as the tokenizer cuts it, without its marks."""
        if not texts:
            return []
        encoded = self.tokenizer(list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        pieces = []
        for ids, offsets in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
            spans = np.array(offsets, dtype=np.int64).reshape(-1, 2)
            none = np.zeros(len(ids), dtype=bool)
            pieces.append(TokenPieces(np.array(ids, dtype=np.int64), spans[:, 0], spans[:, 1], none))
        return pieces


def encoder_files(model: str, role: EncoderRole = CLASSIFIER) -> ModelFiles:
    """Where a model lies: `owner/name`, `owner/name@revision` or `./folder`. Raises ResourceError."""
    if not model:
        raise PlanError("no model was named; expected its name on the hub, or the path of a folder", role.what)
    try:
        return model_files(encoder_name(model, role), role)
    except ResourceError as error:
        if is_path(model) or not folder_exists(model):
            raise
        raise PlanError(f"{shorten(model)} is a folder here; expected ./{shorten(model)} for it", role.what) from error


def encoder_name(model: str, role: EncoderRole) -> SourceName:
    """A name in its parts; what ends in a slash can only be a folder."""
    return role.parse(f"hf:./{model}" if model.endswith("/") and not is_path(model) else f"hf:{model}")


def load_encoder(
    source: str,
    files: ModelFiles,
    settings: ModelSettings,
    role: EncoderRole = CLASSIFIER,
    new_labels: Sequence[str] = (),
) -> Encoder:
    """The model at its device. With `new_labels` it gets a head for these, of random numbers that are to be trained.

    Raises ResourceError where it cannot be loaded as it was saved: no number of it is made up silently.
    """
    try:
        from transformers import AutoModelForTokenClassification, AutoTokenizer

        device, dtype = torch_device(settings.device), torch_dtype(settings.dtype)
    except ImportError as error:
        raise role.missing_error(f"the model {source!r} needs packages that are not installed", EXTRA) from error
    options: dict[str, Any] = {"dtype": dtype, "use_safetensors": True}
    if new_labels:
        names = dict(enumerate(new_labels))
        numbers = {name: number for number, name in names.items()}
        options |= {"id2label": names, "label2id": numbers, "ignore_mismatched_sizes": True}
    with guard_loading(source, f"a {role.what}", role):
        model, report = AutoModelForTokenClassification.from_pretrained(
            files.folder, trust_remote_code=False, output_loading_info=True, **options
        )
        tokenizer = AutoTokenizer.from_pretrained(files.folder, trust_remote_code=False)
        if fault := describe_missing(source, model, report, bool(new_labels)) or _fault(source, model, tokenizer):
            raise ResourceError(f"{role.what}: {fault}")
        if hasattr(model.base_model, "set_attention_type"):
            # BigBird would choose by the length of a text, and then keep to it, what all later ones are read with.
            model.base_model.set_attention_type("original_full")
        before, after = _marks(tokenizer)
        longest = min(positions(model.config), tokenizer.model_max_length)
        return Encoder(source, model.to(device).eval(), tokenizer, before, after, longest)


def _fault(source: str, model: Any, tokenizer: Any) -> str:
    """What a model and its tokenizer do not have that they are asked for; empty where they have all."""
    if sorted(model.config.id2label) != list(range(model.config.num_labels)):
        return f"{source!r} does not name all of its {model.config.num_labels} labels"
    if not tokenizer.is_fast:
        return f"the tokenizer of {source!r} does not say where its pieces stand"
    return tokenizer_fault(source, tokenizer, model.get_input_embeddings().num_embeddings)


def _marks(tokenizer: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a tokenizer writes before and after a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a")["input_ids"]
    start = next(offset for offset in range(len(whole)) if whole[offset : offset + len(bare)] == bare)
    return tuple(whole[:start]), tuple(whole[start + len(bare) :])
