"""The data types of questions to attackers, of their answers, and of verdicts by judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec

from showthrough.data.subjects import CERTAIN, Subject

Aim = Literal["subjects", "author"]  # everybody in a text with what can be said of them; or the one who wrote it


class Guess(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an attacker says of a person; of one tag the likeliest first. Certainty 0 says nothing."""

    tag: str
    value: str
    certainty: int = CERTAIN
    span: tuple[int, int] | None = None  # where in the text it was read, where the attacker tells
    why: str = ""


class Person(msgspec.Struct, frozen=True, array_like=True):
    """One of the people whom an attacker sees in a text. `matches` is the id of the true one, where somebody said."""

    guesses: tuple[Guess, ...] = ()
    id: str = ""
    matches: str | None = None


Answer = tuple[Person, ...]


class AttackCase(NamedTuple):
    """A released text that an attacker is asked about. An empty one is the control: whoever answers then is guessing.

    `truth` is for those alone who look for what is known and can be read (`reader`): nobody else may use it.
    """

    anonymization: str  # a name; that of a reference too
    document: str
    text: str
    truth: tuple[Subject, ...]
    aim: Aim
    tags: tuple[str, ...]  # that are asked for


class Attacker(Protocol):
    """Texts in, people with attributes out."""

    @property
    def name(self) -> str: ...

    def infer(self, cases: Sequence[AttackCase]) -> list[Answer | None]:
        """In the order of the cases; None where there is no answer, which is missing and never "nothing inferred"."""
        ...


class GuessPair(NamedTuple):
    """A true value and a guess, which a judge is to compare; and where they stand, for recorded verdicts."""

    tag: str
    true: str
    guess: str
    anonymization: str = ""
    document: str = ""
    rank: int = 0  # of the guess among those of its tag


class Judge(Protocol):
    """Says how far guesses agree with what is true: 1, 0.5 (less precise) or 0; None where it does not say.

    A judge that `overrules` is asked about all pairs, and what it says counts; others are asked where rules say no.
    """

    @property
    def name(self) -> str: ...

    @property
    def overrules(self) -> bool: ...

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]: ...
