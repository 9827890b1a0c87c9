"""The interfaces of verifiers, which answer questions with probabilities, and of learners that train them.

Learners share the cache of features.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints

UNANSWERED = 0.5  # exactly
ADAPTIVE = "adaptive"  # the verifier that learns from the releases themselves


class Question(NamedTuple):
    """Is a text by the author of these others?"""

    known: tuple[str, ...]
    text: str


@runtime_checkable
class Verifier(Protocol):
    """Answers questions with the probability that it is one author. Exactly 0.5 is no answer.

    The version rises whenever an answer could change. What it answers to one question must not depend on the others. It
    may also have a `digest` of all that its answers follow from: then they are kept between runs. And it may tell by
    `features`, their names, and `outside`, questions × features, which of them are unlike all that it learned from.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def answers(self, questions: Sequence[Question]) -> Sequence[float] | Floats: ...


class FittedVerifier(Protocol):
    """What was learned."""

    def answers(self, questions: Sequence[Question]) -> Floats: ...

    def saved(self) -> Mapping[str, Floats]:
        """All of it, as arrays by name."""
        ...


class VerifierLearner(Protocol):
    """Learns from questions whose answers are known."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def oldest(self) -> int:
        """The first version whose folders it still reads."""
        ...

    def prepare(self, questions: Sequence[Question]) -> None:
        """Looks at questions, so that fitting and answering need not do it again."""
        ...

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedVerifier:
        """`authors` number what must not be on both sides where a part is held out, to choose or to calibrate."""
        ...

    def loaded(self, arrays: Mapping[str, Floats]) -> FittedVerifier:
        """What was saved."""
        ...


# The features of questions are cached, since evaluating a learner asks for the same ones many times.

_MOST = 100_000  # that are remembered at once, of some numbers each


class KeptAnswers:
    """A function of one question whose answers are kept in this process, by the question's digest."""

    def __init__(self, tell: Callable[[Question], Floats], width: int) -> None:
        self._tell = tell
        self._width = width
        self._told: dict[bytes, Floats] = {}

    def rows(self, questions: Sequence[Question]) -> Floats:
        """Questions × numbers."""
        if not questions:
            return np.zeros((0, self._width))
        return np.stack([self._row(question) for question in questions])

    def _row(self, question: Question) -> Floats:
        name = question_digest(question)
        row = self._told.get(name)
        if row is None:
            if len(self._told) >= _MOST:
                self._told.clear()
            row = self._told[name] = self._tell(question)
        return row


def question_digest(question: Question) -> bytes:
    """Changes whenever a text does, or to whom it belongs."""
    texts = [text.encode("utf-8", "surrogatepass") for text in (question.text, *question.known)]
    return hashlib.blake2b(msgspec.msgpack.encode(texts), digest_size=20).digest()
