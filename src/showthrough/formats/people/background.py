"""What an attacker knows, from files: texts by individual, or TRI's records, which bring the documents along."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from showthrough.core.errors import shorten
from showthrough.data.background import Background
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.mask_lines import FIELDS, Record
from showthrough.formats.objects import objects_of
from showthrough.formats.records import is_records
from showthrough.formats.registry import read_as
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail, stem, unique

KINDS = "a .json, .jsonl, .csv or .tsv file, or a folder of .txt files"

NAME, KNOWLEDGE = "name", "public_knowledge"  # of TRI's records; every other column is a way of anonymizing
_TEXT = msgspec.json.Decoder(str | None)


class BackgroundRecords(NamedTuple):
    """A background and the documents recorded with it: texts by individual, for each way of anonymizing."""

    background: Background
    documents: dict[str, dict[str, str]]


def read_background(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> Background:
    """Reads what the attacker knows.

    `{"id": "text"}` (as TAE has it); a list or lines of `{"doc_id": …, "text": …}`, or of TRI's records with `name` and
    `public_knowledge`; a table; a folder of texts.
    """
    head = Head.of(path)
    if is_records(head):
        texts = _of_records(head.path, _records(head), id_column or "doc_id", text_column or "text")
    else:
        file = Input(head, ColumnNames(id_column, text_column))
        documents = read_as(None, file, "read", KINDS)
        if file.remarks.numbered:
            raise fail(head.path, "has no ids, so nothing shows whom a text is about; expected a column doc_id or id")
        texts = unique(((document.id, document.text) for document in documents), head.path)
    return Background(texts, name or stem(head.path), str(head.path))


def read_recorded(path: str | os.PathLike[str], *, name: str | None = None) -> BackgroundRecords:
    """Reads TRI's records: `name`, `public_knowledge`, and one column of documents for each way of anonymizing.

    A document that is null in one column is not there in that column (a blank one is: nothing was left of it); a column
    of nothing but nulls is left out.
    """
    head = Head.of(path)
    path = head.path
    if not is_records(head):
        raise fail(path, f"has no documents in it; expected records with {NAME}, {KNOWLEDGE} and a column for each way "
                   "of anonymizing, or NAME=FILE beside it")  # fmt: skip
    records = _records(head)
    knowledge = _of_records(path, records, NAME, KNOWLEDGE)
    columns = dict.fromkeys(key for _, record in records for key in record if key not in (NAME, KNOWLEDGE))
    cells = (
        (column, individual, location, record[column])
        for column in columns
        for individual, (location, record) in zip(knowledge, records, strict=True)
        if column in record
    )

    documents: dict[str, dict[str, str]] = {}

    def take(cell: tuple[str, str, str, msgspec.Raw]) -> None:
        column, individual, location, content = cell
        text = decode_json(content, _TEXT, path, f"{location}: {shorten(column)}")
        if text is not None:
            documents.setdefault(column, {})[individual] = text

    collect_results(cells, take)
    if not documents:
        raise fail(path, f"has nobody's documents: expected a column beside {NAME} and {KNOWLEDGE}, or NAME=FILE")
    return BackgroundRecords(Background(knowledge, name or stem(path), str(path)), documents)


def _of_records(path: Path, records: list[tuple[str, Record]], id_column: str, text_column: str) -> dict[str, str]:
    if records and NAME in records[0][1] and KNOWLEDGE in records[0][1]:
        id_column, text_column = NAME, KNOWLEDGE
    knowledge: dict[str, str] = {}

    def take(placed: tuple[str, Record]) -> None:
        location, record = placed
        if lacking := [key for key in (id_column, text_column) if key not in record]:
            raise fail(path, f"{lacking[0]} is missing", location)
        individual = decode_json(record[id_column], _TEXT, path, f"{location}: {id_column}")
        text = decode_json(record[text_column], _TEXT, path, f"{location}: {text_column}")
        if not individual:
            raise fail(path, "found no name; expected text", f"{location}: {id_column}")
        if individual in knowledge:
            raise fail(path, "occurs twice; expected unique ids", f"individual {shorten(individual)}")
        knowledge[individual] = text or ""

    collect_results(records, take)
    return knowledge


def _records(head: Head) -> list[tuple[str, Record]]:
    def record(placed: tuple[str, bytes | msgspec.Raw]) -> tuple[str, Record]:
        location, content = placed
        return location, decode_json(content, FIELDS, head.path, location)

    return collect_results(objects_of(head, "record"), record)
