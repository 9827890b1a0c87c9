"""Takes the answers of any service out of the files that hold them: objects, lists, records, lines, folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import InputError, at_document, join_names, quote_value
from showthrough.formats.base import ColumnNames, Fit, unlike
from showthrough.formats.objects import items_of
from showthrough.formats.remarks import Remarks, keys_of, like_spans
from showthrough.formats.tables.rows import IDS
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import decode_json, fail, read_bytes, stem, type_fault

_IDS = (*IDS, "document_id")
# Under which key a record may have its answer.
_ANSWER_KEYS = (
    "results", "entities", "answer", "answers", "response", "result", "output", "findings", "analysis", "spans",
    "recognizer_results", "analyzer_results", "anonymized", "predictions", "pii",
)  # fmt: skip
_ERRORS = ("error", "Error", "errorMessage", "ErrorMessage", "ErrorCode", "message", "Message")
_FEW = 32  # keys of an object that may be one answer; with more, it has one answer a key
_SAMPLE_FILES = 50  # files of a folder that are looked at to recognise
_ANY = msgspec.json.Decoder()


class ServiceAnswer(msgspec.Struct, frozen=True):
    """What was found in one text, and what the file says of whose text it was."""

    path: Path
    location: str
    value: Any
    id: str = ""
    text: str | None = None  # the original, where the file has it; then the corpus's
    number: int = -1  # of its text in what was sent, from 0 on, where the file says it
    unit: str = ""  # what offsets count, where the file says it

    def fail(self, message: str, field: str = "") -> InputError:
        return fail(self.path, message, ": ".join(filter(None, (self.location, field))))

    def original(self) -> str:
        """The text; raises InputError where nobody gave it."""
        if self.text is None:
            raise self.fail("means nothing without the original; reading it needs the corpus")
        return self.text

    def parse_findings(self, value: Any, kind: Any, strict_type: Any, remarks: Remarks | None, field: str = "") -> Any:
        """A list of findings of a known type, whose other keys are noted; `strict_type` has no other keys."""
        findings = convert_or_none(value, strict_type)
        if findings is not None:
            return findings
        if remarks is not None:
            keys_of(list[kind]).look_at(value, remarks, field)
        return self.convert(value, list[kind], field)

    def convert(self, value: Any, kind: Any, field: str = "") -> Any:
        """A value of a known type; raises InputError with what is wrong with it."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            where, fault = type_fault(error, field)
            raise self.fail(fault, where) from None

    def check_covered(self, start: int, end: int, stated: str | None, field: str, number: int) -> None:
        """Raises InputError where another text stands there than the finding of this number says."""
        if stated is not None and self.text is not None and self.text[start:end] != stated:
            fault = unlike(f"at {start}–{end}", self.text[start:end], "the answer says", stated)
            raise self.fail(fault, f"{field}[{number}]")


class TextRecord(msgspec.Struct, kw_only=True, gc=False):
    """What a line mostly is: an id, a text, and under its usual key what was found there, which a service adds."""

    doc_id: str | int | msgspec.UnsetType = msgspec.UNSET
    id: str | int | msgspec.UnsetType = msgspec.UNSET
    document_id: str | int | msgspec.UnsetType = msgspec.UNSET
    text: str

    @property
    def value(self) -> list[Any]:
        """What was found. A service that does not say where must not read as one that found nothing."""
        raise NotImplementedError

    def answer(self, path: Path) -> ServiceAnswer | None:
        """The answer with its findings; `None` where it has not one id, and others have to look."""
        ids = [candidate for candidate in (self.doc_id, self.id, self.document_id) if candidate is not msgspec.UNSET]
        if len(ids) != 1 or ids[0] == "":
            return None
        name = str(ids[0])
        return ServiceAnswer(path, at_document(name), self.value, name, self.text)


