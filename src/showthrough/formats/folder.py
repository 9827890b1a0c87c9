"""A folder of texts, one file a document: originals without annotations, or anonymized texts."""

from __future__ import annotations

from pathlib import Path

from showthrough.formats.base import Fit, Format, Input, Texts
from showthrough.formats.texts import plain
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import fail, files_in, read_bytes, stem, suffix, text_of, unique

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


def _recognise(head: Head) -> Fit:
    return Fit.LIKELY if head.folder and _ENDING in head.endings and ".ann" not in head.endings else Fit.NO


FORMAT = Format(
    "a folder of texts: one .txt a document, its name the id, with the folders that it is in",
    (_ENDING,),
    _recognise,
    lambda file: plain(read_texts(file)),
    read_texts,
    lambda documents: {f"{document.id}{_ENDING}": document.text.encode() for document in documents},
    in_folders=True,
    nested=True,
)
