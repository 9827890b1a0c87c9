"""What services and libraries answer, one answer a text: read as masks, and with their texts as corpora.

A file holds an object from id to answer, a list of answers in the order of the corpus, records with an id or the text
and the answer under a key or beside it, or one answer alone; a folder holds one file a document (see `_containers`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import InputError, Problem, at_document
from showthrough.data.documents import Annotation, Document
from showthrough.data.levels import by_type
from showthrough.data.masks import Anonymization, Mask, typed_mask
from showthrough.data.offsets import to_characters, unit_of
from showthrough.data.pairing import stranger_fault
from showthrough.formats.base import ColumnNames, Files, Format, Input, Masks, known_documents
from showthrough.formats.clinical.phi import DocumentMatcher, check_text
from showthrough.formats.lines import documents_in
from showthrough.formats.objects import strict
from showthrough.formats.recognizers._containers import AnswerShape, Container, ServiceAnswer, TextRecord
from showthrough.formats.remarks import Remarks
from showthrough.storage.reading import collect_results, decode_json, decoded_or_none, fail, unique


class AnswerReader(ABC):
    """Makes masks of the answers of one file, which it may look at all together first."""

    def __init__(self, answers: Sequence[ServiceAnswer], path: Path) -> None:  # noqa: B027 (some need no look at all of them)
        pass

    @abstractmethod
    def masks(self, answer: ServiceAnswer) -> list[Mask]: ...

    @property
    def notes(self) -> list[str]:
        """What there is to say once all were read, a sentence each."""
        return []


def build_mask(start: int, end: int, entity_type: str, score: float | None = None) -> Mask:
    """The mask of a finding. Whether it is in the text is checked with the corpus."""
    plain = not entity_type and score is None
    return Mask(start, end) if plain else typed_mask(start, end, None, entity_type, score)


@dataclass(frozen=True)
class AnswerFormat:
    """Whose answers they are, and how they are read."""

    name: str  # the annotator of a corpus
    shape: AnswerShape
    parsed: Callable[[ServiceAnswer, Remarks | None], Any]  # what is kept of an answer; raises InputError
    reader: type[AnswerReader]
    record: type[TextRecord]  # a line as most are, with findings as `parsed` makes them
    ends: tuple[str, str] = ("", "")  # the offsets of a finding, where a user may say what they count

    def format(
        self, description: str, sample: str, write_masks: Callable[[Anonymization], Files] | None = None
    ) -> Format:
        """The format of its answers, in one file or one a document."""
        return Format(
            description,
            (".json", ".jsonl"),
            *(self.shape.recognise, self.read, self.read_masks),
            write_masks=write_masks,
            in_folders=True,
            sample={"sample.json": sample},
        )

    def read_masks(self, file: Input) -> Masks:
        """Answers as masks of the documents that they are about."""
        answers = _assign_documents(self._answers(file), file)
        reader = self.reader(answers, file.path)
        masks = unique(
            collect_results(answers, lambda answer: (answer.id, reader.masks(self._recount(answer, file.columns)))),
            file.path,
        )
        file.remarks.others += reader.notes
        return masks

    def read(self, file: Input) -> Sequence[Document]:
        """Answers with the original texts beside them, as documents that the service marked."""
        try:
            return self._documents(file)
        except InputError as error:
            if len(error.problems) > 1 and all(problem.message == _NO_TEXT for problem in error.problems):
                raise fail(file.path, f"its answers have no original texts; {_EXPECTED}") from None  # once is enough
            raise

    def _documents(self, file: Input) -> Sequence[Document]:
        if file.head.lines:
            decode = partial(self._decode_line, Container(self.shape, file.columns, None), file.path)
            return documents_in(file, decode, partial(self._look_at, file.columns, file.path))
        answers = self._answers(file)
        if lacking := [answer for answer in answers if answer.text is None]:
            raise InputError(Problem(str(item.path), item.location, _NO_TEXT) for item in lacking)
        file.remarks.numbered = sum(not answer.id for answer in answers)
        named = [replace(item, id=item.id or str(number)) for number, item in enumerate(answers, 1)]
        reader = self.reader(named, file.path)
        return collect_results(named, lambda answer: self._document(self._recount(answer, file.columns), reader))

    def _answers(self, file: Input) -> list[ServiceAnswer]:
        inside = Container(self.shape, file.columns, file.remarks)
        listed = collect_results(inside.items_of_file(file.head), partial(self._parse_item, inside))
        return [answer for answers in listed for answer in answers]

    def _parse_item(self, inside: Container, item: ServiceAnswer) -> list[ServiceAnswer]:
        return [replace(answer, value=self.parsed(answer, inside.remarks)) for answer in inside.answers(item)]

    def _document(self, answer: ServiceAnswer, reader: AnswerReader) -> Document:
        mentions = (by_type(mask.start, mask.end, mask.entity_type) for mask in reader.masks(answer))
        return Document(answer.id, answer.original(), (Annotation(self.name, tuple(mentions)),))

    def _recount(self, answer: ServiceAnswer, columns: ColumnNames) -> ServiceAnswer:
        """The same with findings by characters, where a user said that offsets count something else."""
        if unit_of(columns.offsets) is None or not all(self.ends) or not isinstance(answer.value, list):
            return answer
        text, findings = answer.original(), []
        for number, finding in enumerate(answer.value):
            try:
                start, end = (getattr(finding, name) for name in self.ends)
                offsets_counted = to_characters(text, start, end, columns.offsets)
            except InputError as error:
                raise answer.fail(error.problems[0].message, f"[{number}]") from None
            findings.append(msgspec.structs.replace(finding, **dict(zip(self.ends, offsets_counted, strict=True))))
        return replace(answer, value=findings)

    def _decode_line(self, inside: Container, path: Path, line: bytes, number: int) -> Document:
        """A line that was looked at before."""
        return self._read_line(inside, path, f"line {number}", number, line)

    def _read_line(self, inside: Container, path: Path, location: str, number: int, line: bytes) -> Document:
        if not inside.columns.overrides:
            record = decoded_or_none(line, _decoder(self.record))
            usual = None if record is None else record.answer(path)
            if usual is not None:
                return self._document(self._recount(usual, inside.columns), self.reader([usual], path))
        item = ServiceAnswer(path, location, decode_json(line, _ANY, path, location))
        if self.shape.finding(item.value):
            raise item.fail(_NO_TEXT)
        answers = self._parse_item(inside, item)
        if len(answers) != 1 or answers[0].text is None:
            raise item.fail(_NO_TEXT)
        answer = answers[0]
        if not answer.id:
            answer = replace(answer, id=str(number))
            if inside.remarks is not None:
                inside.remarks.numbered += 1
        return self._document(self._recount(answer, inside.columns), self.reader([answer], path))

    def _look_at(
        self, columns: ColumnNames, path: Path, location: str, number: int, line: bytes, remarks: Remarks
    ) -> Document:
        return self._read_line(Container(self.shape, columns, remarks), path, location, number, line)


_EXPECTED = "expected one beside each answer, or a corpus before this file, which it belongs to"
_NO_TEXT = f"has no original text; {_EXPECTED}"
_ANY = msgspec.json.Decoder()


@lru_cache(maxsize=16)
def _decoder(record: type[TextRecord]) -> msgspec.json.Decoder[TextRecord]:
    return msgspec.json.Decoder(strict(record))


def _assign_documents(answers: list[ServiceAnswer], file: Input) -> list[ServiceAnswer]:
    """Answers with the ids and texts of the documents that they are about; raises InputError where nobody can tell."""
    corpus, originals = file.corpus, file.originals
    nameless = [answer for answer in answers if not answer.id]
    texts_given = bool(answers) and all(answer.text is not None for answer in answers)
    if nameless and not texts_given:
        if len(nameless) < len(answers):
            raise nameless[0].fail("has no id, and others do; expected one in each")
        return _match_in_order(answers, file)
    if corpus is None:
        if nameless:
            raise nameless[0].fail("has no id; reading it needs the corpus, whose texts tell")
        return answers
    if texts_given:
        answers = _match_by_text(answers, file)
    fault = stranger_fault(corpus)
    if file.columns.extra == "ignore":
        answers_by_id = known_documents({answer.id: answer for answer in answers}, file)
        answers = [answer for answer in answers if answer.id in answers_by_id]
    if strangers := [answer for answer in answers if answer.id not in originals]:
        raise InputError(Problem(str(stranger.path), at_document(stranger.id), fault) for stranger in strangers)

    def checked(answer: ServiceAnswer) -> ServiceAnswer:
        text = originals[answer.id]
        if answer.text is not None:
            check_text(answer.text, text, answer.path, answer.id)
        return replace(answer, text=text, location=at_document(answer.id))

    return collect_results(answers, checked)


def _match_by_text(answers: Sequence[ServiceAnswer], file: Input) -> list[ServiceAnswer]:
    """Told by their texts where the corpus knows none of their ids."""
    documents = [
        Document(answer_read.id or str(number), answer_read.original()) for number, answer_read in enumerate(answers, 1)
    ]
    file.remarks.numbered = sum(not answer.id for answer in answers)
    matching = DocumentMatcher(documents, file)

    def named(pair: tuple[ServiceAnswer, Document]) -> ServiceAnswer:
        return replace(pair[0], id=matching.document(pair[1]))

    named_answers = collect_results(zip(answers, documents, strict=True), named)
    file.remarks.others += matching.notes
    return named_answers


def _match_in_order(answers: list[ServiceAnswer], file: Input) -> list[ServiceAnswer]:
    """Answers without ids and texts: that of the only document, or as many as there are documents, in their order."""
    if file.corpus is None:
        raise fail(file.path, "its answers have no ids; expected --id-column, or the corpus whose order they have")
    ids = file.corpus.ids
    if any(answer.number >= 0 for answer in answers):
        answers = sorted(answers, key=lambda answer: answer.number)
        if [answer.number for answer in answers] != list(range(len(answers))):
            raise fail(file.path, f"its answers are not numbered from 0 to {len(answers) - 1}; expected each once")
    if len(answers) != len(ids):
        how = "one answer" if len(answers) == 1 else f"{len(answers)} answers"
        fault = f"holds {how} without an id, but the corpus {len(ids)} documents; expected as many, or ids"
        raise fail(file.path, fault)
    if len(ids) > 1:
        file.remarks.others.append("its answers have no ids: they were taken in the order of the corpus")
    placed = zip(answers, ids, strict=True)
    return [
        replace(answer_read, id=name, text=file.originals[name], location=at_document(name))
        for answer_read, name in placed
    ]