def convert_or_none(value: Any, kind: Any) -> Any:
    """A value of a known type; `None` for anything else."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def errors_in(value: Any) -> list[Any]:
    """What a batch has in its list of errors, whatever that is."""
    if not value:
        return []
    return value if isinstance(value, list) else [{"error": quote_value(value)}]


def _no_batch(value: Any, answer: ServiceAnswer) -> list[ServiceAnswer] | None:
    return None


def _never(value: Any) -> bool:
    return False


@dataclass(frozen=True)
class AnswerShape:
    """How answers of a service are told from other JSON: an answer is a list of findings, or what wraps one."""

    expected: str  # what an answer looks like, for messages
    signs: tuple[bytes, ...]  # every file has one of them, and soon
    finding: Callable[[Any], bool]  # whether a value is one thing that was found
    findings: Callable[[Any], list[Any] | None]  # those of a value that is no list; None: it is no answer
    batch: Callable[[Any, ServiceAnswer], list[ServiceAnswer] | None] = (
        _no_batch  # answers of what wraps several; None: no such
    )
    unmistakable: Callable[[Any], bool] = _never  # whether a value is an answer although nothing was found
    own: frozenset[str] = frozenset()  # keys of what wraps one or several
    aside: frozenset[str] = frozenset()  # keys beside an answer that hold nothing to score

    def is_answer(self, value: Any) -> bool:
        return isinstance(value, list) or self.findings(value) is not None

    def is_distinctive(self, value: Any) -> bool:
        """Whether a value is an answer of this service and of no other."""
        inside = value if isinstance(value, list) else self.findings(value) or []
        return any(map(self.finding, inside)) or self.unmistakable(value)

    def recognise(self, head: Head) -> Fit:
        """Certain where one of the answers that can be seen is telling."""
        if head.folder:
            plain = head.endings <= {"", ".json"}
            fits = (self.recognise(Head(file)) for file in (answer_files(head)[:_SAMPLE_FILES] if plain else ()))
            return next(filter(None, fits), Fit.NO)
        if head.suffix in (".csv", ".tsv", ".txt") or not any(sign in head.start for sign in self.signs):
            return Fit.NO
        inside = Container(self, ColumnNames(), None)
        for value in head.values:
            for item in inside.items(value, ServiceAnswer(head.path, "", None)):
                try:
                    if any(self.is_distinctive(answer.value) for answer in inside.answers(item)):
                        return Fit.CERTAIN
                except InputError:  # the next may be an answer
                    continue
        return Fit.NO


def answer_files(head: Head) -> list[Path]:
    """The .json files of a folder, without those in folders inside."""
    return [file for file in head.files((".json",)) if file.parent == head.path and file.name[0] != "."]


@dataclass(frozen=True)
class Container:
    """Takes the answers of a service out of whatever they are in."""

    shape: AnswerShape
    columns: ColumnNames
    remarks: Remarks | None  # None: what there is to say was said

    @cached_property
    def _id_keys(self) -> tuple[str, ...]:
        return (self.columns.id, *_IDS) if self.columns.id else _IDS

    @cached_property
    def _text_keys(self) -> tuple[str, ...]:
        return (self.columns.text, "text") if self.columns.text else ("text",)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The keys that tell a record from an answer."""
        return (*self._id_keys, *self._text_keys, "key")

    def items(self, value: Any, source: ServiceAnswer) -> Iterator[ServiceAnswer]:
        """What is in one JSON value, item by item; each may be an answer, several, or a record of one."""
        if isinstance(value, list) and value and not self.shape.finding(value[0]):
            for number, item in enumerate(value, 1):
                yield replace(source, location=f"answer number {number}", value=item)
        elif isinstance(value, dict) and not self._is_single(value):
            for key, item in value.items():
                yield replace(source, location=at_document(key), value=item, id=key)
        else:
            yield replace(source, value=value)

    def items_of_file(self, head: Head) -> Iterator[ServiceAnswer]:
        """The same of a file or folder, decoded one by one."""
        source = ServiceAnswer(head.path, "", None)
        if head.folder:
            for file in answer_files(head):
                value = decode_json(read_bytes(file, RECORD), _ANY, file)
                yield from self.items(value, ServiceAnswer(file, "", None, stem(file)))
        elif head.lines:
            yield from self._items_of_list(
                ((f"line {number}", line) for number, _, line in head.numbered_lines()), source
            )
        elif head.first_byte == b"[":
            yield from self._items_of_list(items_of(head, "answer number"), source)
        elif len(head.entries) <= _FEW:  # which raises where a key occurs twice
            yield from self.items(decode_json(head.content, _ANY, head.path), source)
        else:
            for key, raw in head.entries.items():
                location = at_document(key)
                yield replace(source, location=location, value=decode_json(raw, _ANY, head.path, location), id=key)

    def _items_of_list(
        self, items: Iterable[tuple[str, bytes | msgspec.Raw]], source: ServiceAnswer
    ) -> Iterator[ServiceAnswer]:
        values = ((location, decode_json(raw, _ANY, source.path, location)) for location, raw in items)
        for first in values:
            if self.shape.finding(first[1]):  # one answer alone
                yield replace(source, value=[value for _, value in chain([first], values)])
            else:
                for location, value in chain([first], values):
                    yield from self._by_id(value, replace(source, location=location))
            return
        yield replace(source, value=[])

    def _by_id(self, value: Any, source: ServiceAnswer) -> Iterator[ServiceAnswer]:
        """What is in one of several values: an answer or a record of one, or answers by id."""
        ids = value.keys().isdisjoint(_ANSWER_KEYS) if isinstance(value, dict) and not self._is_single(value) else False
        if ids and all(map(self.shape.is_answer, value.values())):
            yield from self.items(value, source)
        else:
            yield replace(source, value=value)

    def _is_single(self, value: dict[str, Any]) -> bool:
        """Whether an object is an answer, a batch, a record or an error, and not answers by id."""
        if len(value) > _FEW:
            return False
        fits = self.shape.is_answer(value) or self.shape.batch(value, _NO_ANSWER) is not None
        return fits or self._answer_key(value) is not None or _error_message(value) is not None

    def answers(self, item: ServiceAnswer) -> Iterator[ServiceAnswer]:
        """The answers of one item: itself, those of a batch, or that of a record."""
        value, shape = item.value, self.shape
        if not isinstance(value, dict):
            if not shape.is_answer(value):
                raise item.fail(f"found {quote_value(value)}; expected {shape.expected}")
            yield item
        elif (batch := shape.batch(value, item)) is not None:
            self._note_unknown_keys(value, shape.own)
            for answer in batch:
                yield from self._answers_of_record(answer, answer.value, None)
        elif shape.is_answer(value):
            yield from self._answers_of_record(item, value, None)
        elif (key := self._answer_key(value)) is not None:
            yield from self._answers_of_record(item, value, key)
        else:
            raise self._no_answer(item)

    def _no_answer(self, item: ServiceAnswer) -> InputError:
        if (error := _error_message(item.value)) is not None:
            return item.fail(f"is an error and no answer: {quote_value(error)}; expected {self.shape.expected}")
        return item.fail(f"found the keys {join_names(item.value)}; expected {self.shape.expected}")

    def _answer_key(self, record: Mapping[str, Any]) -> str | None:
        """The key under which a record has its answer; it is one by its id or its text."""
        if not any(isinstance(record[name], (str, int)) for name in self._names if name in record):
            return None
        keys = [key for key in _ANSWER_KEYS if key in record and self._holds_answer(record[key])]
        if len(keys) < 2:
            return keys[0] if keys else None
        return next((key for key in keys if self.shape.is_distinctive(record[key])), keys[0])

    def _holds_answer(self, value: Any) -> bool:
        return self.shape.is_answer(value) or self.shape.batch(value, _NO_ANSWER) is not None

    def _answers_of_record(
        self, item: ServiceAnswer, record: dict[str, Any], key: str | None
    ) -> Iterator[ServiceAnswer]:
        id_key = _first_key(self._id_keys, record)
        text_key = _first_key(self._text_keys, record)
        if key == "recognizer_results" and not id_key:  # Presidio's own, of a dictionary of texts
            id_key, text_key = "key", "value"
        answer, own = (record, self.shape.own) if key is None else (record[key], frozenset({key}))
        self._note_unknown_keys(record, {id_key, text_key, *own})
        named = _with_id(item, record[id_key]) if id_key in record else item
        text = None if text_key in own else record.get(text_key)
        if isinstance(text, list) and isinstance(answer, list) and len(text) == len(answer):  # of a list of texts
            for number, (item_value, original) in enumerate(zip(answer, text, strict=True), 1):
                location = f"{named.location}: number {number}"
                yield replace(
                    item, location=location, value=item_value, text=named.convert(original, str, text_key), id=""
                )
            return
        inner = None if key is None else self.shape.batch(answer, named)
        if inner is not None and len(inner) != 1:
            raise named.fail(f"holds answers to {len(inner)} texts; expected that to one", key or "")
        if text is not None and not isinstance(text, str):
            raise named.fail(f"found {quote_value(text)}; expected text", text_key)
        result = named if inner is None else replace(inner[0], location=named.location, id=named.id)
        result = replace(result, value=answer if inner is None else result.value, text=text)
        if not self.shape.is_answer(result.value):
            raise self._no_answer(result)
        yield result

    def _note_unknown_keys(self, value: Mapping[str, Any], known_keys: Iterable[str]) -> None:
        """Notes the keys that nobody reads."""
        if self.remarks is None:
            return
        keys_read = self.shape.aside | set(known_keys)
        for key in (key for key in value if key not in keys_read):
            self.remarks.unknown[key] += 1
            if like_spans(value[key]):
                self.remarks.spans.add(key)


def _first_key(keys: Iterable[str], record: Mapping[str, Any]) -> str:
    """The first of the keys that a record has; empty where it has none."""
    for key in keys:
        if key in record:
            return key
    return ""


_NO_ANSWER = ServiceAnswer(Path(), "", None)


def _error_message(value: Mapping[str, Any]) -> str | None:
    """What an object says that tells of an error instead of an answer."""
    for key in _ERRORS:
        content = value.get(key)
        if isinstance(content, str):
            return content
        if isinstance(content, dict):
            return _error_message(content) or str(content.get("code", key))
    return None


def _with_id(item: ServiceAnswer, raw_id: Any) -> ServiceAnswer:
    """With the id that a record has; else with that of its place, where it has one."""
    if raw_id is None:
        return item
    name = raw_id if isinstance(raw_id, str) else str(item.convert(raw_id, str | int, "id"))
    if not name:
        raise item.fail("its id is empty; expected a name")
    return replace(item, id=name, location=at_document(name))
