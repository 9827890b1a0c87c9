"""The Text Anonymization Benchmark's JSON, our native corpus format: a list of documents, or one document a line."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Annotation, Document, Identifier, Mention
from showthrough.data.levels import by_type, known_level
from showthrough.errors import QUOTED, ChangedError, InputError, Problem, at_document, quoted, shown
from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import (
    ENOUGH,
    check_records,
    decoded,
    file_state,
    gathered,
    lines_of,
    object_entries,
    open_file,
)
from showthrough.formats.base import Files, Fit, Format, by_keys
from showthrough.formats.groups import FIELD


class _Mention(msgspec.Struct, gc=False):
    start_offset: int
    end_offset: int
    entity_type: str = ""
    identifier_type: Identifier | None = None
    entity_id: str | int | None = None
    confidential_status: str | None = None
    span_text: str | None = None


class _Layer(msgspec.Struct, gc=False):
    entity_mentions: list[_Mention]  # an annotator who marked nothing says so: a misspelt key must not read as that


_Group = str | int | None


class _Document(msgspec.Struct, gc=False):
    doc_id: str
    text: str
    annotations: dict[str, _Layer] | None = None
    group: _Group = None


class _RawDocument(msgspec.Struct, gc=False):
    """A document whose annotations are looked at one by one, to name the annotator of a fault."""

    doc_id: str
    text: str
    annotations: dict[str, msgspec.Raw] | None = None


class _Id(msgspec.Struct):
    doc_id: str


_RAW_DOCUMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_DOCUMENT = msgspec.json.Decoder(_RawDocument)
_LAYER = msgspec.json.Decoder(_Layer)
_ID = msgspec.json.Decoder(_Id)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


@lru_cache(maxsize=8)
def _kind(group: str) -> type[_Document]:
    """What a document looks like whose group stands in a field of this name."""
    if group == FIELD:
        return _Document
    found = msgspec.defstruct("_Document", [("group", _Group, None)], bases=(_Document,), rename={"group": group})
    return cast("type[_Document]", found)


@lru_cache(maxsize=8)
def _decoder(group: str) -> msgspec.json.Decoder[_Document]:
    return msgspec.json.Decoder(_kind(group))


def read_list(path: Path | Head, group: str = FIELD) -> list[Document]:
    """The documents of one JSON list."""
    head = Head.of(path)
    path = head.path
    content = head.content
    if len(content) > RECORD.bytes:
        raws = decoded(content, _RAW_DOCUMENTS, path)
        check_records(path, ((f"document number {at}", len(memoryview(raw))) for at, raw in enumerate(raws, 1)))
    wires: list[_Document] | None
    try:
        wires = msgspec.json.decode(content, type=list[_kind(group)])  # type: ignore[misc]
    except _UNREADABLE:
        wires = None
    problems: list[Problem] = []
    if wires is None or _lost(content, wires):
        raws = decoded(content, _RAW_DOCUMENTS, path)
        for index, raw in enumerate(raws):
            problems += _faults(raw, path, f"document number {index + 1}", group)
    documents = [_document(wire, path, problems) for wire in wires or ()]
    if problems:
        raise InputError(problems)
    return documents


def _lost(content: bytes, wires: Iterable[_Document]) -> bool:
    """Whether a layer may have been lost because its annotator occurs twice: JSON readers keep only the last."""
    return content.count(b'"entity_mentions"') > sum(len(wire.annotations or ()) for wire in wires)


class JsonLines(Sequence[Document]):
    """The documents of a JSON Lines file, decoded when they are asked for: only where each line starts is kept."""

    def __init__(
        self, path: Path, offsets: NDArray[np.int64], sizes: NDArray[np.int64], group: str, state: tuple[int, int]
    ) -> None:
        self._path = path
        self._state = state  # of the file, when the lines were found: another tells that they are elsewhere now
        self._group = group  # the field that holds it
        self._offsets = offsets
        self._sizes = sizes
        self._file: IO[bytes] | None = None

    @classmethod
    def of_file(cls, path: Path, group: str = FIELD) -> JsonLines:
        """Finds the lines and looks at each once; raises InputError with all that is wrong."""
        offsets: list[int] = []
        sizes: list[int] = []
        problems: list[Problem] = []
        decode = _decoder(group).decode
        state = file_state(path)
        for number, offset, line in lines_of(path):
            offsets.append(offset)
            sizes.append(len(line))
            try:
                wire = decode(line)
            except _UNREADABLE:
                wire = None
            if wire is None or _lost(line, [wire]):
                problems += _faults(msgspec.Raw(line), path, f"line {number}", group)
            if wire is not None:
                _document(wire, path, problems)
            if len(problems) > ENOUGH:
                break
        if problems:
            raise InputError(problems)
        return cls(path, np.array(offsets, dtype=np.int64), np.array(sizes, dtype=np.int64), group, state)

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if isinstance(index, slice):
            return list(self._documents(range(*index.indices(len(self)))))
        number = range(len(self))[index]  # an IndexError past the end
        return next(self._documents(range(number, number + 1)))

    def _documents(self, numbers: range) -> Iterator[Document]:
        file = self._opened()
        decode = _decoder(self._group).decode
        try:
            for number in numbers:
                file.seek(int(self._offsets[number]))
                yield _document(decode(file.read(int(self._sizes[number]))), self._path, [])
        except (OSError, EOFError, zlib.error, *_UNREADABLE) as error:  # every line was sound when it was found
            raise self._changed() from error
        self._opened()

    def _opened(self) -> IO[bytes]:
        """The file; raises ChangedError when it is not what it was."""
        if self._file is None:
            try:
                self._file = open_file(self._path)
            except InputError as error:
                raise ChangedError(error.problems) from None
        if file_state(self._file.fileno()) != self._state:
            raise self._changed()
        return self._file

    def _changed(self) -> ChangedError:
        return ChangedError(Problem(str(self._path), "", "changed while it was read; expected it to stay as it was"))

    def window(self, start: int, stop: int) -> JsonLines:
        """Some of the documents, still to be decoded."""
        return JsonLines(self._path, self._offsets[start:stop], self._sizes[start:stop], self._group, self._state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_file": None}  # an open file does not travel to another process


def _document(wire: _Document, path: Path, problems: list[Problem]) -> Document:
    text = wire.text
    annotations = []
    for annotator, layer in (wire.annotations or {}).items():
        mentions = layer.entity_mentions
        for index, mark in enumerate(mentions):
            # A span text that does not match is the one sure sign of offsets in bytes or UTF-16 units.
            if mark.span_text is not None and text[mark.start_offset : mark.end_offset] != mark.span_text:
                _misplaced(wire, annotator, index, mark, path, problems)
        annotations.append(Annotation(annotator, tuple(map(_mention, mentions))))
    return Document(wire.doc_id, text, tuple(annotations), "" if wire.group is None else str(wire.group))


def _mention(mark: _Mention) -> Mention:
    entity = "" if mark.entity_id is None else str(mark.entity_id)
    start, end, kind, status = mark.start_offset, mark.end_offset, mark.entity_type, mark.confidential_status
    if mark.identifier_type is None:
        return by_type(start, end, kind, entity, status)
    return Mention(start, end, kind, mark.identifier_type, entity, status)


def _misplaced(
    wire: _Document, annotator: str, index: int, mark: _Mention, path: Path, problems: list[Problem]
) -> None:
    if not 0 <= mark.start_offset < mark.end_offset <= len(wire.text):
        return  # the survey reports the offsets themselves
    found = wire.text[mark.start_offset : mark.end_offset]
    place = f"document {shown(wire.doc_id)}: annotations.{shown(annotator)}.entity_mentions[{index}]"
    message = (
        f"the text at {mark.start_offset}–{mark.end_offset} is {quoted(found, QUOTED // 2)} but span_text is "
        f"{quoted(mark.span_text, QUOTED // 2)}; expected offsets in Unicode code points"
    )
    problems.append(Problem(str(path), place, message))


def _faults(raw: msgspec.Raw, path: Path, place: str, group: str) -> list[Problem]:
    """What is wrong with one document, looked at piece by piece; nothing when it is sound."""
    with suppress(*_UNREADABLE):  # without a readable id its number or line has to do
        place = at_document(_ID.decode(raw).doc_id)

    def look_at(layer: tuple[str, msgspec.Raw]) -> None:
        decoded(layer[1], _LAYER, path, place, f"annotations.{shown(layer[0])}")

    try:
        wire = decoded(raw, _RAW_DOCUMENT, path, place)
        fields = object_entries(path, bytes(raw), f"{place}: key")
        if wire.annotations:
            object_entries(path, bytes(fields["annotations"]), f"{place}: annotator")
            gathered(wire.annotations.items(), look_at)
        decoded(raw, _decoder(group), path, place)  # sound piece by piece: is it so as a whole?
    except InputError as error:
        return list(error.problems)
    return []


def record(document: Document, mention_id: Callable[[str, str, int], str] = "{}_{}_{}".format) -> dict[str, object]:
    """A document as it is written, with all annotators; mentions are named by document, annotator and number."""
    layers = {
        annotation.annotator: {
            "entity_mentions": [
                {
                    "entity_type": mention.entity_type,
                    "entity_mention_id": mention_id(document.id, annotation.annotator, number),
                    "start_offset": mention.start,
                    "end_offset": mention.end,
                    "span_text": document.text[mention.start : mention.end],
                    **_identifier(mention),
                    "entity_id": mention.entity_id,
                    "confidential_status": mention.confidential,
                }
                for number, mention in enumerate(annotation.mentions)
            ]
        }
        for annotation in document.annotations
    }
    group = {"group": document.group} if document.group else {}
    return {"doc_id": document.id, "text": document.text, **group, "annotations": layers}


def _identifier(mention: Mention) -> dict[str, str]:
    """How a mention identifies; a guess is not written, or it would be read as what an annotator said."""
    known = mention.stated or known_level(mention.entity_type)
    return {"identifier_type": mention.identifier} if known else {}


def write_list(documents: Iterable[Document]) -> Files:
    return {"": msgspec.json.format(msgspec.json.encode(list(map(record, documents))), indent=1)}


def write_lines(documents: Iterable[Document]) -> Files:
    return {"": b"".join(msgspec.json.encode(record(document)) + b"\n" for document in documents)}


def _recognise(head: Head) -> Fit:
    return by_keys(head, {"doc_id", "text"}, {"annotations"})


LIST = Format(
    "Text Anonymization Benchmark: one JSON list of documents",
    (".json",),
    lambda head: _recognise(head) if head.json.opening == b"[" and head.suffix != ".jsonl" else Fit.NO,
    lambda file: read_list(file.head, file.group),
    write=write_list,
)
LINES = Format(
    "JSON Lines: the same, one document a line, for corpora of any length",
    (".jsonl",),
    lambda head: _recognise(head) if head.suffix == ".jsonl" else Fit.NO,
    lambda file: JsonLines.of_file(file.path, file.group),
    write=write_lines,
)
