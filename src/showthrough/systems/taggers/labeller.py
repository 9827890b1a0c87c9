"""Tokens of a record in, labels and their probabilities out: features, learners and passes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from showthrough.core.errors import PlanError
from showthrough.systems.taggers.consistency import majority
from showthrough.systems.taggers.examples import Example, folds_of
from showthrough.systems.taggers.features.extractor import Extractor
from showthrough.systems.taggers.features.learned import Learned, Own, learned_from, own_words
from showthrough.systems.taggers.learners.base import Learner, Tagged, learner_class
from showthrough.systems.taggers.recipes import Recipe
from showthrough.systems.taggers.tokens import Tokens

_HALVES = 2


@dataclass
class Labeller:
    """A trained tagger but for its threshold."""

    recipe: Recipe
    extractor: Extractor
    first: Learner
    second: Learner | None = None

    def tagged(self, tokens: Tokens) -> Tagged:
        """Labels of one record."""
        answer = self._asked(self.first, tokens, None)
        if self.second is None:
            return answer
        return self._asked(self.second, tokens, majority(tokens, answer.labels))

    def _asked(self, learner: Learner, tokens: Tokens, known: Mapping[str, str] | None) -> Tagged:
        rows = self.extractor.rows(tokens, known)
        return _joined(learner.predict([rows[part.start : part.stop] for part in parts(self.recipe, tokens)]))


def parts(recipe: Recipe, tokens: Tokens) -> list[range]:
    """What is one sequence to the learner."""
    if recipe.unit == "sentence":
        return tokens.sentences
    return [range(len(tokens))] if len(tokens) else []


def fitted(recipe: Recipe, examples: Sequence[Example], language: str, seed: int = 0) -> Labeller:
    """Learns from examples."""
    learned = learned_from([(one.tokens, one.labels, one.record) for one in examples]) if _learns(recipe) else Learned()
    extractor = Extractor(recipe.features, language, learned)
    first = _fitted(recipe, extractor, examples, [None] * len(examples), seed)
    if not recipe.second_pass:
        return Labeller(recipe, extractor, first)
    second = _fitted(recipe, extractor, examples, _crossed(recipe, examples, language, seed), seed)
    return Labeller(recipe, extractor, first, second)


def _learns(recipe: Recipe) -> bool:
    return recipe.features.dictionaries or bool(recipe.features.cues)


def _fitted(
    recipe: Recipe,
    extractor: Extractor,
    examples: Sequence[Example],
    known: Sequence[Mapping[str, str] | None],
    seed: int,
) -> Learner:
    try:
        learner: Learner = learner_class(recipe.learner)(**recipe.settings)
    except TypeError as error:
        raise PlanError(f"the learner {recipe.learner} does not take these settings: {error}") from None
    own: dict[str, Own] = {}
    for one in examples:
        own[one.record] = own.get(one.record, frozenset()) | own_words(one.tokens, one.labels)
    sequences, labels = [], []
    for one, told in zip(examples, known, strict=True):
        rows = extractor.rows(one.tokens, told, own[one.record])
        for part in parts(recipe, one.tokens):
            sequences.append(rows[part.start : part.stop])
            labels.append(one.labels[part.start : part.stop])
    learner.fit(sequences, labels, seed)
    return learner


def _crossed(recipe: Recipe, examples: Sequence[Example], language: str, seed: int) -> list[Mapping[str, str] | None]:
    """Majority labels as a first pass gives them that has not seen the record: each half is labelled by the other."""
    once = replace(recipe, second_pass=False)
    fold = folds_of(examples, _HALVES, seed)
    known: list[Mapping[str, str] | None] = [None] * len(examples)
    for half in range(_HALVES):
        rest = [one for one, number in zip(examples, fold, strict=True) if number != half]
        labeller = fitted(once, rest, language, seed)
        for place, (one, number) in enumerate(zip(examples, fold, strict=True)):
            if number == half:
                known[place] = majority(one.tokens, labeller.tagged(one.tokens).labels)
    return known


def _joined(answers: Sequence[Tagged]) -> Tagged:
    if len(answers) == 1:
        return answers[0]
    return Tagged(
        *(
            list(chain.from_iterable(getattr(one, name) for one in answers))
            for name in ("labels", "sure", "outside", "inside")
        )
    )
