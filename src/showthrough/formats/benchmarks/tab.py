"""The Text Anonymization Benchmark's JSON, our native corpus format: a list of documents, or one document a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, shorten
from showthrough.data.documents import Annotation, Authorship, Document, Identifier, Mention
from showthrough.data.levels import by_type, level_of
from showthrough.data.offsets import to_characters
from showthrough.data.silver import is_silver
from showthrough.data.subjects import Subject, duplicate_faults
from showthrough.data.units import EXPECTED
from showthrough.formats.authorship.pan_folders import too_short
from showthrough.formats.base import ColumnNames, Fit, Format, Input, by_keys, unlike
from showthrough.formats.lines import documents_in, with_fields
from showthrough.formats.objects import items_of, strict, wire_of
from showthrough.formats.people.tab_subjects import (
    Said,
    StatedSubject,
    attribute_of,
    mention_fault,
    subject_records,
    subjects_of,
)
from showthrough.formats.remarks import Remarks, keys_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, decoded_or_none, object_entries


class _Mark(msgspec.Struct, gc=False, kw_only=True):
    """What a mention is made of, in the order of TAB's files: a decoder finds keys soonest that come as expected."""

    entity_type: str = ""
    start_offset: int
    end_offset: int
    edit_type: str | None = None
    identifier_type: Identifier | None = None
    entity_id: str | int | None = None
    confidential_status: str | None = None


class _Mention(_Mark, gc=False, kw_only=True):
    aside: ClassVar = ("entity_mention_id", "related_mentions")  # nothing here is scored by them

    span_text: str | None = None
    subject: str | int | None = None  # whom it is about
    subject_id: str | int | None = None


class _Layer(msgspec.Struct, gc=False):
    entity_mentions: list[_Mention]  # an annotator who marked nothing says so: a misspelt key must not read as that


class _MarkLayer(msgspec.Struct, gc=False):
    entity_mentions: list[_Mark]


class _Authorship(msgspec.Struct):
    known: list[str]
    same: bool | None = None


_Group = str | int | None


class _Id(msgspec.Struct, gc=False, rename={"id": "doc_id"}):
    id: str | int


class _Document(_Id, gc=False):
    text: str
    annotations: dict[str, _Layer] | None = None
    group: _Group = None
    dataset_type: str | None = None
    quality_checked: list[str] | bool | None = None  # whose work; or whether that of everybody
    authorship: _Authorship | None = None
    subjects: list[StatedSubject] | None = None
    task: Any = None  # these two as they are
    meta: Any = None


class _SoundDocument(_Document, gc=False):
    """A document that was found sound, and says nothing of people."""

    annotations: dict[str, _MarkLayer] | None = None  # type: ignore[assignment]


class _RawDocument(_Id):
    """A document whose annotations are looked at one by one, to name the annotator of a fault."""

    text: str
    annotations: dict[str, msgspec.Raw] | None = None


_FIELDS = ("task", "meta")
_KEYS = {"doc_id", *_Document.__struct_fields__}
_USUAL_KEYS = {"id": "doc_id", "text": "text"}
_LAYER = msgspec.json.Decoder(_Layer)
_ANY = msgspec.json.Decoder()


@lru_cache(maxsize=16)
def _decoder(cls: Any, columns: ColumnNames) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(wire_of(cls, columns))


def _decode_checked(content: bytes | msgspec.Raw, columns: ColumnNames, remarks: Remarks) -> _Document | None:
    """A document whose keys are looked at as well; `None` where it is not sound."""
    wire: _Document | None = decoded_or_none(content, _decoder(strict(_Document), columns))
    if wire is None:
        wire = decoded_or_none(content, _decoder(_Document, columns))
        value = None if wire is None else decoded_or_none(content, _ANY)
        if value is not None:
            keys_of(wire_of(_Document, columns)).look_at(value, remarks)
        elif wire is not None:
            remarks.taken["documents have values that are no JSON, under keys that the format does not know"] += 1
    return wire


def read_list(file: Input) -> list[Document]:
    """The documents of one JSON list."""
    problems: list[Problem] = []
    documents: list[Document] = []
    columns = file.keys(**_USUAL_KEYS)
    for location, raw in items_of(file.head):
        read = _read_document(raw, file.path, columns, location, file.remarks, problems)
        documents += [with_fields(document, raw, columns.fields) for document in read]
    if problems:
        raise InputError(problems)
    return documents


def documents_of(records: Iterable[Mapping[str, Any]], path: Path) -> list[Document]:
    """The documents of such a list that a program has loaded; `path` stands for it in messages."""
    problems: list[Problem] = []
    documents: list[Document] = []
    for number, record in enumerate(records, 1):
        content = msgspec.json.encode(record)
        location = f"document number {number}"
        documents += _read_document(content, path, ColumnNames(), location, Remarks(), problems)
    if problems:
        raise InputError(problems)
    return documents


