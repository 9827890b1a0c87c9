"""Filled sheets back into a corpus: everything checked first, then the annotator's marks corrected."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from showthrough.core.errors import InputError, PlanError, Problem, at_document, quoted, some
from showthrough.data.documents import Corpus, Document, Mention, altered
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import exists, gathered, read_all
from showthrough.studies.contexts import context_of
from showthrough.studies.review.assignment import Assignment, assigned
from showthrough.studies.review.columns import KINDS
from showthrough.studies.review.copies import layer_of
from showthrough.studies.review.corrections import Corrections
from showthrough.studies.review.filled import Answer, Filled, Finding, read_filled, read_record
from showthrough.studies.review.folder import copy_digest, copy_of
from showthrough.studies.review.outcome import Disagreement, Reading, ReviewOutcome, exact_interval
from showthrough.studies.review.places import places_of
from showthrough.studies.review.readers import two_readers

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Reviewed:
    """A corpus after a review, and what the review found."""

    corpus: Corpus
    outcome: ReviewOutcome
    notes: tuple[str, ...] = ()


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
    paths = [Path(one) for one in ([folders] if isinstance(folders, str | os.PathLike) else folders)]
    assignment, filled = _read(corpus, paths, annotator, partial)
    confirmed = {number for one in filled for number in one.answers}
    corrections = _corrected(corpus, assignment, _confirmed(filled))
    layers = {corpus.ids[number]: one.marks() for number, one in corrections.items()}
    names = frozenset(corpus.ids[number] for number in confirmed)
    change = _Change(assignment.annotator, layers, names)
    made = Corpus(altered(corpus.documents, change), corpus.name, corpus.source, corpus.notes)
    applied: Counter[str] = sum((one.applied for one in corrections.values()), Counter())
    outcome = _outcome(corpus, assignment, filled, applied)
    return Reviewed(made, outcome, tuple(_notes(corpus, filled)))


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
            first, *others = [place for place, one in enumerate(annotations) if one.annotator == self.annotator]
            annotations[first] = replace(annotations[first], mentions=marks)
            annotations = [one for place, one in enumerate(annotations) if place not in others]
        done = tuple(dict.fromkeys((*(document.reviewed or ()), self.annotator)))
        return replace(document, annotations=tuple(annotations), reviewed=done)


def _read(
    corpus: Corpus, folders: Sequence[Path], annotator: str | None, unfinished: bool
) -> tuple[Assignment, list[Filled]]:
    if not folders:
        raise PlanError("found none; expected a folder of filled sheets", "filled")
    if len({os.path.realpath(one) for one in folders}) < len(folders):
        raise PlanError("the same folder is there twice; expected each once", "filled")
    records = gathered(folders, read_record)
    found = list(dict.fromkeys(record.annotator for record in records))
    if len(found) > 1 or annotator not in (None, found[0]):
        expected = quoted(annotator) if annotator is not None else "one annotator"
        raise PlanError(f"the folders are of {some(found)}; expected {expected}", "annotator")
    assignment = assigned(corpus, found[0])
    problems: list[Problem] = []
    filled = [
        read_filled(folder, record, assignment, unfinished, problems)
        for folder, record in zip(folders, records, strict=True)
    ]
    for one in filled:
        problems += _unlike(corpus, assignment, one)
    if problems:
        raise InputError([*problems, *_also(corpus, assignment, filled)])
    return assignment, filled


def _unlike(corpus: Corpus, assignment: Assignment, filled: Filled) -> Iterator[Problem]:
    """Copies that were changed, and documents that were since they were copied."""
    numbers = {file: number for number, file in enumerate(assignment.files)}
    for file, digest in filled.record.copies.items():
        path = filled.folder / file
        if file not in numbers:
            continue  # told already
        if exists(path) and copy_digest(read_all(path, RECORD)) != digest:
            yield Problem(str(path), "", "was changed; expected it as it was written: findings go into findings.csv")
        elif copy_digest(copy_of(corpus, numbers[file], assignment.annotator, filled.record.replace)) != digest:
            place = at_document(assignment.names[numbers[file]])
            fault = "its text or what is marked in it is not what it was when it was copied; expected the same corpus"
            yield Problem(str(filled.folder), place, fault)


def _also(corpus: Corpus, assignment: Assignment, filled: Sequence[Filled]) -> list[Problem]:
    """What is wrong with those findings that can be looked at, where something else is wrong already."""
    try:
        _corrected(corpus, assignment, ((folder, one) for folder, each in enumerate(filled) for one in each.findings))
    except InputError as error:
        return list(error.problems)
    return []


def _confirmed(filled: Sequence[Filled]) -> Iterator[tuple[int, Finding]]:
    """The findings of documents that are confirmed in the same folder, with its number."""
    for folder, each in enumerate(filled):
        yield from ((folder, one) for one in each.findings if one.document in each.answers)


def _corrected(
    corpus: Corpus, assignment: Assignment, findings: Iterable[tuple[int, Finding]]
) -> dict[int, Corrections]:
    """The corrections of each document that has findings."""
    by_document: dict[int, list[tuple[int, Finding]]] = defaultdict(list)
    for folder, finding in findings:
        by_document[finding.document].append((folder, finding))
    problems: list[Problem] = []
    made = {}
    for number, those in sorted(by_document.items()):
        document = corpus.documents[number]
        made[number] = Corrections(document, layer_of(document, assignment.annotator) or (), problems)
        made[number].take(those)
    if problems:
        raise InputError(problems)
    return made


def _outcome(corpus: Corpus, assignment: Assignment, filled: Sequence[Filled], applied: Counter[str]) -> ReviewOutcome:
    answers: dict[int, list[Answer]] = defaultdict(list)
    for one in filled:
        for number, answer in one.answers.items():
            answers[number].append(answer)
    said = [{one.told for one in each} for each in answers.values()]
    told = sum("yes" in each for each in said)
    low, high = exact_interval(told, len(said), CONFIDENCE) or (None, None)
    return ReviewOutcome(
        annotator=assignment.annotator,
        documents=len(assignment.layered),
        handed_out=len({file for one in filled for file in one.record.copies}),
        reviewed=len(said),
        told=told,
        unsure=sum("unsure" in each and "yes" not in each for each in said),
        share=told / len(said) if said else None,
        low=low,
        high=high,
        confidence=CONFIDENCE,
        applied={kind: applied[kind] for kind in KINDS if kind != "disagree"},
        readings=tuple(
            Reading(corpus.ids[number], one.reviewer, one.told, one.who, one.sure, one.remarks)
            for number in sorted(answers)
            for one in answers[number]
        ),
        disagreements=tuple(_disagreements(corpus, filled)),
        read_twice=sum(len(each) > 1 for each in answers.values()),
        answered_alike=sum(
            len(answers[number]) > 1 and len(each) == 1 for number, each in zip(answers, said, strict=True)
        ),
        readers=tuple(two_readers(filled, CONFIDENCE)),
    )


def _disagreements(corpus: Corpus, filled: Sequence[Filled]) -> Iterator[Disagreement]:
    """What is to be talked about, with its context where the words stand first."""
    for _, finding in _confirmed(filled):
        if finding.kind == "disagree":
            document = corpus.documents[finding.document]
            made = Disagreement(document.id, finding.words, finding.note)
            for start, end in places_of(finding.words, document.text)[:1]:
                around = context_of(document.text, start, end)
                made = replace(made, start=start, before=around.before, after=around.after)
            yield made


def _notes(corpus: Corpus, filled: Sequence[Filled]) -> Iterator[str]:
    for each in filled:
        yield from each.notes
        if each.unfinished:
            count, left = len(each.unfinished), sum(one.document not in each.answers for one in each.findings)
            whose = f", {left} finding{'s' * (left > 1)} of them left out" if left else ""
            many = (
                "document is not confirmed and stays as it is"
                if count == 1
                else "documents are not confirmed and stay as they are"
            )
            yield f"{each.folder}: {count} {many}{whose}"
    types = {one.entity_type for _, one in _confirmed(filled)} - {"", *corpus.survey.types}
    if types:
        yield f"types that nobody had used in this corpus: {some(sorted(types))}"
