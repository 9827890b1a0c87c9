"""Rows of features: what holds of each token of a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from showthrough.systems.taggers.features.learned import LearnedWords, Own
from showthrough.systems.taggers.features.places import (
    Columns,
    enclosed_features,
    previous_features,
    record_features,
    section_features,
    sentence_features,
    trusted_features,
)
from showthrough.systems.taggers.features.settings import Features
from showthrough.systems.taggers.features.templates import templates_of
from showthrough.systems.taggers.features.words import Facts, WordFacts
from showthrough.systems.taggers.tokens import Tokens

_NOTHING = LearnedWords()
_BIAS = ("b",)
_MOST_WORDS = 200_000  # that are remembered: texts without end must not fill the memory
_PLACES: Mapping[str, Callable[[Tokens], Columns]] = {
    "sentence": sentence_features,
    "section": section_features,
    "trusted": trusted_features,
    "frequency": record_features,
    "previous": previous_features,
    "enclosed": enclosed_features,
}


@dataclass
class Extractor:
    """Makes rows by some settings and what was learned from training records."""

    features: Features
    language: str = ""
    learned: LearnedWords = _NOTHING
    _facts: dict[str, Facts] = field(default_factory=dict, repr=False)
    _shifted: dict[tuple[int, object], tuple[str, ...]] = field(default_factory=dict, repr=False)

    def rows(
        self,
        tokens: Tokens,
        majority: Mapping[str, str] | None = None,
        own: Own = frozenset(),
    ) -> list[list[str]]:
        """One row a token. `majority` is the label that a first pass mostly gave each word of the record, in small
        letters; `own` what a training record itself added to what was learned.
        """
        if not len(tokens):
            return []
        on = self.features
        facts = [self._facts_of(word) for word in tokens.words]
        columns: list[Columns] = [[_BIAS] * len(tokens), [fact.own for fact in facts]]
        light: Columns = [fact.light for fact in facts]
        columns += [make(tokens) for group, make in _PLACES.items() if getattr(on, group)]
        if on.templates:
            extra = templates_of(tokens)
            columns.append(extra)
            light = _join_columns(light, extra)
        if on.dictionaries:
            extra = self._in_dictionary(tokens, own)
            columns.append(extra)
            light = _join_columns(light, extra)
        if majority is not None:
            extra = [(f"m={majority.get(word.lower(), '')}",) for word in tokens.words]
            columns.append(extra)
            light = _join_columns(light, extra)
        if on.special:
            columns.append(_find_touching(tokens))
        if on.cues:
            columns.append(self._find_cues(tokens))
        small: Columns = [(f"l={fact.small}",) for fact in facts]
        columns += [self._shift_column(small, at) for at in _offsets(on.window)]
        columns += [self._shift_column(light, at) for at in _offsets(on.context)]
        if on.window:
            words = [fact.small for fact in facts]
            columns.append([(f"lb={previous} {two}",) for previous, two in zip(["", *words], words, strict=False)])
        return [[name for column in row for name in column] for row in zip(*columns, strict=True)]

    def _facts_of(self, word: str) -> Facts:
        if len(self._facts) > _MOST_WORDS:
            self._facts.clear()
            self._shifted.clear()
        if word not in self._facts:
            self._facts[word] = WordFacts(self.features, self.language).of(word)
        return self._facts[word]

    def _shift_column(self, column: Columns, at: int) -> Columns:
        """A column as those see it who stand `at` tokens before (negative: after) what it tells of."""
        cache, result = self._shifted, Columns()
        for names in column:
            key = at, names
            if key not in cache:
                cache[key] = tuple(f"{at:+}{name}" for name in names)
            result.append(cache[key])
        edge: Columns = [(f"{at:+}edge",)] * min(abs(at), len(result))
        return edge + result[: len(result) - len(edge)] if at < 0 else result[len(edge) :] + edge

    def _in_dictionary(self, tokens: Tokens, own: Own) -> Columns:
        by_word: dict[str, tuple[str, ...]] = {}
        column: Columns = []
        for word in tokens.words:
            small = word.lower()
            if small not in by_word:
                by_word[small] = tuple(f"k={kind}" for kind in self.learned.types(small, own))
            column.append(by_word[small] if not word[0].islower() else ())
        return column

    def _find_cues(self, tokens: Tokens) -> Columns:
        reach = self.features.cues
        column: list[list[str]] = [[] for _ in tokens.words]
        for number, word in enumerate(tokens.words):
            for cue, strength in self.learned.cues.get(word.lower(), {}).items():
                before = cue.startswith("before")
                span = range(number + 1, number + 1 + reach) if before else range(number - reach, number)
                for at in span:
                    if 0 <= at < len(column):
                        column[at].append(f"cue={cue}{strength}")
        return [tuple(dict.fromkeys(names)) for names in column]


def _offsets(width: int) -> list[int]:
    return [at for at in range(-width, width + 1) if at]


def _join_columns(left: Columns, two: Columns) -> Columns:
    return [first + second for first, second in zip(left, two, strict=True)]


def _find_touching(tokens: Tokens) -> Columns:
    """The signs that stand directly beside each token."""
    column: Columns = []
    words, gaps = ["", *tokens.words, ""], [*tokens.gaps, " "]
    for number in range(len(tokens)):
        left, right = words[number], words[number + 2]
        names = []
        if number and not gaps[number] and not left.isalnum():
            names.append(f"x-={left}")
        if not gaps[number + 1] and right and not right.isalnum():
            names.append(f"x+={right}")
        column.append(tuple(names))
    return column