def read_lines(file: Input) -> Sequence[Document]:
    """Those of JSON Lines, decoded when they are asked for."""
    columns = file.keys(**_USUAL_KEYS)
    plain = None if columns.offsets else partial(_decode_plain_line, columns)
    return documents_in(
        file, partial(_decode_line, file.path, columns), partial(_read_line, file.path, columns), plain=plain
    )


def _read_line(path: Path, columns: ColumnNames, location: str, number: int, line: bytes, remarks: Remarks) -> Document:
    problems: list[Problem] = []
    documents = _read_document(line, path, columns, location, remarks, problems)
    if problems:
        raise InputError(problems)
    return documents[0]


def _decode_line(path: Path, columns: ColumnNames, line: bytes, number: int) -> Document:
    return _document(_decoder(_Document, columns).decode(line), path, columns, [])


def _decode_plain_line(columns: ColumnNames, line: bytes, number: int) -> Document:
    """The same of a file without people, whose offsets count characters: nothing is checked again."""
    wire: _SoundDocument = _decoder(_SoundDocument, columns).decode(line)
    layers = (wire.annotations or {}).items()
    annotations = tuple(Annotation(name, tuple(map(_build_mention, layer.entity_mentions))) for name, layer in layers)
    return _build_document(wire, annotations)


def _read_document(
    content: bytes | msgspec.Raw,
    path: Path,
    columns: ColumnNames,
    location: str,
    remarks: Remarks,
    problems: list[Problem],
) -> list[Document]:
    """One document, or none and what is wrong with it."""
    wire = _decode_checked(content, columns, remarks)
    if wire is None or _lost_layer(content, wire):
        problems += _find_faults(msgspec.Raw(content), path, location, columns)
    return [] if wire is None else [_document(wire, path, columns, problems)]


def _lost_layer(content: bytes | msgspec.Raw, wire: _Document) -> bool:
    """Whether a layer may have been lost because its annotator occurs twice: JSON readers keep only the last."""
    return bytes(content).count(b'"entity_mentions"') > len(wire.annotations or ())


def _document(wire: _Document, path: Path, columns: ColumnNames, problems: list[Problem]) -> Document:
    text, location = wire.text, at_document(str(wire.id))
    annotations = []
    statements: list[Said] = []
    for annotator, layer in (wire.annotations or {}).items():
        for index, mark in enumerate(layer.entity_mentions):
            start, end = mark.start_offset, mark.end_offset
            covers = mark.span_text is None or text[start:end] == mark.span_text
            if covers and mark.subject is None and mark.subject_id is None and not columns.offsets:
                continue  # nearly all of them
            fault = ""
            if columns.offsets:
                try:
                    start, end = mark.start_offset, mark.end_offset = to_characters(text, start, end, columns.offsets)
                except InputError as error:
                    fault = error.problems[0].message
            # A span text that does not match is the one sure sign of offsets in bytes or UTF-16 units. Offsets that
            # are not in the text at all are reported by the survey.
            if (
                not fault
                and mark.span_text is not None
                and text[start:end] != mark.span_text
                and 0 <= start < end <= len(text)
            ):
                fault = unlike(f"at {start}–{end}", text[start:end], "span_text is", mark.span_text)
                fault += f"; {EXPECTED}"
            person = mark.subject_id if mark.subject is None else mark.subject
            if person is not None and person != "":
                statements.append(attribute_of(str(person), mark.entity_type, text[start:end]))
                fault = fault or mention_fault(mark.entity_type)
            if fault:
                field = f"annotations.{shorten(annotator)}.entity_mentions[{index}]"
                problems.append(Problem(str(path), f"{location}: {field}", fault))
        annotations.append(Annotation(annotator, tuple(map(_build_mention, layer.entity_mentions))))
    stated = wire.subjects or ()
    for field, fault in (
        *_authorship_faults(wire),
        *duplicate_faults(str(stated_subject.id) for stated_subject in stated),
    ):
        problems.append(Problem(str(path), f"{location}: {field}", fault))
    return _build_document(wire, tuple(annotations), subjects_of(stated, statements) if stated or statements else ())


def _build_document(wire: _Document, annotations: tuple[Annotation, ...], people: tuple[Subject, ...] = ()) -> Document:
    group = "" if wire.group is None else str(wire.group)
    split, reviewed, authorship = wire.dataset_type or "", _reviewed_layers(wire), _build_authorship(wire)
    stated = {name: value for name in _FIELDS if (value := getattr(wire, name)) is not None}
    return Document(str(wire.id), wire.text, annotations, group, split, reviewed, authorship, people, stated)


def _build_authorship(wire: _Document) -> Authorship | None:
    authorship = wire.authorship
    return None if authorship is None else Authorship(tuple(authorship.known), authorship.same)


