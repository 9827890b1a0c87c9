"""doccano's JSON Lines: an example is a document, with spans as [start, end, label] or as entities with relations.

doccano's editor is a JavaScript program and counts UTF-16 units; projects can be set to count graphemes, and what
scripts put into them counts code points. Nothing in a file tells which. Where it matters that way is taken which puts
all marks where words begin and end; where that does not tell either, UTF-16 units are, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import InputError, shorten
from showthrough.data.documents import Annotation, Document
from showthrough.data.units import Unit, counts_alike, from_code_points, to_code_points
from showthrough.formats.annotation_tools._relations import COREFERENCE, EntityLinks
from showthrough.formats.base import Files, Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, to_mask
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.storage.file_heads import Head

_Triple = tuple[int, int, str]
_UNITS: tuple[Unit, ...] = ("utf-16", "code points", "graphemes")  # the first that fits is taken
_UNIT_NAMES = {"utf-16": "UTF-16 units", "code points": "code points", "graphemes": "graphemes"}


class _Entity(msgspec.Struct, gc=False):
    start_offset: int
    end_offset: int
    label: str | None = None
    id: Id = None


class _Relation(msgspec.Struct, gc=False):
    aside: ClassVar = ("id",)

    from_id: str | int
    to_id: str | int
    type: str | None = None


class _Example(msgspec.Struct):
    aside: ClassVar = ("meta", "Comments", "comments", "annotation_approver")

    text: str | None = None
    data: str | None = None  # what it is called in some exports
    id: Id = None
    group: Id = None
    label: list[_Triple | str] | None = None
    labels: list[_Triple | str] | None = None
    entities: list[_Entity | _Triple] | None = None
    relations: list[_Relation] | None = None
    cats: list[Any] | None = None
    annotations: list[Any] | None = None


class _Mark(msgspec.Struct, gc=False, frozen=True):
    start: int
    end: int
    kind: str
    name: str
    key: str
    number: int


def _example(wire: _Example, entry: Entry) -> Document:
    name = entry.named(wire.id)
    text = wire.data if wire.text is None else wire.text
    if text is None:
        raise entry.fail("text is missing")
    if wire.annotations:
        fault = "labels are numbers there, whose names are not in the file; export with their names (JSONL)"
        raise entry.fail(fault, "annotations")
    kinds = [label for label in (*(wire.label or ()), *(wire.labels or ())) if isinstance(label, str)]
    if kinds or wire.cats:
        entry.remarks.left["labels of whole texts"] += len(kinds) + len(wire.cats or ())
    marks = list(_marks(wire))
    is_annotated = any(value is not None for value in (wire.label, wire.labels, wire.entities))
    annotations: tuple[Annotation, ...] = ()
    if is_annotated and (marks or not kinds):
        entity = _entities(wire, marks, entry).shared_entities()
        placed = _locate_marks(text, marks, entry)
        mentions = tuple(
            entry.mention(
                text, start, end, mark.kind, entity_id=entity.get(mark.name, ""), field=f"{mark.key}[{mark.number}]"
            )
            for mark, (start, end) in zip(marks, placed, strict=True)
        )
        annotations = (Annotation(ANNOTATOR, mentions),)
    return Document(name, text, annotations, "" if wire.group is None else str(wire.group))


def _marks(wire: _Example) -> Iterable[_Mark]:
    for key, marks in (("label", wire.label), ("labels", wire.labels), ("entities", wire.entities)):
        for number, mark in enumerate(marks or ()):
            if isinstance(mark, tuple):
                yield _Mark(mark[0], mark[1], mark[2], "", key, number)
            elif isinstance(mark, _Entity):
                name = "" if mark.id is None else str(mark.id)
                yield _Mark(mark.start_offset, mark.end_offset, mark.label or "", name, key, number)


def _entities(wire: _Example, marks: Sequence[_Mark], entry: Entry) -> EntityLinks:
    entities = EntityLinks(mark.name for mark in marks) if wire.relations else EntityLinks()
    for number, relation in enumerate(wire.relations or ()):
        ends = str(relation.from_id), str(relation.to_id)
        if lacking := [end for end in ends if end not in entities]:
            raise entry.fail(f"is to {shorten(lacking[0])}, which is no entity", f"relations[{number}]")
        entities.relate([relation.type or ""], *ends, entry.remarks)
    return entities


def _locate_marks(text: str, marks: Sequence[_Mark], entry: Entry) -> list[tuple[int, int]]:
    """The spans in code points."""
    plain = [(mark.start, mark.end) for mark in marks]
    if not marks or (text.isascii() and "\r" not in text) or all(counts_alike(text, unit) for unit in _UNITS):
        return plain
    if entry.columns.offsets:
        return [
            entry.to_characters(text, *span, f"{mark.key}[{mark.number}]")
            for mark, span in zip(marks, plain, strict=True)
        ]
    ways = {unit: spans for unit in _UNITS if (spans := _convert_spans(text, plain, unit)) is not None}
    if not ways or len(set(map(tuple, ways.values()))) == 1:  # of a mark that is nowhere, its own check tells
        return next(iter(ways.values()), plain)
    fitting = {unit: spans for unit, spans in ways.items() if all(_at_words(text, *span) for span in spans)}
    chosen = next(iter(fitting or ways))
    if len(set(map(tuple, fitting.values()))) != 1:  # words do not tell either
        reason = "the file does not say what they count in texts with emoji and the like"
        entry.remarks.taken[f"offsets were taken as {_UNIT_NAMES[chosen]}: {reason}"] += 1
    return ways[chosen]


def _convert_spans(text: str, spans: Sequence[tuple[int, int]], unit: Unit) -> list[tuple[int, int]] | None:
    try:
        flat = to_code_points(text, [offset for span in spans for offset in span], unit)
    except InputError:
        return None
    return list(zip(flat[::2], flat[1::2], strict=True))


def _at_words(text: str, start: int, end: int) -> bool:
    """Whether a span begins and ends with words, and not in the middle of one."""
    covered = text[start:end]
    if not covered or covered != covered.strip():
        return False
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return not ((before + covered[0]).isalnum() and before) and not ((covered[-1] + after).isalnum() and after)


def write(documents: Iterable[Document]) -> Files:
    """One layer a document; what is the same entity as relations."""
    return {"": b"".join(msgspec.json.encode(_build_example(document)) + b"\n" for document in documents)}


def _build_example(document: Document) -> dict[str, Any]:
    mentions, text = to_mask(document), document.text
    edges = from_code_points(text, [edge for mention in mentions for edge in (mention.start, mention.end)], "utf-16")
    first: dict[str, int] = {}
    entities: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    for number, mention in enumerate(mentions, 1):
        start, end = edges[2 * number - 2 : 2 * number]
        entities.append({"id": number, "label": mention.entity_type, "start_offset": start, "end_offset": end})
        if mention.entity_id and first.setdefault(mention.entity_id, number) != number:
            ends = {"from_id": number, "to_id": first[mention.entity_id]}
            relations.append({"id": len(relations) + 1, **ends, "type": COREFERENCE})
    group = {"group": document.group} if document.group else {}
    marks = {"entities": entities, "relations": relations} if document.annotations else {}
    return {"id": document.id, "text": text, **group, **marks, "Comments": []}


def _recognise(head: Head) -> Fit:
    """Sure of spans as doccano has them; where the first example has none, of an object that has nothing else."""
    example = head.first
    if not isinstance(example, dict) or not (
        isinstance(example.get("text"), str) or isinstance(example.get("data"), str)
    ):
        return Fit.NO
    lists = {key: example[key] for key in ("label", "labels", "entities") if isinstance(example.get(key), list)}
    if any(_is_span(mark) for marks in lists.values() for mark in marks[:1]):
        return Fit.SURE
    own_keys = {*_Example.__struct_fields__, *_Example.aside}
    # Its examples carry whatever columns were imported with them: labels alone tell, where nobody else has such.
    typical = example.keys() <= own_keys or (
        not lists.keys().isdisjoint({"label", "labels"}) and "tokens" not in example
    )
    empty = all(not marks for marks in lists.values()) and typical
    if (lists and empty) or "Comments" in example or _is_old(example.get("annotations")):
        return Fit.SURE
    return Fit.NO


def _is_span(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) == 3 and all(type(offset) is int for offset in value[:2]) and isinstance(value[2], str)
    return isinstance(value, dict) and {"start_offset", "end_offset"} <= value.keys()


def _is_old(annotations: Any) -> bool:
    return isinstance(annotations, list) and any(
        isinstance(annotation, dict) and "label" in annotation for annotation in annotations
    )


EXAMPLES = Objects(_Example, _example)
FORMAT = Format(
    "doccano JSON Lines: spans, or entities with relations",
    *((".jsonl", ".json"), _recognise, EXAMPLES.read, masks_from(EXAMPLES.read), write),
)
