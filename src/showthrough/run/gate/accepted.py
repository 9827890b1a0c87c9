"""Readable identifiers that somebody accepted, and which of those in a release they are.

A list says for each who accepted it, when and why. An identifier that cannot be told is never taken for accepted.
"""

from __future__ import annotations

import csv
import hashlib
import io
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError, Problem, ResourceError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.layout.gold import DIRECT
from showthrough.data.masks import Anonymization, Mask
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.entities import EntitySearch, HowRead
from showthrough.models import Resources
from showthrough.run.documents import RunTexts
from showthrough.run.records import MetricRecord, describe_fields
from showthrough.run.roles import find_metrics, goes_first, wrongs
from showthrough.run.run import Run
from showthrough.storage.reading import decode_json, decoder_of, read_bytes, suffix, text_of, type_fault, without_bom

_COLUMNS = ("document", "text", "start", "end", "digest", "by", "when", "why")
_NEEDED = ("document", "by", "when", "why")
_EXPECTED = "a list of objects, or an object with the list as accepted"
_HEX = frozenset("0123456789abcdef")
_LENGTH = 64  # of a digest
_MARKS = 3  # that a message names
_FIRST = 14  # hours that the first time zone is ahead of UTC
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs without ink


class AcceptedIdentifier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One identifier of one document that may stay readable: by its text, by its place or by its digest."""

    document: Annotated[str, "the id of the document"]
    by: Annotated[str, "who accepted it"]
    when: Annotated[str, "the day, as 2026-11-18"]
    why: Annotated[str, "the reason"]
    text: Annotated[str, "the identifier as it was marked"] = ""
    start: Annotated[int | None, "where it was marked in the original; with end, instead of the text"] = None
    end: Annotated[int | None, "where that ends"] = None
    digest: Annotated[str, "the SHA-256 of the text in hexadecimal digits, instead of the text"] = ""

    def fault(self) -> tuple[str, str]:
        """What is wrong with it, as field and message; empty where nothing is."""
        described = describe_fields(AcceptedIdentifier)
        for name in _NEEDED:
            if not any(map(_is_visible, getattr(self, name))):
                return name, f"is empty; expected {described[name]}"
        if wrong := _day_fault(self.when):
            return "when", f"found {quote_value(self.when)}; {wrong}"
        ways = [bool(self.text), self.start is not None or self.end is not None, bool(self.digest)]
        if sum(ways) != 1:
            return "text", "expected one of text, start with end, or digest, to tell which identifier"
        if ways[1] and (self.start is None or self.end is None or not 0 <= self.start < self.end):
            return "start", "expected start and end, the end after the start"
        if self.digest and (len(self.digest) != _LENGTH or not _HEX.issuperset(self.digest.lower())):
            return "digest", f"expected {_LENGTH} hexadecimal digits (SHA-256 of the text)"
        return "", ""

    def fits(self, text: str, span: tuple[int, int]) -> bool:
        """Whether it is about a mark of its document."""
        if self.text:
            return _folded(self.text) == _folded(text)
        if self.digest:
            return self.digest.lower() == digest_of_identifier(text)
        return (self.start, self.end) == span


def _is_visible(character: str) -> bool:
    """Whether a reader sees something: no white space, no control or format character, nothing drawn as a blank."""
    return character not in _BLANK and unicodedata.category(character)[0] not in "CZM"


def _day_fault(day: str) -> str:
    """What is wrong with a day, as a message. A day is in the future if it has begun nowhere on earth."""
    try:
        parsed = date.fromisoformat(day)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != day:  # not a week or a day of the year either
        return "expected a day, as 2026-11-18"
    if parsed > datetime.now(timezone(timedelta(hours=_FIRST))).date():
        return "expected a day that is not in the future"
    return ""


def digest_of_identifier(text: str) -> str:
    """What stands in a list in place of a text. A name can be guessed from it all the same.

    >>> digest_of_identifier("Doe")[:8], digest_of_identifier("Jane  Doe") == digest_of_identifier("Jane Doe")
    ('fd53ef83', True)
    """
    return hashlib.sha256(_folded(text).encode("utf-8", "surrogatepass")).hexdigest()


def _folded(text: str) -> str:
    return " ".join(text.split())


class Accepted(msgspec.Struct, frozen=True):
    """A reviewed list."""

    entries: Sequence[AcceptedIdentifier] = ()
    name: str = ""
    digest: str = ""  # of the file, so that a reader can tell which list it was

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.by.strip() for entry in self.entries))


def read_accepted(path: Path) -> Accepted:
    """A list in JSON or CSV; raises InputError with all that is wrong in it."""
    content = read_bytes(path)
    digest = hashlib.sha256(content).hexdigest()
    bare = without_bom(path, content)
    entries: list[AcceptedIdentifier] = []
    problems: list[Problem] = []
    for where, value in _csv_entries(path, bare) if suffix(path) == ".csv" else _json_entries(path, bare):
        try:
            entry = msgspec.convert(value, AcceptedIdentifier)
        except msgspec.ValidationError as error:
            problems.append(_type_problem(path, where, error))
            continue
        field, message = entry.fault()
        if message:
            problems.append(Problem(str(path), f"{where}: {field}", message))
        entries.append(entry)
    if problems:
        raise InputError(problems)
    return Accepted(tuple(entries), path.name, digest)


def _type_problem(path: Path, where: str, error: msgspec.ValidationError) -> Problem:
    field, message = type_fault(error)
    return Problem(str(path), ": ".join(filter(None, (where, field))), f"{message}; fields: {', '.join(_COLUMNS)}")


def _json_entries(path: Path, content: bytes) -> Iterator[tuple[str, Any]]:
    value = decode_json(content, decoder_of(object), path)
    entries = value.get("accepted") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise InputError(Problem(str(path), "accepted" if isinstance(value, dict) else "", f"expected {_EXPECTED}"))
    for number, entry in enumerate(entries, 1):
        yield f"entry {number}", entry


def _csv_entries(path: Path, content: bytes) -> Iterator[tuple[str, Any]]:
    rows = csv.DictReader(io.StringIO(text_of(path, content), newline=""), strict=True)
    try:
        heads = rows.fieldnames or []
        if missing := [name for name in _NEEDED if name not in heads]:
            message = f"found no column {missing[0]}; expected {', '.join(_COLUMNS)}"
            raise InputError(Problem(str(path), "line 1", message))
        if twice := [name for name in heads if heads.count(name) > 1]:
            raise InputError(Problem(str(path), "line 1", f"found two columns {shorten(twice[0])}; expected one"))
        for row in rows:
            where = f"line {rows.line_num}"
            if None in row or None in row.values():
                message = f"found another number of cells than heads; expected {len(heads)}"
                raise InputError(Problem(str(path), where, message))
            values: dict[str, Any] = {str(key): value for key, value in row.items() if value}
            for name in ("start", "end"):
                if name in values and str(values[name]).isdecimal():
                    values[name] = int(values[name])
            yield where, {**dict.fromkeys(_NEEDED, ""), **values}
    except csv.Error as error:
        raise InputError(Problem(str(path), f"line {rows.line_num}", f"is no CSV: {error}")) from error


class ReadableIdentifiers(msgspec.Struct, frozen=True):
    """The direct identifiers of a release that can be read, and those of them that somebody accepted."""

    metric: str  # by which most are readable
    readable: int
    accepted: int
    marked: int
    documents: int  # in which some are readable that nobody accepted; in all of them where none was accepted
    unused: Sequence[int] = ()  # entries of the list that fit nothing that is readable, from 1

    @property
    def left(self) -> int:
        """Those that nobody accepted."""
        return self.readable - self.accepted


def readable_identifiers(run: Run, name: str, accepted: Accepted | None = None) -> ReadableIdentifiers | None:
    """By the metric that finds most of them; `None` where no metric counts direct identifiers, or there are none."""
    counts = [
        _readable_by(run, name, record, accepted)
        for record in find_metrics(run, "direct identifiers")
        if name in run.rows[record.text]
    ]
    return max(
        (count for count in counts if count.marked), key=lambda count: (count.left, count.readable), default=None
    )


def _readable_by(run: Run, name: str, record: MetricRecord, accepted: Accepted | None) -> ReadableIdentifiers:
    counts = np.asarray(wrongs(run, record, name), dtype=np.float64)
    columns = run.rows[record.text][name]
    marked = sum(float(np.asarray(columns[column]).sum()) for column, kind in record.counts.items() if kind == "all")
    where = np.flatnonzero(counts > 0)
    readable = {run.documents[number]: round(float(counts[number])) for number in where.tolist()}
    excused, used = _match(run, name, record, readable, accepted) if accepted and accepted.entries else ({}, set())
    entries = accepted.entries if accepted else ()
    left = [key for key, count in readable.items() if count > excused.get(key, 0)]
    return ReadableIdentifiers(
        record.text,
        sum(readable.values()),
        sum(excused.values()),
        round(marked),
        len(left) if excused else len(readable),
        [number for number in range(1, len(entries) + 1) if number not in used],
    )


def _match(
    run: Run, name: str, record: MetricRecord, readable: Mapping[str, int], accepted: Accepted
) -> tuple[dict[str, int], set[int]]:
    """How many readable identifiers of each document are accepted, and which entries say so.

    They are looked for again in the documents that the run keeps. What it keeps no text of, and what is counted and not
    found again, nobody can have accepted.
    """
    texts = run.texts
    by_document: dict[str, list[tuple[int, AcceptedIdentifier]]] = {}
    for number, entry in enumerate(accepted.entries, 1):
        by_document.setdefault(entry.document, []).append((number, entry))
    if texts is None:
        return {}, set()
    numbers = [
        number
        for number, document in enumerate(texts.documents)
        if document.id in readable and document.id in by_document
    ]
    if not numbers:
        return {}, set()
    try:
        entities = [*_readable_entities(texts, name, record, numbers, by_document)]
    except ResourceError:  # a word list that the metric read with is not here
        return {}, set()
    excused: dict[str, int] = {}
    used: set[int] = set()
    for number in numbers:
        document = texts.documents[number]
        entries, left, allowed = by_document[document.id], 0, 0
        for entity in entities:
            if entity.document != number:
                continue
            left += 1
            quoted = [(document.text[start:end], (start, end)) for start, end in entity.marks]
            fitting = {at: text for at, entry in entries for text, span in quoted if entry.fits(text, span)}
            # By its text an identifier is accepted wherever it appears, and shorter forms of it with it.
            texts_of = [_words(text) for at, text in fitting.items() if accepted.entries[at - 1].start is None]
            by_text = bool(texts_of) and all(any(_words(text) <= words for words in texts_of) for text, _ in quoted)
            if by_text or entity.gone:
                allowed += 1
                used.update(fitting)
        # Of what was found and not counted anybody may have been accepted; what was counted and not found was not.
        excused[document.id] = max(0, min(allowed, readable[document.id] - (left - allowed)))
    return {key: count for key, count in excused.items() if count}, used


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


class _Entity(NamedTuple):
    """A direct identifier that can be read: its document, its marks, and whether accepted places hide all of it."""

    document: int
    marks: Sequence[tuple[int, int]]
    gone: bool


def _readable_entities(
    texts: RunTexts,
    name: str,
    record: MetricRecord,
    numbers: Sequence[int],
    by_document: Mapping[str, Sequence[tuple[int, AcceptedIdentifier]]],
) -> Iterator[_Entity]:
    """What can be read in some documents, as the metric counted.

    An accepted place is accepted there alone: what can still be read with that place hidden appears elsewhere too.
    """
    documents = [texts.documents[number] for number in numbers]
    words, dictionary = record.parameters.get("function_words"), record.parameters.get("dictionary")
    usual = HowRead()
    how = HowRead(str(words or usual.function_words), str(dictionary or usual.dictionary))
    search = EntitySearch(Chunk(Corpus(documents), Resources()), how)
    masks = {document.id: texts.masks[name][number] for document, number in zip(documents, numbers, strict=True)}
    more: dict[str, Sequence[Mask]] = {}
    for document in documents:
        marked = {(mark.start, mark.end) for layer in document.annotations for mark in layer.mentions}
        entries = [entry for _, entry in by_document[document.id]]
        places = {span for span in marked if any(span == (entry.start, entry.end) for entry in entries)}
        more[document.id] = [*masks[document.id], *(Mask(start, end) for start, end in places)]
    before, after = (_ways(search, record, Anonymization(each, name)) for each in (masks, more))
    for index, number in enumerate(numbers):
        for entity in search.by_document[index]:
            if search.gold.entity_level[entity] == DIRECT and before[entity]:
                yield _Entity(number, search.own[entity], not after[entity])


def _ways(search: EntitySearch, record: MetricRecord, anonymization: Anonymization) -> Ints:
    """How each entity can be read; 0 is not at all."""
    anonymized = Anonymized(search.chunk, anonymization)
    if goes_first(record):
        result = search.find_readable(anonymized)
        return result.strict if record.parameters.get("generalized") == "left" else result.ways
    covered = anonymized.coverage.is_covered(search.mentions, search.span_index, "read")
    return np.bincount(search.entity, ~covered, minlength=len(search.gold.entity_level)).astype(np.int64)


def _what_fits(run: Run, entry: AcceptedIdentifier) -> str:
    """What an entry should say instead: a longer form that was marked, by its place, or the text of a place."""
    documents = run.texts.documents if run.texts else ()
    document = next((document for document in documents if document.id == entry.document), None)
    if document is None:
        return ""
    marks = [mark for layer in document.annotations for mark in layer.mentions if mark.identifier == "DIRECT"]
    if entry.start is not None:
        fits = any((mark.start, mark.end) == (entry.start, entry.end) for mark in marks)
        return "; a place is accepted there alone, and a text wherever it appears" if fits else ""
    texts = {f"{mark.start}–{mark.end}": document.text[mark.start : mark.end] for mark in marks}
    longer = [span for span, text in texts.items() if entry.text and _words(entry.text) < _words(text)]
    return f"; expected the longer text that was marked at {', '.join(longer[:_MARKS])}" if longer else ""


def describe_unused(run: Run, accepted: Accepted, unused: Sequence[int] | None) -> Iterator[str]:
    """Entries that fit nothing, by number and document: never by what they say. `None`: nothing was counted."""
    with_text = {document.id for document in run.texts.documents} if run.texts else set()
    without_text = {*run.documents} - with_text  # of these nobody can tell what was marked
    for number in range(1, len(accepted.entries) + 1) if unused is None else unused:
        entry = accepted.entries[number - 1]
        why = f"fits nothing that can be read there{_what_fits(run, entry)}"
        if entry.document in without_text:
            why = "counts for nothing: the run keeps no text of that document"
        yield f"{shorten(accepted.name)}, entry {number} (document {shorten(entry.document)}) {why}"
