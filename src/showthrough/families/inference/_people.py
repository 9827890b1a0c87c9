"""What an attacker infers about the people in documents, counted document by document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import shorten
from showthrough.data.documents import Document
from showthrough.families.inference._findings import Claim, InferenceFinding, claims_of, findings_of
from showthrough.families.inference._judges import expect_pairs
from showthrough.families.inference._matching import by_agreement, match_people
from showthrough.families.inference._spec import attacker_of, judge_of
from showthrough.families.inference.base import Answer, Judge
from showthrough.families.inference.controls import CONTROL, CONTROLS, Answers, answers_of, stand_ins
from showthrough.families.inference.family import (
    ABOUT,
    ASKED,
    BARE,
    INFERENCES,
    INFERRED,
    PEOPLE,
    TAG,
    UNANSWERED,
    UNJUDGED,
    column_of,
)
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.released_text import ReleasedText

MOST_INFERRED = 300  # of a document that are kept as evidence
_LONGEST = 200  # characters of a value that are kept
_TOGETHER = 2000  # documents that are asked about at once


@dataclass
class InferenceTally:
    """Columns of rows, by attribute and by person, and what was inferred of each document."""

    documents: int
    by_attribute: dict[str, Floats] = field(default_factory=dict)
    by_person: dict[str, Floats] = field(default_factory=dict)
    common: dict[str, Floats] = field(default_factory=dict)
    evidence: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for columns in (self.by_attribute, self.by_person):
            columns |= {INFERRED: np.zeros(self.documents), ASKED: np.zeros(self.documents)}
        self.by_person[BARE] = np.zeros(self.documents)
        self.common |= {
            column: np.zeros(self.documents) for column in (ABOUT, UNANSWERED, UNJUDGED, PEOPLE, INFERENCES)
        }

    def add(self, index: int, stratum: str, people: Sequence[tuple[float, int]]) -> None:
        """Of each person how much was inferred, and of how many attributes."""
        counted = [(score, number) for score, number in people if number]
        attributes = sum(score for score, _ in counted), sum(number for _, number in counted)
        persons = sum(score / number for score, number in counted), len(counted)
        for columns, sums in ((self.by_attribute, attributes), (self.by_person, persons)):
            for statistic, value in zip((INFERRED, ASKED), sums, strict=True):
                column = column_of(statistic, stratum)
                if column not in columns:  # each is as long as the corpus: none is made in vain
                    columns[column] = np.zeros(self.documents)
                columns[column][index] = value
        if not stratum:
            self.by_person[BARE][index] = sum(score == number for score, number in counted)
            self.common[PEOPLE][index] = len(counted)


@dataclass(frozen=True)
class InferenceSetup:
    """Who is asked, who judges, and how certain an attribute must be to count."""

    attacker: str
    judge: str
    certainty: int
    seed: int

    def tally(self, anonymized: Anonymized) -> InferenceTally:
        """Once for all metrics that ask the same."""
        return anonymized.chunk.once((self, anonymized.name), lambda: self._tally(anonymized))

    def _tally(self, anonymized: Anonymized) -> InferenceTally:
        chunk = anonymized.chunk
        tally, judge = InferenceTally(len(chunk.corpus)), judge_of(self.judge, chunk.resources)
        # All pairs go to a judge together.
        together = len(chunk.corpus) if judge else _TOGETHER
        for block in _blocks(chunk, together):
            self._count(tally, anonymized, block, judge)
        return tally

    def _count(
        self, tally: InferenceTally, anonymized: Anonymized, block: Mapping[int, Document], judge: Judge | None
    ) -> None:
        chunk, documents = anonymized.chunk, list(block.values())
        attacker = attacker_of(self.attacker, chunk.resources)
        instead = chunk.once(("stand-ins", self.seed), lambda: stand_ins(chunk.corpus, self.seed))
        tags = chunk.corpus.survey.tags
        answers = answers_of(attacker, anonymized.name, documents, anonymized.texts, instead, "subjects", tags)
        claims: list[Claim] = []
        ends: list[tuple[int, str, int]] = []  # the place of a document, a control or nothing, the claims so far
        for (index, document), answer_set in zip(block.items(), answers, strict=True):
            tally.common[ABOUT][index], tally.common[UNANSWERED][index] = 1, answer_set.own is None
            for control, answer in _answers_by_control(answer_set):
                claims += self._sure(_claims(document, answer, control))
                ends.append((index, control, len(claims)))
        unknown = (answer_set.open * self._values(item) for item, answer_set in zip(documents, answers, strict=True))
        expect_pairs(judge, self.attacker, sum(unknown))
        findings, begin = findings_of(claims, judge, anonymized.name), 0
        for index, control, end in ends:
            self._add(tally, index, control, findings[begin:end])
            inferred = [item for item in findings[begin:end] if self._counts(item) and item.agreement > 0]
            if inferred and not control:
                tally.evidence[block[index].id] = evidence_of(inferred, block[index], anonymized)
            begin = end

    def _sure(self, claims: Sequence[Claim]) -> list[Claim]:
        """Those that can count: nobody has to judge any other."""
        return [claim for claim in claims if any(true.certainty >= self.certainty for true in claim.true)]

    def _values(self, document: Document) -> int:
        """How many values there are to compare with, if somebody says one thing about each tag of everybody."""
        nobody = [None] * len(document.subjects)
        return sum(len(claim.true) for claim in self._sure(claims_of("", document.subjects, nobody)))

    def _counts(self, finding: InferenceFinding) -> bool:
        return finding.true.certainty >= self.certainty and not math.isnan(finding.agreement)

    def _add(self, tally: InferenceTally, index: int, control: str, findings: Sequence[InferenceFinding]) -> None:
        strata: dict[str, dict[str, tuple[float, int]]] = {control: {}}
        for finding in findings:
            if not self._counts(finding):
                tally.common[UNJUDGED][index] += not control and math.isnan(finding.agreement)
                continue
            tally.common[INFERENCES][index] += not control and finding.agreement > 0
            for stratum in (control,) if control else _strata(finding):
                people = strata.setdefault(stratum, {})
                score, number = people.get(finding.subject, (0.0, 0))
                people[finding.subject] = score + finding.agreement, number + 1
        for stratum, people in strata.items():
            tally.add(index, stratum, list(people.values()))


def _blocks(chunk: Chunk, together: int) -> Iterator[dict[int, Document]]:
    """The documents about people by their places, some at a time."""
    about = ((index, document) for index, document in enumerate(chunk.corpus) if document.subjects)
    while block := dict(islice(about, together)):
        yield block


def _answers_by_control(answers: Answers) -> Iterator[tuple[str, Answer]]:
    """The answers that there are, each with the control that it is, or nothing."""
    for kind in ("", *CONTROLS):
        answer = answers.control(kind) if kind else answers.own
        if answer is not None:
            yield kind and f"{CONTROL}:{kind}", answer


def _claims(document: Document, answer: Answer, control: str) -> list[Claim]:
    if control:  # who matched people of a text did not mean these
        return claims_of("", document.subjects, by_agreement(document.subjects, answer))
    return claims_of(document.id, document.subjects, match_people(document.subjects, answer))


def _strata(finding: InferenceFinding) -> Iterator[str]:
    yield ""
    yield f"{TAG}:{finding.tag}"
    yield f"certainty:{finding.true.certainty}"
    if finding.true.hardness:  # 0 where nobody said
        yield f"hardness:{finding.true.hardness}"


def evidence_of(inferred: Sequence[InferenceFinding], document: Document, anonymized: Anonymized) -> dict[str, Any]:
    """What was inferred of one document, the most certain first."""
    released, text = ReleasedText.of(document.text, anonymized.of(document.id)), anonymized.texts[document.id]
    ordered = sorted(inferred, key=lambda finding: (-finding.true.certainty, -finding.agreement))
    return {"inferred": [_describe_finding(finding, text, released) for finding in ordered[:MOST_INFERRED]]}


def _describe_finding(finding: InferenceFinding, text: str, released: ReleasedText) -> dict[str, Any]:
    """A finding as evidence. A text that was handed in as a whole may be another than its masks make."""
    guess = finding.guess
    start, end = guess.span if guess and guess.span else (0, 0)
    has_span = 0 <= start < end <= len(text)
    return {
        "subject": shorten(finding.subject),
        "tag": shorten(finding.tag),
        "true": shorten(finding.true.value, _LONGEST),
        "guess": shorten(guess.value if guess else "", _LONGEST),
        "agreement": finding.agreement,
        "certainty": finding.true.certainty,
        "hardness": finding.true.hardness,
        "start": start if has_span else None,
        "end": end if has_span else None,
        "original": released.original(start, end) if has_span and released.text == text else None,
    }
