"""Corpora out to files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from showthrough.data.documents import Corpus, Document
from showthrough.errors import OutputError, shown, some
from showthrough.files.writing import Read, write_file, write_folder
from showthrough.formats.base import unwritable
from showthrough.formats.choice import FORMATS, format_named
from showthrough.formats.samples import written
from showthrough.tables import raised


def write_corpus(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str = "tab",
    *,
    annotator: str | None = None,
    force: bool = False,
    read: Read | None = None,
) -> list[Path]:
    """Writes a corpus in a named format, as one file or as a folder of files, whichever the format is.

    Formats of PHI hold one annotator's marks; `annotator` chooses where there are several. The files hold the texts,
    so only their owner may read them. An existing file or a folder with something in it is left alone without `force`,
    and so is always what was `read`. All files are written, or none.
    """
    path = Path(path)
    chosen = format_named(format, "write")
    documents = (_prepared(document, annotator) for document in corpus)
    try:
        files = written(chosen, documents)
    except Exception as error:  # of a guest, anything
        why = raised(error, ours=format in FORMATS.built_in)
        raise OutputError(f"format {format}: its writer {why}; nothing was written") from error
    if not isinstance(files, dict) or not all(isinstance(content, bytes) for content in files.values()):
        raise OutputError(f"format {format}: its writer gave something else than bytes; nothing was written")
    if "" in files:
        write_file(path, files[""], force=force)
        return [path]
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path}: is a file; expected a folder, since this format is one file a record")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise OutputError(f"{path}: is not empty; choose another folder or say --force to add to it")
    for name in files:
        if not _is_name(name, chosen.nested):
            raise OutputError(
                f"document {shown(name.rpartition('.')[0])}: this id cannot be the name of a file in {path}"
            )
    return write_folder(path, files, read=read)


def _is_name(name: str, nested: bool) -> bool:
    """Whether it names a file in a folder, or in folders in it, that is neither hidden nor anywhere else."""
    parts = name.split("/") if nested else [name]
    return all(part and Path(part).name == part and not part.startswith(".") and "\0" not in part for part in parts)


def _prepared(document: Document, annotator: str | None) -> Document:
    """A document as it is written, with one annotator's marks where one is chosen."""
    if annotator is not None:
        layers = tuple(annotation for annotation in document.annotations if annotation.annotator == annotator)
        if document.annotations and not layers:
            names = some(annotation.annotator for annotation in document.annotations)
            raise unwritable(document, f"has no annotator {shown(annotator)}; there are {names}")
        document = msgspec.structs.replace(document, annotations=layers)
    if half := re.search("[\ud800-\udfff]", document.text):
        raise unwritable(document, f"its text has half a character (U+{ord(half[0]):04X}), which is no UTF-8")
    return document
