"""One annotation of what several people marked: rules where they differ, and what people decide instead."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import InputError, PlanError, Problem, at_document, join_names, quote_value, suggest_name
from showthrough.core.expected import expects
from showthrough.data.documents import Annotation, Corpus, Document, Identifier, Mention
from showthrough.data.levels import LEVELS
from showthrough.data.silver import is_silver
from showthrough.studies.cases import context_of, in_a_line
from showthrough.studies.review._columns import DOCUMENT, NOTE, WORDS, table
from showthrough.studies.review._filled_sheets import SheetRow, normalize_spaces, open_rows, places_of, rows_of_sheet
from showthrough.studies.review.merging import (
    RULES,
    WINS,
    MergeRules,
    Place,
    build_mark,
    merge_place,
    places_in,
    with_entities,
)

ADJUDICATED = "adjudicated"
PLACE, BEFORE, AFTER, DIFFER, BY_RULE, DECISION = "place", "before", "after", "they differ on", "by rule", "decision"
NONE, RULE = "none", "rule"
KINDS = ("marked or not", "borders", "type", "identifier")
_COLUMNS = (DOCUMENT, PLACE, WORDS, BEFORE, AFTER, DIFFER)  # then one for each annotator
_LAST = (BY_RULE, DECISION, NOTE)
_LEVELS = "|".join(LEVELS)
_BETWEEN = re.compile(rf"\s\|\s(?=[^|]*/(?:{_LEVELS})\b)")
_MARK = re.compile(rf"(.*?)/({_LEVELS})(?:\s*:\s*(.*))?", re.DOTALL)
_EXPECTED = f"expected an annotator, {RULE}, {', '.join(RULES)}, {NONE}, or a mark such as PERSON/DIRECT: Mr Doe"


class Dispute(msgspec.Struct, frozen=True):
    """A place on which annotators differ, and what becomes of it."""

    document: str
    start: int
    end: int
    before: str
    words: str
    after: str
    kind: str
    readings: dict[str, str]  # what each annotator of the document marked there, or `none`
    by_rule: str
    decision: str = ""  # what somebody decided; empty: the rule holds
    note: str = ""


class Adjudication(msgspec.Struct, frozen=True):
    """What merging the annotators of a corpus found."""

    corpus: str
    annotators: tuple[str, ...]
    rule: str
    rules_by_type: dict[str, str]
    documents: int
    shared: int  # documents that two or more of them annotated
    places: int  # in these documents
    agreed: int
    decided: int  # disputes that somebody decided
    kinds: dict[str, int]  # disputes by what annotators differ on
    followed: dict[str, int]  # disputes whose outcome is what this annotator marked
    disputes: tuple[Dispute, ...]

    def without_text(self) -> Adjudication:
        """The numbers alone."""
        return replace(self, disputes=())


@dataclass(frozen=True)
class Adjudicated:
    """A corpus with one annotation of these annotators, and what was found on the way."""

    corpus: Corpus
    outcome: Adjudication
    notes: tuple[str, ...] = ()

    def sheet(self) -> bytes:
        """The disputes as a table to fill in: one row each."""
        names = self.outcome.annotators
        rows = (
            (
                dispute.document, _span_text(dispute.start, dispute.end), dispute.words, dispute.before, dispute.after,
                dispute.kind, *(dispute.readings.get(name, "") for name in names), dispute.by_rule, dispute.decision,
                dispute.note,
            )
            for dispute in self.outcome.disputes
        )  # fmt: skip
        return table((*_COLUMNS, *names, *_LAST), rows)


def _span_text(start: int, end: int) -> str:
    """A place in a cell, which no spreadsheet takes for a date."""
    return f"{start}..{end}"


class _Decision(NamedTuple):
    row: SheetRow
    text: str
    note: str


@expects(corpus=Corpus)
def adjudicate(
    corpus: Corpus,
    merge: Sequence[str] | str = (),
    *,
    annotators: Sequence[str] = (),
    filled: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    partial: bool = False,
    name: str = ADJUDICATED,
) -> Adjudicated:
    """Merges the annotators of a corpus into one annotation, called `name`.

    Where all who annotated a document marked the same, that stays. Elsewhere a rule of `merge` says what is marked:
    `union` (the default), `majority`, or `annotator:NAME`, for all or after `TYPE=`. `filled` are sheets with what
    people decided (`.sheet()`), which goes before rules. Every dispute must be decided there unless `partial`. Raises
    InputError with all that is wrong with the sheets. Without `annotators` all people count, and programs do not.

    >>> def layer(who, *spans):
    ...     return Annotation(who, tuple(Mention(start, end, "PERSON", "DIRECT") for start, end in spans))
    >>> corpus = Corpus([Document("a", "Mr Doe met Bo.", (layer("x", (3, 6), (11, 13)), layer("y", (0, 6))))])
    >>> [(mark.start, mark.end) for mark in adjudicate(corpus).corpus.documents[0].annotations[0].mentions]
    [(0, 6), (11, 13)]
    >>> result = adjudicate(corpus, "majority")
    >>> [(mark.start, mark.end) for mark in result.corpus.documents[0].annotations[0].mentions]  # what both marked
    [(3, 6)]
    >>> result.outcome.kinds
    {'marked or not': 1, 'borders': 1, 'type': 0, 'identifier': 0}
    """
    _ = corpus.survey  # raises for what is wrong with a document
    chosen = _chosen(corpus, annotators, name)
    types = {mark.entity_type for layer in _layers(corpus, chosen) for mark in layer.mentions}
    rules = MergeRules.parse([merge] if isinstance(merge, str) else merge, chosen, types)
    paths = [Path(path) for path in ([filled] if isinstance(filled, str | os.PathLike) else filled)]
    notes: list[str] = []
    problems: list[Problem] = []
    decisions = _read_decisions(paths, chosen, notes, problems)
    if problems and not decisions:  # no sheet could be read: that nothing is decided is no further problem
        raise InputError(problems)
    work = _Work(chosen, rules, name, decisions, problems)
    documents = [work.document(document) for document in corpus]
    work.check(paths, partial)
    if problems:
        raise InputError(problems)
    outcome = Adjudication(
        corpus.name, tuple(chosen), rules.default, dict(rules.by_type), len(documents), work.shared, work.places,
        work.places - len(work.disputes), sum(bool(dispute.decision) for dispute in work.disputes),
        {kind: work.kinds[kind] for kind in KINDS}, {key: work.followed[key] for key in chosen}, tuple(work.disputes),
    )  # fmt: skip
    if work.instead:
        notes.append(f"{work.instead} disputes are in documents that the annotator who wins did not read: union there")
    merged = Corpus(documents, corpus.name, corpus.source, corpus.notes, corpus.offsets)
    return Adjudicated(merged, outcome, tuple(notes))


def _chosen(corpus: Corpus, annotators: Sequence[str], name: str) -> list[str]:
    """Whose annotations are merged, in the order in which they come first."""
    every = list(dict.fromkeys(layer.annotator for document in corpus for layer in document.annotations))
    if unknown := [each for each in annotators if each not in every]:
        fault = f"{suggest_name(unknown[0], every)}expected one of {join_names(every)}"
        raise PlanError(f"found {quote_value(unknown[0])}; {fault}", "annotator")
    chosen = list(dict.fromkeys(annotators)) or [each for each in every if not is_silver(each)]
    if len(chosen) < 2:
        raise PlanError(f"found {join_names(chosen)}; expected two annotators or more", "annotator")
    if name in every and name not in chosen:
        raise PlanError(f"the corpus has another annotator {quote_value(name)}; expected another name", "name")
    used = {column.casefold() for column in (*_COLUMNS, *_LAST)}
    if clash := [each for each in chosen if each.strip().casefold() in used or each != each.strip() or not each]:
        raise PlanError(f"an annotator is called {quote_value(clash[0])}, as a column of sheets is", "annotator")
    return chosen


def _layers(corpus: Corpus, chosen: Sequence[str]) -> Iterator[Annotation]:
    return (layer for document in corpus for layer in document.annotations if layer.annotator in chosen)


def _read_decisions(
    paths: Sequence[Path], annotators: Sequence[str], notes: list[str], problems: list[Problem]
) -> dict[tuple[str, str], _Decision]:
    """What stands in sheets, by document and place; of several sheets that say the same, the first."""
    decisions: dict[tuple[str, str], _Decision] = {}
    expected = [column.casefold() for column in (*_COLUMNS, *annotators, *_LAST)]
    for path in paths:
        for row in rows_of_sheet(partial(open_rows, path), expected, notes, problems):
            key = row.cells[DOCUMENT], "".join(row.cells[PLACE].split())
            decision = _Decision(row, row.cells[DECISION], row.cells[NOTE])
            earlier = decisions.get(key)
            if earlier and earlier.text and decision.text and earlier.text != decision.text:
                fault = f"found {quote_value(decision.text)}; {earlier.row.file}, {earlier.row.location} says "
                problems.append(row.problem(DECISION, f"{fault}{quote_value(earlier.text)}; expected one decision"))
            elif not (earlier and earlier.text):
                decisions[key] = decision
    return decisions


class _Work:
    """What is summed up on the way through a corpus."""

    def __init__(
        self,
        annotators: Sequence[str],
        rules: MergeRules,
        name: str,
        decisions: Mapping[tuple[str, str], _Decision],
        problems: list[Problem],
    ) -> None:
        self._annotators = annotators
        self._rules = rules
        self._name = name
        self._decisions = decisions
        self._problems = problems
        self._used: set[tuple[str, str]] = set()
        self.disputes: list[Dispute] = []
        self.kinds: Counter[str] = Counter()
        self.followed: Counter[str] = Counter()
        self.shared = self.places = self.instead = 0

    def document(self, document: Document) -> Document:
        """The document with one annotation instead of those that are merged."""
        own = [name for name in self._annotators if any(name == layer.annotator for layer in document.annotations)]
        if not own:
            return document
        layers = [
            [mark for layer in document.annotations if layer.annotator == name for mark in layer.mentions]
            for name in own
        ]
        if len(own) == 1:
            marks = tuple(layers[0])
        else:
            self.shared += 1
            places = places_in(layers)
            self.places += len(places)
            merged = [mark for spot in places for mark in self._merge(document, spot, own)]
            winner = next((at for at, who in enumerate(own) if self._rules.default == f"{WINS}{who}"), None)
            marks = with_entities(merged, layers, winner)
        layer = Annotation(self._name, marks)
        others = tuple(other for other in document.annotations if other.annotator not in own)
        reviewed = document.reviewed
        if reviewed is not None:
            reviewed = tuple(each for each in reviewed if each not in own)
        return replace(document, annotations=(layer, *others), reviewed=reviewed)

    def _merge(self, document: Document, spot: Place, own: Sequence[str]) -> list[Mention]:
        if spot.agreed:
            return merge_place(spot, "union", own, document.text)
        rule = self._rule(spot)
        if rule not in RULES and rule.removeprefix(WINS) not in own:
            self.instead += 1
            rule = "union"
        by_rule = merge_place(spot, rule, own, document.text)
        key = document.id, _span_text(spot.start, spot.end)
        readings = {name: _in_words(marks, document.text) or NONE for name, marks in zip(own, spot.marks, strict=True)}
        around = context_of(document.text, spot.start, spot.end)
        marks, text, note = by_rule, "", ""
        if decision := self._decisions.get(key):
            self._used.add(key)
            self._check_row(decision.row, readings, around.here)
            marks, text, note = self._decide(decision, document, spot, own, by_rule), decision.text, decision.note
        self.kinds[spot.kind] += 1
        outcome = frozenset((mark.start, mark.end, mark.entity_type, mark.identifier) for mark in marks)
        self.followed.update(name for name, reading in zip(own, spot.readings, strict=True) if reading == outcome)
        self.disputes.append(
            Dispute(
                document.id, spot.start, spot.end, around.before, around.here, around.after, spot.kind, readings,
                _in_words(by_rule, document.text) or NONE, text, note,
            )
        )  # fmt: skip
        return marks

    def _rule(self, spot: Place) -> str:
        """The rule of the type that most annotators used there; of equals, of the first that has a rule."""
        votes = Counter(kind for own in spot.marks for kind in {mark.entity_type for mark in own})
        kinds = sorted(votes, key=lambda kind: (-votes[kind], kind not in self._rules.by_type, kind))
        return self._rules.by_type.get(kinds[0], self._rules.default)

    def _check_row(self, row: SheetRow, readings: Mapping[str, str], words: str) -> None:
        """That a row is about the corpus as it is now."""
        expected = {WORDS: words} | {name.casefold(): reading for name, reading in readings.items()}
        for column, value in expected.items():
            if normalize_spaces(row.cells[column]) != normalize_spaces(value):
                fault = f"found {quote_value(row.cells[column])}; expected {quote_value(value)}"
                self._problems.append(row.problem(column, f"{fault}: the corpus has changed since, or the sheet"))

    def _decide(
        self, decision: _Decision, document: Document, spot: Place, own: Sequence[str], by_rule: list[Mention]
    ) -> list[Mention]:
        """The marks that somebody decided on."""
        text = decision.text
        if not text or text.casefold() == RULE:
            return by_rule
        if text in own:
            return merge_place(spot, f"{WINS}{text}", own, document.text)
        if text.casefold() == NONE:
            return []
        if text.casefold() in RULES:
            return merge_place(spot, text.casefold(), own, document.text)
        marks = []
        taken: set[tuple[int, int]] = set()
        for piece in _BETWEEN.split(text):
            match = _MARK.fullmatch(piece.strip())
            if match is None:
                hint = suggest_name(text, own)
                self._problems.append(decision.row.problem(DECISION, f"found {quote_value(piece)}; {hint}{_EXPECTED}"))
                return []
            kind, level, words = match[1].strip(), cast("Identifier", match[2]), match[3]
            span = (spot.start, spot.end) if not words else _near(words, document.text, spot, taken)
            if span is None:
                fault = f"the words {quote_value(words)} are not there; expected words of the text at this place"
                self._problems.append(decision.row.problem(DECISION, fault))
                return []
            taken.add(span)
            like = build_mark(spot, max(span[0], spot.start), min(span[1], spot.end), strongest=True)
            marks.append(Mention(*span, kind, level, "", like.confidential))
        return marks

    def check(self, paths: Sequence[Path], partial: bool) -> None:
        """Adds rows that belong to no dispute to the problems, and disputes that nobody decided."""
        for key, decision in self._decisions.items():
            if key not in self._used:
                fault = f"found {quote_value(key[1])} in document {quote_value(key[0])}, where nobody differs; "
                expected = "expected the corpus, and the annotators, that the sheet was made of"
                self._problems.append(decision.row.problem(PLACE, fault + expected))
        if not paths or partial:
            return
        for dispute in self.disputes:
            if not dispute.decision:
                where = f"{at_document(dispute.document)}: {_span_text(dispute.start, dispute.end)}"
                fault = f"is not decided; {_EXPECTED}, or --partial to follow the rule"
                self._problems.append(Problem(str(paths[0]), where, fault))


def _near(words: str, text: str, spot: Place, taken: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """Where words stand that overlap a place: the first such span that no other mark has."""
    spans = [span for span in places_of(words, text) if span[0] < spot.end and spot.start < span[1]]
    return next((span for span in spans if span not in taken), None)


def _in_words(marks: Iterable[Mention], text: str) -> str:
    """Marks as a cell has them, and as somebody may write them."""
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end, mark.entity_type))
    return " | ".join(
        f"{mark.entity_type}/{mark.identifier}: {in_a_line(text, mark.start, mark.end)}" for mark in ordered
    )


def join_layers(corpora: Sequence[Corpus]) -> Corpus:
    """The annotations of several files of the same documents, as layers of each.

    An annotator who is in several files is named after the file as well. Raises InputError where texts differ.
    """
    if len(corpora) == 1:
        return corpora[0]
    names = [corpus.name for corpus in corpora]
    people = [
        dict.fromkeys(layer.annotator for document in corpus for layer in document.annotations) for corpus in corpora
    ]
    repeated = {name for name, times in Counter(name for own in people for name in own).items() if times > 1}
    if repeated and len(set(names)) < len(names):
        raise PlanError(f"found {join_names(names)}; expected files with different names", "corpus")
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    for corpus, own in zip(corpora, people, strict=True):
        called = {
            name: (corpus.name if len(own) == 1 else f"{corpus.name}:{name}") if name in repeated else name
            for name in own
        }
        for document in corpus:
            layers = tuple(replace(layer, annotator=called[layer.annotator]) for layer in document.annotations)
            first = documents.get(document.id)
            if first is not None and first.text != document.text:
                fault = f"its text is not that of {corpora[0].source or names[0]}; expected annotations of one text"
                problems.append(Problem(corpus.source or corpus.name, at_document(document.id), fault))
            elif first is not None:
                documents[document.id] = replace(first, annotations=(*first.annotations, *layers))
            else:
                documents[document.id] = replace(document, annotations=layers)
    if problems:
        raise InputError(problems)
    notes = tuple(note for corpus in corpora for note in corpus.notes)
    return Corpus(list(documents.values()), names[0], corpora[0].source, notes, corpora[0].offsets)
