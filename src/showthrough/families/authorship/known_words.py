"""Whether what was written in place of passages is made of words, as a word list or a language model sees it.

A stand-in for people's ratings that has to be asked for by name: neither knows whether a passage makes sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.families.authorship.passages import SENTENCES, passages
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models.dictionary import dictionary_from
from showthrough.models.names import LANGUAGE_MODEL
from showthrough.statistics.rows import Rows, Totals

ORIGINAL, CHANGE = "original", "change"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_QUOTES = str.maketrans("’‘ʼ`´", "'''''")


class _Sides(NamedTuple):
    """The passages of some documents, and which document each is of."""

    document: list[int]
    original: list[str]
    written: list[str]


def _collect_sides(chunk: Chunk, anonymized: Anonymized) -> _Sides:
    sides = _Sides([], [], [])
    for number, document in enumerate(chunk.corpus):
        for passage in passages(document, anonymized.anonymization):
            sides.document.append(number)
            sides.original.append(passage.original)
            sides.written.append(passage.written)
    return sides


def _sum_by_document(chunk: Chunk, sides: _Sides, columns: dict[str, Sequence[float]]) -> Rows:
    """Numbers of passages, summed by document."""
    size = len(chunk.corpus)
    return Rows.named({name: np.bincount(sides.document, values, size) for name, values in columns.items()}, size)


@dataclass(frozen=True)
class KnownWords(Metric):
    """Share of the words in rewritten passages that a word list contains.

    It does not judge sense: known words count in any order. Numbers and signs do not count. Names that the list lacks
    count as unknown, in originals too. So read the parts: `original` is the share in the same passages before the
    rewrite, and `change` is the difference. Passages are those that a submission names, else sentences with their masks
    applied. A passage of which nothing is left has no words.

    known_words = |words of rewritten passages that the dictionary has| / |words of rewritten passages|

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "The cat sat down.")])
    >>> run = evaluate(corpus, {"x": Anonymization({"a": [Mask(4, 7, "xqzt")]})}, metrics=["known_words"])
    >>> [run["x", "known_words", part].value for part in ("", "original", "change")]
    [0.75, 1.0, -0.25]
    """

    group = "utility"
    title = "Known words, sense not judged"
    tells = "whether what is written is made of known words"
    neutral = (ORIGINAL, CHANGE)
    unbounded = (CHANGE,)
    dictionaries = ("dictionary",)
    fixed = (("passages", SENTENCES),)
    undefined = "no passage has a word"

    dictionary: str = parameter("wordfreq:en", "which words are known: a file with a word a line, or wordfreq:LANGUAGE")

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        dictionary = chunk.once(("dictionary", self.dictionary), lambda: dictionary_from(self.dictionary))

        def rows(anonymized: Anonymized) -> Rows:
            sides = _collect_sides(chunk, anonymized)
            columns: dict[str, Sequence[float]] = {}
            for side, texts in (("", sides.written), ("original_", sides.original)):
                words = [words_of(text) for text in texts]
                columns[f"{side}known"] = [
                    sum(_is_known(word, dictionary) for word in text_words) for text_words in words
                ]
                columns[f"{side}words"] = [len(text_words) for text_words in words]
            return _sum_by_document(chunk, sides, columns)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        now, before = (ratio(totals[f"{side}known"], totals[f"{side}words"]) for side in ("", "original_"))
        return {HEADLINE: now, ORIGINAL: before, CHANGE: now - before}


def words_of(text: str) -> list[str]:
    """The words of a text in small letters; numbers and signs are none.

    >>> words_of("Don’t pay 12 EUR for John's 3rd co-op!")
    ["don't", 'pay', 'eur', 'for', "john's", 'rd', 'co', 'op']
    """
    return _WORD.findall(text.translate(_QUOTES).casefold())


def _is_known(word: str, dictionary: frozenset[str]) -> bool:
    """Whether a list has a word, or what stands before its apostrophe: most lists have no possessives."""
    return word in dictionary or word.partition("'")[0] in dictionary


@dataclass(frozen=True)
class Perplexity(Metric):
    """How much rewritten passages surprise a language model that reads from left to right.

    It does not judge sense: fluent nonsense surprises a model little, and names or an old spelling surprise it much. So
    read the part `original`, the same passages before the rewrite, and `ratio`, the number over that. Every passage is
    read on its own, after the mark that begins a text. Numbers of different models cannot be compared, because their
    word pieces differ.

    perplexity = exp(Σ −ln p(piece | pieces before it in the passage) / |word pieces|)
    """

    group = "utility"
    slow = True
    title = "Perplexity, sense not judged"
    better = "lower"
    neutral = (ORIGINAL, "ratio")
    unbounded = (HEADLINE, ORIGINAL, "ratio")
    fixed = (("passages", SENTENCES),)
    undefined = "no passage has a word piece"

    lm: str = parameter("hf:openai-community/gpt2", "the language model: hf:MODEL, or a folder")

    def __post_init__(self) -> None:
        super().__post_init__()
        LANGUAGE_MODEL.parse(self.lm)

    @property
    def models(self) -> dict[str, str]:
        return LANGUAGE_MODEL.models(self.lm)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        model = chunk.resources.language_model(self.lm)

        def rows(anonymized: Anonymized) -> Rows:
            sides = _collect_sides(chunk, anonymized)
            columns: dict[str, Sequence[float]] = {}
            for side, texts in (("", sides.written), ("original_", sides.original)):
                answers = model.surprise([text.strip() for text in texts])
                columns[f"{side}surprise"] = [answer.nats for answer in answers]
                columns[f"{side}pieces"] = [answer.pieces for answer in answers]
            return _sum_by_document(chunk, sides, columns)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        now, before = (ratio(totals[f"{side}surprise"], totals[f"{side}pieces"]) for side in ("", "original_"))
        return {HEADLINE: np.exp(now), ORIGINAL: np.exp(before), "ratio": np.exp(now - before)}
