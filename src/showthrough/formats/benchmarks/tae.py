"""Masks with offsets: the Text Anonymization Evaluator's JSON, and the same one document a line.

A fourth element, the entity type, is ours: what a system says it found, for scores by category. So is a fifth, how sure
it is of that.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import at_document, join_names
from showthrough.core.patterns import lazy_pattern
from showthrough.data.masks import Mask, ScoredMask, TypedMask
from showthrough.formats.base import Fit, Format, Input, Masks, in_characters
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, decoded_or_none, fail

SMALL = 32_000_000  # bytes of masks that are kept decoded, which takes some five times as much
_MASKS = msgspec.json.Decoder(list[Mask])
_ANY = msgspec.json.Decoder()
# `{"case-1": [[3, 11` and then the end of that mask or its replacement: no other format begins so.
_FIRST_MASK = lazy_pattern(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\[\s*\d+\s*,\s*\d+\s*(?:\]|,\s*(?:null|"))')
_SHOWN = '{"case-1": [[3, 11, null, "PERSON"]]}'
_TYPED_MASKS = msgspec.json.Decoder(list[TypedMask])
_SCORED_MASKS = msgspec.json.Decoder(list[ScoredMask])


class LazyMasks(UserDict[str, Any]):
    """Masks by document id, decoded when they are asked for: a million documents' masks stay as small as their file."""

    def __init__(self, entries: dict[str, msgspec.Raw]) -> None:
        self.data = entries

    def __getitem__(self, document_id: str) -> Sequence[Mask]:
        return masks_in(self.data[document_id])


def masks_in(raw: msgspec.Raw) -> Sequence[Mask]:
    """Masks that were looked at before."""
    masks = _plain(raw)
    return _SCORED_MASKS.decode(raw) if masks is None else masks


def looked_at(document_id: str, raw: msgspec.Raw, path: Path) -> Sequence[Mask]:
    """The masks of a document; raises InputError with what is wrong with them."""
    masks = _plain(raw)
    if masks is None:  # there is a score somewhere, or something wrong
        masks = decode_json(raw, _SCORED_MASKS, path, at_document(document_id), "masks")
    return masks


def _plain(raw: msgspec.Raw) -> Sequence[Mask] | None:
    """Masks without scores."""
    plain: Sequence[Mask] | None = decoded_or_none(raw, _MASKS)
    return decoded_or_none(raw, _TYPED_MASKS) if plain is None else plain


def check_masks(entries: dict[str, msgspec.Raw], path: Path) -> Masks:
    """`{"id": [[start, end, replacement?, type?, score?], …], …}`, looked at once.

    Raises InputError with all that is wrong.
    """
    small = sum(len(memoryview(raw)) for raw in entries.values()) <= SMALL

    def named(entry: tuple[str, msgspec.Raw]) -> tuple[str, Sequence[Mask]]:
        masks = looked_at(*entry, path)
        return entry[0], masks if small else ()

    masks = dict(collect_results(entries.items(), named))
    return masks if small else LazyMasks(entries)


def _read(file: Input) -> Masks:
    for document_id, raw in list(file.head.entries.items())[:1]:
        value = decoded_or_none(raw, _ANY)
        inner, location = (value[0], "masks[0]") if isinstance(value, list) and value else (value, "masks")
        if isinstance(inner, dict):  # once, and not for every document
            fault = f"found an object {{…}}; expected a list […] as in {_SHOWN}; its keys are {join_names(inner)}"
            raise fail(file.path, fault, f"{at_document(document_id)}: {location}")
    return in_characters(check_masks(file.head.entries, file.path), file)


def _recognise(head: Head) -> Fit:
    """Certain where the first mask is one. Likely any object but one of texts; and lines of lists under ids."""
    if head.lines:
        return Fit.LIKELY if head.by_id(_masks) else Fit.NO
    if head.json.opening == b"{" and _FIRST_MASK.match(head.start):
        return Fit.CERTAIN
    first = next(iter(head.json.keys.values()), b"")
    return Fit.LIKELY if head.json.opening == b"{" and first[:1] != b'"' else Fit.NO


def _masks(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(mask, list) for mask in value[:1])


FORMAT = Format(
    "masks by id, of the Text Anonymization Evaluator: [start, end, replacement, type, score]",
    (".json",),
    _recognise,
    read_anonymization=_read,
    write_masks=lambda anonymization: {"": msgspec.json.encode(dict(anonymization.masks))},
)
