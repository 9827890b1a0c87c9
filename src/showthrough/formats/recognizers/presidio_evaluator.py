"""presidio-evaluator's `InputSample`: a text and its spans, without an id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from showthrough.data.documents import Annotation, Document
from showthrough.formats.base import Files, Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, to_mask
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.storage.file_heads import Head


class _Span(msgspec.Struct, gc=False):
    aside: ClassVar = (
        "token_start", "token_end", "normalized_tokens", "normalized_start_index", "normalized_end_index",
        "normalized_start_indices", "normalized_value",
    )  # fmt: skip

    entity_type: str
    start_position: int
    end_position: int
    entity_value: str | None = None


class _Sample(msgspec.Struct, rename={"text": "full_text", "id": "sample_id"}):
    aside: ClassVar = ("masked", "template_id", "metadata", "tokens", "tags", "start_indices")

    text: str
    spans: list[_Span] | None = None
    id: Id = None
    group: Id = None


def _sample(wire: _Sample, entry: Entry) -> Document:
    name, text = entry.named(wire.id), wire.text
    group = "" if wire.group is None else str(wire.group)
    if wire.spans is None:
        return Document(name, text, (), group)
    mentions = tuple(
        entry.mention(
            text,
            *entry.to_characters(text, span.start_position, span.end_position, f"spans[{number}]"),
            span.entity_type,
            covered=span.entity_value,
            field=f"spans[{number}]",
        )
        for number, span in enumerate(wire.spans)
    )
    return Document(name, text, (Annotation(ANNOTATOR, mentions),), group)


def write(documents: Iterable[Document]) -> Files:
    """A list of samples; ids are written as `sample_id`, which the tool takes."""
    return {"": msgspec.json.format(msgspec.json.encode(list(map(_build_sample, documents))), indent=1)}


def _build_sample(document: Document) -> dict[str, Any]:
    spans = [
        {
            "entity_type": mention.entity_type, "entity_value": document.text[mention.start : mention.end],
            "start_position": mention.start, "end_position": mention.end,
        }
        for mention in to_mask(document)
    ]  # fmt: skip
    marks = {"spans": spans} if document.annotations else {}
    group = {"group": document.group} if document.group else {}
    return {"full_text": document.text, "masked": None, **marks, "sample_id": document.id, **group}


def _recognise(head: Head) -> Fit:
    keys = head.json.keys.keys()
    typical = not keys.isdisjoint({"spans", "masked"}) or not head.json.whole  # a long text hides what follows
    return Fit.SURE if "full_text" in keys and typical else Fit.NO


SAMPLES = Objects(_Sample, _sample)
FORMAT = Format(
    "presidio-evaluator InputSample: full_text and spans",
    *((".json", ".jsonl"), _recognise, SAMPLES.read, masks_from(SAMPLES.read), write),
)
