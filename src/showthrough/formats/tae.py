"""Masks with offsets: the Text Anonymization Evaluator's JSON, and the same one document a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from showthrough.errors import InputError, Problem
from showthrough.formats.files import collect, decoded
from showthrough.masks import Mask

_MASKS = msgspec.json.Decoder(list[Mask])


class LazyMasks(Mapping[str, list[Mask]]):
    """Masks by document id, decoded when they are asked for: a million documents' masks stay as small as their file."""

    def __init__(self, entries: Mapping[str, msgspec.Raw]) -> None:
        self._entries = entries

    def __getitem__(self, document_id: str) -> list[Mask]:
        return _MASKS.decode(self._entries[document_id])

    def __contains__(self, document_id: object) -> bool:
        return document_id in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def checked(entries: Mapping[str, msgspec.Raw], path: Path) -> LazyMasks:
    """`{"id": [[start, end, replacement?], …], …}`, looked at once; raises InputError with all that is wrong."""
    problems: list[Problem] = []
    for document_id, raw in entries.items():
        try:
            decoded(raw, _MASKS, path, f"document {document_id}: masks")
        except InputError as error:
            collect(problems, error)
    if problems:
        raise InputError(problems)
    return LazyMasks(entries)
