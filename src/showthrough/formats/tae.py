"""Masks with offsets: the Text Anonymization Evaluator's JSON, and the same one document a line.

A fourth element, the entity type, is ours: what a system says it found, for scores by category.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from showthrough.data.masks import Mask, TypedMask
from showthrough.errors import InputError, Problem, at_document
from showthrough.files.reading import collect, decoded

_SMALL = 32_000_000  # bytes of masks that are kept decoded, which takes some five times as much
_MASKS = msgspec.json.Decoder(list[Mask])
_TYPED_MASKS = msgspec.json.Decoder(list[TypedMask])


class LazyMasks(Mapping[str, Sequence[Mask]]):
    """Masks by document id, decoded when they are asked for: a million documents' masks stay as small as their file."""

    def __init__(self, entries: Mapping[str, msgspec.Raw]) -> None:
        self._entries = entries

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return _masks(self._entries[document_id])

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _masks(raw: msgspec.Raw) -> Sequence[Mask]:
    plain = _plain(raw)
    return _TYPED_MASKS.decode(raw) if plain is None else plain


def _plain(raw: msgspec.Raw) -> Sequence[Mask] | None:
    """Masks without a type; `None` when there is a type somewhere, or something wrong."""
    try:
        return _MASKS.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def checked(entries: Mapping[str, msgspec.Raw], path: Path) -> Mapping[str, Sequence[Mask]]:
    """`{"id": [[start, end, replacement?, type?], …], …}`, looked at once; raises InputError with all that is wrong."""
    problems: list[Problem] = []
    masks: dict[str, Sequence[Mask]] = {}
    small = sum(len(memoryview(raw)) for raw in entries.values()) <= _SMALL
    for document_id, raw in entries.items():
        try:
            found = _plain(raw)
            if found is None:
                found = decoded(raw, _TYPED_MASKS, path, at_document(document_id), "masks")
            if small:
                masks[document_id] = found
        except InputError as error:
            collect(problems, error)
    if problems:
        raise InputError(problems)
    return masks if small else LazyMasks(entries)
