"""Utility as machine translation and summarisation count it: how many words of the original are still in a row."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version as version_of
from typing import Any, ClassVar, Literal

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import UnavailableError
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Rows, Totals

Tokenizer = Literal["13a", "intl", "char", "zh", "none"]
Variant = Literal["rougeL", "rouge1", "rouge2"]
PERCENT = 100.0
ORDERS = range(1, 5)  # of n-grams that BLEU counts
_LENGTH, _REFERENCE = "length", "reference"
_SAME, _ALL = ([f"{kind}_{order}" for order in ORDERS] for kind in ("same", "all"))
_OVERLAP, _COMPARED, _LETTERS, _UNREAD = "overlap", "compared", "letters", "unread"
_LETTER = re.compile(r"[^\W\d_]")
_READ = re.compile("[a-z0-9]")  # as rouge-score cuts words
_MUCH = 0.02  # of the letters: what rouge-score does not read is then worth a word


@dataclass(frozen=True)
class _Overlap(Metric):
    """What both have in common: a package counts, and its version belongs to the number."""

    group = "utility"
    tells = "how many words of the original are still in a row"
    package: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        try:
            return (*self.fixed, (self.package, version_of(self.package)))
        except PackageNotFoundError:  # then there is no number either
            return self.fixed

    @property
    def missing_resource(self) -> str:
        try:
            version_of(self.package)
        except PackageNotFoundError:
            return self._missing_package
        return ""

    @property
    def _missing_package(self) -> str:
        return f"needs the package {self.package}: pip install 'showthrough[overlap]'"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        try:
            count = self._counter()
        except ImportError:
            raise UnavailableError(f"{type(self).__name__.lower()} {self._missing_package}") from None

        def rows(anonymized: Anonymized) -> Rows:
            texts = anonymized.texts
            counts = [count(document.text, texts[document.id]) for document in chunk.corpus]
            return Rows(self.columns, np.array(counts, dtype=np.float64).reshape(-1, len(self.columns)))

        return rows

    @abstractmethod
    def _counter(self) -> Callable[[str, str], list[float]]:
        """What gives the columns of an original and a released text. Raises ImportError without the package."""


@dataclass(frozen=True)
class Bleu(_Overlap):
    """BLEU: runs of up to four words that the release shares with the original, from 0 to 100.

    It counts as sacreBLEU does. n-grams of all documents are summed before anything is divided: BLEU of single
    documents is not averaged. (Papineni et al. 2002; Post 2018)

    BLEU = 100 · min(1, exp(1 − |original| / |released|)) · (p₁ p₂ p₃ p₄)^¼, where pₙ is the share of the n-grams of the
    released texts that are in their originals

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "The applicant lives in a small house in Oslo.")])
    >>> run = evaluate(corpus, {"x": Anonymization({"a": [Mask(40, 44, "a city")]})}, metrics=["bleu"])
    >>> round(run["x", "bleu"].value, 2)  # of 11 tokens 9 are the original's; 7 of 10, 6 of 9 and 5 of 8 n-grams
    69.89
    """

    title = "BLEU against the original"
    package = "sacrebleu"
    columns = (_LENGTH, _REFERENCE, *_SAME, *_ALL)
    fixed = (("smooth", "exp"), ("references", "1"))
    undefined = "no original has a token"
    unbounded = (HEADLINE,)

    tokenize: Tokenizer = parameter("13a", "how sacreBLEU cuts texts into tokens: 13a, intl, char, zh or none")
    lowercase: bool = parameter(False, "whether case is ignored")

    def limits(self, part: str) -> tuple[float, float]:
        return 0.0, PERCENT

    def unit_change(self, part: str, totals: Totals) -> float:
        """All of a document."""
        return PERCENT

    def _counter(self) -> Callable[[str, str], list[float]]:
        from sacrebleu.metrics import BLEU

        bleu = BLEU(lowercase=self.lowercase, tokenize=self.tokenize, force=True)

        def count(original: str, released: str) -> list[float]:
            score = bleu.corpus_score([released], [[original]])
            return [score.sys_len, score.ref_len, *score.counts, *score.totals]

        return count

    def combine(self, totals: Totals) -> dict[str, Floats]:
        length, reference = (np.asarray(totals[key], dtype=np.float64) for key in (_LENGTH, _REFERENCE))
        same, every = (np.stack([np.asarray(totals[key]) for key in keys], -1) for keys in (_SAME, _ALL))
        # Each order of which no n-gram is the original's counts half as much as the one before (mteval).
        halved = 0.5 ** np.cumsum(same == 0, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            precisions = np.where(same > 0, same, halved) / every
            brevity = np.exp(np.minimum(1 - reference / length, 0.0))
            score = PERCENT * brevity * np.exp(np.log(precisions).mean(axis=-1))
        anything = (same > 0).any(axis=-1) & (every > 0).all(axis=-1)
        return {HEADLINE: np.where(reference > 0, np.where(anything, score, 0.0), np.nan)}


@dataclass(frozen=True)
class Rouge(_Overlap):
    """ROUGE: words that release and original share, as a mean F over documents.

    It counts as rouge-score does. `rougeL` takes the longest sequence of words that both have in the same order.
    `rouge1` takes the words that both have, and `rouge2` the pairs of words. Words are made of the letters a to z and
    digits, in lower case. (Lin 2004)

    F = 2 P R / (P + R), where P is the share of the released words that are also in the original, and R the share of
    the original's words that are also in the release

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "He lives in Oslo.")])
    >>> run = evaluate(corpus, {"x": Anonymization({"a": [Mask(12, 16, "a city")]})}, metrics=["rouge"])
    >>> round(run["x", "rouge"].value, 3)  # 3 of 5 words that were released, 3 of 4 of the original
    0.667
    """

    title = "ROUGE against the original"
    package = "rouge-score"
    columns = (_OVERLAP, _COMPARED, _LETTERS, _UNREAD)
    undefined = "no original has a word that rouge-score reads"

    variant: Variant = parameter(
        "rougeL", "rougeL (longest common sequence), rouge1 (words) or rouge2 (pairs of words)"
    )
    stemmer: bool = parameter(False, "whether words are cut to their stems before, as Porter does in English")

    def _counter(self) -> Callable[[str, str], list[float]]:
        from rouge_score.rouge_scorer import RougeScorer
        from rouge_score.scoring import fmeasure
        from rouge_score.tokenizers import DefaultTokenizer

        tokenizer = DefaultTokenizer(self.stemmer)
        scorer = RougeScorer([self.variant], use_stemmer=self.stemmer)

        def overlap(original: str, released: str) -> float:
            if self.variant != "rougeL":
                return float(scorer.score(original, released)[self.variant].fmeasure)
            before, after = tokenizer.tokenize(original), tokenizer.tokenize(released)
            common = _common(before, after)
            return float(fmeasure(common / max(len(after), 1), common / max(len(before), 1)))

        def count(original: str, released: str) -> list[float]:
            letters = _LETTER.findall(original.lower())
            unread = sum(not letter.isascii() for letter in letters)
            if not _READ.search(original.lower()):
                return [0.0, 0.0, len(letters), unread]
            return [overlap(original, released), 1.0, len(letters), unread]

        return count

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals[_OVERLAP], totals[_COMPARED])}

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        """What is not read cannot differ: a text in another alphabet would look untouched, or not be there."""
        for rows in tables.values():
            counts = rows.totals()
            reasons = []
            if lacking := len(rows) - int(counts[_COMPARED]):
                reasons.append(f"{lacking} of {len(rows)} documents have none and count nowhere")
            if counts[_UNREAD] > _MUCH * counts[_LETTERS]:
                reasons.append(f"{counts[_UNREAD] / counts[_LETTERS]:.0%} of the letters are none of these")
            if reasons:
                return [f"rouge-score reads a to z and digits alone: {', and '.join(reasons)}"]
        return []


def _common(left_words: list[Any], right_words: list[Any]) -> int:
    """How many words the longest sequence has that both have in that order; rouge-score's own way is quadratic."""
    from rapidfuzz.distance import LCSseq

    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(word, len(numbers)) for word in words] for words in (left_words, right_words))
    return int(LCSseq.similarity(first, second))
