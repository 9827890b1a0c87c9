"""How much of what stood under masks somebody guesses from what is left."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Document
from showthrough.data.labels import NO_TYPE, Labels
from showthrough.data.reading_form import reading_form
from showthrough.data.references import REFERENCES
from showthrough.families.inference.controls import CONTROL, EMPTY, RISK, as_good, risk, risk_interval
from showthrough.families.reconstruction.family import ASKED, BEHIND, EXACT, FIRST, FIVE, ORDINARY, UNANSWERED, WORDS
from showthrough.families.reconstruction.guessers import (
    FILLING,
    FREQUENCY,
    Guess,
    GuessCase,
    Guesser,
    Guesses,
    guesser_fault,
    guesser_of,
    units_of,
)
from showthrough.families.reconstruction.slots import Slot, Target, targets_of
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.released_text import ReleasedText
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL
from showthrough.models.names import GAPS
from showthrough.statistics.rows import Rows, Totals

_MOST = 50  # recovered values of a document that are kept as evidence
_EXPLAINED = 3  # of them, those whose words are looked for
_LONGEST = 200  # characters of a value that are kept
_TRIED, _WORDS_TRIED = 50, 5  # documents, and ordinary words of each, that show what a guesser is able to do
_ORDINARY_WORD = lazy_pattern(r"(?<![^\W_])[^\W\d_]{4,}(?![^\W_])")
_TOGETHER = 200  # documents whose masks are guessed together

FLOOR = (
    f"the guesser {FREQUENCY} reads what masks write and not the text around: a reader of the text may recover more "
    f"than these numbers say"
)


@dataclass(frozen=True)
class Recovery(Metric):
    """Share of the masked mentions that somebody guesses at the first try from the released text.

    Each mask over something that has to be masked is a question: what stood there? The guesser gives up to five
    answers with probabilities. An answer is right if it reads the same; for the parts `exact` and `exact-5`, if it is
    written the same. Parts `top-5` and `exact-5` count whether one of five is right. `control` is what the same guesser
    reaches without the release, and `risk` the share recovered of what the control leaves. All but the exact ones are
    also there by type, by identifier and by what stands in place of the mention. `words` is the share of ordinary words
    that the guesser recovers where only that word is hidden: it shows how able the guesser is.

    recover = |{masked mentions : the first guess reads the same}| / |{masked mentions}|; risk = (r − c) / (1 − c)

    >>> from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
    >>> def travel(key, text, town):
    ...     start = text.index(town)
    ...     return Document(key, text, (Annotation("us", (Mention(start, start + len(town), "LOC", "QUASI"),)),))
    >>> oslo = travel("a", "By rail to Oslo", "Oslo"), travel("b", "A day in Oslo", "Oslo")
    >>> corpus = Corpus([*oslo, travel("c", "Off to Rome", "Rome")])
    >>> masks = {"x": Anonymization({"a": [Mask(11, 15, "[LOC]")], "b": [Mask(9, 13, "[LOC]")], "c": [Mask(7, 11)]})}
    >>> run = evaluate(corpus, masks, metrics=["recover"])
    >>> run["x", "recover"].value  # Oslo, which is right in a and b, and wrong in c
    0.6666666666666666
    """

    version = 2  # 1 took `MASKED`, and amounts by powers of ten, for surrogates
    group = "privacy"
    needs = frozenset({"gold"})
    scope = "corpus"
    title = "Masked mentions recovered"
    better = "lower"
    neutral = (CONTROL, f"{CONTROL}-5", WORDS)
    tells = "what can be guessed of what stood under masks"
    roles = ("reconstruction",)
    undefined = "no mask hides a mention that has to be masked"
    fixed = (("guesses", "5"),)

    guesser: str = parameter(FREQUENCY, f"who guesses: {FREQUENCY}, {FILLING}MODEL or {MODEL}MODEL[@URL]")

    def __post_init__(self) -> None:
        super().__post_init__()
        if fault := guesser_fault(self.guesser):
            raise PlanError(f"guesser: {fault}", type(self).__name__)

    @property
    def models(self) -> dict[str, str]:
        if not self.guesser.startswith(FILLING):
            return {}
        return {GAPS.parameter: self.guesser.removeprefix(FILLING)}

    @property
    def asks(self) -> tuple[str, ...]:
        return (self.guesser,) if self.guesser.startswith(MODEL) else ()

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        measure, _, kind = part.partition(":")
        if measure not in (RISK, f"{RISK}-5"):
            return None
        return risk_interval(*_against(units, kind, measure.endswith("-5")), confidence)

    def why_undefined(self, part: str, totals: Totals) -> str:
        measure = part.partition(":")[0]
        if measure == WORDS:
            return "no ordinary word was guessed"
        if totals[UNANSWERED] and not totals[ASKED]:
            return "the guesser has no answer"
        if measure.startswith(RISK) and totals[ASKED]:
            return "the control recovers everything, and leaves nothing to find out"
        return self.undefined

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        ours = {name: rows for name, rows in tables.items() if name not in REFERENCES}
        floor = [FLOOR] * (self.guesser == FREQUENCY)
        return [*floor, *(line for name, rows in ours.items() for line in self._remarks_on(name, rows))]

    def _remarks_on(self, name: str, rows: Rows) -> Iterator[str]:
        totals = rows.totals()
        if missing := int(totals[UNANSWERED]):
            yield (
                f"{shorten(name)}: {missing:,} masked mentions have no answer of {shorten(self.guesser)}: these count "
                f"nowhere in recover, and nobody knows what can be guessed of them"
            )
        if remark := as_good(*_against(rows, ""), EMPTY):
            yield f"{shorten(name)}, recover: {remark.replace('inferred', 'recovered')}"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        corpus = chunk.corpus
        guesser = chunk.once(("guesser", self.guesser), lambda: guesser_of(self.guesser, corpus, chunk.resources))
        labels, units = Labels(chunk.types), units_of(corpus)
        order = sorted(range(len(corpus)), key=lambda number: _digest(corpus.ids[number]))
        tried = frozenset(order[:_TRIED]) if guesser.reads else frozenset()

        def rows(anonymized: Anonymized) -> Rows:
            tally = _Tally(len(corpus), guesser.reads)
            for first in range(0, len(corpus), _TOGETHER):
                questions = [
                    _questions(anonymized, corpus.documents[number], number, units[number], labels, number in tried)
                    for number in range(first, min(first + _TOGETHER, len(corpus)))
                ]
                cases = [case for question in questions for case in question.cases]
                answers = iter(guesser.guess(cases))
                for question in questions:
                    tally.add(question, [next(answers) for _ in question.cases], guesser)
            return replace(Rows.named(tally.columns), evidence=tally.evidence)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        kinds = [column.partition(":")[2] for column in totals if column.startswith(f"{ASKED}:")]
        parts: dict[str, Floats] = {}
        for kind in ("", *sorted(kinds)):
            end = f":{kind}" if kind else ""
            slots = totals[f"{ASKED}{end}"]
            columns = FIRST, FIVE, f"{BEHIND}{FIRST}"
            first, five, control = (ratio(totals[f"{column}{end}"], slots) for column in columns)
            parts |= {f"top-1{end}" if kind else HEADLINE: first, f"top-5{end}": five}
            parts |= {f"{CONTROL}{end}": control, f"{RISK}{end}": risk(first, control)}
        control_5 = ratio(totals[f"{BEHIND}{FIVE}"], totals[ASKED])
        parts |= {f"{CONTROL}-5": control_5, f"{RISK}-5": risk(parts["top-5"], control_5)}
        parts["exact"] = ratio(totals[f"{EXACT}{FIRST}"], totals[ASKED])
        parts["exact-5"] = ratio(totals[f"{EXACT}{FIVE}"], totals[ASKED])
        if f"{ORDINARY}{ASKED}" in totals:
            parts[WORDS] = ratio(totals[f"{ORDINARY}{FIRST}"], totals[f"{ORDINARY}{ASKED}"])
        return parts


@dataclass(frozen=True)
class _Questions:
    """What is asked about a document: its slots, the same without the text, and ordinary words where that is tried."""

    number: int
    document: Document
    targets: list[Target]
    cases: list[GuessCase]
    words: list[str]  # ordinary ones, which the last case hides


def _questions(
    anonymized: Anonymized, document: Document, number: int, unit: str, labels: Labels, tried: bool
) -> _Questions:
    released = ReleasedText.of(document.text, anonymized.of(document.id))
    targets = targets_of(document, released, labels)
    slots = tuple(dict.fromkeys(target.slot for target in targets))
    cases = []
    if slots:
        cases = [
            GuessCase(anonymized.name, document.id, unit, released.text, slots),
            GuessCase(anonymized.name, "", unit, "", (Slot(0, 0),)),
        ]
    words = _ordinary_words(released, document.id) if tried and slots else []
    if words:
        cases.append(GuessCase(anonymized.name, document.id, unit, *_without(released.text, words)))
    return _Questions(number, document, targets, cases, [released.text[start:end] for start, end in words])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, tuple[Slot, ...]]:
    """A text without some words, and where they stood."""
    pieces, slots, position, length = [], [], 0, 0
    for start, end in spans:
        pieces.append(text[position:start])
        length += start - position
        slots.append(Slot(length, length))
        position = end
    return "".join((*pieces, text[position:])), tuple(slots)


def _ordinary_words(released: ReleasedText, document_id: str) -> list[tuple[int, int]]:
    """Words in small letters that stand outside masks, as an order that follows from the id draws them."""
    spans = [match.span() for match in _ORDINARY_WORD.finditer(released.text) if match[0].islower()]
    spans = [span for span in spans if released.mask_at(*span) is None]
    random = np.random.default_rng(list(_digest(document_id)))
    return [spans[index] for index in sorted(random.permutation(len(spans))[:_WORDS_TRIED].tolist())]


class _Tally:
    """Columns of rows, and what was recovered of each document."""

    def __init__(self, documents: int, reads: bool) -> None:
        self._documents = documents
        self.columns: dict[str, Floats] = {}
        for column in (ASKED, FIRST, FIVE, f"{BEHIND}{FIRST}", f"{BEHIND}{FIVE}", f"{EXACT}{FIRST}", f"{EXACT}{FIVE}"):
            self.columns[column] = np.zeros(documents)
        for column in (f"{ORDINARY}{ASKED}", f"{ORDINARY}{FIRST}") if reads else ():
            self.columns[column] = np.zeros(documents)
        self.columns[UNANSWERED] = np.zeros(documents)
        self.evidence: dict[str, dict[str, Any]] = {}

    def add(self, questions: _Questions, answers: Sequence[Guesses | None], guesser: Guesser) -> None:
        """What was answered about a document; without the answer or its control a mention does not count."""
        if not questions.cases:
            return
        own, control = answers[0], answers[1]
        if own is None or control is None:
            self.columns[UNANSWERED][questions.number] += len(questions.targets)
        else:
            self._count(questions, own, control[0])
            self._show(questions, own, guesser)
        if questions.words and answers[2] is not None:
            right = [_rank(guesses, {reading_form(word)}, reading_form) == 1
                     for word, guesses in zip(questions.words, answers[2], strict=True)]  # fmt: skip
            self.columns[f"{ORDINARY}{ASKED}"][questions.number] = len(right)
            self.columns[f"{ORDINARY}{FIRST}"][questions.number] = sum(right)

    def _count(self, questions: _Questions, own: Guesses, control: list[Guess]) -> None:
        guesses_by_slot = dict(zip(questions.cases[0].slots, own, strict=True))
        for target in questions.targets:
            guesses = guesses_by_slot[target.slot]
            ranks = {"": _rank(guesses, target.forms, reading_form), EXACT: _rank(guesses, target.exact, str)}
            ranks[BEHIND] = _rank(control, target.forms, reading_form)
            named = target.entity_type or NO_TYPE, f"({target.identifier.lower()})", f"({target.way})"
            kinds = ("", *(f":{kind}" for kind in named))
            for kind in kinds:
                self._add(f"{ASKED}{kind}", questions.number)
                self._add(f"{FIRST}{kind}", questions.number, ranks[""] == 1)
                self._add(f"{FIVE}{kind}", questions.number, ranks[""] > 0)
                self._add(f"{BEHIND}{FIRST}{kind}", questions.number, ranks[BEHIND] == 1)
            for which in (BEHIND, EXACT):
                self._add(f"{which}{FIVE}", questions.number, ranks[which] > 0)
            self._add(f"{EXACT}{FIRST}", questions.number, ranks[EXACT] == 1)

    def _add(self, column: str, number: int, count: float = 1) -> None:
        if column not in self.columns:
            self.columns[column] = np.zeros(self._documents)
        self.columns[column][number] += count

    def _show(self, questions: _Questions, own: Guesses, guesser: Guesser) -> None:
        """The values that one of the guesses has right, the surest first."""
        guesses_by_slot = dict(zip(questions.cases[0].slots, own, strict=True))
        recovered: list[tuple[float, int, Target, Guess]] = []
        for target in questions.targets:
            guesses = guesses_by_slot[target.slot]
            if rank := _rank(guesses, target.forms, reading_form):
                recovered.append((-guesses[rank - 1].probability, rank, target, guesses[rank - 1]))
        recovered.sort(key=lambda entry: entry[:3])
        shown = [
            {
                "subject": "",
                "tag": shorten(target.entity_type),
                "true": shorten(target.text, _LONGEST),
                "guess": shorten(guess.text, _LONGEST),
                "agreement": 1.0,
                "certainty": 0,
                "hardness": 0,
                "start": target.slot.start,
                "end": target.slot.end,
                "original": (target.start, target.end),
                "rank": rank,
                "probability": guess.probability,
                "words": guesser.explain(questions.cases[0], target.slot, guess) if index < _EXPLAINED else [],
            }
            for index, (_, rank, target, guess) in enumerate(recovered[:_MOST])
        ]
        if shown:
            self.evidence[questions.document.id] = {"inferred": shown}


def _rank(guesses: Sequence[Guess], right: frozenset[str] | set[str], form: Callable[[str], str]) -> int:
    """The place of the first guess that is right, from 1; 0 where none is."""
    return next((rank for rank, guess in enumerate(guesses, 1) if form(guess.text) in right), 0)


def _against(units: Rows, kind: str, five: bool = False) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """By unit what was recovered, of how much, and the same of the control."""
    end = f":{kind}" if kind else ""
    column = FIVE if five else FIRST
    slots = units.column(f"{ASKED}{end}")
    return (units.column(f"{column}{end}"), slots), (units.column(f"{BEHIND}{column}{end}"), slots)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
