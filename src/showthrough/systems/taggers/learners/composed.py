"""Learners made of others: rules before one, sentences told apart before one, and several that vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, ClassVar, Self

import msgspec

from showthrough.systems.taggers.consistency import longest
from showthrough.systems.taggers.labels import OUTSIDE, TokenSpan, spans_of, type_of
from showthrough.systems.taggers.learners.base import Row, Rows, SequenceLearner, TaggedSequence, learner_class
from showthrough.systems.taggers.learners.svm import Svm

# A form has a rule where training nearly always marked it as a whole, under one type: a date, a phone number, an id.

_GROUP, _BEGINS = "t=", "^"  # how features name a form, and the token that begins one


class TrustedForm(msgspec.Struct, frozen=True):
    """The type that a form has, and how often it had it."""

    entity_type: str
    sure: float


class Forms(msgspec.Struct, frozen=True):
    """Forms that can be trusted, by name, or by name and number of tokens."""

    names: list[str]
    known: dict[str, TrustedForm] = {}

    def find_spans(self, rows: Rows) -> list[TokenSpan]:
        """What they say of a sequence; of two that overlap the longer one."""
        spans: list[TokenSpan] = []
        for name, first, last in _occurrences(rows, self.names):
            trusted = [self.known[condition] for condition in _conditions(name, first, last) if condition in self.known]
            if trusted:
                best = max(trusted, key=lambda form: (form.sure, form.entity_type))
                spans.append(TokenSpan(first, last, best.entity_type, best.sure))
        return longest(spans)


def trusted_forms(
    names: Sequence[str], sequences: Sequence[Rows], labels: Sequence[Sequence[str]], fewest: int, trust: float
) -> Forms:
    """Those of the named forms that were marked exactly, under one type, often enough and in enough sequences."""
    totals: Counter[str] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    spread: Counter[tuple[str, str]] = Counter()
    for rows, answers in zip(sequences, labels, strict=True):
        marked = {(span.first, span.last): span.entity_type for span in spans_of(answers)}
        met = [
            (condition, marked.get((first, last), ""))
            for name, first, last in _occurrences(rows, names)
            for condition in _conditions(name, first, last)
        ]
        totals.update(condition for condition, _ in met)
        right.update(met)
        spread.update(set(met))
    forms: dict[str, TrustedForm] = {}
    for (condition, kind), count in sorted(right.items()):
        sure = count / (totals[condition] + 1)
        if kind and spread[condition, kind] >= fewest and sure >= trust:
            forms[condition] = TrustedForm(kind, sure)
    return Forms(list(names), forms)


def _conditions(name: str, first: int, last: int) -> tuple[str, str]:
    return name, f"{name} {last - first}"


def _occurrences(rows: Rows, names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Every form that stands in a sequence: from the token that begins it on."""
    for first, row in enumerate(rows):
        for feature in row:
            if feature.startswith(_GROUP) and feature.endswith(_BEGINS):
                goes_on = feature.removesuffix(_BEGINS)
                name = goes_on.removeprefix(_GROUP)
                if name in names:
                    last = first + 1
                    while last < len(rows) and goes_on in rows[last]:
                        last += 1
                    yield name, first, last


_FILE, _FORMS = "composed.json", "forms.json"
_HEAD = "dp="  # a word, its head and what binds them: for sentences alone
_REACH = 4  # words apart of which two are a pair


class _Composition(msgspec.Struct, frozen=True):
    """How it is made."""

    of: str
    pairs: bool = False
    blind: list[list[str]] = []


