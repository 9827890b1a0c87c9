"""Texts by id in one JSON object: originals without annotations, or anonymized texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from showthrough.core.errors import at_document
from showthrough.data.documents import Document
from showthrough.formats.base import Fit, Format, Input, Texts
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail

_TEXT = msgspec.json.Decoder(str)


def texts_of(entries: Mapping[str, msgspec.Raw], path: Path) -> Texts:
    """Encoded texts by id, decoded; raises InputError with all that is no text."""

    def text(entry: tuple[str, msgspec.Raw]) -> tuple[str, str]:
        return entry[0], decode_json(entry[1], _TEXT, path, at_document(entry[0]), "text")

    return Texts(collect_results(entries.items(), text))


def plain(texts: Mapping[str, str]) -> list[Document]:
    """Documents without annotations."""
    return [Document(key, text) for key, text in texts.items()]


def read(file: Input) -> list[Document]:
    entries = file.head.entries
    if entries and all(bytes(memoryview(raw)[:1]) == b"[" for raw in entries.values()):
        raise fail(file.path, "looks like masks, not a corpus; the corpus comes first")
    return plain(texts_of(entries, file.path))


def _recognise(head: Head) -> Fit:
    """Likely any object of texts. One of lists is too, for a corpus: it is then said to be masks, not passed over.

    Of lines, such as have their texts under ids; a line alone, that has one.
    """
    if head.lines:
        several = len(head.values) > 1 or len(head.json.keys) == 1
        return Fit.LIKELY if several and head.by_id(lambda value: isinstance(value, str)) else Fit.NO
    first = next(iter(head.json.keys.values()), b"")
    usual = head.json.opening == b"{" and first[:1] != b"{" and first != b"[{"
    return Fit.LIKELY if usual else Fit.NO


FORMAT = Format(
    "texts by id: one JSON object",
    *((".json",), _recognise, read, lambda file: texts_of(file.head.entries, file.path)),
    lambda documents: {"": msgspec.json.encode({document.id: document.text for document in documents})},
)
