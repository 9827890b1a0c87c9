"""Writes corpora to files, and says what a format lost of them."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, OutputError, join_names, shorten
from showthrough.core.expected import expects
from showthrough.core.plugins import describe_error
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.data.levels import by_type
from showthrough.data.originals import Originals
from showthrough.data.silver import is_silver
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.base import Files, Format, unwritable
from showthrough.formats.registry import FORMATS, format_named
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

# Losses are counted: the documents that were to be written are compared with those that read back.


def losses(before: Iterable[Document], after: Sequence[Document]) -> list[str]:
    """All that the second documents lack of the first, counted; nothing where they hold the same.

    Layers are compared by their annotator's name, and in their order where it is gone; marks by their place.
    """
    numbers = {document.id: number for number, document in enumerate(after)}
    result = _Losses()
    for document in before:
        number = numbers.get(document.id)
        result.compare(document, None if number is None else after[number])
    return list(result.lines())


@dataclass
class _Losses:
    """Counts of what is lost so far."""

    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, None] = field(default_factory=dict)  # of annotators; in order

    def compare(self, document: Document, read_back: Document | None) -> None:
        if read_back is None:
            self.counts["documents"] += 1
            return
        self.counts["texts"] += document.text != read_back.text
        self.counts["groups"] += bool(document.group) and document.group != read_back.group
        self.counts["splits"] += bool(document.split) and document.split != read_back.split
        self.counts["reviews"] += document.reviewed is not None and document.reviewed != read_back.reviewed
        self.counts["authors"] += document.authorship is not None and document.authorship != read_back.authorship
        self.counts["people"] += bool(document.subjects) and document.subjects != read_back.subjects
        self.counts["fields"] += any(read_back.fields.get(name) != value for name, value in document.fields.items())
        self.counts["unread"] += bool(read_back.annotations) and not document.annotations
        for layer, other in _pair_layers(document.annotations, read_back.annotations):
            if other is None:
                self.counts["layers"] += not layer.mentions
            if other is None or layer.annotator != other.annotator:
                self.names[layer.annotator] = None
            self._compare_marks(layer.mentions, other.mentions if other else ())

    def _compare_marks(self, mentions: Sequence[Mention], read_back: Sequence[Mention]) -> None:
        by_span: dict[tuple[int, int], list[Mention]] = defaultdict(list)
        for mention in read_back:
            by_span[mention.start, mention.end].append(mention)
        entities: dict[str, list[str]] = defaultdict(list)  # of those with several mentions, what became of their ids
        sizes = Counter(mention.entity_id for mention in mentions)
        for mention in mentions:
            candidates = by_span[mention.start, mention.end]
            if not candidates:
                self.counts["marks" if mention.must_mask else "no masks"] += 1
                continue
            other = max(
                candidates, key=lambda candidate: (candidate.entity_type == mention.entity_type, candidate == mention)
            )
            candidates.remove(other)
            self.counts["types"] += mention.entity_type != other.entity_type
            self.counts["levels"] += mention.identifier != other.identifier
            self.counts["statuses"] += mention.confidential is not None and mention.confidential != other.confidential
            self.counts["edits"] += mention.edit is not None and mention.edit != other.edit
            self.counts["ids"] += bool(mention.entity_id) and mention.entity_id != other.entity_id
            if mention.entity_id and sizes[mention.entity_id] > 1:
                entities[mention.entity_id].append(other.entity_id)
        self.counts["entities"] += sum(len(set(ids)) > 1 or not ids[0] for ids in entities.values())
        self.counts["added"] += sum(map(len, by_span.values()))

    def lines(self) -> Iterator[str]:
        people, programs = (
            [name for name in self.names if is_silver(name) is by_program] for by_program in (False, True)
        )
        if programs:
            yield f"that programs made the annotations ({join_names(programs)})"
        if people:
            annotators = _format_count(len(people), "annotator")
            yield f"the name{'s' * (len(people) > 1)} of {annotators} ({join_names(people)})"
        for key, (phrase, noun) in _PHRASES.items():
            if number := self.counts[key]:
                yield phrase.format(_format_count(number, noun))


_PHRASES = {
    "documents": ("{}", "document"),
    "texts": ("the text of {}", "document"),
    "groups": ("the group of {}", "document"),
    "splits": ("the split of {}", "document"),
    "reviews": ("whose annotations of {} were reviewed", "document"),
    "authors": ("what is known of the author of {}", "document"),
    "people": ("who is in {} and what is true of them", "document"),
    "fields": ("what else is said of {} (its task, its meta)", "document"),
    "unread": ("that nobody has looked through {}", "document"),
    "layers": ("{} without marks", "annotation layer"),
    "marks": ("{} to be masked", "mark"),
    "no masks": ("{} not to be masked", "mark"),
    "types": ("the type of {}", "mark"),
    "levels": ("the identifier level of {}", "mark"),
    "entities": ("the co-reference of {}", "entity"),
    "ids": ("the entity id of {}", "mark"),
    "statuses": ("the confidential status of {}", "mark"),
    "edits": ("what annotators did to {}", "mark"),
    "added": ("{} too many", "mark"),
}


def _pair_layers(
    layers: Sequence[Annotation], read_back: Sequence[Annotation]
) -> Iterator[tuple[Annotation, Annotation | None]]:
    """Each layer with what is left of it."""
    remaining = {layer.annotator: layer for layer in read_back}
    named = {layer.annotator: remaining.pop(layer.annotator, None) for layer in layers}
    unnamed = iter(remaining.values())
    for layer in layers:
        yield layer, named[layer.annotator] or next(unnamed, None)


def _format_count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


@dataclass(frozen=True)
class WriteResult:
    """What was written, and what the format does not hold of it."""

    path: Path
    files: list[Path]
    lost: list[str] = field(default_factory=list)

    @property
    def where(self) -> str:
        return str(self.path) if len(self.files) == 1 else f"{len(self.files)} files in {self.path}"


@expects(corpus=Corpus)
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


def write_parts(
    parts: Mapping[str, Corpus],
    folder: str | os.PathLike[str],
    format: str = "tab",
    beside: Mapping[str, bytes] | None = None,
    *,
    force: bool = False,
    read: ProtectedFiles | None = None,
) -> WriteResult:
    """Several corpora in one folder, by name, and what is to be `beside` them: all or none, and read back first."""
    folder = Path(folder)
    all_files = dict(beside or {})
    lost: dict[str, None] = {}
    for name, corpus in parts.items():
        files = _files(corpus, format, None)
        file = f"{name}{format_named(format, 'write').endings[0]}"
        lost |= dict.fromkeys(_find_losses(corpus, None, files, folder / file, format))
        all_files |= {file: files[""]} if "" in files else {f"{name}/{key}": content for key, content in files.items()}
    return WriteResult(folder, _put_files(all_files, folder, force, read), list(lost))


def describe_losses(format: str, lost: Sequence[str]) -> list[str]:
    """What a format does not hold, in one line; none where it holds all."""
    return [f"not kept in {format}: {', '.join(lost)}"] if lost else []


def _files(corpus: Corpus, format: str, annotator: str | None) -> Files:
    """The content of all files of a corpus, before any of them is there."""
    chosen = format_named(format, "write")
    try:
        files = encode_sample(chosen, (_prepare_document(document, annotator) for document in corpus))
    except Exception as error:  # of a plugin, anything
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
        raise OutputError(f"{path}: is not empty; choose another folder, or add to it with --force")
    return write_folder(path, files, read=read)


def _find_losses(corpus: Corpus, annotator: str | None, files: Files, path: Path, format: str) -> list[str]:
    """What is not in the files, read again from a place of their own."""
    chosen = format_named(format)
    if chosen.read is None and chosen.read_anonymization is None:
        return ["what is lost is not known, since this format cannot be read back"]
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
