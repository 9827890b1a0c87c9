"""The attack `lexical`: whose background shares the rare words, phrases and word pieces that were left in a document.

Three views of a text (words, phrases of one to three words, pieces of four characters of a word) are weighed by TF-IDF.
Each side weighs by its own rarity: background terms by how few individuals have them, document terms by how few of the
documents have them. So mask marks, which nearly all documents of an anonymization have, weigh next to nothing, whatever
they look like. There is nothing to tune.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Floats32, Ints, Ints32
from showthrough.families.reidentification.attacks._terms import Occurrences, TermView, TextWords
from showthrough.families.reidentification.attacks.base import (
    BEST,
    EVERYBODY,
    Attack,
    Candidates,
    Rest,
    Words,
    mean_square,
    standardise,
)
from showthrough.models import Resources
from showthrough.statistics.numerics.sparse import SparseRows

VIEWS = (TermView("words", False, 1, 1, 22), TermView("phrases", False, 1, 3, 24), TermView("pieces", True, 4, 4, 22))
FORMS = TermView("forms", False, 1, 1, 63)  # words told apart for certain
LISTED = 10  # words that an explanation names
_BLOCK = 2_000_000  # characters of background that are looked at together: their arrays take about 200 MB
_CELLS = 5_000_000  # fits that are calculated together: 40 MB
_HELD = 50_000_000  # characters whose weights stay in memory; a larger background is read again for every score


@dataclass(frozen=True)
class Lexical(Attack):
    """Whose background shares the rare words, phrases and word pieces that were left in a document.

    For a document d and an individual i, in each view, with x and b of length 1:

    x_dt ∝ (1 + ln count) · ln((1 + documents) / documents with t);
    b_it ∝ (1 + ln count) · telling(t);
    fit(d, i) = Σ_t x_dt (b_it − b̄_t), b̄ being the mean over individuals.

    A fit then counts by how unusual it is for that individual, as `standardise` says, and the views are added.

    >>> fitted = Lexical().fit({"ann": "a surgeon from Oslo", "bob": "a baker from Rome", "cem": "a judge from Bonn"})
    >>> int(fitted.scores(["PERSON saw the surgeon", "PERSON likes bread"]).score[0].argmax())
    0
    """

    version = 2

    def fit(
        self, background: Mapping[str, str], resources: Resources | None = None, watched: object = None
    ) -> FittedLexical:
        return FittedLexical(tuple(background), tuple(background.values()), resources or Resources())


@dataclass(frozen=True, eq=False)
class TermStatistics:
    """What a background tells of one view: which terms it has, how rare and how usual each is."""

    column: Ints32  # of a term among those that occur, −1 for all others
    weight: Floats32
    mean: Floats  # b̄

    @classmethod
    def of(cls, occurs: Ints, terms: int, weight: Floats32, mean: Floats) -> TermStatistics:
        """Of so many terms those that occur, ascending, with the weight and the mean of each."""
        index = np.full(terms, -1, dtype=np.int32)
        index[occurs] = np.arange(len(occurs), dtype=np.int32)
        return cls(index, weight, mean)

    def __reduce__(self) -> tuple[object, ...]:
        """It travels to workers without the millions of terms that nobody has."""
        return TermStatistics.of, (np.flatnonzero(self.column >= 0), len(self.column), self.weight, self.mean)

    def compact(self, counts: SparseRows) -> SparseRows:
        """Counts over the known terms alone, damped: 1 + ln count."""
        term_counts = counts.within(self.column, len(self.weight))
        return term_counts.with_data(1 + np.log(term_counts.data))


def weigh_terms(having: Ints, times: Floats, individuals: int) -> Floats:
    """How much a term tells of whom it belongs to: its rarity, and its burstiness.

    rarity = ln((1 + n) / (1 + n_t)) for n individuals of whom n_t have the term. Burstiness is residual IDF (Church and
    Gale 1995): how much rarer it is than if its c_t occurrences were strewn at random, max(0, ln(n / n_t) +
    ln(1 − e^(−c_t / n))). What is said of somebody again and again is about them.

    >>> people, counts = np.array([1, 1, 4]), np.array([1.0, 9.0, 4.0])  # rare; rare and often; everybody
    >>> weigh_terms(people, counts, 4).round(2).tolist()
    [0.92, 2.19, 0.0]
    """
    rarity = np.log((1 + individuals) / (1 + having))
    return np.asarray(rarity + np.maximum(0, np.log(individuals / having) + np.log(-np.expm1(-times / individuals))))


class FittedLexical:
    """The attack once it knows a background. The columns of its scores are `individuals`, as they were given."""

    def __init__(self, individuals: tuple[str, ...], texts: tuple[str, ...], resources: Resources) -> None:
        self.individuals = individuals
        self.texts = texts
        self.resources = resources
        self.blocks = _blocks(texts)
        self._holds = sum(map(len, texts)) <= _HELD
        self._weights: list[list[SparseRows]] = []  # of each block; none where they are made again for every score
        self._learn()

    def _learn(self) -> None:
        """One pass for how many individuals have each term, one for their weights."""
        having = [np.zeros(1 << view.bits, dtype=np.int32) for view in VIEWS]
        times = [np.zeros(1 << view.bits, dtype=np.float32) for view in VIEWS]
        counts_of: deque[list[SparseRows]] = deque()
        for block_counts in self.resources.map_items(_count_on_worker, None, self._texts()):
            for index, counts in enumerate(block_counts):
                np.add.at(having[index], counts.column, 1)
                np.add.at(times[index], counts.column, counts.data)
            if self._holds:
                counts_of.append(block_counts)
        self.known = list(map(self._term_statistics, having, times))
        weighed: Iterator[list[SparseRows]]
        if self._holds:  # what is counted already is weighed sooner than sent
            weighed = (_weigh(self.known, counts_of.popleft()) for _ in self.blocks)
        else:
            weighed = self.resources.map_items(_weigh_on_worker, self.known, self._texts())
        means = [item.mean.copy() for item in self.known]
        for block_weights in weighed:
            for mean, weights in zip(means, block_weights, strict=True):
                np.add.at(mean, weights.column, weights.data.astype(np.float64) / len(self.texts))
            if self._holds:
                self._weights.append(block_weights)
        self.known = [replace(item, mean=mean) for item, mean in zip(self.known, means, strict=True)]

    def _texts(self) -> Iterator[tuple[str, ...]]:
        return (self.texts[block.start : block.stop] for block in self.blocks)

    def _term_statistics(self, having: Ints32, times: Floats32) -> TermStatistics:
        occurs = np.flatnonzero(having)
        weight = weigh_terms(having[occurs].astype(np.int64), times[occurs].astype(np.float64), len(self.texts))
        return TermStatistics.of(occurs, len(having), weight.astype(np.float32), np.zeros(len(occurs)))

    def scores(self, documents: Sequence[str]) -> Candidates:
        """Documents × individuals; of a large background the best of each document."""
        return Attempt(self, documents).candidates()

    def parts(self, size: int) -> Iterator[IndividualBlock]:
        """Individuals block after block, of large ones so many at a time."""
        for number, block in enumerate(self.blocks):
            for low in range(0, len(block), size):
                part = block[low : low + size]
                if self._holds:
                    rows = [weights.row_range(low, low + len(part)) for weights in self._weights[number]]
                    yield IndividualBlock(part, rows, ())
                else:
                    yield IndividualBlock(part, [], self.texts[part.start : part.stop])

    def weights_of(self, columns: Ints) -> list[SparseRows]:
        """The weights of some individuals, whose columns ascend."""
        if not self._holds:
            return _weigh(self.known, _count_terms([self.texts[column] for column in columns.tolist()]))
        rows = [columns[(columns >= block.start) & (columns < block.stop)] - block.start for block in self.blocks]
        pairs = list(zip(rows, self._weights, strict=True))
        return [SparseRows.stack([weights[view].rows(row) for row, weights in pairs]) for view in range(len(VIEWS))]


class IndividualBlock(NamedTuple):
    """Some individuals: their weights by view, or their texts where no weights are kept."""

    individuals: range
    weights: list[SparseRows]
    texts: Sequence[str]


class Against(NamedTuple):
    """The documents that individuals are held against, and what is the same for all of them."""

    turned: list[SparseRows]  # the documents' weights by view: terms × documents
    usual: list[Floats]  # by view, what each document has with the mean individual
    variance: list[float]  # by view; empty as long as nobody told
    backgrounds: list[TermStatistics]  # where individuals are still to be weighed


class Fits(NamedTuple):
    """How well some individuals fit all documents, and by view what was taken off and divided by."""

    individuals: range
    fused: Floats
    mean: Floats
    deviation: Floats
    variance: list[float]


def _fits(resources: Resources, against: Against, part: IndividualBlock) -> Fits:
    from threadpoolctl import threadpool_limits

    fused = np.zeros((against.turned[0].width, len(part.individuals)))
    means, deviations, variances = [], [], list(against.variance)
    with threadpool_limits(1, "blas"):  # with more threads the last digits hang on how many there are
        for view, weights in enumerate(part.weights or _weigh(against.backgrounds, _count_terms(part.texts))):
            # In few digits: sums that are equal must not differ by the order in which they were added up.
            fit = weights.product(against.turned[view]).T.astype(np.float32) - against.usual[view][:, None]
            if len(variances) == view:
                variances.append(mean_square(fit))
            standard, mean, deviation = standardise(fit, variances[view])
            fused += standard
            means.append(mean)
            deviations.append(deviation)
    return Fits(part.individuals, fused, np.array(means), np.array(deviations), variances)


class Attempt:
    """One set of documents under attack."""

    def __init__(self, fitted: FittedLexical, documents: Sequence[str]) -> None:
        self.fitted = fitted
        self.documents = documents
        self._blocks = _blocks(documents)
        texts = (documents[block.start : block.stop] for block in self._blocks)
        counts = list(fitted.resources.map_items(_count_on_worker, None, texts))
        whole = [SparseRows.stack(blocks) for blocks in zip(*counts, strict=True)]
        self._weights = list(map(_weigh_by_documents, fitted.known, whole))
        # A document without a term that tells anything must neither be matched nor say what is usual.
        self._views = list(zip(fitted.known, self._weights, strict=True))
        telling_weights = [weights.times(item.weight > 0) for item, weights in self._views]
        self.heard: Bools = np.any(np.array(telling_weights) > 0, axis=0)
        # What is taken off a fit, and what it is divided by: views × individuals.
        self.mean = np.zeros((len(VIEWS), len(fitted.texts)))
        self.deviation = np.ones((len(VIEWS), len(fitted.texts)))

    def candidates(self) -> Candidates:
        fitted, individuals = self.fitted, len(self.fitted.texts)
        best = _Best(self.heard, individuals)
        turned = [weights.rows(np.flatnonzero(self.heard)).transpose() for weights in self._weights]
        usual = [weights.times(item.mean)[self.heard] for item, weights in self._views]
        against = Against(turned, usual, [], fitted.known)
        parts = fitted.parts(max(1, _CELLS // max(int(self.heard.sum()), 1)))
        for first in islice(parts, 1):
            fits = _fits(fitted.resources, against, first)
            against = against._replace(variance=fits.variance)  # the first part tells it well enough
            self._take(best, fits)
        for fits in fitted.resources.map_items(_fits, against, parts):
            self._take(best, fits)
        return Candidates(best.score, individuals, self.heard, best.column, self.explain, rest=best.rest)

    def _take(self, best: _Best, fits: Fits) -> None:
        columns = slice(fits.individuals.start, fits.individuals.stop)
        best.take(fits.fused, fits.individuals)
        self.mean[:, columns], self.deviation[:, columns] = fits.mean, fits.deviation

    def explain(self, columns: Ints) -> list[Words]:
        """For each document, the words that speak most for the individual in its column; none where that is −1."""
        requests = (self.gather_evidence(block, columns) for block in self._blocks)
        return [
            words
            for explanations in self.fitted.resources.map_items(_explain, self.fitted.known, requests)
            for words in explanations
        ]

    def gather_evidence(self, block: range, columns: Ints) -> WordEvidence:
        """What tells how the words of some documents speak for the individuals in their columns."""
        individuals = np.where(self.heard, columns, -1)[block.start : block.stop]
        rows, at = np.unique(np.maximum(individuals, 0), return_inverse=True)
        scale = np.where(individuals >= 0, 1 / self.deviation[:, np.maximum(individuals, 0)], 0.0)
        weights = [view_weights.row_range(block.start, block.stop).data for view_weights in self._weights]
        return WordEvidence(self.documents[block.start : block.stop], self.fitted.weights_of(rows), at, scale, weights)


class WordEvidence(NamedTuple):
    """Some documents, and of each the individual that its words may speak for."""

    texts: Sequence[str]
    theirs: list[SparseRows]  # the weights of these individuals, by view
    at: Ints  # of each document, the row of its individual
    scale: Floats  # views × documents: by how much an added weight counts; 0 where nobody is asked about
    weights: list[Floats32]  # of the documents, by view

    def contributions(
        self, wording: TextWords, known_by_view: Sequence[TermStatistics]
    ) -> Iterator[tuple[Occurrences, Floats]]:
        """What every occurrence of every term adds to its document's score for its individual.

        Their sum is the score, but for what all documents have with that individual alike: `mean` / `deviation`.
        """
        for index, (view, vocabulary) in enumerate(zip(VIEWS, known_by_view, strict=True)):
            occurrences = wording.occurrences(view)
            keys = (occurrences.text << view.bits) | occurrences.term
            entries, entry, times = np.unique(keys, return_inverse=True, return_counts=True)
            document, term = entries >> view.bits, vocabulary.column[entries & ((1 << view.bits) - 1)]
            document, column, positions = document[term >= 0], term[term >= 0], np.flatnonzero(term >= 0)
            difference = self.theirs[index].at(self.at[document], column) - vocabulary.mean[column]
            added = np.zeros(len(entries))
            # The weights of the documents lie in the same order: by document, then by term.
            added[positions] = self.weights[index] * difference * self.scale[index][document]
            yield occurrences, (added / times)[entry]


def _explain(resources: Resources, vocabularies: Sequence[TermStatistics], spoken: WordEvidence) -> list[Words]:
    wording = TextWords(spoken.texts)
    added = np.zeros(len(wording.text_of_word))
    for occurrences, contribution in spoken.contributions(wording, vocabularies):
        share = contribution / occurrences.words  # a phrase's part for each of its words
        for offset in range(occurrences.words.max(initial=0)):
            reaching = occurrences.words > offset
            added += np.bincount(occurrences.word[reaching] + offset, share[reaching], minlength=len(added))
    return _heaviest(wording, added, len(spoken.texts))


class _Best:
    """The fits that are kept of documents that are heard, part after part: all, or the best of each document."""

    def __init__(self, heard: Bools, individuals: int) -> None:
        everybody = individuals <= EVERYBODY and int(heard.sum()) * individuals <= EVERYBODY**2
        self.heard = heard
        self.score = np.zeros((len(heard), individuals if everybody else min(individuals, BEST)))
        self.score[heard] = -np.inf
        self.column: Ints | None = None if everybody else np.zeros(self.score.shape, dtype=np.int64)
        self._individuals = individuals
        self._sums = np.zeros((2, len(heard)))  # of all fits, and of their squares

    def take(self, fused: Floats, part: range) -> None:
        if self.column is None:
            self.score[self.heard, part.start : part.stop] = fused
            return
        self._sums[:, self.heard] += fused.sum(axis=1), np.einsum("ij,ij->i", fused, fused)
        score = np.hstack([self.score[self.heard], fused])
        column = np.hstack([self.column[self.heard], np.broadcast_to(np.arange(part.start, part.stop), fused.shape)])
        best = np.argsort(-score, axis=1, kind="stable")[:, : self.score.shape[1]]
        self.score[self.heard] = np.take_along_axis(score, best, axis=1)
        self.column[self.heard] = np.take_along_axis(column, best, axis=1)

    @property
    def rest(self) -> Rest | None:
        remaining = self._individuals - self.score.shape[1]
        if self.column is None or not remaining:
            return None
        best = self.score.sum(axis=1), (self.score**2).sum(axis=1)
        return Rest(*((self._sums - best) / remaining))


def _blocks(texts: Sequence[str]) -> list[range]:
    """Texts cut into stretches that fit into memory together."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    number = np.stack([(np.cumsum(lengths) - lengths) // _BLOCK, np.arange(len(texts)) // EVERYBODY])
    cuts = [0, *(np.flatnonzero(np.diff(number).any(axis=0)) + 1).tolist(), len(texts)]
    return [range(low, high) for low, high in pairwise(cuts)]


