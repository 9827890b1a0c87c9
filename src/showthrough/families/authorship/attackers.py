"""Who is asked about authors: verifiers that were given, answers of others, and one that learns from masked texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from showthrough.axis.spans import Bools
from showthrough.data.references import NOTHING, REFERENCES
from showthrough.errors import ResourceError, quoted, some
from showthrough.metrics.authorship.problems import Problems
from showthrough.resources import Resources
from showthrough.verifiers.adaptive import ADAPTIVE, AUTHORS, cross_fitted
from showthrough.verifiers.answering import answered, outside
from showthrough.verifiers.base import UNANSWERED, Array, Verifier
from showthrough.verifiers.given import ORIGINAL, GivenAnswers
from showthrough.verifiers.table import learner_named


class Attacker(Protocol):
    """Answers all problems, before and after masking; NaN to what it is not asked."""

    @property
    def name(self) -> str: ...

    @property
    def before(self) -> Array: ...

    def after(self, name: str, texts: Mapping[str, str]) -> Array | None:
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
) -> list[Attacker]:
    """Those of some names; all where there is none. Raises ResourceError for a name that nobody has."""
    found: dict[str, Attacker] = {}
    for one in resources.inputs.get("verifiers", ()):
        given = isinstance(one, GivenAnswers)
        found[one.name] = _Given(one, problems) if given else _Trained(one, problems, originals, resources)
    found[ADAPTIVE] = _Adaptive(learner, seed, problems, originals, resources)
    if lacking := [name for name in names if name not in found]:
        raise ResourceError(f"there is no verifier {quoted(lacking[0])}; expected some of {some(found)}")
    return [found[name] for name in names or found]


@dataclass(frozen=True)
class _Trained:
    """A verifier, which is asked about the originals only what counts: false alarms are those on masked texts."""

    verifier: Verifier
    problems: Problems
    originals: Mapping[str, str]
    resources: Resources

    @property
    def name(self) -> str:
        return self.verifier.name

    @cached_property
    def before(self) -> Array:
        return self._answers(self.originals, self.problems.counted)

    def after(self, name: str, texts: Mapping[str, str]) -> Array:
        return self._answers(texts, np.ones(len(self.problems.same), dtype=bool))

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        asked = np.flatnonzero(self.problems.counted & ~_silent(self.problems, texts))
        questions = self.problems.questions(texts, asked)
        found: dict[str, Bools] = {}
        for feature, those in outside(self.verifier, questions, self.resources.cache, self.resources.watch).items():
            found[feature] = np.zeros(len(self.problems.same), dtype=bool)
            found[feature][asked] = those
        return found

    def _answers(self, texts: Mapping[str, str], which: Bools) -> Array:
        silent = _silent(self.problems, texts)
        answers = np.where(which, UNANSWERED, np.nan)
        questions = self.problems.questions(texts, np.flatnonzero(which & ~silent))
        answers[which & ~silent] = answered(self.verifier, questions, self.resources.cache, self.resources.watch)
        return answers


@dataclass(frozen=True)
class _Given:
    """Answers of others: of the originals and of systems, to what documents ask themselves."""

    answers: GivenAnswers
    problems: Problems

    @property
    def name(self) -> str:
        return self.answers.name

    @property
    def before(self) -> Array:
        return self._of(ORIGINAL)

    def after(self, name: str, texts: Mapping[str, str]) -> Array | None:
        if name in REFERENCES:
            return self.before if name == NOTHING else None
        return self._of(name)

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        return {}

    def _of(self, name: str) -> Array:
        if name not in self.answers.by:
            raise ResourceError(f"{self.name} has no answers of {quoted(name)}; expected --answers {name}=FILE")
        if not self.problems.asked:
            raise ResourceError(f"{self.name} has answers to questions that no document asks")
        by = self.answers.by[name]
        given = [by.get(self.problems.ids[place], UNANSWERED) for place in self.problems.documents.tolist()]
        return np.where(self.problems.counted, np.nan_to_num(given, nan=UNANSWERED), np.nan)


@dataclass(frozen=True)
class _Adaptive:
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
    def before(self) -> Array:
        return self._answers(self.originals)

    def after(self, name: str, texts: Mapping[str, str]) -> Array:
        return self.before if texts == self.originals else self._answers(texts)

    def outside(self, texts: Mapping[str, str]) -> dict[str, Bools]:
        return {}  # it learned from such texts

    def _answers(self, texts: Mapping[str, str]) -> Array:
        problems, everyone = self.problems, np.arange(len(self.problems.same))
        if problems.authors < AUTHORS or problems.same.all() or not problems.same.any():
            return np.full(len(everyone), np.nan)
        silent = _silent(problems, texts)
        if silent.all():
            return np.full(len(everyone), UNANSWERED)
        questions, resources = problems.questions(texts, everyone), self.resources
        learner = learner_named(self.learner)
        told = learner, questions, problems.same, problems.circles, self.seed
        return np.where(silent, UNANSWERED, cross_fitted(*told, resources.cache, resources.watch))


def _silent(problems: Problems, texts: Mapping[str, str]) -> Bools:
    """The questions about texts of which nothing is left to read: whatever somebody said of these would be a guess."""
    return problems.wordless(texts)[problems.documents]
