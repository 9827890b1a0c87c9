"""What metrics ask for, found by name, loaded once and shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from showthrough.axis import Axis, Bools, Coverage, Ruler
from showthrough.errors import PlanError
from showthrough.masks import Anonymization
from showthrough.resources.lexicon import LEXICONS, Lexicon
from showthrough.resources.tagger import SpacyTagger
from showthrough.text import Corpus

T = TypeVar("T")


class FunctionWords(Protocol):
    """Says which characters of an axis need not be masked."""

    def ignorable(self, axis: Axis) -> Bools: ...


class Resources:
    """One object for one evaluation: models stay loaded, and what was computed for a chunk is shared by all metrics."""

    def __init__(self) -> None:
        self._sources: dict[str, FunctionWords] = {}
        self._corpus: Corpus | None = None
        self._held: dict[object, Any] = {}
        self._coverage: tuple[Axis, Anonymization, Coverage] | None = None

    def axis(self, corpus: Corpus) -> Axis:
        return self.once(corpus, "axis", lambda: Axis(corpus))

    def once(self, corpus: Corpus, key: object, make: Callable[[], T]) -> T:
        """What is made once for a corpus (or chunk) and then shared; the next corpus starts afresh."""
        if self._corpus is not corpus:
            self._corpus, self._held = corpus, {}
        if key not in self._held:
            self._held[key] = make()
        found: T = self._held[key]
        return found

    def coverage(self, axis: Axis, anonymization: Anonymization) -> Coverage:
        held = self._coverage
        if held is None or held[0] is not axis or held[1] is not anonymization:
            held = self._coverage = (axis, anonymization, Coverage(axis, anonymization))
        return held[2]

    def ruler(self, axis: Axis, function_words: str) -> Ruler:
        if function_words not in self._sources:
            self._sources[function_words] = function_words_from(function_words)
        return axis.ruler(function_words, self._sources[function_words].ignorable)


def function_words_from(name: str) -> FunctionWords:
    """The source of a name: a word list that ships, or `spacy:` and a pipeline."""
    if name in LEXICONS:
        return Lexicon(name)
    kind, _, pipeline = name.partition(":")
    if kind == "spacy" and pipeline:
        return SpacyTagger(pipeline)
    raise PlanError(f"unknown source of function words {name!r}; expected {', '.join(LEXICONS)} or spacy:<pipeline>")
