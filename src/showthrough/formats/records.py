"""An anonymization as records with an id: masks in every one, or a text in every one; a JSON list, or JSON Lines."""

from __future__ import annotations

import msgspec

from showthrough.data.masks import Anonymization
from showthrough.errors import InputError, Problem, at_document, shown
from showthrough.files.heads import Head
from showthrough.files.reading import decoded, fail, gathered, unique
from showthrough.formats import tae
from showthrough.formats.base import Files, Fit, Format, Input, Masks, Texts, by_keys
from showthrough.formats.objects import objects_of
from showthrough.formats.remarks import like_spans
from showthrough.formats.texts import texts_of

Record = dict[str, msgspec.Raw]

_OTHERS = ("group", "annotations", "masks")  # of a corpus, which released texts may still have
FIELDS: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_ANY = msgspec.json.Decoder()
_ID = msgspec.json.Decoder(str | int)


def is_records(head: Head) -> bool:
    return head.lines or head.json.opening == b"["


def read(file: Input) -> Masks | Texts:
    path = file.path
    id_key, text_key = file.columns.id or "doc_id", file.columns.text or "text"

    def record(placed: tuple[str, bytes | msgspec.Raw]) -> tuple[str, Record]:
        place, content = placed
        fields = decoded(content, FIELDS, path, place)
        if id_key not in fields:
            raise fail(path, f"{shown(id_key)} is missing", place)
        for key in fields.keys() - {id_key, text_key, *_OTHERS}:
            file.remarks.unknown[key] += 1
            if like_spans(decoded(fields[key], _ANY, path, place, key)):
                file.remarks.spans.add(key)
        return str(decoded(fields[id_key], _ID, path, place, id_key)), fields

    records = unique(gathered(objects_of(file.head), record), path)
    if all("masks" in fields for fields in records.values()):
        return tae.checked({key: fields["masks"] for key, fields in records.items()}, path)
    if lacking := [key for key, fields in records.items() if text_key not in fields]:
        fault = f"has no {shown(text_key)}; expected text in every document, or masks in every document"
        raise InputError(Problem(str(path), at_document(key), fault) for key in lacking)
    if spans := sorted(file.remarks.spans):  # behind a text that was too long to look past it
        fault = "looks like marks, and this format has released texts or masks; choose with --format"
        raise fail(path, fault, f"key {shown(spans[0])}")
    return texts_of({key: fields[text_key] for key, fields in records.items()}, path)


def write_masks(anonymization: Anonymization) -> Files:
    """JSON Lines."""
    lines = ({"doc_id": key, "masks": masks} for key, masks in anonymization.masks.items())
    return {"": b"".join(msgspec.json.encode(line) + b"\n" for line in lines)}


def _recognise(head: Head) -> Fit:
    return by_keys(head, {"doc_id"}, {"masks", "text"}) if is_records(head) else Fit.NO


FORMAT = Format(
    "masks, or anonymized texts, with a doc_id: JSON Lines or a list",
    (".jsonl", ".json"),
    *(_recognise, None, read),
    write_masks=write_masks,
)
