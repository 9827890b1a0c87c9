"""In what people keep the answers of services, whosever they are: objects, lists, records, lines, folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from showthrough.errors import InputError, at_document, quoted, some
from showthrough.files.heads import Head
from showthrough.files.limits import RECORD
from showthrough.files.reading import decoded, fail, read_bytes, stem, type_fault
from showthrough.formats.base import Columns, Fit, unlike
from showthrough.formats.objects import items_of
from showthrough.formats.remarks import Remarks, keys_of, like_spans
from showthrough.formats.rows import IDS

_IDS = (*IDS, "document_id")
# Under which key a record may have its answer.
_UNDER = (
    "results", "entities", "answer", "answers", "response", "result", "output", "findings", "analysis", "spans",
    "recognizer_results", "analyzer_results", "anonymized", "predictions", "pii",
)  # fmt: skip
_ERRORS = ("error", "Error", "errorMessage", "ErrorMessage", "ErrorCode", "message", "Message")
_FEW = 32  # keys of an object that may be one answer; with more, it has one answer a key
_SEEN = 50  # files of a folder that are looked at to recognise
_ANY = msgspec.json.Decoder()


class Answer(msgspec.Struct, frozen=True):
    """What was found in one text, and what the file says of whose text it was."""

    path: Path
    place: str
    value: Any
    id: str = ""
    text: str | None = None  # the original, where the file has it; then the corpus's
    number: int = -1  # of its text in what was sent, from 0 on, where the file says it
    unit: str = ""  # what offsets count, where the file says it

    def fail(self, message: str, field: str = "") -> InputError:
        return fail(self.path, message, ": ".join(filter(None, (self.place, field))))

    def original(self) -> str:
        """The text; raises InputError where nobody gave it."""
        if self.text is None:
            raise self.fail("means nothing without the original; reading it needs the corpus")
        return self.text

    def found(self, value: Any, kind: Any, known: Any, remarks: Remarks | None, field: str = "") -> Any:
        """A list of findings of a known kind, whose other keys are noted; `known` is such a list with no other key."""
        findings = known_or_none(value, known)
        if findings is not None:
            return findings
        if remarks is not None:
            keys_of(list[kind]).look_at(value, remarks, field)
        return self.converted(value, list[kind], field)

    def converted(self, value: Any, kind: Any, field: str = "") -> Any:
        """A value of a known type; raises InputError with what is wrong with it."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            where, fault = type_fault(error, field)
            raise self.fail(fault, where) from None

    def check_covered(self, start: int, end: int, said: str | None, field: str, number: int) -> None:
        """Raises InputError where another text stands there than the finding of this number says."""
        if said is not None and self.text is not None and self.text[start:end] != said:
            fault = unlike(f"at {start}–{end}", self.text[start:end], "the answer says", said)
            raise self.fail(fault, f"{field}[{number}]")


class Record(msgspec.Struct, kw_only=True, gc=False):
    """What a line mostly is: an id, a text, and under its usual key what was found there, which a service adds."""

    doc_id: str | int | msgspec.UnsetType = msgspec.UNSET
    id: str | int | msgspec.UnsetType = msgspec.UNSET
    document_id: str | int | msgspec.UnsetType = msgspec.UNSET
    text: str

    @property
    def value(self) -> list[Any]:
        """What was found. A service that does not say where must not read as one that found nothing."""
        raise NotImplementedError

    def answer(self, path: Path) -> Answer | None:
        """The answer with its findings; `None` where it has not one id, and others have to look."""
        ids = [one for one in (self.doc_id, self.id, self.document_id) if one is not msgspec.UNSET]
        if len(ids) != 1 or ids[0] == "":
            return None
        name = str(ids[0])
        return Answer(path, at_document(name), self.value, name, self.text)


