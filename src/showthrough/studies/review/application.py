"""Filled sheets back into a corpus: everything checked first, then the annotator's marks corrected."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from showthrough.core.errors import InputError, PlanError, Problem, at_document, join_names, quote_value
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus, Document, Mention, map_documents
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import collect_results, exists, read_all
from showthrough.studies.cases import context_of
from showthrough.studies.review._columns import KINDS
from showthrough.studies.review._corrections import Corrections
from showthrough.studies.review._filled_sheets import (
    FilledFolder,
    ReviewAnswer,
    ReviewFinding,
    places_of,
    read_filled,
    read_record,
)
from showthrough.studies.review.assignment import Assignment, assign_documents
from showthrough.studies.review.copies import layer_of
from showthrough.studies.review.folder import copy_digest, copy_of
from showthrough.studies.review.outcome import (
    ReviewDisagreement,
    ReviewerVerdict,
    ReviewOutcome,
    exact_interval,
    two_readers,
)

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Reviewed:
    """A corpus after a review, and what the review found."""

    corpus: Corpus
    outcome: ReviewOutcome
    notes: tuple[str, ...] = ()


@expects(corpus=Corpus)
def reviewed(
    corpus: Corpus,
    folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    annotator: str | None = None,
    *,
    partial: bool = False,
) -> Reviewed:
    """Reads the filled sheets of one or several folders of `review_copies`, and corrects the annotator's marks.

    Confirmed documents are marked as reviewed. Raises InputError with all that is wrong with the sheets, and changes
    nothing then. With `partial`, documents that are not confirmed stay as they are, with their findings.
    """
    paths = [Path(folder) for folder in ([folders] if isinstance(folders, str | os.PathLike) else folders)]
    assignment, filled = _read_folders(corpus, paths, annotator, partial)
    confirmed = {number for sheet in filled for number in sheet.answers}
    corrections = _build_corrections(corpus, assignment, _iter_confirmed(filled))
    layers = {corpus.ids[number]: correction.marks() for number, correction in corrections.items()}
    names = frozenset(corpus.ids[number] for number in confirmed)
    change = _Change(assignment.annotator, layers, names)
    result = Corpus(map_documents(corpus.documents, change), corpus.name, corpus.source, corpus.notes)
    applied: Counter[str] = sum((correction.applied for correction in corrections.values()), Counter())
    outcome = _outcome(corpus, assignment, filled, applied)
    return Reviewed(result, outcome, tuple(_notes(corpus, filled)))


@dataclass(frozen=True)
class _Change:
    """A document as it is after the review; it travels to other processes."""

    annotator: str
    layers: Mapping[str, tuple[Mention, ...]]  # by document
    confirmed: frozenset[str]

    def __call__(self, document: Document) -> Document:
        if document.id not in self.confirmed:
            return document
        marks = self.layers.get(document.id)
        annotations = list(document.annotations)
        if marks is not None:  # of several layers of this annotator one is left, with all that is marked
            first, *surplus = [
                index for index, annotation in enumerate(annotations) if annotation.annotator == self.annotator
            ]
            annotations[first] = replace(annotations[first], mentions=marks)
            annotations = [annotation for index, annotation in enumerate(annotations) if index not in surplus]
        done = tuple(dict.fromkeys((*(document.reviewed or ()), self.annotator)))
        return replace(document, annotations=tuple(annotations), reviewed=done)


def _read_folders(
    corpus: Corpus, folders: Sequence[Path], annotator: str | None, unfinished: bool
) -> tuple[Assignment, list[FilledFolder]]:
    if not folders:
        raise PlanError("found none; expected a folder of filled sheets", "filled")
    if len({os.path.realpath(folder_path) for folder_path in folders}) < len(folders):
        raise PlanError("the same folder is there twice; expected each once", "filled")
    records = collect_results(folders, read_record)
    annotators = list(dict.fromkeys(record.annotator for record in records))
    if len(annotators) > 1 or annotator not in (None, annotators[0]):
        expected = quote_value(annotator) if annotator is not None else "one annotator"
        raise PlanError(f"the folders are of {join_names(annotators)}; expected {expected}", "annotator")
    assignment = assign_documents(corpus, annotators[0])
    problems: list[Problem] = []
    filled = [
        read_filled(folder, record, assignment, unfinished, problems)
        for folder, record in zip(folders, records, strict=True)
    ]
    for sheet in filled:
        problems += _unlike(corpus, assignment, sheet)
    if problems:
        raise InputError([*problems, *_also(corpus, assignment, filled)])
    return assignment, filled


def _unlike(corpus: Corpus, assignment: Assignment, filled: FilledFolder) -> Iterator[Problem]:
    """Copies that were changed, and documents that were since they were copied."""
    numbers = {file: number for number, file in enumerate(assignment.files)}
    for file, digest in filled.record.copies.items():
        path = filled.folder / file
        if file not in numbers:
            continue  # told already
        if exists(path) and copy_digest(read_all(path, RECORD)) != digest:
            yield Problem(str(path), "", "was changed; expected it as it was written: findings go into findings.csv")
        elif copy_digest(copy_of(corpus, numbers[file], assignment.annotator, filled.record.replace)) != digest:
            location = at_document(assignment.names[numbers[file]])
            fault = "its text or its marks have changed since it was copied; expected the same corpus"
            yield Problem(str(filled.folder), location, fault)


def _also(corpus: Corpus, assignment: Assignment, filled: Sequence[FilledFolder]) -> list[Problem]:
    """What is wrong with those findings that can be looked at, where something else is wrong already."""
    try:
        _build_corrections(
            corpus, assignment, ((folder, finding) for folder, sheet in enumerate(filled) for finding in sheet.findings)
        )
    except InputError as error:
        return list(error.problems)
    return []


def _iter_confirmed(filled: Sequence[FilledFolder]) -> Iterator[tuple[int, ReviewFinding]]:
    """The findings of documents that are confirmed in the same folder, with its number."""
    for folder, sheet in enumerate(filled):
        yield from ((folder, finding) for finding in sheet.findings if finding.document in sheet.answers)


def _build_corrections(
    corpus: Corpus, assignment: Assignment, findings: Iterable[tuple[int, ReviewFinding]]
) -> dict[int, Corrections]:
    """The corrections of each document that has findings."""
    by_document: dict[int, list[tuple[int, ReviewFinding]]] = defaultdict(list)
    for folder, finding in findings:
        by_document[finding.document].append((folder, finding))
    problems: list[Problem] = []
    by_number = {}
    for number, those in sorted(by_document.items()):
        document = corpus.documents[number]
        by_number[number] = Corrections(document, layer_of(document, assignment.annotator) or (), problems)
        by_number[number].take(those)
    if problems:
        raise InputError(problems)
    return by_number


def _outcome(
    corpus: Corpus, assignment: Assignment, filled: Sequence[FilledFolder], applied: Counter[str]
) -> ReviewOutcome:
    answers: dict[int, list[ReviewAnswer]] = defaultdict(list)
    for sheet in filled:
        for number, answer in sheet.answers.items():
            answers[number].append(answer)
    verdicts = [{own_answer.identifiable for own_answer in own_answers} for own_answers in answers.values()]
    told_count = sum("yes" in verdict for verdict in verdicts)
    low, high = exact_interval(told_count, len(verdicts), CONFIDENCE) or (None, None)
    return ReviewOutcome(
        annotator=assignment.annotator,
        documents=len(assignment.layered),
        handed_out=len({file for sheet in filled for file in sheet.record.copies}),
        reviewed=len(verdicts),
        told=told_count,
        unsure=sum("unsure" in verdict and "yes" not in verdict for verdict in verdicts),
        share=told_count / len(verdicts) if verdicts else None,
        low=low,
        high=high,
        confidence=CONFIDENCE,
        applied={kind: applied[kind] for kind in KINDS if kind != "disagree"},
        readings=tuple(
            ReviewerVerdict(
                corpus.ids[number], reading.reviewer, reading.identifiable, reading.who, reading.sure, reading.remarks
            )
            for number in sorted(answers)
            for reading in answers[number]
        ),
        disagreements=tuple(_disagreements(corpus, filled)),
        read_twice=sum(len(own_answers) > 1 for own_answers in answers.values()),
        answered_alike=sum(
            len(answers[number]) > 1 and len(verdict) == 1 for number, verdict in zip(answers, verdicts, strict=True)
        ),
        readers=tuple(two_readers(filled, CONFIDENCE)),
    )


def _disagreements(corpus: Corpus, filled: Sequence[FilledFolder]) -> Iterator[ReviewDisagreement]:
    """What is to be talked about, with its context where the words stand first."""
    for _, finding in _iter_confirmed(filled):
        if finding.kind == "disagree":
            document = corpus.documents[finding.document]
            disagreement = ReviewDisagreement(document.id, finding.words, finding.note)
            for start, end in places_of(finding.words, document.text)[:1]:
                around = context_of(document.text, start, end)
                disagreement = replace(disagreement, start=start, before=around.before, after=around.after)
            yield disagreement


def _notes(corpus: Corpus, filled: Sequence[FilledFolder]) -> Iterator[str]:
    for sheet in filled:
        yield from sheet.notes
        if sheet.unfinished:
            count, left = (
                len(sheet.unfinished),
                sum(finding.document not in sheet.answers for finding in sheet.findings),
            )
            remark = f", {left} finding{'s' * (left > 1)} of them left out" if left else ""
            many = (
                "document is not confirmed and stays as it is"
                if count == 1
                else "documents are not confirmed and stay as they are"
            )
            yield f"{sheet.folder}: {count} {many}{remark}"
    types = {finding.entity_type for _, finding in _iter_confirmed(filled)} - {"", *corpus.survey.types}
    if types:
        yield f"types that are new in this corpus: {join_names(sorted(types))}"
