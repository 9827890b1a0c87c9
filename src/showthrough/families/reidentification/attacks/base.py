"""What an attack is: it learns from a background whom it knows, then says how well documents fit each of them.

Which of these answers an attacker dares to give is chosen here too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from showthrough.models import Resources


PRIOR = 3.0  # imaginary documents that fit everybody averagely; what keeps a handful of documents apart
EVERYBODY = 5_000  # individuals up to whom every fit is kept; of more, each document keeps its best
BEST = 1_000

Words = list[tuple[str, float]]  # a word left in the text, and what it adds to the match
Explain = Callable[[Ints], list[Words]]  # for each document, what speaks for the individual in that column
Reason = Callable[[int], Words]  # what speaks for the individual of a column whatever the document says


class Rest(NamedTuple):
    """Of each document the fits that are not kept: their mean, and the mean of their squares."""

    mean: Floats
    square: Floats


@dataclass(frozen=True, eq=False)
class Candidates:
    """For each document the individuals who fit best, and how well: documents × kept.

    `column` numbers individuals; it is `None` where all of them are kept in their order. `heard` says which documents
    tell the attack anything at all: one that does not fits everybody alike, whatever `score` says. `rest` tells what
    those are like who are not kept; `unanswered` are documents of which a language model gave no valid answer.
    """

    score: Floats
    individuals: int
    heard: Bools
    column: Ints | None = None
    explain: Explain | None = None
    reason: Reason | None = None
    rest: Rest | None = None
    unanswered: Bools | None = None

    @classmethod
    def of(cls, scores: Floats | Candidates) -> Candidates:
        """What an attack returned, in this form."""
        if isinstance(scores, Candidates):
            return scores
        heard = np.ptp(scores, axis=1) > 0 if scores.size else np.zeros(len(scores), dtype=bool)
        return cls(scores, scores.shape[1], heard)

    def of_documents(self, row: Ints) -> Candidates:
        """The same for documents of which each has the text of some row; one may have the text of another."""
        column = None if self.column is None else self.column[row]
        return Candidates(self.score[row], self.individuals, self.heard[row], column)

    def explain_rows(self, row: Ints, columns: Ints) -> list[Words]:
        """What speaks for the individual in the column of each such document; nothing where the attack cannot tell."""
        explanations: list[Words] = [[] for _ in row]
        remaining = np.flatnonzero(self.heard[row])
        while self.explain and len(
            remaining
        ):  # documents with the same text may have different columns: a round for each
            _, first = np.unique(row[remaining], return_index=True)
            column_of_row = np.full(len(self.heard), -1)
            column_of_row[row[remaining[first]]] = columns[remaining[first]]
            words = self.explain(column_of_row)
            for number in remaining[first].tolist():
                explanations[number] = words[row[number]]
            remaining = np.delete(remaining, first)
        return explanations

    def columns(self) -> Ints:
        if self.column is not None:
            return self.column
        return np.broadcast_to(np.arange(self.individuals), self.score.shape)


class FittedAttack(Protocol):
    """An attack that knows a background. The columns of its scores are `individuals`."""

    @property
    def individuals(self) -> tuple[str, ...]: ...

    def scores(self, documents: Sequence[str]) -> Floats | Candidates:
        """How well each document fits each individual: more is likelier. No document's order may matter."""
        ...


@dataclass(frozen=True)
class WatchedDocuments:
    """Documents of one anonymization with the individual that each is about."""

    individuals: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Attack(ABC):
    """Learns once from a background, individual id to text; then scores any number of anonymizations.

    A subclass is a frozen dataclass whose fields are what can be set. Two equal attacks give equal scores.
    """

    version: ClassVar[int] = 1  # rises when the same texts could give other scores
    watches: ClassVar[bool] = False  # whether it reports on the documents under attack while it learns

    @abstractmethod
    def fit(
        self, background: Mapping[str, str], resources: Resources, watched: Mapping[str, WatchedDocuments] | None = None
    ) -> FittedAttack:
        """The attack once it knows a background.

        `watched` are the documents under attack by anonymization, for an attack that `watches`; nothing may be learned
        from them.
        """

    @property
    def models(self) -> dict[str, str]:
        """The models that it asks for: the parameter that names each, and its name."""
        return {}

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says beside name, version and parameters."""
        return ()


def standardise(fit: Floats, usual: float | None = None, prior: float = PRIOR) -> tuple[Floats, Floats, Floats]:
    """Fits centred and scaled per individual, with the means and deviations that were taken off.

    Some individuals fit any text well (much is known about them), so a fit counts by how far it is above what the
    documents have with that individual on average. `prior` imaginary documents, of average fit and of `usual` variance
    (by default that of all fits), keep few documents from deciding what is usual. `fit` is centred per document.

    >>> standardise(np.array([[3.0, 0.0], [1.0, 0.0]]), prior=0)[0].tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    documents = len(fit)
    if usual is None:
        usual = mean_square(fit)
    mean = fit.sum(axis=0) / max(documents + prior, 1)
    centred = fit - mean
    deviation = np.sqrt(((centred**2).sum(axis=0) + prior * usual) / max(documents + prior, 1))
    deviation[deviation == 0] = 1.0
    return centred / deviation, mean, deviation


def mean_square(values: Floats) -> float:
    return float(np.mean(values**2)) if values.size else 0.0


# An attacker may name only those of whom they are sure: as many as can be, while enough of the named are right.

PRECISIONS = (0.9, 0.99)
_ROUNDING = 1e-9


def select_named(lead: Floats, right: Floats, precision: float) -> Bools:
    """Which documents are named: those with the largest lead, the most for whom so large a share is named rightly.

    Documents of the same lead are named together. Where no choice is right often enough nobody is named.

    >>> lead, right = np.array([5.0, 4.0, 3.0, 3.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    >>> select_named(lead, right, 0.9).tolist()  # 1 of 1, 2 of 2, 3 of 4, 4 of 5
    [True, True, False, False, False]
    >>> select_named(lead, right, 0.8).all()
    np.True_
    """
    order = np.argsort(-lead, kind="stable")
    ahead = lead[order]
    last = np.append(ahead[1:] != ahead[:-1], True)[: len(order)]  # whoever has the same lead is named as well
    count = np.arange(1, len(order) + 1)
    enough = np.flatnonzero(last & (np.cumsum(right[order]) >= precision * count - _ROUNDING))
    chosen = np.zeros(len(order), dtype=bool)
    if len(enough):
        chosen[order[: enough[-1] + 1]] = True
    return chosen
