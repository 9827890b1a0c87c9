"""Tokens of a record in, labels and their probabilities out: features, learners and passes together, by a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal

from showthrough.core.errors import PlanError
from showthrough.systems.taggers._examples import Example, folds_of
from showthrough.systems.taggers.consistency import majority
from showthrough.systems.taggers.features.extractor import Extractor
from showthrough.systems.taggers.features.learned import LearnedWords, Own, learned_from, own_words
from showthrough.systems.taggers.features.settings import USUAL, Features
from showthrough.systems.taggers.learners.base import SequenceLearner, TaggedSequence, learner_class
from showthrough.systems.taggers.tokens import Tokens

# A recipe says how a tagger is made: its learner, its features and its passes. Presets are recipes by name.

Unit = Literal["record", "sentence"]


@dataclass(frozen=True)
class Recipe:
    """All that is chosen before training."""

    learner: str = "crf"
    features: Features = USUAL
    unit: Unit = "record"  # what is one sequence to the learner
    second_pass: bool = False  # trained again with the first pass's majority label of the word in the record
    propagate: bool = False  # the longest phrases that were found label their other occurrences
    settings: dict[str, Any] = field(default_factory=dict)  # of the learner
    pipeline: str = ""  # `spacy:NAME`, for parts of speech and what a parser finds


_HALVES = 2


@dataclass
class Labeller:
    """A trained tagger but for its threshold."""

    recipe: Recipe
    extractor: Extractor
    first: SequenceLearner
    second: SequenceLearner | None = None

    def tag(self, tokens: Tokens) -> TaggedSequence:
        """Labels of one record."""
        answer = self._predict(self.first, tokens, None)
        if self.second is None:
            return answer
        return self._predict(self.second, tokens, majority(tokens, answer.labels))

    def _predict(
        self, learner: SequenceLearner, tokens: Tokens, majority_labels: Mapping[str, str] | None
    ) -> TaggedSequence:
        rows = self.extractor.rows(tokens, majority_labels)
        return _join_answers(learner.predict([rows[part.start : part.stop] for part in parts(self.recipe, tokens)]))


def parts(recipe: Recipe, tokens: Tokens) -> list[range]:
    """What is one sequence to the learner."""
    if recipe.unit == "sentence":
        return tokens.sentences
    return [range(len(tokens))] if len(tokens) else []


def fit_labeller(recipe: Recipe, examples: Sequence[Example], language: str, seed: int = 0) -> Labeller:
    """Learns from examples."""
    learned = (
        learned_from([(example.tokens, example.labels, example.record) for example in examples])
        if recipe.features.dictionaries or recipe.features.cues
        else LearnedWords()
    )
    extractor = Extractor(recipe.features, language, learned, recipe.pipeline)
    first = _fit_learner(recipe, extractor, examples, [None] * len(examples), seed)
    if not recipe.second_pass:
        return Labeller(recipe, extractor, first)
    second = _fit_learner(recipe, extractor, examples, _cross_label(recipe, examples, language, seed), seed)
    return Labeller(recipe, extractor, first, second)


def _fit_learner(
    recipe: Recipe,
    extractor: Extractor,
    examples: Sequence[Example],
    majorities: Sequence[Mapping[str, str] | None],
    seed: int,
) -> SequenceLearner:
    try:
        learner: SequenceLearner = learner_class(recipe.learner)(**recipe.settings)
    except TypeError as error:
        raise PlanError(f"the learner {recipe.learner} does not take these settings: {error}") from None
    own: dict[str, Own] = {}
    for example in examples:
        own[example.record] = own.get(example.record, frozenset()) | own_words(example.tokens, example.labels)
    sequences, labels = [], []
    for example, majority_labels in zip(examples, majorities, strict=True):
        rows = extractor.rows(example.tokens, majority_labels, own[example.record])
        for part in parts(recipe, example.tokens):
            sequences.append(rows[part.start : part.stop])
            labels.append(example.labels[part.start : part.stop])
    learner.fit(sequences, labels, seed)
    return learner


def _cross_label(
    recipe: Recipe, examples: Sequence[Example], language: str, seed: int
) -> list[Mapping[str, str] | None]:
    """Majority labels as a first pass gives them that has not seen the record: each half is labelled by the other."""
    once = replace(recipe, second_pass=False)
    fold = folds_of(examples, _HALVES, seed)
    majorities: list[Mapping[str, str] | None] = [None] * len(examples)
    for half in range(_HALVES):
        rest = [example for example, number in zip(examples, fold, strict=True) if number != half]
        labeller = fit_labeller(once, rest, language, seed)
        for index, (example, number) in enumerate(zip(examples, fold, strict=True)):
            if number == half:
                majorities[index] = majority(example.tokens, labeller.tag(example.tokens).labels)
    return majorities


def _join_answers(answers: Sequence[TaggedSequence]) -> TaggedSequence:
    if len(answers) == 1:
        return answers[0]
    return TaggedSequence(
        *(
            list(chain.from_iterable(getattr(answer, name) for answer in answers))
            for name in ("labels", "sure", "outside", "inside")
        )
    )
