"""What metrics ask for, found by name, loaded once and shared."""

from __future__ import annotations

from typing import Protocol

from showthrough.axis import Axis, Bools, Coverage
from showthrough.errors import PlanError
from showthrough.masks import Anonymization
from showthrough.resources.lexicon import LEXICONS, Lexicon
from showthrough.resources.tagger import SpacyTagger
from showthrough.text import Corpus


class FunctionWords(Protocol):
    """Says which characters of an axis need not be masked."""

    def ignorable(self, axis: Axis) -> Bools: ...


class Resources:
    """One object for one evaluation: models stay loaded, and what was computed for a chunk is shared by all metrics."""

    def __init__(self) -> None:
        self._sources: dict[str, FunctionWords] = {}
        self._axis: tuple[Corpus, Axis] | None = None
        self._coverage: tuple[Axis, Anonymization, Coverage] | None = None

    def axis(self, corpus: Corpus) -> Axis:
        if self._axis is None or self._axis[0] is not corpus:
            self._axis = (corpus, Axis(corpus))
        return self._axis[1]

    def coverage(self, axis: Axis, anonymization: Anonymization) -> Coverage:
        held = self._coverage
        if held is None or held[0] is not axis or held[1] is not anonymization:
            held = self._coverage = (axis, anonymization, Coverage(axis, anonymization))
        return held[2]

    def ignorable(self, axis: Axis, function_words: str) -> Bools:
        if function_words not in self._sources:
            self._sources[function_words] = function_words_from(function_words)
        return axis.ignorable(function_words, self._sources[function_words].ignorable)


def function_words_from(name: str) -> FunctionWords:
    """The source of a name: a word list that ships, or `spacy:` and a pipeline."""
    if name in LEXICONS:
        return Lexicon(name)
    kind, _, pipeline = name.partition(":")
    if kind == "spacy" and pipeline:
        return SpacyTagger(pipeline)
    raise PlanError(f"unknown source of function words {name!r}; expected {', '.join(LEXICONS)} or spacy:<pipeline>")
