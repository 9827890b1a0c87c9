"""Texts by id from a folder of .txt files, a table, or JSON: originals without annotations, or anonymized texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from showthrough.errors import InputError, Problem, at_document, shown
from showthrough.files.limits import RECORD
from showthrough.files.reading import (
    ENOUGH,
    check_records,
    collect,
    decoded,
    fail,
    is_folder,
    lines_of,
    read_bytes,
    stem,
    suffix,
    text_of,
)

_TEXT = msgspec.json.Decoder(str)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
V = TypeVar("V")
_MORE = "\0"  # where cells past the last column go; no column is named so


def read_plain(path: Path, id_column: str, text_column: str) -> dict[str, str] | None:
    """The texts of a folder or a table; nothing where it is neither."""
    if is_folder(path):
        return read_folder(path)
    if suffix(path) in (".csv", ".tsv"):
        return read_table(path, id_column, text_column)
    return None


def read_folder(path: Path) -> dict[str, str]:
    """Every `.txt` (or `.txt.gz`) of a folder; the file's name is the document's id."""
    try:
        files = sorted(file for file in path.iterdir() if suffix(file) == ".txt" and file.name[0] != ".")
    except OSError as error:
        raise fail(path, f"cannot be read: {error.strerror}") from error
    if not files:
        raise fail(path, "holds no .txt file; expected one a document")
    return _unique(((stem(file), text_of(file, read_bytes(file, RECORD))) for file in files), path)


def read_table(path: Path, id_column: str, text_column: str) -> dict[str, str]:
    """A CSV (or tab-separated .tsv) file with a header; which columns hold id and text is the caller's choice."""
    return {key: text for key, (text, _) in read_grouped(path, id_column, text_column, None).items()}


def read_grouped(path: Path, id_column: str, text_column: str, group_column: str | None) -> dict[str, tuple[str, str]]:
    """Text and group of every row of a table, by id. The column of groups may be missing: then there are none."""
    csv.field_size_limit(RECORD.bytes)
    content = io.StringIO(text_of(path, read_bytes(path)), newline="")
    reader = csv.DictReader(content, delimiter="\t" if suffix(path) == ".tsv" else ",", strict=True, restkey=_MORE)
    try:
        header = list(reader.fieldnames or [])
        wanted = [id_column, text_column, *([group_column] if group_column in header else [])]
        for column in wanted:
            if header.count(column) != 1:
                found = shown(", ".join(header)) or "no columns"  # without a header, it is a document
                raise fail(
                    path,
                    f"found {found}; expected one of this name (choose with --id-column, --text-column)",
                    f"column {column}",
                )
        rows = []
        for row in reader:
            if _MORE in row or None in row.values():
                raise fail(
                    path, f"has {len(header)} columns in its header but not in this row", f"line {reader.line_num}"
                )
            rows.append((row[id_column], (row[text_column], row.get(group_column or "") or "")))
    except csv.Error as error:
        if "field limit" in str(error):
            raise RECORD.passed(path, "has a cell of", f"line {reader.reader.line_num}") from None
        raise fail(path, f"is not a well-formed table: {error}", f"line {reader.reader.line_num}") from error
    return _unique(rows, path)


def texts_of(entries: Mapping[str, msgspec.Raw], path: Path) -> dict[str, str]:
    """Encoded texts by id, decoded; anything that is no text is told, all at once."""
    problems: list[Problem] = []
    texts = {}
    for document_id, raw in entries.items():
        try:
            texts[document_id] = decoded(raw, _TEXT, path, at_document(document_id), "text")
        except InputError as error:
            collect(problems, error)
    if problems:
        raise InputError(problems)
    return texts


def read_records(path: Path) -> dict[str, dict[str, msgspec.Raw]]:
    """The objects of a JSON Lines file (or of a JSON list), by their `doc_id`, fields still encoded."""
    problems: list[Problem] = []
    found: list[tuple[str, dict[str, msgspec.Raw]]] = []
    for place, content in _objects(path):
        try:
            fields = decoded(content, _FIELDS, path, place)
            if "doc_id" not in fields:
                raise fail(path, "doc_id is missing", place)
            found.append((decoded(fields["doc_id"], _TEXT, path, place, "doc_id"), fields))
        except InputError as error:
            collect(problems, error)
            if len(problems) > ENOUGH:
                break
    if problems:
        raise InputError(problems)
    return _unique(found, path)


def _objects(path: Path) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    if suffix(path) == ".jsonl":
        for number, _, line in lines_of(path):
            yield f"line {number}", line
    else:
        raws = decoded(read_bytes(path), msgspec.json.Decoder(list[msgspec.Raw]), path)
        for index, raw in enumerate(raws):
            check_records(path, [(f"document number {index + 1}", len(memoryview(raw)))])
            yield f"document number {index + 1}", raw


def _unique(pairs: Iterable[tuple[str, V]], path: Path) -> dict[str, V]:
    found: dict[str, V] = {}
    problems = []
    for key, value in pairs:
        if not key:
            problems.append(Problem(str(path), "a document", "its id is empty; expected a name"))
        if key in found:
            problems.append(Problem(str(path), at_document(key), "occurs twice; expected unique ids"))
        found[key] = value
    if problems:
        raise InputError(problems)
    return found
