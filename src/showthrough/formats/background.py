"""What an attacker knows, from files: texts by individual, or TRI's records, which bring the documents along."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from showthrough.data.background import Background
from showthrough.errors import InputError, Problem, shown
from showthrough.files.reading import (
    collect,
    decoded,
    fail,
    first_byte,
    is_folder,
    lines_of,
    object_entries,
    read_bytes,
    stem,
    suffix,
)
from showthrough.formats import texts

KINDS = "a .json, .jsonl, .csv or .tsv file, or a folder of .txt files"
Record = dict[str, msgspec.Raw]

NAME, KNOWLEDGE = "name", "public_knowledge"  # of TRI's records; every other column is a way of anonymizing
_RECORD: msgspec.json.Decoder[Record] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str | None)


class Recorded(NamedTuple):
    """A background and the documents recorded with it: texts by individual, for each way of anonymizing."""

    background: Background
    documents: dict[str, dict[str, str]]


def read_background(
    path: str | os.PathLike[str], *, name: str | None = None, id_column: str = "doc_id", text_column: str = "text"
) -> Background:
    """Reads what the attacker knows.

    `{"id": "text"}` (as TAE has it); a list or lines of `{"doc_id": …, "text": …}`, or of TRI's records with `name` and
    `public_knowledge`; a table; a folder of texts.
    """
    path = Path(path)
    return Background(_known(path, id_column, text_column), name or stem(path), str(path))


def _known(path: Path, id_column: str, text_column: str) -> dict[str, str]:
    if (plain := texts.read_plain(path, id_column, text_column)) is not None:
        return plain
    opening = first_byte(path)
    if suffix(path) == ".jsonl" or opening == b"[":
        return _of_records(path, _records(path), id_column, text_column)
    if opening == b"{":
        return texts.texts_of(object_entries(path, read_bytes(path)), path)
    found = f"starts with {opening.decode('latin-1')!r}" if opening else "is empty"
    raise fail(path, f"{found}; expected {KINDS}")


def read_recorded(path: str | os.PathLike[str], *, name: str | None = None) -> Recorded:
    """Reads TRI's records: `name`, `public_knowledge`, and one column of documents for each way of anonymizing.

    A document that is null in one column is not there in that column (a blank one is: nothing was left of it); a column
    of nothing but nulls is left out.
    """
    path = Path(path)
    if is_folder(path) or not (suffix(path) == ".jsonl" or first_byte(path) == b"["):
        raise fail(path, f"has no documents in it; expected records with {NAME}, {KNOWLEDGE} and a column for each way "
                   "of anonymizing, or NAME=FILE beside it")  # fmt: skip
    records = _records(path)
    known = _of_records(path, records, NAME, KNOWLEDGE)
    columns = dict.fromkeys(key for _, record in records for key in record if key not in (NAME, KNOWLEDGE))
    problems: list[Problem] = []
    documents: dict[str, dict[str, str]] = {}
    for column in columns:
        for individual, (place, record) in zip(known, records, strict=True):
            try:
                text = decoded(record[column], _TEXT, path, f"{place}: {shown(column)}") if column in record else None
            except InputError as error:
                collect(problems, error)
                continue
            if text is not None:
                documents.setdefault(column, {})[individual] = text
    if problems:
        raise InputError(problems)
    if not documents:
        raise fail(path, f"has nobody's documents: expected a column beside {NAME} and {KNOWLEDGE}, or NAME=FILE")
    return Recorded(Background(known, name or stem(path), str(path)), documents)


def _of_records(path: Path, records: list[tuple[str, Record]], id_column: str, text_column: str) -> dict[str, str]:
    if records and NAME in records[0][1] and KNOWLEDGE in records[0][1]:
        id_column, text_column = NAME, KNOWLEDGE
    problems: list[Problem] = []
    known: dict[str, str] = {}
    for place, record in records:
        try:
            if lacking := [key for key in (id_column, text_column) if key not in record]:
                raise fail(path, f"{lacking[0]} is missing", place)
            individual = decoded(record[id_column], _TEXT, path, f"{place}: {id_column}")
            text = decoded(record[text_column], _TEXT, path, f"{place}: {text_column}")
            if not individual:
                raise fail(path, "found no name; expected text", f"{place}: {id_column}")
            if individual in known:
                raise fail(path, "occurs twice; expected unique ids", f"individual {shown(individual)}")
            known[individual] = text or ""
        except InputError as error:
            collect(problems, error)
    if problems:
        raise InputError(problems)
    return known


def _records(path: Path) -> list[tuple[str, Record]]:
    problems: list[Problem] = []
    found: list[tuple[str, Record]] = []
    for place, content in _objects(path):
        try:
            found.append((place, decoded(content, _RECORD, path, place)))
        except InputError as error:
            collect(problems, error)
    if problems:
        raise InputError(problems)
    return found


def _objects(path: Path) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    if suffix(path) == ".jsonl":
        yield from ((f"line {number}", line) for number, _, line in lines_of(path))
    else:
        raws = decoded(read_bytes(path), _LIST, path)
        yield from ((f"record {number}", raw) for number, raw in enumerate(raws, 1))
