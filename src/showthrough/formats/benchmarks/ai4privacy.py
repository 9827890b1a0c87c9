"""ai4privacy's data sets (pii-masking 65k to 1m): a text and its privacy mask, of several shapes.

The mask is a list of spans, or that in a string. Older sets have an object from placeholder to value instead, and a
text with the placeholders in it. The two together say where each value stands: put back, they must give the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import join_names
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.formats.base import Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from
from showthrough.formats.objects import Entry, Id, Objects, literal
from showthrough.storage.file_heads import Head

_PLACEHOLDER = re.compile(r"\[[^\[\]\s]+\]")
_NUMBER = re.compile(r"_\d+$")  # of one placeholder among several of its type


class _Span(msgspec.Struct, gc=False):
    aside: ClassVar = ("label_index",)

    start: int
    end: int
    label: str
    value: str | None = None


_Values = dict[str, str]  # by placeholder
_SPANS = msgspec.json.Decoder(list[_Span] | _Values)


class _Row(msgspec.Struct, rename={"text": "source_text", "id": "uid"}):
    aside: ClassVar = (
        "span_labels", "bio_labels", "tokenised_text", "tokenised_unmasked_text", "token_entity_labels",
        "mbert_text_tokens", "mbert_bio_labels", "mbert_tokens", "mbert_token_classes", "language", "locale", "region",
        "script", "set", "split",
    )  # fmt: skip

    text: str | None = None
    unmasked_text: str | None = None  # what it is called in older sets, as below
    target_text: str | None = None
    masked_text: str | None = None
    privacy_mask: list[_Span] | _Values | str | None = None
    id: Id = None
    number: Id = msgspec.field(default=None, name="id")
    group: Id = None


def _row(wire: _Row, entry: Entry) -> Document:
    name = entry.named(wire.number if wire.id is None else wire.id)
    text = wire.unmasked_text if wire.text is None else wire.text
    if text is None:
        raise entry.fail("source_text is missing")
    group = "" if wire.group is None else str(wire.group)
    mask: Any = wire.privacy_mask
    if isinstance(mask, str):
        mask = literal(mask, _SPANS, entry, "privacy_mask")
    if mask is None:
        raise entry.fail("privacy_mask is missing: without it nobody knows what is marked")
    if isinstance(mask, dict):
        masked = wire.masked_text if wire.target_text is None else wire.target_text
        return Document(name, text, (Annotation(ANNOTATOR, tuple(_put_back(text, masked, mask, entry))),), group)
    mentions = tuple(
        entry.mention(
            text, *entry.to_characters(text, span.start, span.end, field), span.label, covered=span.value, field=field
        )
        for field, span in ((f"privacy_mask[{number}]", span) for number, span in enumerate(mask))
    )
    return Document(name, text, (Annotation(ANNOTATOR, mentions),), group)


def _put_back(text: str, masked: str | None, values: _Values, entry: Entry) -> Iterator[Mention]:
    """Where the values stand that placeholders stand for."""
    if not values:
        return
    if masked is None:
        raise entry.fail("has values without offsets; expected masked_text or target_text beside it", "privacy_mask")
    values_by_name = {key.strip("[]"): value for key, value in values.items()}
    pieces = [(match, match[0][1:-1]) for match in _PLACEHOLDER.finditer(masked) if match[0][1:-1] in values_by_name]
    rebuilt: list[str] = []
    spans: list[tuple[int, str]] = []  # where a value starts, and the placeholder that it was under
    length = last = 0
    for match, name in pieces:
        rebuilt += (masked[last : match.start()], values_by_name[name])
        spans.append((length + match.start() - last, name))
        length, last = spans[-1][0] + len(values_by_name[name]), match.end()
    if "".join((*rebuilt, masked[last:])) != text:
        raise entry.fail("its values put into the masked text do not give the text; expected offsets", "privacy_mask")
    if lacking := values_by_name.keys() - {name for _, name in pieces}:
        raise entry.fail(f"{join_names(sorted(lacking))} is not in the masked text; expected offsets", "privacy_mask")
    for start, name in spans:
        end = start + len(values_by_name[name])
        yield entry.mention(text, start, end, _NUMBER.sub("", name), entity_id=name, field="privacy_mask")


def _recognise(head: Head) -> Fit:
    keys = head.json.keys.keys()
    pairs = ({"source_text", "masked_text"}, {"source_text", "target_text"}, {"masked_text", "unmasked_text"})
    typical = "privacy_mask" in keys or any(pair <= keys for pair in pairs)
    cut = "source_text" in keys and not head.json.whole  # a long text hides what follows
    return Fit.SURE if typical or cut else Fit.NO


ROWS = Objects(_Row, _row)
FORMAT = Format(
    "ai4privacy data sets: source_text and privacy_mask",
    *((".jsonl", ".json"), _recognise, ROWS.read, masks_from(ROWS.read)),
    sample={
        "sample.jsonl": (
            '{"uid": "case-1", "source_text": "Mr John Doe of Oslo left.", '
            '"masked_text": "Mr [PERSON_1] of [LOC_1] left.", '
            '"privacy_mask": [{"value": "John Doe", "start": 3, "end": 11, "label": "PERSON"}, '
            '{"value": "Oslo", "start": 15, "end": 19, "label": "LOC"}]}\n'
        )
    },
)
