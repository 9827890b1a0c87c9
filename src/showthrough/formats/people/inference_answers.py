"""What attackers answered about people, recorded in files: SPIA's answers, profiles of authors, or plain guesses.

JSON Lines, a JSON list, or one object. What an attacker says of a document stands in one of these, by its id:

    {"data_id": …, "subjects": [{"id": 0, "matches": 1, "PIIs": [{"tag", "keyword", "certainty"}]}]}
    {"profile": …, "attributes": {"age": {"guesses": ["34", "40"], "verdicts": [1, 0]}}, "answer": "Type: age …"}
    {"id": …, "anonymization": …, "guesses": [{"tag", "value", "certainty"}]}, or {"guesses": {"age": ["34"]}}

Judges say in `statements` whether a text still says each of some: {"id": …, "statements": {"Ann is ill": true}}
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import InputError, at_document, shorten
from showthrough.data.subjects import AUTHOR, CERTAIN, level_fault
from showthrough.formats.objects import objects_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, decode_json, fail

VERDICTS = (0, 0.5, 1)
UTILITY = ("readability", "meaning", "hallucinations")
_EXPECTED = "answers about people, one a document: subjects, attributes, guesses or answer"
_Id = str | int
_Value = str | int | float
Verdicts = tuple[float | None, ...]  # 1, 0.5, 0, or not said


class RecordedGuess(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What was said of a person; of one tag the likeliest first. Certainty 0 says nothing."""

    tag: str
    value: str
    certainty: int = CERTAIN
    span: tuple[int, int] | None = None  # in the text that was read, where that was said
    why: str = ""


class RecordedPerson(msgspec.Struct, frozen=True, array_like=True):
    """Somebody who was seen in a text. `matches` is the id of the true one, where somebody said."""

    guesses: tuple[RecordedGuess, ...] = ()
    id: str = ""
    matches: str | None = None


class DocumentAnswer(msgspec.Struct, frozen=True):
    """What a file says about one document."""

    answer: tuple[RecordedPerson, ...] | None = None  # None: there is none, which is not "nobody was seen"
    raw: str = ""  # as it was written, where that is all there is, or where it stands beside
    verdicts: Mapping[str, Verdicts] = {}  # by tag, in the order of its guesses
    utility: Mapping[str, float] = {}  # what a judge said of the released text, of `UTILITY`
    statements: Mapping[str, bool | None] = {}  # whether the text still says each; None: nobody can tell


class _Guess(msgspec.Struct):
    tag: str
    keyword: _Value | None = None
    value: _Value | None = None
    certainty: int = CERTAIN
    span: tuple[int, int] | None = None
    why: str | None = None
    verdict: float | msgspec.UnsetType | None = msgspec.UNSET


class _Person(msgspec.Struct):
    id: _Id | None = None
    matches: _Id | None = None
    piis: list[_Guess] | None = msgspec.field(default=None, name="PIIs")
    attributes: list[_Guess] | None = None
    guesses: list[_Guess] | None = None


class _AttributeGuesses(msgspec.Struct):
    """What is said of one attribute of an author."""

    guesses: list[_Value] | None = None
    verdicts: list[float | None] | None = None


class _Metadata(msgspec.Struct):
    data_id: _Id | None = None


class _Line(msgspec.Struct):
    id: _Id | None = None
    document: _Id | None = None
    doc_id: _Id | None = None
    data_id: _Id | None = None
    profile: _Id | None = None
    metadata: _Metadata | None = None
    anonymization: str | None = None
    subjects: list[_Person] | msgspec.UnsetType | None = msgspec.UNSET
    attributes: dict[str, _AttributeGuesses] | msgspec.UnsetType | None = msgspec.UNSET
    guesses: list[_Guess] | dict[str, list[_Value]] | msgspec.UnsetType | None = msgspec.UNSET
    answer: str | msgspec.UnsetType | None = msgspec.UNSET
    verdicts: dict[str, list[float | None]] | None = None
    readability: float | msgspec.UnsetType | None = msgspec.UNSET
    meaning: float | msgspec.UnsetType | None = msgspec.UNSET
    hallucinations: float | msgspec.UnsetType | None = msgspec.UNSET
    statements: dict[str, bool | None] | None = None

    @property
    def document_id(self) -> _Id | None:
        """The id of its document, under whichever key it stands."""
        inside = self.metadata.data_id if self.metadata else None
        ids = (self.id, self.document, self.doc_id, self.data_id, self.profile, inside)
        return next((document_id for document_id in ids if document_id is not None), None)

    @property
    def says(self) -> bool:
        """Whether it has a place for an answer, be it that there was none."""
        values = (self.subjects, self.attributes, self.guesses, self.answer, *(getattr(self, name) for name in UTILITY))
        return any(value is not msgspec.UNSET for value in values) or (self.verdicts, self.statements) != (None, None)


