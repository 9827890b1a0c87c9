"""Folders of trained models: a card that says what it is and what it was trained on, and its files; never a pickle."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray
from showthrough.core.errors import InputError, OutputError, PlanError, ResourceError
from showthrough.data.copies import CopyMarks, copy_mark
from showthrough.data.documents import Corpus
from showthrough.data.provenance import text_digest
from showthrough.storage.reading import decode_json, read_bytes
from showthrough.storage.writing import report_os_errors, write_folder
from showthrough.version import __version__

CARD = "model.json"
VERSION = 1  # rises when an old reader could misread it
Kind = Literal["tagger", "transformer", "verifier"]
# Of what models answer; rises whenever an answer could change.
VERSIONS: dict[Kind, int] = {"tagger": 1, "transformer": 1, "verifier": 1}


class TrainingRecord(msgspec.Struct, frozen=True):
    """What a model was trained on: the corpus by name and digest, and the digest of each text."""

    corpus: str
    digest: str
    documents: tuple[str, ...] = ()  # of each text, by which it is known again
    copies: tuple[str, ...] = ()  # of each text, by which its near copies are; none in models of older programs

    def merge(self, later: TrainingRecord, name: str, digest: str) -> TrainingRecord:
        """What a model knows that was trained on both."""
        documents, copies = (
            {*getattr(self, field_name), *getattr(later, field_name)} for field_name in ("documents", "copies")
        )
        return TrainingRecord(name, digest, tuple(sorted(documents)), tuple(sorted(copies)))


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says of itself."""

    showthrough_model: int = VERSION
    kind: Kind
    training: TrainingRecord
    settings: dict[str, Any] = {}  # how it was trained, and all that using it needs to know
    types: tuple[str, ...] = ()  # that it can find
    figures: dict[str, Any] = {}  # what training told, such as scores on held-out documents
    files: tuple[str, ...] = ()  # that make it up, beside the card
    showthrough: str = __version__
    time: str = ""


_DECODER = msgspec.json.Decoder(Card)


def training_on(corpus: Corpus) -> TrainingRecord:
    """What a model that is trained on this corpus says of it."""
    digests = sorted(text_digest(document.text) for document in corpus)
    return TrainingRecord(
        corpus.name, corpus.digest, tuple(digests), tuple(sorted({copy_mark(document.text) for document in corpus}))
    )


class TrainingTexts:
    """The texts that a model was trained on; near copies of them count as such."""

    def __init__(self, training: TrainingRecord) -> None:
        self._digests = frozenset(training.documents)
        self._copies = CopyMarks(getattr(training, "copies", ()))  # a plugin's may know nothing of copies

    def has(self, text: str) -> bool:
        return text_digest(text) in self._digests or self._copies.know(text)


def read_card(folder: Path, maker: str = "train") -> Card:
    """Raises PlanError where the folder holds no model of ours, and says which command makes one."""
    path = folder / CARD
    if not folder.is_dir():
        raise PlanError(f"is no folder; expected one that showthrough {maker} made", str(folder))
    if not path.is_file():
        raise PlanError(f"has no {CARD}; expected a folder that showthrough {maker} made", str(folder))
    card = decode_json(read_bytes(path), _DECODER, path)
    if card.showthrough_model != VERSION:
        raise ResourceError(f"{path}: is of version {card.showthrough_model}; this program reads version {VERSION}")
    return card


def check_model_folder(folder: Path, force: bool) -> None:
    """Raises OutputError where no model could be written at the end: never into a folder of other things."""
    if folder.is_file():
        raise OutputError(f"{folder}: is a file; expected the name of a folder")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not (folder / CARD).is_file():
        raise OutputError(f"{folder}: is a folder with other files in it; expected a new one")
    if not force:
        raise OutputError(f"{folder}: holds a model already; choose another name, or replace it with --force")


def write_model(folder: Path, card: Card, files: Mapping[str, bytes]) -> None:
    """Writes the whole folder or nothing, for its owner alone: weights may tell of the texts.

    Of a model that it replaces no file stays: it would tell of other texts, and some library might take it for a part.
    """
    earlier = _files_in(folder)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    complete_card = msgspec.structs.replace(card, files=tuple(sorted(files)), time=time)
    write_folder(folder, {CARD: msgspec.json.format(msgspec.json.encode(complete_card)), **files})
    with report_os_errors(folder):
        for path in [*folder.rglob("*")]:  # what is here, and not what a card names: that might lie elsewhere
            if path.relative_to(folder).as_posix() in earlier.difference(files, {CARD}):
                path.unlink()


def _files_in(folder: Path) -> frozenset[str]:
    """The files of the model that is there; none where its card cannot be read, which is replaced all the same."""
    try:
        return frozenset(read_card(folder).files)
    except (InputError, ResourceError):
        return frozenset()


def size_of(folder: Path) -> int:
    """Bytes of all its files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def arrays_as_file(arrays: Mapping[str, AnyArray]) -> bytes:
    """Arrays in one file, the same bytes for the same arrays."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def arrays_of_file(content: bytes, name: str) -> dict[str, AnyArray]:
    """The arrays again; never objects. Raises ValueError for a file that is not whole."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, AttributeError):
        raise ValueError(f"{name} is no whole model") from None
