"""Masks with how they were made: what `showthrough anonymize` writes.

{"showthrough_masks": 1, "provenance": {…}, "masks": {"case-1": [[3, 11, "PERSON", "PERSON", 0.98]]}}
"""

from __future__ import annotations

import msgspec

from showthrough.data.masks import Anonymization
from showthrough.data.provenance import Provenance
from showthrough.formats.base import Fit, Format, Input, Masks
from showthrough.formats.benchmarks.tae import check_masks
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import decode_json, fail

VERSION = 1  # rises when an old reader could misread it
_KEY = "showthrough_masks"


class _File(msgspec.Struct):
    showthrough_masks: int
    masks: dict[str, msgspec.Raw]
    provenance: Provenance | None = None


_DECODER = msgspec.json.Decoder(_File)


def _read(file: Input) -> Masks:
    read = decode_json(file.head.content, _DECODER, file.path)
    if read.showthrough_masks != VERSION:
        raise fail(file.path, f"found {read.showthrough_masks}; this program reads version {VERSION}", _KEY)
    file.remarks.provenance = read.provenance
    return check_masks(read.masks, file.path)


def _recognise(head: Head) -> Fit:
    return Fit.CERTAIN if not head.lines and _KEY in head.json.keys else Fit.NO


def encode_anonymization(anonymization: Anonymization) -> bytes:
    """The content of its file."""
    masks = {
        key: msgspec.Raw(msgspec.json.encode(document_masks)) for key, document_masks in anonymization.masks.items()
    }
    return msgspec.json.encode(_File(VERSION, masks, anonymization.provenance))


FORMAT = Format(
    "masks by id with how they were made: [start, end, replacement, type, score]",
    (".json",),
    _recognise,
    read_anonymization=_read,
    write_masks=lambda anonymization: {"": encode_anonymization(anonymization)},
)
