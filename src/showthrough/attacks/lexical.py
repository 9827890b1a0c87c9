"""The attack `lexical`: whose background shares the rare words, phrases and word pieces that were left in a document.

Three views of a text (words, phrases of one to three words, pieces of four characters of a word) are weighed by TF-IDF.
Each side weighs by its own rarity: background terms by how few individuals have them, document terms by how few of the
documents have them. So mask marks, which nearly all documents of an anonymization have, weigh next to nothing, whatever
they look like. There is nothing to tune.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from showthrough.attacks.base import (
    BEST,
    EVERYBODY,
    Attack,
    Candidates,
    Floats,
    Ints,
    Rest,
    Words,
    mean_square,
    standardised,
)
from showthrough.attacks.terms import Occurrences, View, Wording
from showthrough.numerics.sparse import SparseRows

VIEWS = (View("words", False, 1, 1, 22), View("phrases", False, 1, 3, 24), View("pieces", True, 4, 4, 22))
FORMS = View("forms", False, 1, 1, 63)  # words told apart for certain
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

    A fit then counts by how unusual it is for that individual, as `standardised` says, and the views are added.

    >>> fitted = Lexical().fit({"ann": "a surgeon from Oslo", "bob": "a baker from Rome", "cem": "a judge from Bonn"})
    >>> int(fitted.scores(["PERSON saw the surgeon", "PERSON likes bread"]).score[0].argmax())
    0
    """

    version = 2

    def fit(self, background: Mapping[str, str], resources: object = None, watched: object = None) -> FittedLexical:
        return FittedLexical(tuple(background), tuple(background.values()))


@dataclass(frozen=True, eq=False)
class Known:
    """What a background tells of one view: which terms it has, how rare and how usual each is."""

    place: NDArray[np.int32]  # of a term among those that occur, −1 for all others
    weight: NDArray[np.float32]
    mean: Floats  # b̄

    def compact(self, counts: SparseRows) -> SparseRows:
        """Counts over the known terms alone, damped: 1 + ln count."""
        known = counts.within(self.place, len(self.weight))
        return known.holding(1 + np.log(known.data))


def telling(having: Ints, times: Floats, individuals: int) -> Floats:
    """How much a term tells of whom it belongs to: its rarity, and its burstiness.

    rarity = ln((1 + n) / (1 + n_t)) for n individuals of whom n_t have the term. Burstiness is residual IDF (Church and
    Gale 1995): how much rarer it is than if its c_t occurrences were strewn at random, max(0, ln(n / n_t) +
    ln(1 − e^(−c_t / n))). What is said of somebody again and again is about them.

    >>> telling(np.array([1, 1, 4]), np.array([1.0, 9.0, 4.0]), 4).round(2).tolist()  # rare; rare and often; everybody
    [0.92, 2.19, 0.0]
    """
    rarity = np.log((1 + individuals) / (1 + having))
    return np.asarray(rarity + np.maximum(0, np.log(individuals / having) + np.log(-np.expm1(-times / individuals))))