_LINE = msgspec.json.Decoder(_Line)


def read_inference_answers(path: str | os.PathLike[str]) -> dict[tuple[str, str], DocumentAnswer]:
    """By anonymization (empty where a line names none) and document; raises InputError with all that is wrong."""
    head = Head.of(path)
    if head.folder:
        raise fail(head.path, f"is a folder; expected a file with {_EXPECTED}")
    if head.first_byte not in (b"{", b"["):
        state = "is empty" if not head.first_byte else "is not JSON"
        raise fail(head.path, f"{state}; expected {_EXPECTED}")
    records: dict[tuple[str, str], DocumentAnswer] = {}

    def take(item: tuple[str, bytes | msgspec.Raw]) -> None:
        line = decode_json(item[1], _LINE, head.path, item[0])
        if line.document_id in (None, ""):
            fault = "is missing" if line.document_id is None else "is empty"
            raise fail(head.path, f"its id {fault}; expected id, document, data_id or profile", item[0])
        key = line.anonymization or "", str(line.document_id)
        location = f"{item[0]}: {at_document(key[1])}"
        if key in records:
            of = f" of {shorten(key[0])}" if key[0] else ""
            raise fail(head.path, f"is answered twice{of}; expected every document once", location)
        records[key] = DocumentAnswer()
        records[key] = _Reader(head.path, location).parse_line(line)

    collect_results(objects_of(head), take)
    if not records:
        raise fail(head.path, f"is empty; expected {_EXPECTED}")
    return records


