"""The Text Anonymization Benchmark's JSON, our native corpus format: a list of documents, or one document a line."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Annotation, Document, Identifier, Mention
from showthrough.data.levels import by_type, known_level
from showthrough.data.silver import is_silver
from showthrough.errors import ChangedError, InputError, Problem, at_document, shown
from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import (
    ENOUGH,
    UNREADABLE,
    decoded,
    decoded_or_none,
    file_state,
    gathered,
    lines_of,
    object_entries,
    open_file,
)
from showthrough.formats.base import Fit, Format, by_keys, unlike
from showthrough.formats.groups import FIELD
from showthrough.formats.records import items_of


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


class _Id(msgspec.Struct):
    doc_id: str


class _RawDocument(_Id):
    """A document whose annotations are looked at one by one, to name the annotator of a fault."""

    text: str
    annotations: dict[str, msgspec.Raw] | None = None


_RAW_DOCUMENT = msgspec.json.Decoder(_RawDocument)
_LAYER = msgspec.json.Decoder(_Layer)
_ID = msgspec.json.Decoder(_Id)


@lru_cache(maxsize=8)
def _decoders(group: str) -> tuple[msgspec.json.Decoder[_Document], msgspec.json.Decoder[list[_Document]]]:
    """For a document whose group stands in a field of this name, and for a list of them."""
    kind: Any = _Document
    if group != FIELD:
        kind = msgspec.defstruct("_Document", [("group", _Group, None)], bases=(_Document,), rename={"group": group})
    return msgspec.json.Decoder(kind), msgspec.json.Decoder(list[kind])


def read_list(path: Path | Head, group: str = FIELD) -> list[Document]:
    """The documents of one JSON list."""
    head = Head.of(path)
    path = head.path
    content = head.content
    if len(content) > RECORD.bytes:
        _ = list(items_of(head))  # raises where one is too long
    wires = decoded_or_none(content, _decoders(group)[1])
    problems: list[Problem] = []
    if wires is None or _lost(content, wires):
        for place, raw in items_of(head):
            problems += _faults(raw, path, place, group)
    documents = [_document(wire, path, problems) for wire in wires or ()]
    if problems:
        raise InputError(problems)
    return documents


def _lost(content: bytes, wires: Iterable[_Document]) -> bool:
    """Whether a layer may have been lost because its annotator occurs twice: JSON readers keep only the last."""
    return content.count(b'"entity_mentions"') > sum(len(wire.annotations or ()) for wire in wires)


@dataclass(eq=False)
class JsonLines(Sequence[Document]):
    """The documents of a JSON Lines file, decoded when they are asked for: only where each line starts is kept."""

    path: Path
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    group: str  # the field that holds it
    state: tuple[int, int]  # of the file, when the lines were found: another tells that they are elsewhere now
    file: IO[bytes] | None = None

    @classmethod
    def of_file(cls, path: Path, group: str = FIELD) -> JsonLines:
        """Finds the lines and looks at each once; raises InputError with all that is wrong."""
        offsets: list[int] = []
        sizes: list[int] = []
        problems: list[Problem] = []
        decoder = _decoders(group)[0]
        state = file_state(path)
        for number, offset, line in lines_of(path):
            offsets.append(offset)
            sizes.append(len(line))
            wire = decoded_or_none(line, decoder)
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
        return len(self.offsets)

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
        decode = _decoders(self.group)[0].decode
        try:
            for number in numbers:
                file.seek(int(self.offsets[number]))
                yield _document(decode(file.read(int(self.sizes[number]))), self.path, [])
        except (OSError, EOFError, zlib.error, *UNREADABLE) as error:  # every line was sound when it was found
            raise self._changed() from error
        self._opened()

    def _opened(self) -> IO[bytes]:
        """The file; raises ChangedError when it is not what it was."""
        if self.file is None:
            try:
                self.file = open_file(self.path)
            except InputError as error:
                raise ChangedError(error.problems) from None
        if file_state(self.file.fileno()) != self.state:
            raise self._changed()
        return self.file

    def _changed(self) -> ChangedError:
        return ChangedError(Problem(str(self.path), "", "changed while it was read; expected it to stay as it was"))

    def window(self, start: int, stop: int) -> JsonLines:
        """Some of the documents, still to be decoded."""
        return replace(self, offsets=self.offsets[start:stop], sizes=self.sizes[start:stop], file=None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "file": None}  # an open file does not travel to another process


def _document(wire: _Document, path: Path, problems: list[Problem]) -> Document:
    text = wire.text
    annotations = []
    for annotator, layer in (wire.annotations or {}).items():
        mentions = layer.entity_mentions
        for index, mark in enumerate(mentions):
            start, end = mark.start_offset, mark.end_offset
            # A span text that does not match is the one sure sign of offsets in bytes or UTF-16 units. Offsets that
            # are not in the text at all are reported by the survey.
            if mark.span_text is not None and text[start:end] != mark.span_text and 0 <= start < end <= len(text):
                place = f"{at_document(wire.doc_id)}: annotations.{shown(annotator)}.entity_mentions[{index}]"
                fault = unlike(f"at {start}–{end}", text[start:end], "span_text is", mark.span_text)
                problems.append(Problem(str(path), place, f"{fault}; expected offsets in Unicode code points"))
        annotations.append(Annotation(annotator, tuple(map(_mention, mentions))))
    return Document(wire.doc_id, text, tuple(annotations), "" if wire.group is None else str(wire.group))


def _mention(mark: _Mention) -> Mention:
    entity = "" if mark.entity_id is None else str(mark.entity_id)
    start, end, kind, status = mark.start_offset, mark.end_offset, mark.entity_type, mark.confidential_status
    if mark.identifier_type is None:
        return by_type(start, end, kind, entity, status)
    return Mention(start, end, kind, mark.identifier_type, entity, status)


def _faults(raw: msgspec.Raw, path: Path, place: str, group: str) -> list[Problem]:
    """What is wrong with one document, looked at piece by piece; nothing when it is sound."""
    if named := decoded_or_none(raw, _ID):  # without a readable id its number or line has to do
        place = at_document(named.doc_id)

    def look_at(layer: tuple[str, msgspec.Raw]) -> None:
        decoded(layer[1], _LAYER, path, place, f"annotations.{shown(layer[0])}")

    try:
        wire = decoded(raw, _RAW_DOCUMENT, path, place)
        fields = object_entries(path, bytes(raw), f"{place}: key")
        if wire.annotations:
            object_entries(path, bytes(fields["annotations"]), f"{place}: annotator")
            gathered(wire.annotations.items(), look_at)
        decoded(raw, _decoders(group)[0], path, place)  # sound piece by piece: is it so as a whole?
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
                    **_identifier(mention, annotation.annotator),
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


def _identifier(mention: Mention, annotator: str) -> dict[str, str]:
    """How a mention identifies; a guess is not written, or it would be read as what an annotator said.

    Programs say nothing of it, whatever the type tells.
    """
    stated = mention.stated or (known_level(mention.entity_type) and not is_silver(annotator))
    return {"identifier_type": mention.identifier} if stated else {}


def _recognise(head: Head) -> Fit:
    return by_keys(head, {"doc_id", "text"}, {"annotations"})


LIST = Format(
    "Text Anonymization Benchmark: one JSON list of documents",
    (".json",),
    lambda head: _recognise(head) if head.json.opening == b"[" and head.suffix != ".jsonl" else Fit.NO,
    lambda file: read_list(file.head, file.group),
    write=lambda documents: {"": msgspec.json.format(msgspec.json.encode(list(map(record, documents))), indent=1)},
)
LINES = Format(
    "JSON Lines: the same, one document a line, for corpora of any length",
    (".jsonl",),
    lambda head: _recognise(head) if head.suffix == ".jsonl" else Fit.NO,
    lambda file: JsonLines.of_file(file.path, file.group),
    write=lambda documents: {"": b"".join(msgspec.json.encode(record(each)) + b"\n" for each in documents)},
)