def _authorship_faults(wire: _Document) -> Iterator[tuple[str, str]]:
    """What keeps anybody from telling who wrote a document that asks it, by field."""
    if wire.authorship is None:
        return
    known_texts = {f"authorship.known[{index}]": text for index, text in enumerate(wire.authorship.known)}
    if not known_texts:
        yield "authorship.known", "found no text; expected one at least"
    for field, text in {"text": wire.text, **known_texts}.items():
        if fault := too_short(text):
            yield field, fault


def _reviewed_layers(wire: _Document) -> tuple[str, ...] | None:
    checked = wire.quality_checked
    return None if checked is None else tuple(wire.annotations or () if checked is True else checked or ())


def _build_mention(mark: _Mark) -> Mention:
    level, entity = mark.identifier_type, mark.entity_id
    if type(entity) is not str:
        entity = "" if entity is None else str(entity)
    start, end, kind, status = mark.start_offset, mark.end_offset, mark.entity_type, mark.confidential_status
    if level is None:
        return by_type(start, end, kind, entity, status, mark.edit_type)
    return Mention(start, end, kind, level, entity, status, mark.edit_type)


def _find_faults(raw: msgspec.Raw, path: Path, location: str, columns: ColumnNames) -> list[Problem]:
    """What is wrong with one document, looked at piece by piece; nothing when it is sound."""
    if named := decoded_or_none(raw, _decoder(_Id, columns)):  # without a readable id its number or line has to do
        location = at_document(str(named.id))

    def look_at(layer: tuple[str, msgspec.Raw]) -> None:
        decode_json(layer[1], _LAYER, path, location, f"annotations.{shorten(layer[0])}")

    try:
        wire = decode_json(raw, _decoder(_RawDocument, columns), path, location)
        fields = object_entries(path, bytes(raw), f"{location}: key")
        if wire.annotations:
            object_entries(path, bytes(fields["annotations"]), f"{location}: annotator")
            collect_results(wire.annotations.items(), look_at)
        decode_json(raw, _decoder(_Document, columns), path, location)  # sound piece by piece: is it so as a whole?
        decode_json(raw, _ANY, path, location)
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
                    **_identifier_fields(mention, annotation.annotator),
                    "entity_id": mention.entity_id,
                    "confidential_status": mention.confidential,
                    **({"edit_type": mention.edit} if mention.edit else {}),
                }
                for number, mention in enumerate(annotation.mentions)
            ]
        }
        for annotation in document.annotations
    }
    optional: dict[str, object] = {"group": document.group} if document.group else {}
    if document.split:
        optional["dataset_type"] = document.split
    if document.reviewed is not None:
        optional["quality_checked"] = document.reviewed
    if document.authorship is not None:
        known_texts, same = document.authorship.known, document.authorship.same
        optional["authorship"] = {"known": known_texts, **({} if same is None else {"same": same})}
    optional |= {name: value for name, value in document.fields.items() if name in _FIELDS}
    if document.subjects:
        optional["subjects"] = subject_records(document)
    return {"doc_id": document.id, "text": document.text, **optional, "annotations": layers}


def _identifier_fields(mention: Mention, annotator: str) -> dict[str, str]:
    """How a mention identifies; a guess is not written, or it would be read as what an annotator said.

    Programs say nothing of it, whatever the type tells.
    """
    stated = mention.stated or (level_of(mention.entity_type) and not is_silver(annotator))
    return {"identifier_type": mention.identifier} if stated else {}


def _recognise(head: Head) -> Fit:
    """Objects with a text and nothing else of this format are records of texts; with entities, spaCy's."""
    keys = head.json.keys.keys()
    if "ents" in keys and "annotations" not in keys:
        return Fit.NO
    if head.json.whole and "text" in keys and keys.isdisjoint(("doc_id", "annotations")):
        return Fit.NO
    fit = by_keys(head, {"doc_id", "text"}, {"annotations"})
    own = head.json.keys.get("annotations", b"")[:1] == b"{" and keys <= _KEYS
    return Fit.CERTAIN if own and fit == Fit.SURE else fit


LIST = Format(
    "Text Anonymization Benchmark: one JSON list of documents",
    (".json",),
    lambda head: _recognise(head) if head.json.opening == b"[" and not head.lines else Fit.NO,
    read_list,
    write=lambda documents: {"": msgspec.json.format(msgspec.json.encode(list(map(record, documents))), indent=1)},
)
LINES = Format(
    "JSON Lines: the same, one document a line, for corpora of any length",
    (".jsonl", ".ndjson"),
    lambda head: _recognise(head) if head.lines else Fit.NO,
    read_lines,
    write=lambda documents: {"": b"".join(msgspec.json.encode(record(document)) + b"\n" for document in documents)},
)
