"""spaCy's documents as JSON: what `Doc.to_json` gives, and training data as pairs of a text and what is marked in it.

Entities are the marks. Where a file has none at all, its span group is: the only one, or `sc`, as spaCy's span
categorizer calls it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import join_names, shorten
from showthrough.data.documents import Annotation, Document
from showthrough.data.levels import by_type
from showthrough.formats.annotation_tools._tags import pieces
from showthrough.formats.base import Files, Fit, Format, Input
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, separate
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.formats.remarks import Remarks
from showthrough.storage.file_heads import Head, first_value
from showthrough.storage.reading import fail

USUAL_GROUP = "sc"  # of spaCy's span categorizer
NO_LINK = ("", "NIL")  # what an entity linker says of an entity that it does not know
ID_KEYS = ("doc_id", "id")
VERSION_2 = (
    "is in the JSON training format of spaCy 2, which has no offsets; convert it with `python -m spacy convert` of "
    "spaCy 3 and read the .spacy file"
)


@dataclass
class MarkSource:
    """Where the marks of a file are: among its entities, or in a span group; and what was seen of either."""

    group: str | None = None  # `None`: entities are read
    entities: int = 0
    groups: Counter[str] = field(default_factory=Counter)

    def see(self, entities: int, groups: Mapping[str, Sequence[Any]]) -> None:
        self.entities += entities
        for name, spans in groups.items():
            self.groups[name] += len(spans)

    def elsewhere(self, file: Input) -> str | None:
        """The span group that has the marks, where no entity is; says what is left aside."""
        full = {name: many for name, many in self.groups.items() if many}
        if not full or self.group is not None:
            return None
        named = join_names(f"{shorten(name)} ({many})" for name, many in full.items())
        if self.entities:
            file.remarks.others.append(f"its entities are the marks; spans in span groups are left aside: {named}")
            return None
        chosen = USUAL_GROUP if USUAL_GROUP in full else next(iter(full))
        if chosen != USUAL_GROUP and len(full) > 1:
            fault = f"has no entities but several span groups: {named}; expected one, or one called {USUAL_GROUP}"
            raise fail(file.path, fault)
        aside = join_names(name for name in full if name != chosen) if len(full) > 1 else ""
        note = f"it has no entities: the spans of its span group {shorten(chosen)} are the marks"
        file.remarks.others.append(f"{note}; left aside: {aside}" if aside else note)
        return chosen


class _Span(msgspec.Struct, gc=False):
    aside: ClassVar = ("token_start", "token_end", "text")

    start: int
    end: int
    label: str = ""
    id: str | int | None = None
    kb_id: str | int | None = None


class _Doc(msgspec.Struct, gc=False, rename={"extensions": "_"}):
    aside: ClassVar = ("sents", "cats", "tokens", "underscore_token", "underscore_span")

    text: str
    ents: list[_Span] | None = None
    spans: dict[str, list[_Span]] | None = None
    id: Id = None
    doc_id: Id = None
    extensions: dict[str, Any] | None = None
    group: str | int | None = None


def _document(marks: MarkSource, wire: _Doc, entry: Entry) -> Document:
    keys = (entry.columns.id,) if entry.columns.id else ID_KEYS
    name = entry.named(_first(wire.doc_id if wire.id is None else wire.id, wire.extensions, keys))
    groups = wire.spans or {}
    marks.see(len(wire.ents or ()), groups)
    spans, where = (wire.ents, "ents") if marks.group is None else (groups.get(marks.group), f"spans.{marks.group}")
    group = _first(wire.group, wire.extensions, (entry.columns.group,))
    group = "" if group is None else str(group)
    if spans is None:
        return Document(name, wire.text, group=group)
    length = len(wire.text)
    mentions = []
    for number, span in enumerate(spans):
        start, end = entry.to_characters(wire.text, span.start, span.end, f"{where}[{number}]")
        if not 0 <= start < end <= length:
            raise entry.outside(start, end, length, f"{where}[{number}]")
        mentions.append(by_type(start, end, span.label, entity_of(span.kb_id, span.id)))
    return Document(name, wire.text, (Annotation(ANNOTATOR, tuple(mentions)),), group)


def _first(own: Id, extensions: Mapping[str, Any] | None, keys: Iterable[str]) -> Id:
    """A value that an object has, or else its extension attributes, which spaCy writes under `_`."""
    if own is not None or not extensions:
        return own
    return next((value for key in keys if isinstance(value := extensions.get(key), str | int)), None)


def entity_of(link: str | int | None, own: str | int | None) -> str:
    """What entity a mark is of: what it is linked to, else the id that it has."""
    if link is None and own is None:
        return ""
    return next((str(candidate) for candidate in (link, own) if candidate is not None and candidate not in NO_LINK), "")


def read(file: Input) -> Sequence[Document]:
    first = file.head.first
    if isinstance(first, dict) and "paragraphs" in first:
        raise fail(file.path, VERSION_2)
    return _read_marks(file, lambda marks: Objects(_Doc, partial(_document, marks)))


def _read_marks(file: Input, objects: Any) -> Sequence[Document]:
    """Reads entities; where there are none, span groups, by reading once more."""
    marks = MarkSource()
    documents: Sequence[Document] = objects(marks).read(file)
    chosen = marks.elsewhere(file)
    if chosen is None:
        return documents
    again = Input(file.head, file.columns, file.corpus, Remarks())
    return objects(MarkSource(chosen)).read(again)  # type: ignore[no-any-return]


def write(documents: Iterable[Document]) -> Files:
    """JSON Lines, one document a line."""
    return {"": b"".join(msgspec.json.encode(_record(document)) + b"\n" for document in documents)}


def _record(document: Document) -> dict[str, object]:
    mentions = separate(document)
    ents = [
        {
            "start": mention.start,
            "end": mention.end,
            "label": mention.entity_type,
            **({"id": mention.entity_id} if mention.entity_id else {}),
        }
        for mention in mentions
    ]
    tokens = [
        {"id": number, "start": token.start, "end": token.end}
        for number, token in enumerate(pieces(document.text, mentions))
    ]
    marks = {"ents": ents} if document.annotations else {}
    group = {"group": document.group} if document.group else {}
    return {"id": document.id, **group, "text": document.text, **marks, "tokens": tokens}


def _recognise(head: Head) -> Fit:
    first = head.first
    if not isinstance(first, dict):
        return Fit.NO
    if _version_2(first):
        return Fit.SURE
    if not isinstance(first.get("text"), str) or "annotations" in first:
        return Fit.NO
    tokens, groups = first.get("tokens"), first.get("spans")
    if isinstance(groups, list):  # Prodigy's
        return Fit.NO
    own = _all_with(first.get("ents"), {"start", "end"}) or isinstance(groups, dict)
    return Fit.CERTAIN if own or (tokens and _all_with(tokens, {"id", "start"}, {"text"})) else Fit.NO


def _version_2(first: Mapping[str, Any]) -> bool:
    paragraphs = first.get("paragraphs")
    return isinstance(paragraphs, list) and any(
        "sentences" in paragraph for paragraph in paragraphs if isinstance(paragraph, dict)
    )


def _all_with(values: object, keys: set[str], without: set[str] | None = None) -> bool:
    """Whether a value is a list of objects, all but the last of which, which may be cut off, have these keys."""
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        return False
    strange = without or set()
    return all(keys <= value.keys() for value in values[:-1]) and not any(strange & value.keys() for value in values)


class _PairMarks(msgspec.Struct, gc=False):
    aside: ClassVar = ("links", "cats", "words", "spaces", "tags", "pos", "lemmas", "morphs", "deps", "heads",
                       "sent_starts")  # fmt: skip

    entities: list[tuple[Any, ...]] | None = None
    spans: dict[str, list[tuple[Any, ...]]] | None = None


class _Pair(msgspec.Struct, gc=False, array_like=True):
    text: str
    marked: _PairMarks


def _of_pair(marks: MarkSource, wire: _Pair, entry: Entry) -> Document:
    groups = wire.marked.spans or {}
    marks.see(len(wire.marked.entities or ()), groups)
    spans, where = wire.marked.entities, "entities"
    if marks.group is not None:
        spans, where = groups.get(marks.group), f"spans.{marks.group}"
    if spans is None:
        return Document("", wire.text)
    mentions = []
    for number, span in enumerate(spans):
        field = f"{where}[{number}]"
        if not (len(span) in (2, 3, 4, 5) and all(type(offset) is int for offset in span[:2]) and _texts(span[2:])):
            raise entry.fail(f"found {shorten(str(list(span)))}; expected [start, end, label]", field)
        kind, link, own = (*(value or "" for value in span[2:]), "", "", "")[:3]
        start, end = entry.to_characters(wire.text, span[0], span[1], field)
        mentions.append(entry.mention(wire.text, start, end, kind, entity_id=entity_of(link, own), field=field))
    return Document("", wire.text, (Annotation(ANNOTATOR, tuple(mentions)),))


def _texts(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def read_pairs(file: Input) -> Sequence[Document]:
    return _read_marks(file, lambda marks: Objects(_Pair, partial(_of_pair, marks)))


def write_pairs(documents: Iterable[Document]) -> Files:
    """A JSON list. Pairs have no ids: who reads them numbers them."""
    pairs = [
        [
            document.text,
            {"entities": [[mention.start, mention.end, mention.entity_type] for mention in separate(document)]}
            if document.annotations
            else {},
        ]
        for document in documents
    ]
    return {"": msgspec.json.encode(pairs)}


def _recognise_pairs(head: Head) -> Fit:
    first = first_value(b"[" + head.start)[0] if head.lines else head.first
    whole = isinstance(first, list) and len(first) == 2 and isinstance(first[0], str) and isinstance(first[1], dict)
    return Fit.SURE if whole and (not first[1] or first[1].keys() & {"entities", "spans", "cats", "links"}) else Fit.NO


FORMAT = Format(
    "spaCy's Doc.to_json: one object, a list or JSON Lines",
    *((".jsonl", ".json"), _recognise, read, masks_from(read), write),
)
PAIRS = Format(
    'spaCy\'s training data: a JSON list of ["text", {"entities": [[start, end, "LABEL"]]}]',
    *((".json", ".jsonl"), _recognise_pairs, read_pairs, masks_from(read_pairs), write_pairs),
)
