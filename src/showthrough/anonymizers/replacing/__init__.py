"""What is written in place of what is masked: a table of ways, each a function of a document and its masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from msgspec import structs

from showthrough.data.documents import Document
from showthrough.data.masks import Mask, TypedMask

Way = Literal["label", "suppress", "number", "surrogate", "generalize"]
WAYS: tuple[Way, ...] = get_args(Way)
Replace = Callable[[Document, Sequence[Mask]], list[Mask]]


def replacing(way: Way) -> Replace:
    """The function that writes replacements in this way."""
    return {"label": labels, "suppress": suppressed}[way]


def suppressed(document: Document, masks: Sequence[Mask]) -> list[Mask]:
    """Nothing stands there any more."""
    return [structs.replace(mask, replacement=None) for mask in masks]


def labels(document: Document, masks: Sequence[Mask]) -> list[Mask]:
    """The type in capitals; where the anonymizer names none, what it wrote itself, or nothing."""
    return [structs.replace(mask, replacement=_label(mask)) for mask in masks]


def _label(mask: Mask) -> str | None:
    if isinstance(mask, TypedMask) and mask.entity_type:
        return mask.entity_type.upper()
    return mask.replacement
