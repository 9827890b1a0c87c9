"""The attackers of author masking: trained verifiers, answers from files, and a learner on masked texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.errors import ResourceError, join_names, quote_value
from showthrough.data.references import NOTHING, REFERENCES
from showthrough.families.authorship.problems import Problems
from showthrough.families.authorship.verifiers.adaptive import ADAPTIVE, AUTHORS, cross_fitted
from showthrough.families.authorship.verifiers.answering import answer_questions, find_outliers
from showthrough.families.authorship.verifiers.base import UNANSWERED, Verifier
from showthrough.families.authorship.verifiers.recorded import ORIGINAL, GivenAnswers
from showthrough.families.authorship.verifiers.table import learner_named
from showthrough.models import Resources


class AuthorshipAttacker(Protocol):
    """Answers all problems, before and after masking; NaN to what it is not asked."""

    @property
    def name(self) -> str: ...

    @property
    def before(self) -> Floats: ...

    def after(self, name: str, texts: Mapping[str, str]) -> Floats | None:
        """Nothing where it cannot know what it would say of a reference."""
        ...

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        """By feature, which problems that count are unlike all that it learned from; nothing where nobody can tell."""
        ...


def attackers_of(
    names: Sequence[str],
    learner: str,
    seed: int,
    problems: Problems,
    originals: Mapping[str, str],
    resources: Resources,
) -> list[AuthorshipAttacker]:
    """Those of some names; all where there is none. Raises ResourceError for a name that nobody has."""
    by_name: dict[str, AuthorshipAttacker] = {}
    for verifier in resources.inputs.get("verifiers", ()):
        has_answers = isinstance(verifier, GivenAnswers)
        by_name[verifier.name] = (
            _AnswersAttacker(verifier, problems)
            if has_answers
            else _TrainedAttacker(verifier, problems, originals, resources)
        )
    by_name[ADAPTIVE] = _AdaptiveAttacker(learner, seed, problems, originals, resources)
    if lacking := [name for name in names if name not in by_name]:
        raise ResourceError(f"there is no verifier {quote_value(lacking[0])}; expected some of {join_names(by_name)}")
    return [by_name[name] for name in names or by_name]


@dataclass(frozen=True)
class _TrainedAttacker:
    """A verifier, which is asked about the originals only what counts: false alarms are those on masked texts."""

    verifier: Verifier
    problems: Problems
    originals: Mapping[str, str]
    resources: Resources

    @property
    def name(self) -> str:
        return self.verifier.name

    @cached_property
    def before(self) -> Floats:
        return self._answers(self.originals, self.problems.counted)

    def after(self, name: str, texts: Mapping[str, str]) -> Floats:
        return self._answers(texts, np.ones(len(self.problems.same), dtype=bool))

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        indices = np.flatnonzero(self.problems.counted & ~_is_silent(self.problems, texts))
        questions = self.problems.questions(texts, indices)
        by_feature: dict[str, Bools] = {}
        for feature, flags in find_outliers(
            self.verifier, questions, self.resources.cache, self.resources.watch
        ).items():
            by_feature[feature] = np.zeros(len(self.problems.same), dtype=bool)
            by_feature[feature][indices] = flags
        return by_feature

    def _answers(self, texts: Mapping[str, str], selected: Bools) -> Floats:
        silent = _is_silent(self.problems, texts)
        answers = np.where(selected, UNANSWERED, np.nan)
        questions = self.problems.questions(texts, np.flatnonzero(selected & ~silent))
        answers[selected & ~silent] = answer_questions(
            self.verifier, questions, self.resources.cache, self.resources.watch
        )
        return answers


@dataclass(frozen=True)
class _AnswersAttacker:
    """Answers of others: of the originals and of systems, to what documents ask themselves."""

    answers: GivenAnswers
    problems: Problems

    @property
    def name(self) -> str:
        return self.answers.name

    @property
    def before(self) -> Floats:
        return self._answers_about(ORIGINAL)

    def after(self, name: str, texts: Mapping[str, str]) -> Floats | None:
        if name in REFERENCES:
            return self.before if name == NOTHING else None
        return self._answers_about(name)

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        return {}

    def _answers_about(self, name: str) -> Floats:
        if name not in self.answers.by:
            raise ResourceError(f"{self.name} has no answers of {quote_value(name)}; expected --answers {name}=FILE")
        if not self.problems.has_questions:
            raise ResourceError(f"{self.name} has answers to questions that no document asks")
        by_document = self.answers.by[name]
        values = [by_document.get(self.problems.ids[index], UNANSWERED) for index in self.problems.documents.tolist()]
        return np.where(self.problems.counted, np.nan_to_num(values, nan=UNANSWERED), np.nan)


@dataclass(frozen=True)
class _AdaptiveAttacker:
    """Learns from what masking leaves of others' texts, and on the originals from the originals."""

    learner: str
    seed: int
    problems: Problems
    originals: Mapping[str, str]
    resources: Resources

    @property
    def name(self) -> str:
        return ADAPTIVE

    @cached_property
    def before(self) -> Floats:
        return self._answers(self.originals)

    def after(self, name: str, texts: Mapping[str, str]) -> Floats:
        return self.before if texts == self.originals else self._answers(texts)

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        return {}  # it learned from such texts

    def _answers(self, texts: Mapping[str, str]) -> Floats:
        problems, everyone = self.problems, np.arange(len(self.problems.same))
        if problems.authors < AUTHORS or problems.same.all() or not problems.same.any():
            return np.full(len(everyone), np.nan)
        silent = _is_silent(problems, texts)
        if silent.all():
            return np.full(len(everyone), UNANSWERED)
        questions, resources = problems.questions(texts, everyone), self.resources
        learner = learner_named(self.learner)
        arguments = learner, questions, problems.same, problems.circles, self.seed
        return np.where(silent, UNANSWERED, cross_fitted(*arguments, resources.cache, resources.watch))


def _is_silent(problems: Problems, texts: Mapping[str, str]) -> Bools:
    """The questions about texts of which nothing is left to read: whatever somebody said of these would be a guess."""
    return problems.wordless(texts)[problems.documents]
