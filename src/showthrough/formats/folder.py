"""A folder of texts, one file a document: originals without annotations, or anonymized texts."""

from __future__ import annotations

from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import fail, files_in, read_bytes, stem, suffix, text_of, unique
from showthrough.formats.base import Fit, Format, Input, Texts
from showthrough.formats.texts import plain


def read_texts(file: Input) -> Texts:
    """Every `.txt` (or `.txt.gz`) of a folder; the file's name is the document's id."""
    path = file.path
    files = [one for one in files_in(path) if one.parent == path and suffix(one) == ".txt" and one.name[0] != "."]
    if not files:
        raise fail(path, "holds no .txt file; expected one a document")
    return Texts(unique(((stem(one), text_of(one, read_bytes(one, RECORD))) for one in files), path))


def _recognise(head: Head) -> Fit:
    return Fit.LIKELY if head.folder and ".txt" in head.endings and ".ann" not in head.endings else Fit.NO


FORMAT = Format(
    "a folder of texts: one .txt a document, its name the id",
    (".txt",),
    _recognise,
    lambda file: plain(read_texts(file)),
    read_texts,
    lambda documents: {f"{document.id}.txt": document.text.encode() for document in documents},
    in_folders=True,
)
