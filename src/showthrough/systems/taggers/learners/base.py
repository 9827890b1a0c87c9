"""What a learner is: rows of features and labels in, a model that labels rows out; and the table of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Protocol, Self

from showthrough.core.errors import PlanError, UnavailableError, quote_value

Row = Sequence[str]  # the features of one token that hold
Rows = Sequence[Row]  # of the tokens of one sequence: a record, or a sentence of one


@dataclass(frozen=True)
class TaggedSequence:
    """The labels of one sequence, and how sure the learner is of each."""

    labels: list[str]  # the best sequence
    sure: list[float]  # the probability of each of these labels
    outside: list[float]  # the probability of O
    inside: list[str]  # the most probable label but O


class SequenceLearner(Protocol):
    """Made with its settings, all of which have defaults; equal input gives an equal model."""

    name: ClassVar[str]

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None: ...

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        """One answer a sequence, one label a token; what one sequence gets does not depend on the others."""
        ...

    def files(self) -> dict[str, bytes]:
        """The fitted model, by names of files; never a pickle."""
        ...

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self: ...


LEARNERS = {
    "crf": "showthrough.systems.taggers.learners.crf:Crf",
    "svm": "showthrough.systems.taggers.learners.svm:Svm",
    "boosted": "showthrough.systems.taggers.learners.boosted:BoostedTrees",
    "hmm": "showthrough.systems.taggers.learners.hmm:Hmm",
    "rules": "showthrough.systems.taggers.learners.rules:RuleLearner",
    "ruled": "showthrough.systems.taggers.learners.composed:RulesFirst",
    "sentenced": "showthrough.systems.taggers.learners.composed:SentencesFirst",
    "voted": "showthrough.systems.taggers.learners.composed:Vote",
}
_EXTRA = "pip install 'showthrough[taggers]'"


def learner_class(name: str) -> type[Any]:
    """The class of a learner, which asks for its package when it works. Raises PlanError for an unknown one."""
    if name not in LEARNERS:
        raise PlanError(f"unknown learner {quote_value(name)}; there are: {', '.join(LEARNERS)}")
    module, _, attribute = LEARNERS[name].partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def missing_package(name: str, package: str) -> UnavailableError:
    """What a learner raises whose package is not there."""
    return UnavailableError(f"the learner {name} needs {package}, which is not installed: {_EXTRA}")
