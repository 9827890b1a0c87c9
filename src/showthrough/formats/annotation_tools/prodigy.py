"""Prodigy's JSON Lines: an answer is a layer, and all answers to one text are one document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import quote_value
from showthrough.data.documents import Annotation, Document
from showthrough.formats.annotation_tools._relations import COREFERENCE, EntityLinks
from showthrough.formats.base import Files, Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, with_score
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.storage.file_heads import Head

# Interfaces in which people mark text: whoever accepts there without a mark says that there is none.
_MARKING = frozenset({"ner", "ner_manual", "spans", "spans_manual", "relations", "blocks"})

_REFUSED = {"reject": "rejected answers", "ignore": "ignored answers"}


class _Span(msgspec.Struct, gc=False):
    aside: ClassVar = (
        "token_start", "token_end", "source", "rank", "input_hash", "pattern", "priority", "ws", "type", "id",
        "color",
    )  # fmt: skip

    start: int
    end: int
    label: str | None = None
    text: str | None = None
    score: Any = None


class _Relation(msgspec.Struct):
    aside: ClassVar = ("head", "child", "color")

    head_span: _Span | None = None
    child_span: _Span | None = None
    label: str | None = None


class _ProdigyTask(
    msgspec.Struct,
    rename={
        "id": "_input_hash",
        "number": "id",
        "annotator": "_annotator_id",
        "session": "_session_id",
        "view": "_view_id",
        "binary": "_is_binary",
    },
):
    aside: ClassVar = (
        "_task_hash", "_timestamp", "tokens", "meta", "config", "options", "accept", "html", "user_comment", "versions",
        "priority", "score", "rank", "_recipe",
    )  # fmt: skip

    text: str
    id: Id = None  # what Prodigy tells texts by
    doc_id: Id = None  # what files of others have that look like Prodigy's, and what people brought along
    number: Id = None
    group: Id = None
    spans: list[_Span] | None = None
    relations: list[_Relation] | None = None
    answer: str | None = None  # accept, reject or ignore
    annotator: Id = None
    session: Id = None
    view: str | None = None
    binary: bool | None = None
    label: Any = None  # of the whole text


def _answer(wire: _ProdigyTask, entry: Entry, *, scored: bool) -> Document:
    name = entry.named(_id(wire, entry))
    annotations: tuple[Annotation, ...] = ()
    if wire.label is not None:
        entry.remarks.left["labels of whole texts"] += 1
    if wire.answer in _REFUSED:
        entry.remarks.left[_REFUSED[wire.answer]] += 1
    elif wire.answer not in (None, "accept"):
        raise entry.fail(f"found {quote_value(wire.answer)}; expected accept, reject or ignore", "answer")
    elif wire.spans is not None or (wire.answer and wire.view in _MARKING):
        if wire.binary:
            entry.remarks.taken["answers to one suggestion each: other marks of these texts are not known"] += 1
        annotations = (_layer(wire, entry, scored),)
    return Document(name, wire.text, annotations, "" if wire.group is None else str(wire.group))


def _id(wire: _ProdigyTask, entry: Entry) -> Id:
    """What Prodigy tells texts by, or what a user named; without, an id that there is."""
    alternatives = {key: value for key, value in (("doc_id", wire.doc_id), ("id", wire.number)) if value is not None}
    if wire.id is None and not entry.columns.id and alternatives:
        return alternatives[next(iter(alternatives))]
    entry.remarks.unknown.update(alternatives.keys())
    return wire.id


def _layer(wire: _ProdigyTask, entry: Entry, scored: bool) -> Annotation:
    spans = wire.spans or []
    annotator = wire.session if wire.annotator is None else wire.annotator
    entity = _entities(wire, entry).shared_entities() if wire.relations else {}
    mentions = tuple(
        with_score(
            entry.mention(
                wire.text, *entry.to_characters(wire.text, span.start, span.end, f"spans[{number}]"), span.label or "",
                entity_id=entity.get(_name(span), "") if entity else "", covered=span.text, field=f"spans[{number}]",
            ),
            *(span.score if scored else None, entry, f"spans[{number}].score"),
        )
        for number, span in enumerate(spans)
    )  # fmt: skip
    return Annotation(ANNOTATOR if annotator is None else str(annotator), mentions)


def _name(span: _Span) -> str:
    return f"{span.start}-{span.end}"


def _entities(wire: _ProdigyTask, entry: Entry) -> EntityLinks:
    entities = EntityLinks(map(_name, wire.spans or ()))
    for relation in wire.relations or ():
        ends = [
            _name(end)
            for end in (relation.head_span, relation.child_span)
            if end is not None and _name(end) in entities
        ]
        if len(ends) == 2:
            entities.relate([relation.label or ""], ends[0], ends[1], entry.remarks)
        else:
            entry.remarks.left["relations of words that are not marked"] += 1
    return entities


def write(documents: Iterable[Document]) -> Files:
    """An answer for each annotator; a text that nobody read has no answer."""
    return {"": b"".join(msgspec.json.encode(row) + b"\n" for document in documents for row in _rows(document))}


def _rows(document: Document) -> Iterator[dict[str, Any]]:
    group = {"group": document.group} if document.group else {}
    shared = {"text": document.text, "_input_hash": document.id, **group}
    if not document.annotations:
        yield shared
    for annotation in document.annotations:
        mentions = [mention for mention in annotation.mentions if mention.must_mask]
        spans = [{"start": mention.start, "end": mention.end, "label": mention.entity_type} for mention in mentions]
        first: dict[str, dict[str, Any]] = {}
        relations = []
        for span, mention in zip(spans, mentions, strict=True):
            if mention.entity_id and first.setdefault(mention.entity_id, span) is not span:
                relations.append({"head_span": first[mention.entity_id], "child_span": span, "label": COREFERENCE})
        marks = {"spans": spans, **({"relations": relations} if relations else {})}
        yield {**shared, **marks, "answer": "accept", "_session_id": annotation.annotator}


def _recognise(head: Head) -> Fit:
    task = head.first
    if not isinstance(task, dict) or not isinstance(task.get("text"), str):
        return Fit.NO
    if not task.keys().isdisjoint({"_input_hash", "_task_hash", "_session_id", "_annotator_id"}):
        return Fit.CERTAIN
    spans = task.get("spans") or []
    marks = isinstance(spans, list) and all(
        isinstance(span, dict) and {"start", "end"} <= span.keys() for span in spans[:1]
    )
    answered = task.get("answer") in ("accept", *_REFUSED)
    return Fit.SURE if marks and (answered or ("spans" in task and "uid" not in task)) else Fit.NO


ANSWERS = Objects(_ProdigyTask, partial(_answer, scored=False), layers=True)
SYSTEM = Objects(_ProdigyTask, partial(_answer, scored=True), layers=True)
FORMAT = Format(
    "Prodigy JSON Lines: answers with spans, of one or several sessions",
    *((".jsonl", ".json"), _recognise, ANSWERS.read, masks_from(SYSTEM.read), write),
)
