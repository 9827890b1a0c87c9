"""Nemotron-PII's rows: a text, and its spans as Python prints them, or as JSON; so are cells of tables with spans."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from showthrough.data.documents import Annotation, Document
from showthrough.formats.base import Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from
from showthrough.formats.objects import Entry, Id, Objects, literal
from showthrough.storage.file_heads import Head


class _Span(msgspec.Struct, gc=False):
    start: int
    end: int
    label: str = ""
    text: str | None = None


_SPANS = msgspec.json.Decoder(list[_Span | tuple[int, int, str]])


class _Row(msgspec.Struct, rename={"id": "uid", "number": "id"}):
    aside: ClassVar = (
        "domain", "document_type", "document_description", "document_format", "locale", "text_tagged", "tagged_text",
        "split",
    )  # fmt: skip

    text: str
    spans: str | list[_Span | tuple[int, int, str]] | None = None
    id: Id = None
    doc_id: Id = None
    number: Id = None
    group: Id = None


def _row(wire: _Row, entry: Entry) -> Document:
    name, text = entry.named(_id(wire, entry)), wire.text
    group = "" if wire.group is None else str(wire.group)
    if not wire.spans and not isinstance(wire.spans, list):  # an empty cell: nobody has said what is in the text
        return Document(name, text, (), group)
    spans = literal(wire.spans, _SPANS, entry, "spans") if isinstance(wire.spans, str) else wire.spans
    mentions = tuple(
        entry.mention(
            text, *entry.to_characters(text, span.start, span.end, field), span.label, covered=span.text, field=field
        )
        for field, span in ((f"spans[{number}]", span) for number, span in enumerate(map(_span, spans)))
    )
    return Document(name, text, (Annotation(ANNOTATOR, mentions),), group)


def _id(wire: _Row, entry: Entry) -> Id:
    """The key that a user named, or the data set's own, or what tables call theirs."""
    if entry.columns.id or wire.id is not None:
        return wire.id
    return wire.number if wire.doc_id is None else wire.doc_id


def _span(span: _Span | tuple[int, int, str]) -> _Span:
    return _Span(*span) if isinstance(span, tuple) else span


def _recognise(head: Head) -> Fit:
    row = head.first
    if not isinstance(row, dict) or "text" not in row:
        return Fit.NO
    spans = row.get("spans")
    kinds = {type(span) for span in spans} if isinstance(spans, list) else {None}
    listed = kinds == {list} or (kinds <= {dict} and "uid" in row)  # of others, Prodigy has objects
    typical = isinstance(spans, str) or listed or {"text_tagged", "uid"} <= row.keys()
    cut = {"uid", "domain"} <= row.keys() and not head.json.whole  # a long text hides what follows
    return Fit.SURE if typical or cut else Fit.NO


ROWS = Objects(_Row, _row)
FORMAT = Format(
    "Nemotron-PII rows: text, and spans in a string",
    *((".jsonl", ".json"), _recognise, ROWS.read, masks_from(ROWS.read)),
    sample={
        "sample.jsonl": (
            '{"uid": "case-1", "domain": "Law", "text": "Mr John Doe of Oslo left.", "spans": "'
            "[{'start': 3, 'end': 11, 'text': 'John Doe', 'label': 'person'}, "
            "{'start': 15, 'end': 19, 'text': 'Oslo', 'label': 'city'}]\"}\n"
        )
    },
)
