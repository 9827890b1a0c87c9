"""Label Studio's JSON-MIN: a row is an annotation, its marks lie under the name of the tag that made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from showthrough.core.errors import at_document, join_names, shorten
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.originals import text_digest
from showthrough.formats.annotation_tools.labelstudio import (
    ID,
    MARKS,
    LabelStudioMark,
    Value,
    distinct,
    document_id,
    group_in,
    mark_of,
)
from showthrough.formats.base import ColumnNames, Fit, Format, Input
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from
from showthrough.formats.objects import Entry, Id, objects_of, strict
from showthrough.formats.recognizers.unstated_units import placed_in
from showthrough.formats.remarks import keys_of, like_spans
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail, type_fault

_ROW = msgspec.json.Decoder(dict[str, Any])
_BOOKKEEPING = frozenset(
    {"annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"}
)


class _Row(msgspec.Struct, gc=False):
    """What one annotator marked in a text; nobody, where there is no annotation."""

    id: str
    text: str
    group: str
    annotator: str | None
    number: Id
    mentions: tuple[Mention, ...]


def read(file: Input) -> Sequence[Document]:
    def row(placed: tuple[str, bytes | msgspec.Raw]) -> _Row:
        location, content = placed
        entry = Entry(file.path, location, file.columns, file.remarks)
        return _row(decode_json(content, _ROW, file.path, location), entry)

    tasks: dict[str | bytes, list[_Row]] = {}
    for task_row in collect_results(objects_of(file.head, "row"), row):
        tasks.setdefault(task_row.id or text_digest(task_row.text), []).append(task_row)
    file.remarks.numbered += sum(not rows[0].id for rows in tasks.values())
    return collect_results(enumerate(tasks.values(), 1), lambda task: _document(task[1], task[0], file))


def _document(rows: Sequence[_Row], number: int, file: Input) -> Document:
    first = rows[0]
    if any(row.text != first.text for row in rows):
        fault = "occurs with different texts; expected one text, marked by several annotators"
        raise fail(file.path, fault, at_document(first.id))
    layers = [(row.annotator, row.number, row.mentions) for row in rows if row.annotator is not None]
    names = distinct([(annotator, annotation) for annotator, annotation, _ in layers])
    annotations = tuple(Annotation(name, layer[2]) for name, layer in zip(names, layers, strict=True))
    return Document(first.id or str(number), first.text, annotations, first.group)


def _row(row: dict[str, Any], entry: Entry) -> _Row:
    number, annotator = row.get("annotation_id"), row.get("annotator")
    for key, value in (("annotation_id", number), ("annotator", annotator)):
        if not isinstance(value, Id):
            raise entry.fail("expected text or a whole number", key)
    name = entry.named(document_id(row, row.get("id"), entry))
    tags = {key: value for key, value in row.items() if key not in _BOOKKEEPING and _is_marks(value)}
    key = _text_key(row, entry)
    text = row[key]
    marks = [mark for tag, value in tags.items() for mark in _marks(tag, value, entry)]
    placed = placed_in(text, [mark.span for mark in marks], entry)
    mentions = tuple(
        entry.mention(text, *span, kind, entity_id=mark.name, field=mark.span.field)
        for mark, span in zip(marks, placed, strict=True)
        for kind in mark.kinds or ("",)
    )
    reserved = _reserved_keys(entry.columns)
    for other in [name for name in row if name not in reserved and name not in tags and name != key]:
        entry.remarks.unknown[other] += 1
        if like_spans(row[other]):
            entry.remarks.spans.add(other)
    annotated = bool(tags) or number is not None or annotator is not None
    annotator_name = (ANNOTATOR if annotator is None else str(annotator)) if annotated else None
    return _Row(name, text, group_in(row, entry), annotator_name, number, mentions)


@lru_cache(maxsize=16)
def _reserved_keys(columns: ColumnNames) -> frozenset[str | None]:
    """Keys that are neither the text nor marks."""
    return frozenset({ID, "id", columns.id, columns.group, *_BOOKKEEPING})


def _is_marks(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(mark, dict) and not mark.keys().isdisjoint(MARKS) for mark in value
    )


def _marks(tag: str, value: Any, entry: Entry) -> Iterator[LabelStudioMark]:
    name = shorten(tag)
    try:
        values: list[Value] = msgspec.convert(value, strict(list[Value]))
    except msgspec.ValidationError:  # a key that nobody knows, or something wrong
        keys_of(Value).look_at(value, entry.remarks, tag)
        values = _values(value, name, entry)
    for number, mark_value in enumerate(values):
        field = f"{name}[{number}]"
        several = (
            max(
                len(kinds or ())
                for kinds in (mark_value.labels, mark_value.hypertextlabels, mark_value.paragraphlabels)
            )
            > 1
        )
        yield mark_of(mark_value, (), field, entry, field if several else "")  # all of its types are of one entity


def _values(value: Any, name: str, entry: Entry) -> list[Value]:
    try:
        return msgspec.convert(value, list[Value])
    except msgspec.ValidationError as error:
        field, fault = type_fault(error)
        raise entry.fail(fault, f"{name}{field}") from None


def _text_key(row: dict[str, Any], entry: Entry) -> str:
    if entry.columns.text:
        likely = [entry.columns.text]
    else:
        reserved = _reserved_keys(entry.columns)
        texts = [key for key, value in row.items() if isinstance(value, str) and key not in reserved]
        likely = ["text"] if "text" in texts else texts
    if len(likely) > 1:
        raise entry.fail(f"has several texts: {join_names(likely)}; choose with --text-column")
    if not likely or not isinstance(row.get(likely[0]), str):
        raise entry.fail(f"has no {shorten(likely[0]) if likely else 'text'}; there are {join_names(row)}")
    return likely[0]


def _recognise(head: Head) -> Fit:
    row = head.first
    if not isinstance(row, dict):
        return Fit.NO
    rows = {"annotator", "annotation_id"} <= row.keys()
    return Fit.CERTAIN if rows or any(map(_is_marks, row.values())) else Fit.NO


FORMAT = Format(
    "Label Studio JSON-MIN: one row an annotation",
    *((".json", ".jsonl"), _recognise, read, masks_from(read)),
    sample={
        "sample.json": """[
 {"id": 1, "doc_id": "case-1", "text": "Mr John Doe of Oslo left.", "annotator": 7, "annotation_id": 12,
  "label": [{"start": 3, "end": 11, "text": "John Doe", "labels": ["PERSON"]},
            {"start": 15, "end": 19, "text": "Oslo", "labels": ["LOC"]}]}
]
"""
    },
)
