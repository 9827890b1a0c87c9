"""Whom people, agents or programs named for documents, in files: JSON Lines, a JSON list or object, or a table.

    {"id": "d1", "anonymization": "rules", "named": [{"individual": "ann", "confidence": 0.8}, {"individual": "bob"…}]}
    {"id": "d2", "individual": "cem"}, {"id": "d3", "named": ["ann", "bob"]}, {"id": "d4", "named": []}

A table has the columns id, individual, and perhaps confidence and anonymization: a line for each who was named. Fields
of other names, such as what was searched and when, are for readers of the file: nothing here looks at them.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from showthrough.core.errors import InputError, at_document, quote_value, shorten
from showthrough.formats.objects import objects_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail, read_bytes, text_of

_EXPECTED = "expected id and whom it is about: individual, or named with a list"
_TABLES = {".csv": ",", ".tsv": "\t"}
_Id = str | int


class NamedIndividual(NamedTuple):
    """Somebody who was named for a document: more confidence is likelier."""

    individual: str
    confidence: float


class _Named(msgspec.Struct):
    individual: _Id
    confidence: float | None = None


class _Line(msgspec.Struct):
    id: _Id | None = None
    document: _Id | None = None
    doc_id: _Id | None = None
    anonymization: str | None = None
    individual: _Id | msgspec.UnsetType | None = msgspec.UNSET
    confidence: float | None = None
    named: list[_Named | _Id] | msgspec.UnsetType | None = msgspec.UNSET


_LINE = msgspec.json.Decoder(_Line)
NamedByDocument = dict[tuple[str, str], tuple[NamedIndividual, ...]]


def read_named_individuals(path: str | os.PathLike[str]) -> NamedByDocument:
    """By anonymization (empty where a line names none) and document, the likeliest first; raises InputError."""
    head = Head.of(path)
    if head.folder:
        raise fail(head.path, f"is a folder; expected a file, with {_EXPECTED.removeprefix('expected ')} in each line")
    named = _of_table(head.path) if head.path.suffix.lower() in _TABLES else _of_objects(head)
    if not named:
        raise fail(head.path, f"is empty; {_EXPECTED}")
    return named


def _of_objects(head: Head) -> NamedByDocument:
    if head.first_byte not in (b"{", b"["):
        raise fail(head.path, f"{'is not JSON' if head.first_byte else 'is empty'}; {_EXPECTED}")
    records: NamedByDocument = {}

    def take(item: tuple[str, bytes | msgspec.Raw]) -> None:
        line = decode_json(item[1], _LINE, head.path, item[0])
        document = next((key for key in (line.id, line.document, line.doc_id) if key not in (None, "")), None)
        if document is None:
            raise fail(head.path, f"its id is missing; {_EXPECTED}", item[0])
        key = line.anonymization or "", str(document)
        location = f"{item[0]}: {at_document(key[1])}"
        if key in records:
            raise fail(head.path, "is there twice; expected every document once, with all who were named", location)
        if (line.individual is msgspec.UNSET) == (line.named is msgspec.UNSET):
            raise fail(
                head.path, f"found {'no answer' if line.named is msgspec.UNSET else 'both'}; {_EXPECTED}", location
            )
        entries: Sequence[_Named | _Id] = line.named or () if isinstance(line.named, list) else ()
        if isinstance(line.individual, str | int):
            entries = [_Named(line.individual, line.confidence)]
        people = [entry if isinstance(entry, _Named) else _Named(entry) for entry in entries]
        records[key] = _ranked(head.path, location, [(str(person.individual), person.confidence) for person in people])

    collect_results(objects_of(head), take)
    return records


def _of_table(path: Path) -> NamedByDocument:
    text = text_of(path, read_bytes(path)).removeprefix("\ufeff")
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=_TABLES[path.suffix.lower()], strict=True)
    entries: dict[tuple[str, str], list[tuple[str, float | None]]] = {}
    try:
        if missing := {"id", "individual"} - {*(rows.fieldnames or ())}:
            raise fail(path, f"has no column {min(missing)}; expected the columns id and individual")
        for row in rows:
            location = f"line {rows.line_num}"
            if None in row or None in row.values():
                raise fail(path, "has another number of cells than heads; expected as many", location)
            if not row["id"]:
                raise fail(path, "its id is empty; expected that of a document", location)
            own = entries.setdefault((row.get("anonymization") or "", row["id"]), [])
            if row["individual"]:
                own.append((row["individual"], _number(path, location, row.get("confidence") or "")))
    except csv.Error as error:
        raise fail(path, f"is no table: {error}", f"line {rows.line_num}") from None
    return {key: _ranked(path, at_document(key[1]), own) for key, own in entries.items()}


def _number(path: Path, location: str, written: str) -> float | None:
    try:
        return float(written) if written else None
    except ValueError:
        raise fail(path, f"found {quote_value(written)}; expected a number", f"{location}: confidence") from None


def _ranked(path: Path, location: str, named: Sequence[tuple[str, float | None]]) -> tuple[NamedIndividual, ...]:
    """Where nobody says a confidence, the first is the likeliest: 1, 1/2, 1/3 …"""
    individuals = [individual for individual, _ in named]
    if repeated := next((name for number, name in enumerate(individuals) if name in individuals[:number]), None):
        raise fail(path, f"names {shorten(repeated)} twice; expected everybody once", location)
    confidences = [confidence for _, confidence in named if confidence is not None]
    if confidences and len(confidences) < len(named):
        raise fail(path, "some who are named have a confidence; expected one for each, or for nobody", location)
    if wrong := [number for number in confidences if not (math.isfinite(number) and number > 0)]:
        raise _confidence_fault(path, location, wrong[0])
    if not confidences:
        return tuple(NamedIndividual(name, 1 / rank) for rank, name in enumerate(individuals, 1))
    pairs = zip(individuals, confidences, strict=True)
    return tuple(sorted((NamedIndividual(*pair) for pair in pairs), key=lambda entry: -entry.confidence))


def _confidence_fault(path: Path, location: str, number: float) -> InputError:
    return fail(path, f"found {number:g}; expected a confidence above 0", f"{location}: confidence")