class _Reader:
    """Reads one line, whose place messages name."""

    def __init__(self, path: Path, location: str) -> None:
        self._path = path
        self._place = location

    def _fail(self, message: str, field: str) -> InputError:
        return fail(self._path, message, f"{self._place}: {field}" if field else self._place)

    def parse_line(self, line: _Line) -> DocumentAnswer:
        if not line.says:
            raise self._fail(f"found no answer; expected {_EXPECTED}", "")
        people, verdicts = self._parse_answer(line)
        counts = None if people is None else Counter(guess.tag for person in people for guess in person.guesses)
        for tag, value in (line.verdicts or {}).items():
            field = f"verdicts.{shorten(tag)}"
            if tag in verdicts:
                raise self._fail("occurs twice; expected it in one place", field)
            verdicts[tag] = self._parse_verdicts(value, field, None if counts is None else counts[tag])
        utility = {name: value for name in UTILITY if isinstance(value := getattr(line, name), float)}
        return DocumentAnswer(people, line.answer or "", verdicts, utility, line.statements or {})

    def _parse_answer(self, line: _Line) -> tuple[tuple[RecordedPerson, ...] | None, dict[str, Verdicts]]:
        """The people, and what was said of guesses about an author; an answer may stand in one place alone."""
        answers = {"subjects": line.subjects, "attributes": line.attributes, "guesses": line.guesses}
        names = [name for name, answer in answers.items() if answer is not msgspec.UNSET and answer is not None]
        if len(names) > 1:
            raise self._fail(f"found {' and '.join(names)}; expected one of them", "")
        if line.subjects:
            return self._parse_people(line.subjects), {}
        if isinstance(line.attributes, dict):
            return self._parse_author(line.attributes)
        if isinstance(line.guesses, list) and line.guesses:
            return self._parse_flat(line.guesses)
        if isinstance(line.guesses, dict) and line.guesses:
            return self._parse_author({tag: _AttributeGuesses(values) for tag, values in line.guesses.items()})
        return (() if names else None), {}

    def _parse_people(self, people: Sequence[_Person]) -> tuple[RecordedPerson, ...]:
        recorded_people = []
        matched: set[str] = set()
        for index, person in enumerate(people):
            field = f"subjects[{index}]"
            key, guesses_read = _guesses_of(person)
            if guesses_read is None:
                raise self._fail("PIIs is missing; expected a list of what is said of the person", field)
            matches = None if person.matches is None else str(person.matches)
            if matches in matched:
                raise self._fail(f"is {shorten(matches or '')} a second time; expected each once", f"{field}.matches")
            if matches is not None:
                matched.add(matches)
            guesses = tuple(self._parse_guesses(guesses_read, f"{field}.{key}"))
            recorded_people.append(RecordedPerson(guesses, "" if person.id is None else str(person.id), matches))
        return tuple(recorded_people)

    def _parse_guesses(self, guesses: Sequence[_Guess], field: str) -> Iterator[RecordedGuess]:
        """Those that have a value: SPIA lists every tag, with an empty keyword where nothing is said."""
        for index, guess in enumerate(guesses):
            location = f"{field}[{index}]"
            if not guess.tag:
                raise self._fail("tag is empty; expected a name", location)
            if fault := level_fault(guess.certainty):
                raise self._fail(fault, f"{location}.certainty")
            if guess.span is not None and not 0 <= guess.span[0] < guess.span[1]:
                raise self._fail("is no span; expected a start and a later end", f"{location}.span")
            value = guess.value if guess.keyword is None else guess.keyword
            if value is None:
                raise self._fail("value is missing; expected value or keyword", location)
            if str(value).strip():
                yield RecordedGuess(guess.tag, str(value), guess.certainty, guess.span, guess.why or "")

    def _parse_flat(self, guesses: Sequence[_Guess]) -> tuple[tuple[RecordedPerson, ...], dict[str, Verdicts]]:
        """Guesses about one person whom nobody named, each with its verdict where it has one."""
        verdicts: dict[str, Verdicts] = {}
        judged: list[_Guess] = []
        for index, guess in enumerate(guesses):
            if guess.verdict is not msgspec.UNSET:
                judged.append(guess)
                (judgement,) = self._parse_verdicts([guess.verdict], f"guesses[{index}].verdict")
                verdicts[guess.tag] = (*verdicts.get(guess.tag, ()), judgement)
        unjudged = {guess.tag for guess in guesses if guess.verdict is msgspec.UNSET} & verdicts.keys()
        if unjudged:
            fault = f"some guesses of {shorten(min(unjudged))} have a verdict; expected one, or null, for each"
            raise self._fail(fault, "guesses")
        recorded_guesses = tuple(self._parse_guesses(guesses, "guesses"))
        if verdicts and len(recorded_guesses) < len(guesses):
            raise self._fail("found a guess without a value beside verdicts; expected a value", "guesses")
        return (RecordedPerson(recorded_guesses),), verdicts

    def _parse_author(
        self, attributes: Mapping[str, _AttributeGuesses]
    ) -> tuple[tuple[RecordedPerson, ...] | None, dict[str, Verdicts]]:
        """Guesses about the one who wrote the text. Where they are in the raw answer alone, there is no answer yet."""
        verdicts = {}
        for tag, attribute in attributes.items():
            if attribute.verdicts is not None:
                field = f"attributes.{shorten(tag)}.verdicts"
                verdicts[tag] = self._parse_verdicts(
                    attribute.verdicts, field, None if attribute.guesses is None else len(attribute.guesses)
                )
        lacking = [tag for tag, attribute in attributes.items() if attribute.guesses is None]
        if len(lacking) == len(attributes):
            return None, verdicts
        if lacking:
            raise self._fail("guesses is missing; others have it", f"attributes.{shorten(lacking[0])}")
        guesses = [
            RecordedGuess(tag, str(value)) for tag, attribute in attributes.items() for value in attribute.guesses or ()
        ]
        return (RecordedPerson(tuple(guesses), AUTHOR, AUTHOR),), verdicts

    def _parse_verdicts(self, verdicts: Sequence[float | None], field: str, guesses: int | None = None) -> Verdicts:
        """What was said of so many guesses, where they are known."""
        if guesses is not None and guesses != len(verdicts):
            raise self._fail(f"found {len(verdicts)} of {guesses} guesses; expected one for each", field)
        for index, verdict in enumerate(verdicts):
            if verdict is not None and verdict not in VERDICTS:
                raise self._fail(f"found {verdict:g}; expected 1, 0.5, 0 or null", f"{field}[{index}]")
        return tuple(verdicts)


def _guesses_of(person: _Person) -> tuple[str, list[_Guess] | None]:
    lists: dict[str, Any] = {"PIIs": person.piis, "attributes": person.attributes, "guesses": person.guesses}
    return next(((key, candidates) for key, candidates in lists.items() if candidates is not None), ("PIIs", None))
