"""An anonymization as records with an id: masks in every one, or a text in every one; a JSON list, or JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from showthrough.data.masks import Anonymization
from showthrough.errors import InputError, Problem, at_document
from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import decoded, fail, gathered, lines_of, unique
from showthrough.formats import tae
from showthrough.formats.base import Files, Fit, Format, Input, Masks, Texts, by_keys
from showthrough.formats.texts import texts_of

Record = dict[str, msgspec.Raw]

FIELDS: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_TEXT = msgspec.json.Decoder(str)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


def is_records(head: Head) -> bool:
    return head.suffix == ".jsonl" or head.json.opening == b"["


def objects_of(head: Head, kind: str = "document number") -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    """The objects of a JSON Lines file, or of a JSON list, still encoded, each with its place."""
    if head.suffix == ".jsonl":
        return ((f"line {number}", line) for number, _, line in lines_of(head.path))
    return items_of(head, kind)


def items_of(head: Head, kind: str = "document number") -> Iterator[tuple[str, msgspec.Raw]]:
    """The same of a JSON list, whatever the file's ending."""
    longest = RECORD.bytes
    raws = decoded(head.content, _LIST, head.path)
    for number, raw in enumerate(raws, 1):
        if len(memoryview(raw)) > longest:
            raise RECORD.passed(head.path, "has", f"{kind} {number}")
        yield f"{kind} {number}", raw


def read(file: Input) -> Masks | Texts:
    path = file.path

    def record(placed: tuple[str, bytes | msgspec.Raw]) -> tuple[str, Record]:
        place, content = placed
        fields = decoded(content, FIELDS, path, place)
        if "doc_id" not in fields:
            raise fail(path, "doc_id is missing", place)
        return decoded(fields["doc_id"], _TEXT, path, place, "doc_id"), fields

    records = unique(gathered(objects_of(file.head), record), path)
    if all("masks" in fields for fields in records.values()):
        return tae.checked({key: fields["masks"] for key, fields in records.items()}, path)
    if lacking := [key for key, fields in records.items() if "text" not in fields]:
        fault = "has no text; expected text in every document, or masks in every document"
        raise InputError(Problem(str(path), at_document(key), fault) for key in lacking)
    return texts_of({key: fields["text"] for key, fields in records.items()}, path)


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