def known_or_none(value: Any, kind: Any) -> Any:
    """A value of a known type; `None` for anything else."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def errors_in(value: Any) -> list[Any]:
    """What a batch has in its list of errors, whatever that is."""
    if not value:
        return []
    return value if isinstance(value, list) else [{"error": quoted(value)}]


def _one_at_a_time(value: Any, given: Answer) -> list[Answer] | None:
    return None


def _by_findings(value: Any) -> bool:
    return False


@dataclass(frozen=True)
class Shape:
    """How answers of a service are told from other JSON: an answer is a list of findings, or what wraps one."""

    expected: str  # what an answer looks like, for messages
    signs: tuple[bytes, ...]  # every file has one of them, and soon
    finding: Callable[[Any], bool]  # whether a value is one thing that was found
    findings: Callable[[Any], list[Any] | None]  # those of a value that is no list; None: it is no answer
    batch: Callable[[Any, Answer], list[Answer] | None] = _one_at_a_time  # answers of what wraps several; None: no such
    unmistakable: Callable[[Any], bool] = _by_findings  # whether a value is an answer although nothing was found
    own: frozenset[str] = frozenset()  # keys of what wraps one or several
    aside: frozenset[str] = frozenset()  # keys beside an answer that hold nothing to score

    def is_answer(self, value: Any) -> bool:
        return isinstance(value, list) or self.findings(value) is not None

    def telling(self, value: Any) -> bool:
        """Whether a value is an answer of this service and of no other."""
        inside = value if isinstance(value, list) else self.findings(value) or []
        return any(map(self.finding, inside)) or self.unmistakable(value)

    def recognise(self, head: Head) -> Fit:
        """Certain where one of the answers that can be seen is telling."""
        if head.folder:
            plain = head.endings <= {"", ".json"}
            fits = (self.recognise(Head(file)) for file in (answer_files(head)[:_SEEN] if plain else ()))
            return next(filter(None, fits), Fit.NO)
        if head.suffix in (".csv", ".tsv", ".txt") or not any(sign in head.start for sign in self.signs):
            return Fit.NO
        inside = Container(self, Columns(), None)
        for value in head.values:
            for item in inside.items(value, Answer(head.path, "", None)):
                try:
                    if any(self.telling(answer.value) for answer in inside.answers(item)):
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

    shape: Shape
    columns: Columns
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

    def items(self, value: Any, whole: Answer) -> Iterator[Answer]:
        """What is in one JSON value, item by item; each may be an answer, several, or a record of one."""
        if isinstance(value, list) and value and not self.shape.finding(value[0]):
            for number, item in enumerate(value, 1):
                yield replace(whole, place=f"answer number {number}", value=item)
        elif isinstance(value, dict) and not self._single(value):
            for key, item in value.items():
                yield replace(whole, place=at_document(key), value=item, id=key)
        else:
            yield replace(whole, value=value)

    def items_of_file(self, head: Head) -> Iterator[Answer]:
        """The same of a file or folder, decoded one by one."""
        whole = Answer(head.path, "", None)
        if head.folder:
            for file in answer_files(head):
                value = decoded(read_bytes(file, RECORD), _ANY, file)
                yield from self.items(value, Answer(file, "", None, stem(file)))
        elif head.lines:
            yield from self._listed(((f"line {number}", line) for number, _, line in head.numbered_lines()), whole)
        elif head.opening == b"[":
            yield from self._listed(items_of(head, "answer number"), whole)
        elif len(head.entries) <= _FEW:  # which raises where a key occurs twice
            yield from self.items(decoded(head.content, _ANY, head.path), whole)
        else:
            for key, raw in head.entries.items():
                place = at_document(key)
                yield replace(whole, place=place, value=decoded(raw, _ANY, head.path, place), id=key)

    def _listed(self, items: Iterable[tuple[str, bytes | msgspec.Raw]], whole: Answer) -> Iterator[Answer]:
        values = ((place, decoded(raw, _ANY, whole.path, place)) for place, raw in items)
        for first in values:
            if self.shape.finding(first[1]):  # one answer alone
                yield replace(whole, value=[value for _, value in chain([first], values)])
            else:
                for place, value in chain([first], values):
                    yield from self._by_id(value, replace(whole, place=place))
            return
        yield replace(whole, value=[])

    def _by_id(self, value: Any, whole: Answer) -> Iterator[Answer]:
        """What is in one of several values: an answer or a record of one, or answers by id."""
        ids = value.keys().isdisjoint(_UNDER) if isinstance(value, dict) and not self._single(value) else False
        if ids and all(map(self.shape.is_answer, value.values())):
            yield from self.items(value, whole)
        else:
            yield replace(whole, value=value)

    def _single(self, value: dict[str, Any]) -> bool:
        """Whether an object is an answer, a batch, a record or an error, and not answers by id."""
        if len(value) > _FEW:
            return False
        held = self.shape.is_answer(value) or self.shape.batch(value, _NOWHERE) is not None
        return held or self._under(value) is not None or _error(value) is not None

    def answers(self, item: Answer) -> Iterator[Answer]:
        """The answers of one item: itself, those of a batch, or that of a record."""
        value, shape = item.value, self.shape
        if not isinstance(value, dict):
            if not shape.is_answer(value):
                raise item.fail(f"found {quoted(value)}; expected {shape.expected}")
            yield item
        elif (batch := shape.batch(value, item)) is not None:
            self._note(value, shape.own)
            for one in batch:
                yield from self._of_record(one, one.value, None)
        elif shape.is_answer(value):
            yield from self._of_record(item, value, None)
        elif (key := self._under(value)) is not None:
            yield from self._of_record(item, value, key)
        else:
            raise self._no_answer(item)

    def _no_answer(self, item: Answer) -> InputError:
        if (error := _error(item.value)) is not None:
            return item.fail(f"is an error and no answer: {quoted(error)}; expected {self.shape.expected}")
        return item.fail(f"found the keys {some(item.value)}; expected {self.shape.expected}")

    def _under(self, record: Mapping[str, Any]) -> str | None:
        """The key under which a record has its answer; it is one by its id or its text."""
        if not any(isinstance(record[name], (str, int)) for name in self._names if name in record):
            return None
        keys = [key for key in _UNDER if key in record and self._holds(record[key])]
        if len(keys) < 2:
            return keys[0] if keys else None
        return next((key for key in keys if self.shape.telling(record[key])), keys[0])

    def _holds(self, value: Any) -> bool:
        return self.shape.is_answer(value) or self.shape.batch(value, _NOWHERE) is not None

    def _of_record(self, item: Answer, record: dict[str, Any], key: str | None) -> Iterator[Answer]:
        id_key = _first(self._id_keys, record)
        text_key = _first(self._text_keys, record)
        if key == "recognizer_results" and not id_key:  # Presidio's own, of a dictionary of texts
            id_key, text_key = "key", "value"
        answer, own = (record, self.shape.own) if key is None else (record[key], frozenset({key}))
        self._note(record, {id_key, text_key, *own})
        named = _named(item, record[id_key]) if id_key in record else item
        text = None if text_key in own else record.get(text_key)
        if isinstance(text, list) and isinstance(answer, list) and len(text) == len(answer):  # of a list of texts
            for number, (one, said) in enumerate(zip(answer, text, strict=True), 1):
                place = f"{named.place}: number {number}"
                yield replace(item, place=place, value=one, text=named.converted(said, str, text_key), id="")
            return
        inner = None if key is None else self.shape.batch(answer, named)
        if inner is not None and len(inner) != 1:
            raise named.fail(f"holds answers to {len(inner)} texts; expected that to one", key or "")
        if text is not None and not isinstance(text, str):
            raise named.fail(f"found {quoted(text)}; expected text", text_key)
        given = named if inner is None else replace(inner[0], place=named.place, id=named.id)
        given = replace(given, value=answer if inner is None else given.value, text=text)
        if not self.shape.is_answer(given.value):
            raise self._no_answer(given)
        yield given

    def _note(self, value: Mapping[str, Any], known: Iterable[str]) -> None:
        """Notes the keys that nobody reads."""
        if self.remarks is None:
            return
        read = self.shape.aside | set(known)
        for key in (key for key in value if key not in read):
            self.remarks.unknown[key] += 1
            if like_spans(value[key]):
                self.remarks.spans.add(key)


def _first(keys: Iterable[str], record: Mapping[str, Any]) -> str:
    """The first of the keys that a record has; empty where it has none."""
    for key in keys:
        if key in record:
            return key
    return ""


_NOWHERE = Answer(Path(), "", None)


def _error(value: Mapping[str, Any]) -> str | None:
    """What an object says that tells of an error instead of an answer."""
    for key in _ERRORS:
        said = value.get(key)
        if isinstance(said, str):
            return said
        if isinstance(said, dict):
            return _error(said) or str(said.get("code", key))
    return None


def _named(item: Answer, given: Any) -> Answer:
    """With the id that a record has; else with that of its place, where it has one."""
    if given is None:
        return item
    name = given if isinstance(given, str) else str(item.converted(given, str | int, "id"))
    if not name:
        raise item.fail("its id is empty; expected a name")
    return replace(item, id=name, place=at_document(name))