def _count_terms(texts: Sequence[str]) -> list[SparseRows]:
    wording = TextWords(texts)
    return [wording.counts(view) for view in VIEWS]


def _count_on_worker(resources: Resources, nothing: None, texts: Sequence[str]) -> list[SparseRows]:
    return _count_terms(texts)


def _weigh(vocabularies: Sequence[TermStatistics], counts: Sequence[SparseRows]) -> list[SparseRows]:
    """The weights of individuals, by view."""
    compact = [vocabulary.compact(counted) for vocabulary, counted in zip(vocabularies, counts, strict=True)]
    pairs = zip(vocabularies, compact, strict=True)
    return [weights.with_data(weights.data * vocabulary.weight[weights.column]).unit() for vocabulary, weights in pairs]


def _weigh_on_worker(
    resources: Resources, vocabularies: Sequence[TermStatistics], texts: Sequence[str]
) -> list[SparseRows]:
    return _weigh(vocabularies, _count_terms(texts))


def _weigh_by_documents(vocabulary: TermStatistics, counts: SparseRows) -> SparseRows:
    weights = vocabulary.compact(counts)
    having = np.bincount(weights.column, minlength=len(vocabulary.weight))
    speaking = int((np.diff(counts.bound) > 0).sum())  # documents that have any word
    rarity = np.log((1 + speaking) / having[weights.column])
    return weights.with_data((weights.data * rarity).astype(np.float32)).unit()


def _heaviest(wording: TextWords, added: Floats, documents: int) -> list[Words]:
    """Of each document the words that add most, all of one form together, as it stands first."""
    document = wording.text_of_word
    form = wording.occurrences(FORMS).term
    order = np.lexsort((form, document))  # stable: the first of a form stays first
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(document[order]) != 0) | (np.diff(form[order]) != 0)
    first = order[new]
    total = np.add.reduceat(added[order], np.flatnonzero(new)) if len(order) else added
    heaviest = np.lexsort((first, -total, document[first]))
    bounds = np.searchsorted(document[first][heaviest], np.arange(documents + 1)).tolist()
    return [
        [(wording.word(first[index]), float(total[index])) for index in heaviest[low:high][:LISTED] if total[index] > 0]
        for low, high in pairwise(bounds)
    ]
