"""Masks with offsets: the Text Anonymization Evaluator's JSON, and the same one document a line.

A fourth element, the entity type, is ours: what a system says it found, for scores by category.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from showthrough.data.masks import Anonymization, Mask, TypedMask
from showthrough.errors import at_document
from showthrough.files.heads import Head
from showthrough.files.reading import decoded, gathered
from showthrough.formats.base import Files, Fit, Format, Input, Masks

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


def checked(entries: Mapping[str, msgspec.Raw], path: Path) -> Masks:
    """`{"id": [[start, end, replacement?, type?], …], …}`, looked at once; raises InputError with all that is wrong."""
    small = sum(len(memoryview(raw)) for raw in entries.values()) <= _SMALL

    def looked_at(entry: tuple[str, msgspec.Raw]) -> tuple[str, Sequence[Mask]]:
        document_id, raw = entry
        masks = _plain(raw)
        if masks is None:
            masks = decoded(raw, _TYPED_MASKS, path, at_document(document_id), "masks")
        return document_id, masks if small else ()

    masks = dict(gathered(entries.items(), looked_at))
    return masks if small else LazyMasks(entries)


def read(file: Input) -> Masks:
    return checked(file.head.entries, file.path)


def write_masks(anonymization: Anonymization) -> Files:
    return {"": msgspec.json.encode(dict(anonymization.masks))}


def _recognise(head: Head) -> Fit:
    """Likely any object but one of texts."""
    first = next(iter(head.json.keys.values()), b"")
    return Fit.LIKELY if head.suffix != ".jsonl" and head.json.opening == b"{" and first[:1] != b'"' else Fit.NO


FORMAT = Format(
    "masks by id, of the Text Anonymization Evaluator: [start, end, replacement, type]",
    *((".json",), _recognise, None, read),
    write_masks=write_masks,
)