@dataclass
class RulesFirst:
    """Rules first: they label dates, telephone numbers and long numbers; another learner labels the rest."""

    name: ClassVar[str] = "ruled"

    of: str = "svm"
    settings: dict[str, Any] = field(default_factory=dict)  # of the other learner
    forms: list[str] = field(default_factory=lambda: ["date", "phone", "long-number"])  # names of templates
    fewest: int = 3  # sequences that must have had a form so
    trust: float = 0.95  # how often it must have been so
    _forms: Forms = field(default_factory=lambda: Forms([]), repr=False)
    _rest: Any = field(default=None, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        self._forms = trusted_forms(self.forms, sequences, labels, self.fewest, self.trust)
        left = []
        for rows, answers in zip(sequences, labels, strict=True):
            ruled = {at for span in self._forms.find_spans(rows) for at in range(span.first, span.last)}
            left.append([OUTSIDE if at in ruled else label for at, label in enumerate(answers)])
        self._rest = learner_class(self.of)(**self.settings)
        self._rest.fit(sequences, left, seed)

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        return [self._both(rows, answer) for rows, answer in zip(sequences, self._rest.predict(sequences), strict=True)]

    def _both(self, rows: Rows, answer: TaggedSequence) -> TaggedSequence:
        for span in self._forms.find_spans(rows):
            for at in range(span.first, span.last):
                answer.labels[at] = answer.inside[at] = f"{'I' if at > span.first else 'B'}-{span.entity_type}"
                answer.sure[at], answer.outside[at] = span.score, 1.0 - span.score
        return answer

    def files(self) -> dict[str, bytes]:
        forms = {_FORMS: msgspec.json.encode(self._forms)}
        return {_FILE: msgspec.json.encode(_Composition(self.of)), **forms, **_under("rest", self._rest)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        composition = msgspec.json.decode(files[_FILE], type=_Composition)
        forms = msgspec.json.decode(files[_FORMS], type=Forms)
        return cls(composition.of, _forms=forms, _rest=_load_learner("rest", composition.of, files))


@dataclass
class SentencesFirst:
    """Sentences first: it predicts the type of each sentence, and uses that as a feature of the tokens.

    Sequences are sentences. Words and neighbouring words distinguish them, or (`pairs`) words that depend on each
    other. Without a parser, words near each other take their place.
    """

    name: ClassVar[str] = "sentenced"

    of: str = "svm"
    settings: dict[str, Any] = field(default_factory=dict)  # of the other learner
    pairs: bool = False
    _sentences: Svm = field(default_factory=Svm, repr=False)
    _tokens: Any = field(default=None, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        bags = [self._bag(rows) for rows in sequences]
        about = [[_about(answers)] for answers in labels]
        half = len(bags) // 2
        guessed: list[str] = []
        for seen, unseen in ((slice(half, None), slice(0, half)), (slice(0, half), slice(half, None))):
            other = self._fit_sentences(bags[seen] or bags, about[seen] or about, seed)
            guessed += [answer.labels[0] for answer in other.predict(bags[unseen])]
        self._sentences = self._fit_sentences(bags, about, seed)
        self._tokens = learner_class(self.of)(**self.settings)
        self._tokens.fit(
            [_add_topic(rows, topic) for rows, topic in zip(sequences, guessed, strict=True)], labels, seed
        )

    @staticmethod
    def _fit_sentences(bags: Sequence[Rows], about: Sequence[Sequence[str]], seed: int) -> Svm:
        svm = Svm()
        svm.fit(bags, about, seed)
        return svm

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        answers = self._sentences.predict([self._bag(rows) for rows in sequences])
        inputs = [_add_topic(rows, answer.labels[0]) for rows, answer in zip(sequences, answers, strict=True)]
        return self._tokens.predict(inputs)  # type: ignore[no-any-return]

    def _bag(self, rows: Rows) -> list[Row]:
        """A sentence as one row of its words and of two of them together."""
        words = [name for row in rows for name in row if name.startswith("l=")]
        heads = {name for row in rows for name in row if name.startswith(_HEAD)}
        if self.pairs and heads:
            both = heads
        elif self.pairs:
            near = (words[at : at + _REACH] for at in range(len(words)))
            both = {f"{first} {other}" for window in near for first, other in combinations(window, 2)}
        else:
            both = {f"{first} {other}" for first, other in pairwise(words)}
        return [sorted({*words, *both})]

    def files(self) -> dict[str, bytes]:
        composition = msgspec.json.encode(_Composition(self.of, self.pairs))
        return {_FILE: composition, **_under("sentences", self._sentences), **_under("tokens", self._tokens)}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        composition = msgspec.json.decode(files[_FILE], type=_Composition)
        sentences, tokens = _load_learner("sentences", Svm.name, files), _load_learner("tokens", composition.of, files)
        return cls(composition.of, pairs=composition.pairs, _sentences=sentences, _tokens=tokens)


@dataclass
class Vote:
    """Several learners of one kind, each with other features; the label that most of them give wins."""

    name: ClassVar[str] = "voted"

    of: str = "boosted"
    settings: dict[str, Any] = field(default_factory=dict)  # of each learner
    blind: list[list[str]] = field(default_factory=lambda: [[], ["w", "l", "r"], ["+", "-"]])  # beginnings of features
    _voters: list[Any] = field(default_factory=list, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        self._voters = [learner_class(self.of)(**self.settings) for _ in self.blind]
        for voter, seen in zip(self._voters, self._hide_features(sequences), strict=True):
            voter.fit(seen, labels, seed)

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        answers = [
            voter.predict(seen) for voter, seen in zip(self._voters, self._hide_features(sequences), strict=True)
        ]  # fmt: skip
        return [_count_votes(votes) for votes in zip(*answers, strict=True)]

    def _hide_features(self, sequences: Sequence[Rows]) -> Iterator[Sequence[Rows]]:
        for left_out in self.blind:
            yield [[_without(row, left_out) for row in rows] for rows in sequences] if left_out else sequences

    def files(self) -> dict[str, bytes]:
        contents = {_FILE: msgspec.json.encode(_Composition(self.of, blind=self.blind))}
        for number, voter in enumerate(self._voters):
            contents |= _under(f"voter{number}", voter)
        return contents

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        composition = msgspec.json.decode(files[_FILE], type=_Composition)
        voters = [_load_learner(f"voter{number}", composition.of, files) for number in range(len(composition.blind))]
        return cls(composition.of, blind=composition.blind, _voters=voters)


def _about(labels: Sequence[str]) -> str:
    """The type that most tokens of a sentence are of, as a label; O for none."""
    counts = Counter(type_of(label) for label in labels if label != OUTSIDE)
    return f"B-{max(sorted(counts), key=lambda kind: counts[kind])}" if counts else OUTSIDE


def _add_topic(rows: Rows, about: str) -> list[list[str]]:
    return [[*(name for name in row if not name.startswith(_HEAD)), f"about={about}"] for row in rows]


def _without(row: Row, left_out: Sequence[str]) -> list[str]:
    """The features whose group, or first sign, is not left out."""
    return [name for name in row if name[: name.find("=")] not in left_out and name[0] not in left_out]


def _count_votes(answers: Sequence[TaggedSequence]) -> TaggedSequence:
    """What most say; how probable that is and O is, is what they say on average, and nothing where they do not tell."""
    labels, sure, inside = [], [], []
    outside = [
        sum(probabilities) / len(answers) for probabilities in zip(*(answer.outside for answer in answers), strict=True)
    ]
    for at, votes in enumerate(zip(*(answer.labels for answer in answers), strict=True)):
        label = max(votes, key=lambda vote: (votes.count(vote), -votes.index(vote)))
        labels.append(label)
        agreeing = [answer.sure[at] for answer in answers if answer.labels[at] == label]
        sure.append(outside[at] if label == OUTSIDE else sum(agreeing) / len(answers))
        guesses = [answer.inside[at] for answer in answers]
        inside.append(
            label if label != OUTSIDE else max(guesses, key=lambda guess: (guesses.count(guess), -guesses.index(guess)))
        )
    return TaggedSequence(labels, sure, outside, inside)


def _under(prefix: str, learner: SequenceLearner) -> dict[str, bytes]:
    """Its files, told from those of others."""
    return {f"{prefix}.{name}": content for name, content in learner.files().items()}


def _load_learner(prefix: str, name: str, files: Mapping[str, bytes]) -> Any:
    own = {key.removeprefix(f"{prefix}."): content for key, content in files.items() if key.startswith(f"{prefix}.")}
    return learner_class(name).load(own)
