"""Filled sheets: what stands in them, where their words are in a text, and all that is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, join_names, quote_value, shorten, suggest_name
from showthrough.data.documents import Identifier, Mention
from showthrough.data.layout.characters import is_ideograph
from showthrough.formats.base import ColumnNames, Input
from showthrough.formats.tables.rows import TableRows, cell_text
from showthrough.formats.tables.table import rows_of
from showthrough.formats.tables.xlsx import Worksheet
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import decode_json, exists, fail, is_folder, read_bytes
from showthrough.storage.writing import unguard_cell
from showthrough.studies.review import _columns as c
from showthrough.studies.review.assignment import COPIES, Assignment
from showthrough.studies.review.folder import FINDINGS_FILE, RECORD_FILE, SHEET_FILE, ReviewRecord

# These functions find where words stand in a text, and which of these positions a reviewer means.

Span = tuple[int, int]
_KANA = range(0x3040, 0x3100)  # written without spaces as well


def normalize_spaces(words: str) -> str:
    """Words as they are compared: one space between each two, wherever lines end."""
    return " ".join(words.split())


def places_of(words: str, text: str) -> list[Span]:
    """Where words stand in a text, whatever white space is between them; as whole words where they stand so anywhere.

    >>> places_of("Mr Doe", "Mr\\nDoe saw Mr Doering."), places_of("Doe", "Doering"), places_of("山田", "山田氏と山田")
    ([(0, 6)], [(0, 3)], [(0, 2), (4, 6)])
    """
    pattern = r"\s+".join(map(re.escape, words.split()))
    spans = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    return [span for span in spans if _apart(text, *span)] or spans


def _apart(text: str, start: int, end: int) -> bool:
    """Whether no letter of the same word stands before or after."""
    before = start > 0 and _are_joined(text[start - 1], text[start])
    return not before and not (end < len(text) and _are_joined(text[end - 1], text[end]))


def _are_joined(left: str, right: str) -> bool:
    return all(
        character.isalnum() and not is_ideograph(character) and ord(character) not in _KANA
        for character in (left, right)
    )


def marks_of(words: str, text: str, mentions: Sequence[Mention]) -> list[int]:
    """The numbers of the marks that have these words, in the order of the text."""
    meant = normalize_spaces(words)
    numbers = [
        number
        for number, mention in enumerate(mentions)
        if normalize_spaces(text[mention.start : mention.end]) == meant
    ]
    return sorted(numbers, key=lambda number: (mentions[number].start, mentions[number].end))


def readable(spans: Sequence[Span], mentions: Sequence[Mention]) -> list[Span]:
    """Those of which nothing is hidden."""
    masked = [(mention.start, mention.end) for mention in mentions if mention.must_mask]
    return [(start, end) for start, end in spans if all(end <= low or high <= start for low, high in masked)]


_RECORD = msgspec.json.Decoder(ReviewRecord)
_NUMBERS = re.compile(r"\d{1,9}(?:[\s,;]+\d{1,9})*")
_ENDINGS = (".csv", ".tsv", ".xlsx")


class ReviewAnswer(NamedTuple):
    """What a second reader says of one document, confirmed."""

    document: int
    reviewer: str
    identifiable: c.Told
    who: str
    sure: str
    remarks: str


class SheetRow(NamedTuple):
    """A row of a sheet, and where it stands."""

    file: str
    location: str
    cells: Mapping[str, str]

    def problem(self, column: str, message: str) -> Problem:
        return Problem(self.file, f"{self.location}: column {column}", message)

    def choice(self, column: str, options: Sequence[str], problems: list[Problem]) -> str:
        """One of the known words, in whatever case; empty where nothing stands there, or something else."""
        cell = self.cells[column]
        chosen = next((word for word in options if word.casefold() == cell.casefold()), "")
        if cell and not chosen:
            hint = suggest_name(cell.casefold(), options)
            problems.append(self.problem(column, f"found {quote_value(cell)}; {hint}expected {', '.join(options)}"))
        return chosen


@dataclass(frozen=True)
class ReviewFinding:
    """One row of findings."""

    row: SheetRow
    document: int
    words: str
    kind: str
    occurrence: tuple[int, ...] | None = None  # none: the only one; empty: all of them
    entity_type: str = ""
    identifier: Identifier | None = None
    confidential: str = ""
    same_as: str = ""
    new_words: str = ""
    note: str = ""

    def problem(self, column: str, message: str) -> Problem:
        return self.row.problem(column, message)


@dataclass
class FilledFolder:
    """One folder as it came back."""

    folder: Path
    record: ReviewRecord
    answers: dict[int, ReviewAnswer] = field(default_factory=dict)  # by document
    findings: list[ReviewFinding] = field(default_factory=list)
    unfinished: list[int] = field(default_factory=list)  # documents that are not confirmed
    notes: list[str] = field(default_factory=list)


def read_record(folder: Path) -> ReviewRecord:
    """By which a folder is known again."""
    if not is_folder(folder):
        raise fail(folder, f"is no folder; expected one that {_WRITTEN_BY}")
    path = folder / RECORD_FILE
    if not exists(path):
        raise fail(path, f"is not there; expected a folder that {_WRITTEN_BY}")
    return decode_json(read_bytes(path), _RECORD, path)


_WRITTEN_BY = "showthrough review wrote"


def read_filled(
    folder: Path, record: ReviewRecord, assignment: Assignment, partial: bool, problems: list[Problem]
) -> FilledFolder:
    """What stands in the sheets of a folder; what is wrong with them is added to the problems."""
    filled = FilledFolder(folder, record)
    numbers = {file: number for number, file in enumerate(assignment.files) if file in record.copies}
    for file in (file for file in record.copies if file not in numbers):
        fault = "is no copy of a document of this corpus; expected the corpus that the copies were made of"
        problems.append(Problem(str(folder / RECORD_FILE), shorten(file), fault))
    known_documents = _FolderDocuments(assignment, numbers)
    _read_answers(filled, known_documents, partial, problems)
    for row in _rows(filled, FINDINGS_FILE, c.FINDINGS, problems):
        if (finding := _parse_finding(row, known_documents, problems)) is not None:
            filled.findings.append(finding)
    return filled


@dataclass(frozen=True)
class _FolderDocuments:
    """The documents of a folder, by all that they may be called."""

    assignment: Assignment
    numbers: Mapping[str, int]  # by file

    @cached_property
    def names(self) -> Mapping[str, int | None]:
        """By name, whatever became of its white space in a cell; nothing where two are alike then."""
        names: dict[str, int | None] = {}
        for number in self.numbers.values():
            name = normalize_spaces(self.assignment.names[number])
            names[name] = None if name in names else number
        return names

    def by_file(self, name: str) -> int | None:
        return self.numbers.get(name, self.numbers.get(f"{COPIES}/{name}"))

    def at(self, name: str) -> int | None:
        number = self.names.get(normalize_spaces(name))
        return self.by_file(name) if number is None else number


def _read_answers(filled: FilledFolder, documents: _FolderDocuments, partial: bool, problems: list[Problem]) -> None:
    rows_by_document: dict[int, str] = {}
    path = ""
    for row in _rows(filled, SHEET_FILE, c.SHEET, problems):
        path = row.file
        number = _document_of(row, documents, problems)
        if number is None:
            continue
        if number in rows_by_document:
            problems.append(
                row.problem(c.DOCUMENT, f"is there twice, also in {rows_by_document[number]}; expected one row each")
            )
            continue
        rows_by_document[number] = row.location
        if normalize_spaces(annotator_cell := row.cells[c.ANNOTATOR]) not in (
            "",
            normalize_spaces(filled.record.annotator),
        ):
            fault = f"found {quote_value(annotator_cell)}; expected {quote_value(filled.record.annotator)}"
            problems.append(row.problem(c.ANNOTATOR, fault))
        answer = _answer(row, number, partial, problems)
        if answer is None:
            filled.unfinished.append(number)
        else:
            filled.answers[number] = answer
    missing = [number for number in documents.numbers.values() if number not in rows_by_document]
    filled.unfinished += missing
    if not partial and path:
        fault = "has no row; expected one, or --partial to leave such documents as they are"
        problems += (Problem(path, at_document(documents.assignment.names[number]), fault) for number in missing)


def _document_of(row: SheetRow, documents: _FolderDocuments, problems: list[Problem]) -> int | None:
    """The document of a row, by its file: a spreadsheet may have taken an id for a number or a date."""
    name, file = row.cells[c.DOCUMENT], row.cells[c.FILE]
    number = documents.by_file(file) if file else documents.names.get(normalize_spaces(name))
    if number is None:
        column, value = (c.FILE, file) if file else (c.DOCUMENT, name)
        problems.append(row.problem(column, f"found {quote_value(value)}; expected a document of this folder"))
    elif name and normalize_spaces(name) != normalize_spaces(expected := documents.assignment.names[number]):
        fault = f"found {quote_value(name)}; expected {quote_value(expected)}, whose copy the row names, or nothing"
        problems.append(row.problem(c.DOCUMENT, fault))
        return None
    return number


def _answer(row: SheetRow, number: int, partial: bool, problems: list[Problem]) -> ReviewAnswer | None:
    """What a row says; nothing where it is not confirmed, or not sound."""
    before = len(problems)
    still_told = row.choice(c.STILL_TOLD, c.TOLD, problems)
    sure = row.choice(c.HOW_SURE, c.SURE, problems)
    confirmed = row.choice(c.CONFIRMED, ("yes", "no"), problems)
    if len(problems) > before:
        return None
    if confirmed != "yes":
        if not partial:
            state = "is empty" if not confirmed else "found 'no'"
            fault = "expected yes, or --partial to leave such documents as they are"
            problems.append(row.problem(c.CONFIRMED, f"{state}; {fault}"))
        return None
    if not still_told:
        problems.append(row.problem(c.STILL_TOLD, f"is not answered; expected {', '.join(c.TOLD)}"))
        return None
    cells = row.cells
    return ReviewAnswer(number, cells[c.REVIEWER], cast("c.Told", still_told), cells[c.WHO], sure, cells[c.REMARKS])


def _parse_finding(row: SheetRow, documents: _FolderDocuments, problems: list[Problem]) -> ReviewFinding | None:
    before = len(problems)
    cells = row.cells
    number = documents.at(cells[c.DOCUMENT])
    if number is None:
        problems.append(row.problem(c.DOCUMENT, f"found {quote_value(cells[c.DOCUMENT])}; expected one of this folder"))
    if not cells[c.WORDS]:
        problems.append(row.problem(c.WORDS, "is empty; expected the words exactly as in the document"))
    kind = row.choice(c.KIND, tuple(c.KINDS), problems)
    if not cells[c.KIND]:
        problems.append(row.problem(c.KIND, f"is empty; expected {', '.join(c.KINDS)}"))
    identifier = row.choice(c.IDENTIFIER, c.IDENTIFIERS, problems)
    for column in c.KINDS.get(kind, ()):
        if not cells[column]:
            problems.append(row.problem(column, f"is empty; expected what it should be, since the kind is {kind}"))
    if kind == "spurious":
        filled_columns = [
            column for column in (c.TYPE, c.IDENTIFIER, c.CONFIDENTIAL, c.SAME_AS, c.NEW_WORDS) if cells[column]
        ]
        problems += (
            row.problem(column_name, f"found {quote_value(cells[column_name])}; expected nothing: the mark goes")
            for column_name in filled_columns
        )
    if kind == "missing" and cells[c.NEW_WORDS]:
        problems.append(row.problem(c.NEW_WORDS, "is for borders; expected the words to be marked under words"))
    occurrence = _occurrence(row, problems)
    if len(problems) > before or number is None:
        return None
    should_be = (cells[c.TYPE], cast("Identifier", identifier) if identifier else None, cells[c.CONFIDENTIAL])
    further = (cells[c.SAME_AS], cells[c.NEW_WORDS], cells[c.NOTE])
    return ReviewFinding(row, number, cells[c.WORDS], kind, occurrence, *should_be, *further)


def _occurrence(row: SheetRow, problems: list[Problem]) -> tuple[int, ...] | None:
    cell = row.cells[c.OCCURRENCE]
    if not cell:
        return None
    if cell.casefold() == c.EVERY:
        return ()
    numbers = tuple(map(int, re.findall(r"\d+", cell))) if _NUMBERS.fullmatch(cell) else ()
    if not numbers or 0 in numbers:
        problems.append(
            row.problem(c.OCCURRENCE, f"found {quote_value(cell)}; expected numbers from 1 on, or {c.EVERY}")
        )
    return numbers or None


def _rows(filled: FilledFolder, name: str, expected: Mapping[str, str], problems: list[Problem]) -> Iterator[SheetRow]:
    """The rows of a sheet that have something in them."""
    return rows_of_sheet(lambda: _open_sheet(filled, name), expected, filled.notes, problems)


def rows_of_sheet(
    opened: Callable[[], TableRows], expected: Collection[str], notes: list[str], problems: list[Problem]
) -> Iterator[SheetRow]:
    """The rows of a sheet that have something in them; what is wrong is added to the problems."""
    try:
        rows = opened()
        header = [column_name.strip().casefold() for column_name in rows.header]
        if wrong := [column for column in expected if header.count(column) != 1]:
            # Not what was found there: without a header it is the first row, and its words are a document's.
            twice = [column for column in wrong if column in header]
            heading_fault = f"two columns {twice[0]}" if twice else f"no column {join_names(wrong)}"
            fault = f"found {heading_fault}; expected the header that the sheet was written with, each name once"
            problems.append(Problem(str(rows.path), "first row", fault))
            return
        if unexpected := [column_name for column_name in header if column_name and column_name not in expected]:
            notes.append(f"{rows.path}: unknown columns were not read: {join_names(unexpected)}")
        for location, cells in rows:
            texts = [unguard_cell(cell_text(cell).strip()) for cell in cells]
            if len(texts) != len(header):
                fault = f"has {len(texts)} cells; expected {len(header)}, as many as the header has"
                problems.append(Problem(str(rows.path), location, fault))
            elif any(texts):
                yield SheetRow(str(rows.path), location, dict(zip(header, texts, strict=True)))
    except InputError as error:
        problems += error.problems


def _open_sheet(filled: FilledFolder, name: str) -> TableRows:
    """A sheet, in whichever of these forms it was saved."""
    candidates = [filled.folder / Path(name).with_suffix(ending) for ending in _ENDINGS]
    existing = [path for path in candidates if exists(path)]
    if len(existing) != 1:
        names = join_names(path.name for path in existing)
        raise fail(filled.folder, f"found {names}; expected one of {join_names(path.name for path in candidates)}")
    return open_rows(existing[0])


def open_rows(path: Path) -> TableRows:
    """The rows of a file, with commas, semicolons or tabs, or of a worksheet."""
    file = Input(Head.of(path), ColumnNames(c.DOCUMENT, c.WORDS))
    return Worksheet(file) if path.suffix == ".xlsx" else rows_of(file)
