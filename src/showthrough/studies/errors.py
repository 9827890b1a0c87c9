"""Where anonymizations fail, counted by type, identifier and kind, with every case in its context.

False negatives are mentions to be masked that can be read, at least in part (Figure 4 and Table 11 in Pilán et al.
2022); needless masks are the others. All of it comes from the documents that a run keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Bools, Ints
from showthrough.core.errors import PlanError, join_names, shorten
from showthrough.core.expected import expects
from showthrough.data.labels import NO_TYPE, Labels
from showthrough.data.layout.spans import list_positions, merge_spans, paint
from showthrough.run.documents import RunTexts
from showthrough.run.run import Run
from showthrough.studies.cases import (
    CaseKind,
    ErrorCase,
    LocatedCase,
    case_at,
    name_in,
    rank_cases,
    readable_words,
    require_texts,
)
from showthrough.studies.failures import MASK_KINDS, Inspection, MaskKind, TypePair
from showthrough.studies.leaks import LEAK_KINDS, LeakKind, Leaks
from showthrough.studies.rules import Worth

LeakIdentifier = Literal["DIRECT", "QUASI"]
IDENTIFIERS: tuple[LeakIdentifier, ...] = get_args(LeakIdentifier)
CASE_KINDS: tuple[CaseKind, ...] = (*LEAK_KINDS, *MASK_KINDS)
_ROWS: tuple[tuple[int, LeakIdentifier], ...] = ((1, "DIRECT"), (0, "QUASI"))  # of a table of leaks


class LeakTally(msgspec.Struct, frozen=True):
    """How many there are, and how many of them leak in each way."""

    total: int
    kinds: dict[LeakKind, int]

    @property
    def leaking(self) -> int:
        return sum(self.kinds.values())

    def __add__(self, other: LeakTally) -> LeakTally:
        return LeakTally(self.total + other.total, {kind: self.kinds[kind] + other.kinds[kind] for kind in LEAK_KINDS})


NOTHING = LeakTally(0, dict.fromkeys(LEAK_KINDS, 0))


class LeakCounts(msgspec.Struct, frozen=True):
    """What is to be masked of one type: spans, each once whoever marked it, and the marks of each annotator."""

    entity_type: str
    identifier: LeakIdentifier
    spans: LeakTally
    marks: LeakTally


class MaskCounts(msgspec.Struct, frozen=True):
    """Needless masks of one type: what annotators called it, else what the system did."""

    entity_type: str
    kinds: dict[MaskKind, int]

    @property
    def total(self) -> int:
        return sum(self.kinds.values())


class DocumentSample(msgspec.Struct, frozen=True):
    """Which documents were looked at: those that the run keeps."""

    documents: int
    annotated: int  # of these; in the others nothing can be called a leak or needless
    corpus: int  # documents of the run
    chosen: Literal["all", "riskiest", "first"]


class Errors(msgspec.Struct, frozen=True):
    """Where one anonymization fails.

    Recall of mentions also asks for the `spared` mentions, which are marked as not to be masked while another mention
    of their entity is: with these and each annotator's marks, the counts are the metric's. `cases` are those that were
    asked for, and what was asked for is in `only`.
    """

    anonymization: str
    kept: DocumentSample
    leaks: list[LeakCounts]
    needless: list[MaskCounts]
    masks: int  # in documents with annotations; those that overlap are one
    spared: int
    spared_leaking: int
    coreference: bool = True  # whether some entity has several mentions; else no other mention can be masked
    silver: str = ""  # programs that annotated
    trusted: bool = False  # whether replacements are not read, as in the run's metrics
    only: dict[str, str] = {}
    cases: list[ErrorCase] = []
    types_met: list[TypePair] = []  # the annotators' types and those of masks; empty where no mask has a type

    def __repr__(self) -> str:
        """Short: a notebook prints whatever stands last, and cases are what was to be hidden."""
        leaking = f"{self.spans.leaking:,} of {self.spans.total:,} spans leak"
        return f"Errors({shorten(self.anonymization)}: {leaking}, {len(self.cases):,} cases)"

    @property
    def spans(self) -> LeakTally:
        """What is to be masked, each span once."""
        return sum((counts.spans for counts in self.leaks), NOTHING)

    @property
    def marks(self) -> LeakTally:
        """What is to be masked, counted for each annotator."""
        return sum((counts.marks for counts in self.leaks), NOTHING)

    @property
    def types(self) -> list[str]:
        """All types that have something to be masked or are masked needlessly."""
        leaking, masked = (
            (counts.entity_type for counts in self.leaks),
            (counts.entity_type for counts in self.needless),
        )
        return list(dict.fromkeys([*leaking, *masked]))

    def without_text(self) -> Errors:
        """The counts alone: with the released text, places would lead to the words."""
        return replace(self, cases=[], only={})


class ErrorAnalysis(msgspec.Struct, frozen=True):
    """Where the anonymizations of a run fail: one with its cases and what rules would win, or several side by side."""

    anonymizations: list[Errors]
    worth: Worth | None = None

    def without_text(self) -> ErrorAnalysis:
        bare = [errors.without_text() for errors in self.anonymizations]
        return ErrorAnalysis(bare, None if self.worth is None else self.worth.without_text())


@expects(run=Run)
def error_cases(
    run: Run,
    name: str | None = None,
    *,
    entity_type: str | None = None,
    identifier: str | None = None,
    kind: str | None = None,
    document: str | None = None,
) -> Errors:
    """Where one anonymization of a run fails; it need not be named where there is one alone.

    The counts are of everything. The cases are all, or those of a type, an identifier (direct or quasi), a kind and a
    document.
    """
    texts = require_texts(run)
    examination = _Examination(Inspection(texts), name_in(run, name))
    counted = examination.count_errors(run)
    filters = {
        "entity_type": None if entity_type is None else _type(counted, entity_type),
        "identifier": None if identifier is None else _check_choice("identifier", identifier.upper(), IDENTIFIERS),
        "kind": None if kind is None else _check_choice("kind", kind, CASE_KINDS),
        "document": None if document is None else _document(texts, document),
    }
    only = {field: value for field, value in filters.items() if value is not None}
    every = (*rank_cases(examination.iter_leaks()), *rank_cases(examination.masked_needlessly()))
    cases = [case for case in every if all(getattr(case, field) == value for field, value in only.items())]
    return replace(counted, only=only, cases=cases)


def all_errors(run: Run) -> ErrorAnalysis:
    """Where each anonymization of a run fails, without cases."""
    inspection = Inspection(require_texts(run))
    return ErrorAnalysis([_Examination(inspection, name).count_errors(run) for name in run.names])


def _type(errors: Errors, name: str) -> str:
    types = errors.types
    entity_type = name if name in types else Labels(types).title(name) or NO_TYPE
    if entity_type not in types:
        message = f"nothing of this type is to be masked or masked needlessly; there are {join_names(types)}"
        raise PlanError(message, f"type {shorten(name)}")
    return entity_type


def _check_choice(field: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise PlanError(f"unknown; there are {', '.join(map(str.lower, choices))}", f"{field} {shorten(value.lower())}")
    return value


def _document(texts: RunTexts, name: str) -> str:
    if all(document.id != name for document in texts.documents):
        raise PlanError(
            f"not among the {len(texts.documents):,} documents that the run keeps", f"document {shorten(name)}"
        )
    return name


class _Examination:
    """One anonymization, looked at."""

    def __init__(self, inspection: Inspection, name: str) -> None:
        self._inspection = inspection
        self._name = name
        self._coverage = inspection.coverage(name)
        self._leaks = Leaks.of(inspection, self._coverage)
        self._needless = list(inspection.needless(self._coverage, name))

    def count_errors(self, run: Run) -> Errors:
        """The counts, without cases."""
        texts, annotated = self._inspection.texts, self._inspection.gold.annotators > 0
        return Errors(
            self._name,
            DocumentSample(len(texts.documents), int(annotated.sum()), len(run.documents), texts.chosen),
            self._leak_counts(),
            self._mask_counts(),
            int(annotated[self._coverage.document].sum()),
            self._leaks.spared,
            self._leaks.spared_leaking,
            len(self._inspection.gold.entity_level) < len(self._inspection.gold.entity),
            run.corpus.silver,
            texts.replacements == "trusted",
            types_met=self._inspection.types_met(self._name),
        )

    def _leak_counts(self) -> list[LeakCounts]:
        """By type and identifier, the types that leak most first."""
        marks, types = self._leaks.marks, self._inspection.types
        spans, by_annotator = marks.merge().table(len(types)), marks.table(len(types))
        order = sorted(range(len(types)), key=lambda code: (-int(spans[code, :, :-1].sum()), types[code]))
        return [
            LeakCounts(types[code], identifier, _tally(spans[code, level]), _tally(by_annotator[code, level]))
            for code in order
            for level, identifier in _ROWS
            if by_annotator[code, level].any()
        ]

    def _mask_counts(self) -> list[MaskCounts]:
        """By type, those with most first."""
        counts = Counter((mask.entity_type, mask.kind) for mask in self._needless)
        by_type = {name: MaskCounts(name, {kind: counts[name, kind] for kind in MASK_KINDS}) for name, _ in counts}
        return sorted(by_type.values(), key=lambda mask: (-mask.total, mask.entity_type))

    def iter_leaks(self) -> Iterator[LocatedCase]:
        """Each span that leaks."""
        spans, inspection, hidden = self._leaks.marks.merge().leaking, self._inspection, self._hidden_characters()
        columns = (spans.entity_type, spans.level, spans.kind, spans.repeated, spans.start, spans.end)
        rows = zip(inspection.locate(spans.start, spans.end), *(column.tolist() for column in columns), strict=True)
        for location, entity_type, level, kind, repeated, start, end in rows:
            document, named = inspection.texts.documents[location.document], inspection.types[entity_type]
            case = case_at(document, location, LEAK_KINDS[kind], named, IDENTIFIERS[2 - level])
            in_part = case.kind in ("partly", "border")
            readable = readable_words(inspection.axis.text[start:end], hidden[start:end]) if in_part else ""
            yield LocatedCase(location, replace(case, readable=readable, repeated=repeated))

    def masked_needlessly(self) -> Iterator[LocatedCase]:
        """Each needless mask."""
        for mask in self._needless:
            document = self._inspection.texts.documents[mask.location.document]
            yield LocatedCase(mask.location, case_at(document, mask.location, mask.kind, mask.entity_type))

    def _hidden_characters(self) -> Bools:
        """Which characters can no longer be read."""
        hidden = np.zeros(len(self._inspection.axis), dtype=bool)
        paint(hidden, self._coverage.start, self._coverage.end)
        if self._inspection.texts.replacements == "read":
            repeated = self._coverage.disclosures
            hidden[list_positions(*merge_spans(repeated.start, repeated.end))] = False
        return hidden


def _tally(counts: Ints) -> LeakTally:
    *kinds, hidden = counts.tolist()
    return LeakTally(sum(kinds) + hidden, dict(zip(LEAK_KINDS, kinds, strict=True)))
