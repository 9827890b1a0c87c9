"""SPIA's corpora (Subject-level PII Inference Assessment): texts, and everybody in them with what is true of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import msgspec

from showthrough.data.documents import Document
from showthrough.data.subjects import Attribute, Subject, duplicate_faults, level_faults
from showthrough.formats.base import PEOPLE, Files, Fit, Format
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.formats.people.profiles import Fault, Value, build_attributes, refuse, released_texts, text_alone
from showthrough.storage.file_heads import Head


class _WireAttribute(msgspec.Struct, gc=False):
    tag: str
    keyword: Value
    certainty: int
    hardness: int


class _Subject(msgspec.Struct):
    id: str | int
    attributes: list[_WireAttribute] = msgspec.field(name="PIIs")
    description: str | None = None


class _Metadata(msgspec.Struct, frozen=True, gc=False):
    aside: ClassVar = ("annotator",)

    data_id: Id = None
    number_of_subjects: int | None = None


class _Row(msgspec.Struct):
    text: str | None = None
    subjects: list[_Subject] | None = None
    metadata: _Metadata = _Metadata()
    data_id: Id = None  # as answers have it
    id: Id = None  # that a user may name
    group: Id = None


def _row(wire: _Row, entry: Entry) -> Document:
    released = _released(wire, entry)
    if wire.subjects is None:
        raise entry.fail("subjects is missing; expected a list of the people in the text")
    refuse(_faults(wire.subjects), entry)
    count = wire.metadata.number_of_subjects
    if count not in (None, len(wire.subjects)):
        entry.remarks.taken["documents have not as many subjects as number_of_subjects says"] += 1
    return msgspec.structs.replace(released, subjects=tuple(map(_subject, wire.subjects)))


def _released(wire: _Row, entry: Entry) -> Document:
    ids = (wire.id,) if entry.columns.id else (wire.metadata.data_id, wire.data_id, wire.id)
    name = entry.named(next((candidate for candidate in ids if candidate is not None), None))
    return text_alone(name, wire.text, wire.group, entry)


def _faults(subjects: Sequence[_Subject]) -> Iterator[Fault]:
    yield from duplicate_faults(str(person.id) for person in subjects)
    for index, subject in enumerate(subjects):
        for number, attribute in enumerate(subject.attributes):
            faults = [*level_faults(attribute.certainty, attribute.hardness)]
            if not attribute.tag:
                faults.append(("tag", "is empty; expected a name, such as NAME or AGE"))
            for name, fault in faults:
                yield f"subjects[{index}].PIIs[{number}].{name}", fault


def _subject(wire: _Subject) -> Subject:
    attributes = (
        attribute
        for wire_attribute in wire.attributes
        for attribute in build_attributes(
            wire_attribute.tag, wire_attribute.keyword, wire_attribute.certainty, wire_attribute.hardness
        )
    )
    return Subject(str(wire.id), tuple(attributes), wire.description or "")


def _record(document: Document) -> dict[str, object]:
    subjects = [
        {"id": _id(subject.id), "description": subject.description, "PIIs": list(map(_pii, subject.attributes))}
        for subject in document.subjects
    ]
    metadata = {"data_id": document.id, "number_of_subjects": len(subjects)}
    group = {"group": document.group} if document.group else {}
    return {"metadata": metadata, "text": document.text, **group, "subjects": subjects}


_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")


def _id(name: str) -> str | int:
    """A number where it may have been one, as in SPIA's files."""
    return int(name) if _NUMBER.fullmatch(name) else name


def _pii(attribute: Attribute) -> dict[str, object]:
    return {
        "tag": attribute.tag,
        "keyword": attribute.value,
        "certainty": attribute.certainty,
        "hardness": attribute.hardness,
    }


def _write(documents: Iterable[Document]) -> Files:
    return {"": b"".join(msgspec.json.encode(_record(document)) + b"\n" for document in documents)}


def _recognise(head: Head) -> Fit:
    """By the place of its ids, which no other format has; by its subjects where that cannot be seen."""
    row = head.first
    if not isinstance(row, dict) or "annotations" in row:
        return Fit.NO
    metadata = row.get("metadata")
    named = isinstance(metadata, dict) and "data_id" in metadata
    if named and "text" in row:
        return Fit.CERTAIN
    return Fit.SURE if isinstance(row.get("subjects"), list) and (named or "data_id" in row) else Fit.NO


ROWS = Objects(_Row, _row)
FORMAT = Format(
    "SPIA: texts with the people in them, and what is true of each, one a line",
    *((".jsonl",), _recognise, ROWS.read, released_texts(Objects(_Row, _released))),
    write=_write,
    shows=PEOPLE,
)