class FittedLexical:
    """The attack once it knows a background. The columns of its scores are `individuals`, as they were given."""

    def __init__(self, individuals: tuple[str, ...], texts: tuple[str, ...]) -> None:
        self.individuals = individuals
        self.texts = texts
        self._blocks = _blocks(texts)
        self._holds = sum(map(len, texts)) <= _HELD
        self._weights: list[list[SparseRows]] = []  # of each block; empty where they are made again for every score
        self._learn()

    def _learn(self) -> None:
        """One pass for how many individuals have each term, one for their weights."""
        having = [np.zeros(1 << view.bits, dtype=np.int32) for view in VIEWS]
        times = [np.zeros(1 << view.bits, dtype=np.float32) for view in VIEWS]
        counts_of: list[list[SparseRows]] = []
        for block in self._blocks:
            block_counts = _counted(self.texts[block.start : block.stop])
            for place, counts in enumerate(block_counts):
                np.add.at(having[place], counts.column, 1)
                np.add.at(times[place], counts.column, counts.data)
            counts_of.append(block_counts if self._holds else [])
        self.known = list(map(self._known, having, times))
        for number, block in enumerate(self._blocks):
            block_weights = self._weighed(counts_of[number] or _counted(self.texts[block.start : block.stop]))
            counts_of[number] = []
            for known, weights in zip(self.known, block_weights, strict=True):
                np.add.at(known.mean, weights.column, weights.data.astype(np.float64) / len(self.texts))
            self._weights.append(block_weights if self._holds else [])

    def _known(self, having: NDArray[np.int32], times: NDArray[np.float32]) -> Known:
        occurs = np.flatnonzero(having)
        place = np.full(len(having), -1, dtype=np.int32)
        place[occurs] = np.arange(len(occurs), dtype=np.int32)
        weight = telling(having[occurs].astype(np.int64), times[occurs].astype(np.float64), len(self.texts))
        return Known(place, weight.astype(np.float32), np.zeros(len(occurs)))

    def _weighed(self, counts_by_view: list[SparseRows]) -> list[SparseRows]:
        weighed = [known.compact(counts) for known, counts in zip(self.known, counts_by_view, strict=True)]
        pairs = zip(self.known, weighed, strict=True)
        return [weights.holding(weights.data * known.weight[weights.column]).unit() for known, weights in pairs]

    def blocks(self) -> Iterator[tuple[range, list[SparseRows]]]:
        for block, weights in zip(self._blocks, self._weights, strict=True):
            yield block, weights or self._weighed(_counted(self.texts[block.start : block.stop]))

    def scores(self, documents: Sequence[str]) -> Candidates:
        """Documents × individuals; of a large background the best of each document."""
        return Attempt(self, documents).candidates()

    def weights_of(self, columns: Ints) -> list[SparseRows]:
        """The weights of some individuals, whose columns ascend."""
        if not self._holds:
            return self._weighed(_counted([self.texts[column] for column in columns.tolist()]))
        rows = [columns[(columns >= block.start) & (columns < block.stop)] - block.start for block in self._blocks]
        pairs = list(zip(rows, self._weights, strict=True))
        return [SparseRows.stacked([weights[place].rows(row) for row, weights in pairs]) for place in range(len(VIEWS))]


