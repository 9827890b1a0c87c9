"""Writes corpora to files."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, OutputError, join_names, shorten
from showthrough.core.plugins import describe_error
from showthrough.data.documents import Annotation, Corpus, Document
from showthrough.data.levels import by_type
from showthrough.data.originals import Originals
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.base import Files, Format, unwritable
from showthrough.formats.choice import FORMATS, format_named
from showthrough.formats.losses import losses
from showthrough.formats.samples import encode_sample
from showthrough.storage.reading import suffix
from showthrough.storage.writing import (
    ProtectedFiles,
    remove_unfinished,
    workshop,
    write_atomically,
    write_file,
    write_folder,
)


@dataclass(frozen=True)
class WriteResult:
    """What was written, and what the format does not hold of it."""

    path: Path
    files: list[Path]
    lost: list[str] = field(default_factory=list)

    @property
    def where(self) -> str:
        return str(self.path) if len(self.files) == 1 else f"{len(self.files)} files in {self.path}"


def write_corpus(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str = "tab",
    *,
    annotator: str | None = None,
    force: bool = False,
    read: ProtectedFiles | None = None,
) -> list[Path]:
    """Writes a corpus in a named format, as one file or as a folder of files, whichever the format is.

    Formats of PHI hold one annotator's marks; `annotator` chooses where there are several. The files hold the texts,
    so only their owner may read them. An existing file or a folder with something in it is left alone without `force`,
    and so is always what was `read`. All files are written, or none.
    """
    return _put_files(_files(corpus, format, annotator), Path(path), force, read)


def write_checked(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str = "tab",
    *,
    annotator: str | None = None,
    strict: bool = False,
    force: bool = False,
    read: ProtectedFiles | None = None,
) -> WriteResult:
    """The same, read back before anything is put into its place: what is not kept is told, or with `strict` refused.

    Raises OutputError where it cannot be read back, or the texts are not what they were.
    """
    path = Path(path)
    files = _files(corpus, format, annotator)
    lost = _find_losses(corpus, annotator, files, path, format)
    if strict and lost:
        raise OutputError(f"{describe_losses(format, lost)[0]}; nothing was written")
    return WriteResult(path, _put_files(files, path, force, read), lost)


def describe_losses(format: str, lost: Sequence[str]) -> list[str]:
    """What a format does not hold, in one line; none where it holds all."""
    return [f"not kept in {format}: {', '.join(lost)}"] if lost else []


def _files(corpus: Corpus, format: str, annotator: str | None) -> Files:
    """The content of all files of a corpus, before any of them is there."""
    chosen = format_named(format, "write")
    try:
        files = encode_sample(chosen, (_prepare_document(document, annotator) for document in corpus))
    except Exception as error:  # of a guest, anything
        why = describe_error(error, ours=format in FORMATS.built_in_names)
        raise OutputError(f"format {format}: its writer {why}; nothing was written") from error
    if not isinstance(files, dict) or not all(isinstance(content, bytes) for content in files.values()):
        raise OutputError(f"format {format}: its writer gave something else than bytes; nothing was written")
    for name in filter(None, files):
        if not _is_name(name, chosen.nested):
            raise OutputError(f"document {shorten(name.rpartition('.')[0])}: this id cannot be the name of a file")
    return files


def _put_files(files: Files, path: Path, force: bool, read: ProtectedFiles | None) -> list[Path]:
    if "" in files and not path.parent.exists():
        return write_folder(path.parent, {path.name: files[""]}, read=read)
    if "" in files:
        write_file(path, files[""], force=force)
        return [path]
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path}: is a file; expected a folder, since this format is one file a record")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise OutputError(f"{path}: is not empty; choose another folder or say --force to add to it")
    return write_folder(path, files, read=read)


def _find_losses(corpus: Corpus, annotator: str | None, files: Files, path: Path, format: str) -> list[str]:
    """What is not in the files, read again from a place of their own."""
    chosen = format_named(format)
    if chosen.read is None and chosen.read_anonymization is None:
        return ["what nobody can tell, since this format is not read"]
    usual = f"corpus{chosen.endings[0]}"
    name = usual if path.exists() and not path.is_file() else path.name  # a device has no ending to be known by
    try:
        with _lay_out_files(files, path, name or usual) as location:
            again = read_corpus(location, format=format) if chosen.read else None
            after = again.documents if again else _as_documents(location, corpus, format)
            lost = losses((_prepare_document(document, annotator) for document in corpus), after)
            texts_match = again is None or _texts_match(corpus, again)
    except InputError as error:
        first = error.problems[0]
        why = f"{first.place}: {first.message}" if first.place else first.message
        ends = "" if suffix(path) in chosen.endings else f" (its files end in {', '.join(chosen.endings)})"
        fault = f"what it writes cannot be read back{ends if '' in files else ''}: {why}; nothing was written"
        raise OutputError(f"format {format}: {fault}") from error
    if not texts_match:
        raise OutputError(f"format {format}: texts or documents read back are not those written; nothing was written")
    return lost


@contextmanager
def _lay_out_files(files: Files, path: Path, name: str) -> Iterator[Path]:
    """The files in a private folder elsewhere, gone afterwards: their place stays untouched until all is known."""
    home = Path(tempfile.gettempdir())
    remove_unfinished(home)
    try:
        with workshop(home) as bench:
            for file, content in files.items():
                target = bench / (file or name)
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(target, content, durable=False)
            yield bench / name if "" in files else bench
    except OSError as error:
        of_file = error.errno in (errno.ENAMETOOLONG, errno.EFBIG)  # which would be so anywhere
        location = "" if of_file else f" in {home}, where it is read back first (TMPDIR names another folder)"
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}{location}") from error


def _texts_match(before: Corpus, after: Corpus) -> bool:
    originals = Originals(before)
    return len(before) == len(after) and all(originals.get(document.id) == document.text for document in after)


def _as_documents(path: Path, corpus: Corpus, format: str) -> list[Document]:
    """What a file of masks says, as marks in documents without a text."""
    masks = read_anonymization(path, corpus, format=format).masks
    layers = {
        key: Annotation("", tuple(by_type(mask.start, mask.end, mask.entity_type) for mask in masks[key]))
        for key in masks
    }
    return [Document(key, "", (layer,)) for key, layer in layers.items()]


def is_single_file(chosen: Format) -> bool:
    """Whether a corpus is one file in this format, and not a folder of them."""
    return "" in encode_sample(chosen, [chosen.shows])


def _is_name(name: str, nested: bool) -> bool:
    """Whether it names a file in a folder, or in folders in it, that is neither hidden nor anywhere else."""
    parts = name.split("/") if nested else [name]
    return all(part and Path(part).name == part and not part.startswith(".") and "\0" not in part for part in parts)


def _prepare_document(document: Document, annotator: str | None) -> Document:
    """A document as it is written, with one annotator's marks where one is chosen."""
    if annotator is not None:
        layers = tuple(annotation for annotation in document.annotations if annotation.annotator == annotator)
        if document.annotations and not layers:
            names = join_names(annotation.annotator for annotation in document.annotations)
            raise unwritable(document, f"has no annotator {shorten(annotator)}; there are {names}")
        document = msgspec.structs.replace(document, annotations=layers)
    if half := re.search("[\ud800-\udfff]", document.text):
        raise unwritable(document, f"its text has half a character (U+{ord(half[0]):04X}), which is no UTF-8")
    return document
