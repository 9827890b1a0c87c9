"""The attackers that repair: each reads releases one by one, and points to what it used."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from showthrough.core.errors import InputError, Problem, at_document, shorten
from showthrough.data.documents import Document
from showthrough.data.provenance import REPAIR
from showthrough.data.subjects import Attribute, Subject
from showthrough.models.countries import names_of, names_of_countries

if TYPE_CHECKING:
    from showthrough.data.background import Background
    from showthrough.families.inference.base import Answer
    from showthrough.families.reidentification.attacks.suite import Suite
    from showthrough.models.chat.estimate import QuestionTally
    from showthrough.systems.language_model import LanguageModelAnonymizer

READER, LEXICAL = "reader", "lexical"
_PASSES = 50  # in which the reader looks for further places of what it read
_TAGS = (
    "NAME", "IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER", "EMAIL_ADDRESS",
    "SEX", "AGE", "LOCATION", "NATIONALITY", "EDUCATION", "RELATIONSHIP", "OCCUPATION", "AFFILIATION", "POSITION",
    "INCOME_LEVEL",
)  # fmt: skip
# What the reader tries where nobody says what is true: every value that it can list.
_LISTED = {
    "SEX": ("Male", "Female"),
    "AGE": tuple(map(str, range(1, 111))),
    "RELATIONSHIP": ("Married", "Divorced", "Widowed", "Engaged", "In relation", "Single"),
    "EDUCATION": ("Doctorate", "Master's degree", "Bachelor's degree", "College degree", "High school"),
    "INCOME_LEVEL": ("Low", "Middle", "High"),
}
_SHOWN = {
    "EMAIL_ADDRESS": re.compile(r"(?<![\w.+-])[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+"),
    "IDENTIFICATION_NUMBER": re.compile(r"(?<![^\W_])\+?\d(?:[ ().,/-]?\d){5,}(?![^\W_])"),
}

Span = tuple[int, int, str]  # of a release, with the label of what it tells


class Reading(NamedTuple):
    """What an attacker made of a release: how much it inferred, the places that it used, and what it had no place for.

    `risk` is the number of attributes inferred, of a `lexical` attacker 1 where it finds the person.
    """

    risk: int
    spans: list[Span]
    unlocated: int = 0


class RepairingAttacker(ABC):
    """Reads releases and points to what it used."""

    @abstractmethod
    def read(self, documents: Sequence[Document], releases: Sequence[str]) -> list[Reading | None]:
        """What it makes of each release."""


class OpenReader(RepairingAttacker):
    """The reader looks for what is true of people. Where nobody says that, it tries every value that can be listed."""

    def __init__(self, people: Mapping[str, tuple[Subject, ...]] | None, path: str) -> None:
        self._known, self._path = people, path

    def read(self, documents: Sequence[Document], releases: Sequence[str]) -> list[Reading | None]:
        return [self._reading(document, text) for document, text in zip(documents, releases, strict=True)]

    def _reading(self, document: Document, text: str) -> Reading:
        truth = self._truth(document, text)
        spans: list[Span] = []
        inferred: set[tuple[int, str]] = set()
        for number in range(_PASSES):  # it names one place of each value, so what it named is struck out
            guesses = list(_guesses(_infer_by_reader(document.id, text, truth), 1))
            if not number:
                inferred = {(person, guess.tag) for person, guess in guesses}
            places = {(*guess.span, guess.tag) for _, guess in guesses if guess.span}
            if not places:
                break
            spans += sorted(places)
            for start, end, _ in places:
                text = f"{text[:start]}{'*' * (end - start)}{text[end:]}"
        return Reading(len(inferred), spans)

    def _truth(self, document: Document, text: str) -> tuple[Subject, ...]:
        if self._known is None:
            return (_anybody(text),)
        if document.id not in self._known:
            fault = f"{shorten(self._path)} does not have it; expected a corpus that says what is true of its people"
            raise InputError(Problem("", f"anonymizer {REPAIR}: {at_document(document.id)}", fault))
        return self._known[document.id]


def _anybody(text: str) -> Subject:
    """Somebody of whom every value is true that can be listed, or that the text shows by its form."""
    values = dict(_LISTED) | {"LOCATION": _countries()}
    values |= {tag: tuple(dict.fromkeys(pattern.findall(text))) for tag, pattern in _SHOWN.items()}
    return Subject("", tuple(Attribute(tag, value) for tag, listed in values.items() for value in listed))


@lru_cache(maxsize=1)
def _countries() -> tuple[str, ...]:
    return tuple(sorted({names_of(name)[0] for name in names_of_countries()}))


def _infer_by_reader(document: str, text: str, truth: tuple[Subject, ...]) -> Answer:
    from showthrough.families.inference._reader import AttributeReader
    from showthrough.families.inference.base import AttackCase

    tags = tuple({attribute.tag for person in truth for attribute in person.attributes})
    return AttributeReader().infer([AttackCase(REPAIR, document, text, truth, "subjects", tags)])[0] or ()


def _guesses(answer: Answer, certainty: int) -> Iterator[tuple[int, Any]]:
    """The guesses of an answer that are certain enough, each with the number of its person."""
    for number, person in enumerate(answer):
        yield from ((number, guess) for guess in person.guesses if guess.certainty >= certainty)


class ModelAsker(RepairingAttacker):
    """A language model, which infers what it can of everybody in a text, and quotes what it was inferred from."""

    def __init__(
        self,
        name: str,
        certainty: int,
        asker: LanguageModelAnonymizer,
        counts: Counter[str],
        tally: QuestionTally | None = None,
    ) -> None:
        self._name, self._certainty, self._asker, self._counts, self._tally = name, certainty, asker, counts, tally

    def read(self, documents: Sequence[Document], releases: Sequence[str]) -> list[Reading | None]:
        from showthrough.families.inference._spec import attacker_of
        from showthrough.families.inference.base import AttackCase

        cases = [
            AttackCase(REPAIR, document.id, text, (), "subjects", _TAGS)
            for document, text in zip(documents, releases, strict=True)
        ]
        resources = self._asker.resources(self._tally)
        answers = attacker_of(self._name, resources).infer(cases)
        if self._tally is None:
            self._counts.update(self._asker.usage(resources.chat(self._name)))
        return [
            None if answer is None else self._reading(answer, text)
            for answer, text in zip(answers, releases, strict=True)
        ]

    def _reading(self, answer: Answer, text: str) -> Reading:
        from showthrough.systems.language_model import quoted_spans

        spans: list[Span] = []
        inferred: set[tuple[int, str]] = set()
        unlocated = 0
        for person, guess in _guesses(answer, self._certainty):
            inferred.add((person, guess.tag))
            places = [*([guess.span] if guess.span else []), *quoted_spans(guess.value, text)]
            spans += [(start, end, guess.tag) for start, end in places]
            unlocated += not places
        return Reading(len(inferred), spans, unlocated)


class BackgroundSearcher(RepairingAttacker):
    """The attack `lexical`, which knows a background. A document's person is the one of its own id."""

    def __init__(self, background: Background) -> None:
        from showthrough.families.reidentification.attacks import approaches
        from showthrough.families.reidentification.attacks.suite import Suite
        from showthrough.models import Resources

        self._suite: Suite = Suite(approaches(LEXICAL), background, Resources(), {})

    def read(self, documents: Sequence[Document], releases: Sequence[str]) -> list[Reading | None]:
        return [self._reading(document.id, text) for document, text in zip(documents, releases, strict=True)]

    def _reading(self, document: str, text: str) -> Reading:
        """Each document is attacked alone, since what is found in one must not depend on others."""
        from showthrough.families.reidentification.attacks.ranks import RankResult

        outcome = self._suite.attack({document: text}, 1, REPAIR)
        ranks = outcome.standings[LEXICAL]
        if not isinstance(ranks, RankResult) or ranks.right[0] <= 0.5:  # nobody is named, or somebody else
            return Reading(0, [])
        words = [word for word, _ in outcome.evidence[document]["words"]]
        spans = {span for word in words for span in _places(word, text)}
        return Reading(1, [(start, end, "MISC") for start, end in sorted(spans)], int(not spans))


def _places(word: str, text: str) -> Iterator[tuple[int, int]]:
    pattern = rf"(?<![^\W_]){re.escape(word)}(?![^\W_])"
    return (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))