class Attempt:
    """One set of documents under attack."""

    def __init__(self, fitted: FittedLexical, documents: Sequence[str]) -> None:
        self.fitted = fitted
        self.documents = documents
        self._blocks = _blocks(documents)
        counts = [_counted(documents[block.start : block.stop]) for block in self._blocks]
        whole = [SparseRows.stacked(blocks) for blocks in zip(*counts, strict=True)]
        self._weights = list(map(_weighed_by_documents, fitted.known, whole))
        # A document without a term that tells anything must neither be matched nor say what is usual.
        self._views = list(zip(fitted.known, self._weights, strict=True))
        telling_weights = [weights.times(known.weight > 0) for known, weights in self._views]
        self.heard: NDArray[np.bool_] = np.any(np.array(telling_weights) > 0, axis=0)
        # What is taken off a fit, and what it is divided by: views × individuals.
        self.mean = np.zeros((len(VIEWS), len(fitted.texts)))
        self.deviation = np.ones((len(VIEWS), len(fitted.texts)))

    def candidates(self) -> Candidates:
        speaking = int(self.heard.sum())
        kept = _Kept(self.heard, len(self.fitted.texts))
        turned = [weights.rows(np.flatnonzero(self.heard)).turned() for weights in self._weights]
        usual = [weights.times(known.mean)[self.heard] for known, weights in self._views]
        variance: list[float] = []
        for part, part_weights in self._parts(speaking):
            fused = np.zeros((speaking, len(part)))
            for place, weights in enumerate(part_weights):
                # In few digits: sums that are equal must not differ by the order in which they were added up.
                fit = weights.product(turned[place]).T.astype(np.float32) - usual[place][:, None]
                if len(variance) == place:
                    variance.append(mean_square(fit))  # the first part tells it well enough
                standard, mean, deviation = standardised(fit, variance[place])
                fused += standard
                self.mean[place, part.start : part.stop] = mean
                self.deviation[place, part.start : part.stop] = deviation
            kept.take(fused, part)
        individuals = len(self.fitted.texts)
        return Candidates(kept.score, individuals, self.heard, kept.column, self.explain, rest=kept.rest)

    def _parts(self, documents: int) -> Iterator[tuple[range, list[SparseRows]]]:
        """Individuals block after block, of large ones as many at a time as their fits have room."""
        size = max(1, _CELLS // max(documents, 1))
        for block, weights in self.fitted.blocks():
            for low in range(0, len(block), size):
                part = block[low : low + size]
                whole = len(part) == len(block)
                yield part, weights if whole else [matrix.stretch(low, low + len(part)) for matrix in weights]

    def explain(self, columns: Ints) -> list[Words]:
        """For each document, the words that speak most for the individual in its column; none where that is −1."""
        listed: list[Words] = []
        for block in self._blocks:
            wording = Wording(self.documents[block.start : block.stop])
            added = np.zeros(len(wording.text_of_word))
            for occurrences, contribution in self.contributions(wording, block, columns):
                share = contribution / occurrences.words  # a phrase's part for each of its words
                for offset in range(occurrences.words.max(initial=0)):
                    reaching = occurrences.words > offset
                    added += np.bincount(occurrences.word[reaching] + offset, share[reaching], minlength=len(added))
            listed += _heaviest(wording, added, len(block))
        return listed

    def contributions(self, wording: Wording, block: range, columns: Ints) -> Iterator[tuple[Occurrences, Floats]]:
        """What every occurrence of every term adds to its document's score for the individual in its column.

        Their sum is the score, but for what all documents have with that individual alike: `mean` / `deviation`.
        """
        asked = np.where(self.heard, columns, -1)[block.start : block.stop]
        rows, at = np.unique(np.maximum(asked, 0), return_inverse=True)
        theirs = self.fitted.weights_of(rows)
        for place, (view, known) in enumerate(zip(VIEWS, self.fitted.known, strict=True)):
            occurrences = wording.occurrences(view)
            keys = (occurrences.text << view.bits) | occurrences.term
            entries, entry, times = np.unique(keys, return_inverse=True, return_counts=True)
            document, term = entries >> view.bits, known.place[entries & ((1 << view.bits) - 1)]
            document, column, there = document[term >= 0], term[term >= 0], np.flatnonzero(term >= 0)
            difference = theirs[place].at(at[document], column) - known.mean[column]
            scale = np.where(asked >= 0, 1 / self.deviation[place, np.maximum(asked, 0)], 0.0)
            added = np.zeros(len(entries))
            # The weights of the documents lie in the same order: by document, then by term.
            weights = self._weights[place].stretch(block.start, block.stop).data
            added[there] = weights * difference * scale[document]
            yield occurrences, (added / times)[entry]


class _Kept:
    """The fits that are kept of documents that are heard, part after part: all, or the best of each document."""

    def __init__(self, heard: NDArray[np.bool_], individuals: int) -> None:
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
        left = self._individuals - self.score.shape[1]
        if self.column is None or not left:
            return None
        kept = self.score.sum(axis=1), (self.score**2).sum(axis=1)
        return Rest(*((self._sums - kept) / left))


def _blocks(texts: Sequence[str]) -> list[range]:
    """Texts cut into stretches that fit into memory together."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    number = np.stack([(np.cumsum(lengths) - lengths) // _BLOCK, np.arange(len(texts)) // EVERYBODY])
    cuts = [0, *(np.flatnonzero(np.diff(number).any(axis=0)) + 1).tolist(), len(texts)]
    return [range(low, high) for low, high in pairwise(cuts)]


def _counted(texts: Sequence[str]) -> list[SparseRows]:
    wording = Wording(texts)
    return [wording.counts(view) for view in VIEWS]


def _weighed_by_documents(known: Known, counts: SparseRows) -> SparseRows:
    weights = known.compact(counts)
    having = np.bincount(weights.column, minlength=len(known.weight))
    speaking = int((np.diff(counts.bound) > 0).sum())  # documents that have any word
    rarity = np.log((1 + speaking) / having[weights.column])
    return weights.holding((weights.data * rarity).astype(np.float32)).unit()


def _heaviest(wording: Wording, added: Floats, documents: int) -> list[Words]:
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
        [(wording.word(first[each]), float(total[each])) for each in heaviest[low:high][:LISTED] if total[each] > 0]
        for low, high in pairwise(bounds)
    ]
