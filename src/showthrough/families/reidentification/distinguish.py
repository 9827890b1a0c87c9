"""Whether a release tells which of two originals it was made of, and what that says of a claimed ε."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, join_names, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.families.reidentification.family import EPSILON
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.models.names import EMBEDDING
from showthrough.statistics.numerics.distributions import beta_quantile, binomial_ends
from showthrough.statistics.rows import Rows, Totals

LEXICAL = "lexical"
_RIGHT, _TOSSED, _TRIALS, _ALONE = "right", "tossed", "trials", "alone"  # columns
_GRAMS = (1, 2, 3, 4)  # characters of what texts are compared by
_KINDS = 1 << 15  # of each length; several share one
_EVEN = 1e-12  # similarities that differ by less are equal
_FEW = 30  # releases below which even one that is always told apart says little


@dataclass(frozen=True)
class Distinguishing(Metric):
    """Share of releases that an attacker traces to the right one of two originals.

    The question of differential privacy, for rewriters that claim an ε: given two originals and one release, which is
    it? The attacker takes the original that the release is more similar to; a tie is one half. The two originals are
    two documents of one group (`pairs="group"`), such as neighbouring texts, or else drawn. Each document is in one
    pair at most, and both are released, so that guessing gives one half. `epsilon` is a lower bound on the mechanism's
    ε at `delta`, at the given `confidence`: a lower bound, never a promise. It assumes that every text was
    rewritten by itself. 0 means that nothing was shown.

    ε ≥ ln((a − δ) / (1 − a)), a the lower end of the accuracy's one-sided interval (Clopper and Pearson 1934)

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "Ann is well"), Document("b", "Bob is ill")])
    >>> run = evaluate(corpus, {"x": Anonymization({"a": [Mask(0, 3)], "b": []})}, metrics=["distinguish"])
    >>> run["x", "distinguish"].value, run["x", "distinguish", "epsilon"].value  # both, but 2 releases show nothing
    (1.0, 0.0)
    """

    group = "privacy"
    scope = "corpus"
    title = "Releases traced to the right original"
    better = "lower"
    unbounded = (EPSILON,)
    tells = "from which of two originals a release comes"
    roles = ("distinguishing",)
    undefined = "no two documents make a pair"

    pairs: Literal["drawn", "group"] = parameter("drawn", "which two originals: drawn, or the two of a group")
    similarity: str = parameter(LEXICAL, f"what finds the more similar original: {LEXICAL}, lsa or st:MODEL")
    delta: float = parameter(0.0, "δ of the claim: 0 or more, below 1")
    confidence: float = parameter(0.95, "confidence of the bound, above 0.5 and below 1")
    seed: int = parameter(0, "seed that draws pairs, and decides ties for the bound")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "delta", float(self.delta))
        object.__setattr__(self, "confidence", float(self.confidence))
        if self.similarity != LEXICAL:
            EMBEDDING.parse(self.similarity)
        faults = {
            "delta": not 0 <= self.delta < 1 and "0 or more, below 1",
            "confidence": not 0.5 < self.confidence < 1 and "above 0.5, below 1",
            "seed": self.seed < 0 and "0 or more",
        }
        for name, expected in faults.items():
            if expected:
                fault = f"{name}={quote_value(getattr(self, name))} is out of range"
                raise PlanError(f"{fault}; expected {expected}", type(self).__name__)

    @property
    def models(self) -> dict[str, str]:
        return {} if self.similarity == LEXICAL else EMBEDDING.models(self.similarity)

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        if self.pairs == "drawn":
            return []
        sizes: dict[str, int] = {}
        for group in filter(None, corpus.survey.groups):
            sizes[group] = sizes.get(group, 0) + 1
        if wrong := sorted(group for group, size in sizes.items() if size > 2):
            expected = "expected two documents in each group (--group-by FIELD names the field)"
            return [Problem(corpus.source, f"groups {join_names(wrong)}", f"have more than two documents; {expected}")]
        if 2 in sizes.values():
            return []
        fault = "no two documents are of one group, which distinguish needs; expected --group-by FIELD"
        return [Problem(corpus.source, "", fault)]

    def interval_fault(self, part: str) -> str:
        return "it is itself the lower end of an interval" if part == EPSILON else ""

    def test_fault(self, part: str) -> str:
        return "it is a bound and no estimate" if part == EPSILON else ""

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        """Every release is one trial. Whatever else ties documents together, each was rewritten by itself."""
        totals = units.totals()
        if part != HEADLINE or not totals[_TRIALS]:
            return None
        low, high = binomial_ends(totals[_RIGHT], totals[_TRIALS], confidence)
        return low.item(), high.item()

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        return [
            line for name, rows in tables.items() if name not in REFERENCES for line in self._remarks_on(name, rows)
        ]

    def _remarks_on(self, name: str, rows: Rows) -> Iterator[str]:
        totals = rows.totals()
        bound = float(self.combine(totals)[EPSILON])
        if totals[_TRIALS] and not bound:
            few = f" {totals[_TRIALS]:.0f} releases are few." if totals[_TRIALS] < _FEW else ""
            yield (
                f"distinguish, {shorten(name)}: this attack shows no ε above 0 at δ = {self.delta:g}.{few} That does "
                f"not show that ε is small: another attack may tell originals apart"
            )
        if totals[_ALONE]:
            yield f"distinguish, {shorten(name)}: {totals[_ALONE]:.0f} documents are in no pair and do not count"

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        corpus = chunk.corpus
        partner = pair_up(corpus, self.pairs, self.seed)
        originals = [document.text for document in corpus]
        compare = _comparison(self.similarity, originals, chunk.resources)
        tossed = _coins(corpus.ids, self.seed)

        def rows(anonymized: Anonymized) -> Rows:
            releases = [anonymized.texts[key] for key in corpus.ids]
            paired = np.flatnonzero(partner >= 0)
            nearer = compare([releases[number] for number in paired.tolist()], paired, partner[paired])
            right = (np.sign(np.where(np.abs(nearer) < _EVEN, 0.0, nearer)) + 1) / 2
            columns = {column: np.zeros(len(corpus)) for column in (_RIGHT, _TOSSED, _TRIALS)}
            columns[_RIGHT][paired], columns[_TRIALS][paired] = right, 1
            columns[_TOSSED][paired] = np.where(right == 0.5, tossed[paired], right)
            return Rows.named({**columns, _ALONE: partner < 0})

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {
            HEADLINE: ratio(totals[_RIGHT], totals[_TRIALS]),
            EPSILON: epsilon_bound(totals[_TOSSED], totals[_TRIALS], self.delta, self.confidence),
        }


def epsilon_bound(right: Floats, trials: Floats, delta: float, confidence: float) -> Floats:
    """What ε is at least, at that confidence, where so many of so many independent guesses between two are right.

    >>> epsilon_bound(np.array([731.0, 5.0, 0.0]), np.array([1000.0, 5.0, 0.0]), 0.0, 0.95).round(3).tolist()
    [0.881, 0.198, nan]
    """
    right, trials = np.asarray(right, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    low = beta_quantile(np.maximum(right, 1), trials - np.maximum(right, 1) + 1, 1 - confidence)
    low = np.where(right > 0, low, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.log(np.maximum(low - delta, 0) / (1 - low))
    return np.asarray(np.where(trials > 0, np.maximum(bound, 0.0), np.nan))


def pair_up(corpus: Corpus, pairs: str, seed: int) -> Ints:
    """Of each document the number of the other one of its pair; −1 where it has none.

    Drawn pairs have two documents that do not belong together, and of those that do, one alone is drawn: what was
    rewritten twice in the same way would count as two tries.
    """
    partner = np.full(len(corpus), -1, dtype=np.int64)
    names: Sequence[str] = corpus.survey.groups if pairs == "group" else corpus.units.labels
    members: dict[str, list[int]] = {}
    for number, name in enumerate(names or [""] * len(corpus)):
        members.setdefault(name or f"\0{corpus.ids[number]}", []).append(number)
    if pairs == "group":
        couples = [numbers for numbers in members.values() if len(numbers) == 2]
    else:
        random = np.random.default_rng(seed)
        units = [sorted(numbers, key=corpus.ids.__getitem__) for numbers in members.values()]
        units.sort(key=lambda numbers: corpus.ids[numbers[0]])
        drawn = [numbers[random.integers(len(numbers))] for numbers in units]
        order = [drawn[index] for index in random.permutation(len(drawn)).tolist()]
        couples = [order[first : first + 2] for first in range(0, len(order) - 1, 2)]
    for left, other in couples:
        partner[left], partner[other] = other, left
    return partner


def _coins(ids: Sequence[str], seed: int) -> Floats:
    """A coin for each document, in the order of their ids."""
    coins = np.zeros(len(ids))
    coins[sorted(range(len(ids)), key=ids.__getitem__)] = np.random.default_rng([seed, 1]).integers(0, 2, len(ids))
    return coins


Compare = Callable[[Sequence[str], Ints, Ints], Floats]


def _comparison(similarity: str, originals: Sequence[str], resources: Resources) -> Compare:
    """How much nearer texts are to some originals than to others, told by their numbers."""
    if similarity == LEXICAL:
        original_grams = [_grams(text) for text in originals]
        weights = _gram_weights(original_grams)

        def lexical(texts: Sequence[str], own: Ints, other: Ints) -> Floats:
            nearer = np.zeros(len(texts))
            for index, text in enumerate(texts):
                grams = _grams(text)
                here, there = (_cosine(grams, original_grams[numbers[index]], weights) for numbers in (own, other))
                nearer[index] = here - there
            return nearer

        return lexical
    embed = resources.embedding(similarity, originals, "truncate")
    vectors = _unit(np.asarray(embed(originals)))

    def dense(texts: Sequence[str], own: Ints, other: Ints) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", _unit(np.asarray(embed(texts))), vectors[own] - vectors[other]))

    return dense


Grams = tuple[Ints, Floats]  # kinds in ascending order, and how often each is there


def _grams(text: str) -> Grams:
    """Runs of one to four characters, capitals aside."""
    codes = np.frombuffer(f" {' '.join(text.lower().split())} ".encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = codes.astype(np.int64)
    kinds: list[Ints] = []
    for size in _GRAMS:
        run = np.zeros(max(0, len(codes) - size + 1), dtype=np.int64)
        for shift in range(size):
            run = run * 1_000_003 + codes[shift : shift + len(run)]
        kinds.append((run ^ (run >> 17)) % _KINDS + _KINDS * len(kinds))
    grams, counts = np.unique(np.concatenate(kinds), return_counts=True)
    return grams, np.log1p(counts)


def _gram_weights(documents: Sequence[Grams]) -> Floats:
    having = np.zeros(_KINDS * len(_GRAMS))
    for kinds, _ in documents:
        having[kinds] += 1
    return np.asarray(np.log((1 + len(documents)) / (1 + having)) + 1)


def _cosine(first: Grams, other: Grams, weights: Floats) -> float:
    left, right = (counts * weights[kinds] for kinds, counts in (first, other))
    _, at, beside = np.intersect1d(first[0], other[0], assume_unique=True, return_indices=True)
    size = np.linalg.norm(left) * np.linalg.norm(right)
    return float(left[at] @ right[beside] / size) if size else 0.0


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float64)
