"""Rules: forms, headings and words before, each with the label that it nearly always has.

Kinds of rules are given; training finds which headings, cues and forms mean which type, and which can be trusted. The
most trusted rule that holds of a token decides; where none does, it is outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Self

import msgspec

from showthrough.systems.taggers.labels import OUTSIDE
from showthrough.systems.taggers.learners.base import Row, Rows, TaggedSequence

_FILE = "rules.json"
_WRITTEN = "o="  # how a word is written, which a form or a cue may ask for besides


class LabelRule(msgspec.Struct, frozen=True):
    """What it says, and how often it was right."""

    label: str
    sure: float


class _Book(msgspec.Struct, frozen=True):
    forms: list[str]
    rules: dict[str, LabelRule]
    otherwise: float  # how often a token is outside where no rule holds
    likely: str  # what it then is most often else


@dataclass
class RuleLearner:
    """Labels by rules alone."""

    name: ClassVar[str] = "rules"

    forms: list[str] = field(
        default_factory=lambda: ["t", "h", "cue", "x-"]
    )  # groups of features that rules are made of
    fewest: int = 3  # sequences in which a rule was right
    trust: float = 0.8  # how often it must have been right
    _book: _Book = field(default_factory=lambda: _Book([], {}, 1.0, OUTSIDE), repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        """The seed changes nothing: there is no chance in it."""
        totals: Counter[str] = Counter()
        right: Counter[tuple[str, str]] = Counter()
        spread: Counter[tuple[str, str]] = Counter()
        for rows, answers in zip(sequences, labels, strict=True):
            met = [
                (condition, label)
                for row, label in zip(rows, answers, strict=True)
                for condition in _conditions(row, self.forms)
            ]
            totals.update(condition for condition, _ in met)
            right.update(met)
            spread.update(set(met))
        rules: dict[str, LabelRule] = {}
        for (condition, label), count in sorted(right.items()):
            sure = count / (totals[condition] + 1)
            best = rules.get(condition)
            usable = label != OUTSIDE and spread[condition, label] >= self.fewest and sure >= self.trust
            if usable and (best is None or sure > best.sure):
                rules[condition] = LabelRule(label, sure)
        self._book = _Book(self.forms, rules, 1.0, OUTSIDE)
        self._book = msgspec.structs.replace(self._book, **self._rest(sequences, labels))

    def _rest(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]]) -> dict[str, float | str]:
        """What tokens are of which no rule holds."""
        rest: Counter[str] = Counter()
        for row, label in zip(chain.from_iterable(sequences), chain.from_iterable(labels), strict=True):
            if self.rule(row) is None:
                rest[label] += 1
        marked = Counter({label: count for label, count in rest.items() if label != OUTSIDE})
        every = Counter(label for sequence in labels for label in sequence if label != OUTSIDE)
        likely = (marked or every or Counter([OUTSIDE])).most_common(1)[0][0]
        return {"otherwise": (rest[OUTSIDE] + 1) / (rest.total() + 1), "likely": likely}

    def rule(self, row: Row) -> LabelRule | None:
        """The most trusted rule that holds of a token."""
        rules = self._book.rules
        candidates = [rules[condition] for condition in _conditions(row, self._book.forms) if condition in rules]
        return max(candidates, key=lambda candidate: (candidate.sure, candidate.label)) if candidates else None

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        book = self._book
        usual = LabelRule(OUTSIDE, book.otherwise)
        answers = []
        for rows in sequences:
            decisions = [self.rule(row) or usual for row in rows]
            answers.append(
                TaggedSequence(
                    [decision.label for decision in decisions],
                    [decision.sure for decision in decisions],
                    [decision.sure if decision is usual else 1.0 - decision.sure for decision in decisions],
                    [book.likely if decision is usual else decision.label for decision in decisions],
                )
            )
        return answers

    def files(self) -> dict[str, bytes]:
        return {_FILE: msgspec.json.encode(self._book, order="deterministic")}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        book = msgspec.json.decode(files[_FILE], type=_Book)
        return cls(book.forms, _book=book)


def _conditions(row: Row, forms: Sequence[str]) -> Iterator[str]:
    """What rules can ask of a token: a form, and a form with the way the word is written."""
    features = [name for name in row if name[: name.find("=")] in forms]
    written = [name for name in row if name.startswith(_WRITTEN)] if features else []
    for name in features:
        yield name
        yield from (f"{name} {how}" for how in written)
