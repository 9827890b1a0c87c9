"""Anonymized texts by document id, whatever a file holds: the texts themselves, or masks and the originals."""

from __future__ import annotations

import os
from pathlib import Path

from showthrough.data.documents import Corpus
from showthrough.data.masks import apply_masks
from showthrough.data.pairing import check_pair
from showthrough.errors import InputError, Problem, at_document
from showthrough.files.reading import fail, first_byte, object_entries, read_bytes, suffix
from showthrough.formats import read_anonymization, texts


def read_anonymized(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,
    id_column: str = "doc_id",
    text_column: str = "text",
) -> dict[str, str]:
    """Reads anonymized texts as they are; masks with offsets are applied to the corpus's originals.

    With a corpus, every document of it has to be there.
    """
    path = Path(path)
    found = None if format else _texts(path, id_column, text_column)
    if found is None:
        return _masked(path, corpus, format)
    if corpus is not None and (lacking := [key for key in corpus.ids if key not in found]):
        raise InputError(
            Problem(str(path), at_document(key), f"is in the corpus {corpus.source or corpus.name} but not here")
            for key in lacking
        )
    return found


def _texts(path: Path, id_column: str, text_column: str) -> dict[str, str] | None:
    """The texts that a file holds; nothing where it holds masks."""
    if (plain := texts.read_plain(path, id_column, text_column)) is not None:
        return plain
    opening = first_byte(path)
    if suffix(path) == ".jsonl" or opening == b"[":
        records = texts.read_records(path)
        if records and all("text" in fields and "masks" not in fields for fields in records.values()):
            return texts.texts_of({key: fields["text"] for key, fields in records.items()}, path)
        return None
    if opening == b"{":
        entries = object_entries(path, read_bytes(path))
        first = next(iter(entries.values()), None)
        if first is not None and bytes(memoryview(first)[:1]) == b'"':
            return texts.texts_of(entries, path)
    return None


def _masked(path: Path, corpus: Corpus | None, format: str | None) -> dict[str, str]:
    anonymization = read_anonymization(path, corpus, format=format)
    if corpus is None:
        raise fail(path, "holds masks with offsets; expected --corpus with the originals that they belong to")
    if problems := check_pair(corpus, anonymization):
        raise InputError(problems)
    return {document.id: apply_masks(document.text, anonymization.of(document.id)) for document in corpus}
