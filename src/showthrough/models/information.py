"""How much a span of text says: sources of information content, −ln p of what stands there.

A source is asked with *questions*: a text, spans of it, and for each span the turn in which it is asked. Spans of one
turn are hidden together, in one pass over the text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import ResourceError, UnavailableError, quote_value
from showthrough.core.patterns import lazy_pattern

SpecialTokens = Literal["document", "segment", "none"]

_WORD = lazy_pattern(r"\w+")
_REMEMBERED = 300_000  # words that are remembered, some 40 MB
_RAREST = 1e-9  # what a word gets that the list lacks: the rarest it holds have 1e-8


@dataclass(frozen=True)
class SpanQuery:
    """Spans of a text, each with its turn."""

    text: str
    start: Ints
    end: Ints
    turn: Ints


@dataclass(frozen=True)
class ModelContext:
    """What a language model sees around a hidden piece. The defaults are those that published numbers rest on.

    A text is cut into consecutive segments of `segment_length` word pieces, each sharing `overlap` pieces with the
    next. `special_tokens` says where the model's own marks stand ([CLS] and [SEP]): at the ends of the whole text, of
    every segment, or nowhere. Hidden pieces are shut out of the model's attention unless `attend_hidden`.
    """

    segment_length: int = 100
    overlap: int = 0
    special_tokens: SpecialTokens = "document"
    attend_hidden: bool = False


class InformationSource(Protocol):
    """Gives the information content of every span of every question."""

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]: ...


class Uniform:
    """Every span weighs 1."""

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        return [np.ones(len(question.start)) for question in questions]


@cache
def frequency_languages() -> tuple[str, ...]:
    """The languages whose words are counted."""
    try:
        from wordfreq import available_languages
    except ImportError as error:
        raise UnavailableError('ic="wordfreq" needs the package wordfreq: pip install wordfreq') from error
    return tuple(sorted(available_languages("small")))


class WordFrequency:
    """−ln p of a span's rarest word, whatever stands around it (wordfreq: Speer 2022, doi:10.5281/zenodo.7199437).

    A word that the list lacks counts as rarer than any on it; a span without a word says nothing.

    >>> query = SpanQuery("the Oslo", np.array([0, 4]), np.array([3, 8]), np.zeros(2, dtype=int))
    >>> WordFrequency().weigh([query], ModelContext())[0].round(1).tolist()
    [2.9, 12.6]
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._weights: dict[str, float] = {}

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        answers = []
        for question in questions:
            spans = zip(question.start.tolist(), question.end.tolist(), strict=True)
            answers.append(np.array([self._ic(question.text[start:end]) for start, end in spans]))
        return answers

    def _ic(self, span: str) -> float:
        return max(map(self._word, _WORD.findall(span.lower())), default=0.0)

    def _word(self, word: str) -> float:
        if word not in self._weights:
            if self.language not in (languages := frequency_languages()):
                # To wordfreq itself a neighbour would do: Galician would be weighed by Portuguese words.
                available = ", ".join(languages)
                raise ResourceError(f"wordfreq knows no language {quote_value(self.language)}; there are {available}")
            from wordfreq import word_frequency

            try:
                frequency = word_frequency(word, self.language)
            except ImportError as error:
                raise ResourceError(
                    f'ic="wordfreq:{self.language}" needs a package that cuts words: pip install "wordfreq[cjk]"'
                ) from error
            if len(self._weights) >= _REMEMBERED:
                self._weights.clear()
            self._weights[word] = -math.log(max(frequency, _RAREST))
        return self._weights[word]


class CorpusCounts:
    """−ln p of a span's rarest word by all other texts of the corpus; words that these lack count as seen once less.

    p(w) = (times of w in the others + 1) / (words of the others + different words of the corpus)

    >>> query = SpanQuery("Ann met Bob", np.array([0, 8]), np.array([3, 11]), np.zeros(2, dtype=int))
    >>> np.exp(-CorpusCounts(["Ann met Bob", "Bob left"]).weigh([query], ModelContext())[0]).round(3)  # 1/6 and 2/6
    array([0.167, 0.333])
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for text in texts:
            self._counts.update(_WORD.findall(text.lower()))
        self._total = self._counts.total()

    def weigh(self, questions: Sequence[SpanQuery], context: ModelContext) -> list[Floats]:
        """Each question is about the text of a document, which counts for nothing itself."""
        answers = []
        for question in questions:
            own = Counter(_WORD.findall(question.text.lower()))
            logarithm = math.log(self._total - own.total() + len(self._counts))
            times = {word: self._counts[word] - count for word, count in own.items()}
            spans = zip(question.start.tolist(), question.end.tolist(), strict=True)
            words_by_span = (_WORD.findall(question.text[start:end].lower()) for start, end in spans)
            rarest = (
                min((times.get(word, self._counts[word]) for word in words), default=None) for words in words_by_span
            )
            answers.append(np.array([0.0 if least is None else logarithm - math.log(least + 1) for least in rarest]))
        return answers
