"""Texts without annotations, originals or anonymized ones: by id in one JSON object, or one file a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from showthrough.core.errors import at_document
from showthrough.data.documents import Document
from showthrough.formats.base import Fit, Format, Input, Texts
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import (
    collect_results,
    decode_json,
    fail,
    files_in,
    read_bytes,
    stem,
    suffix,
    text_of,
    unique,
)

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


_ENDING = ".txt"


def read_texts(file: Input) -> Texts:
    """Every `.txt` (`.txt.gz`, `.txt.zst`) of a folder and of the folders in it; the id is the path from there on."""
    path = file.path
    inside = [text_path for text_path in files_in(path) if suffix(text_path) == _ENDING]
    files = [text_path for text_path in inside if not is_hidden(text_path, path)]
    if not files:
        raise fail(path, "holds no .txt file; expected one a document")
    if count := len(inside) - len(files):
        file.remarks.others.append(f"{count} hidden .txt file{'s were' if count > 1 else ' was'} not read")
    return Texts(
        unique(((_id(text_path, path), text_of(text_path, read_bytes(text_path, RECORD))) for text_path in files), path)
    )


def is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file is none that its owner made, or is in such a folder."""
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _id(file: Path, folder: Path) -> str:
    """
    >>> _id(Path("texts/2019/case-1.txt.gz"), Path("texts"))
    '2019/case-1'
    """
    return file.relative_to(folder).with_name(stem(file)).as_posix()


def _recognise_folder(head: Head) -> Fit:
    return Fit.LIKELY if head.folder and _ENDING in head.endings and ".ann" not in head.endings else Fit.NO


FOLDER = Format(
    "a folder of texts: one .txt a document, its name the id, with the folders that it is in",
    (_ENDING,),
    _recognise_folder,
    lambda file: plain(read_texts(file)),
    read_texts,
    lambda documents: {f"{document.id}{_ENDING}": document.text.encode() for document in documents},
    in_folders=True,
    nested=True,
)
