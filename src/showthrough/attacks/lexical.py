"""The attack `lexical`: whose background shares the rare words, phrases and word pieces that were left in a document.

Three views of a text (words, phrases of one to three words, pieces of three to five characters of a word) are weighed
by TF-IDF. Each side weighs by its own rarity: background terms by how few individuals have them, document terms by how
few of the documents have them. So mask marks, which nearly all documents of an anonymization have, weigh next to
nothing, whatever they look like. There is nothing to tune.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from showthrough.attacks.base import BEST, EVERYBODY, Candidates, Floats, Ints, Words, standardised
from showthrough.attacks.terms import Occurrences, View, Wording

VERSION = 1  # rises when the same texts could give other scores

# Words count twice: phrases and pieces are made of them, and neither alone is as good.
VIEWS = (
    (2.0, View("words", False, 1, 1, 20)),
    (1.0, View("phrases", False, 1, 3, 24)),
    (1.0, View("pieces", True, 3, 5, 22)),
)
PRIOR = 3.0  # imaginary documents that fit everybody averagely; what keeps a handful of documents apart
LISTED = 10  # words that an explanation names
_BLOCK = 2_000_000  # characters of background that are looked at together: their arrays take about 300 MB
_HELD = 50_000_000  # characters whose weights stay in memory; a larger background is read again for every score

Matrix = Any  # a sparse matrix, texts × terms


class Lexical:
    """The attack, before it knows anybody.

    For a document d and an individual i, in each view, with x and b of length 1:

    x_dt ∝ (1 + ln count) · ln((1 + documents) / documents with t);
    b_it ∝ (1 + ln count) · ln((1 + individuals) / (1 + individuals with t));
    fit(d, i) = Σ_t x_dt (b_it − b̄_t), b̄ being the mean over individuals.

    A fit then counts by how unusual it is for that individual, as `standardised` says, and the views are added.

    >>> fitted = Lexical().fit({"ann": "a surgeon from Oslo", "bob": "a baker from Rome", "cem": "a judge from Bonn"})
    >>> fitted.scores(["PERSON saw the surgeon", "PERSON likes bread"]).score[0].argmax()
    0
    """

    name = "lexical"

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it."""
        return (("lexical", f"v{VERSION}"),)

    def fit(self, background: Mapping[str, str], *, watched: object = None) -> FittedLexical:
        return FittedLexical(tuple(background), tuple(background.values()))


@dataclass(frozen=True, eq=False)
class _Known:
    """What a background tells of one view: which terms it has, how rare and how usual each is."""

    view: View
    place: NDArray[np.int32]  # of a term among those that occur, −1 for all others
    rarity: NDArray[np.float32]
    mean: Floats  # b̄

    def compact(self, counts: Matrix) -> Matrix:
        """Counts over the known terms alone, damped: 1 + ln count."""
        from scipy.sparse import csr_array

        place = self.place[counts.indices]
        known = place >= 0
        ends = np.concatenate([[0], np.cumsum(known)])[counts.indptr]
        data = 1 + np.log(counts.data[known])
        return csr_array((data, place[known], ends), shape=(counts.shape[0], len(self.rarity)))


class FittedLexical:
    """The attack once it knows a background. The columns of its scores are `individuals`, as they were given."""

    def __init__(self, individuals: tuple[str, ...], texts: tuple[str, ...]) -> None:
        self.individuals = individuals
        self.texts = texts
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        number = (np.cumsum(lengths) - lengths) // _BLOCK
        cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(texts)]
        self._blocks = [range(low, high) for low, high in zip(cuts, cuts[1:], strict=False)]
        self._holds = int(lengths.sum()) <= _HELD
        self._known, self._weights = self._learn()

    def _learn(self) -> tuple[list[_Known], list[list[Matrix]]]:
        """One pass for how many individuals have each term, one for their weights."""
        having = [np.zeros(1 << view.bits, dtype=np.int32) for _, view in VIEWS]
        held: list[list[Matrix]] = []
        for block in self._blocks:
            counts = self._counts(block)
            for total, found in zip(having, counts, strict=True):
                np.add.at(total, found.indices, 1)
            if self._holds:
                held.append(counts)
        known = [self._rarity(view, total) for (_, view), total in zip(VIEWS, having, strict=True)]
        weights: list[list[Matrix]] = []
        for number, block in enumerate(self._blocks):
            here = [self._weighed(one, found) for one, found in zip(known, held[number] if held else self._counts(block), strict=True)]
            for one, found in zip(known, here, strict=True):
                np.add.at(one.mean, found.indices, found.data.astype(np.float64) / len(self.texts))
            if self._holds:
                held[number] = []
                weights.append(here)
        return known, weights

    def _counts(self, block: range) -> list[Matrix]:
        return _counted(self.texts[block.start : block.stop])[0]

    def _rarity(self, view: View, having: NDArray[np.int32]) -> _Known:
        occurs = np.flatnonzero(having)
        place = np.full(len(having), -1, dtype=np.int32)
        place[occurs] = np.arange(len(occurs), dtype=np.int32)
        rarity = np.log((1 + len(self.texts)) / (1 + having[occurs])).astype(np.float32)
        return _Known(view, place, rarity, np.zeros(len(occurs)))

    def _weighed(self, known: _Known, counts: Matrix) -> Matrix:
        found = known.compact(counts)
        found.data *= known.rarity[found.indices]
        return _unit(found)

    def _each_block(self) -> Iterator[tuple[range, list[Matrix]]]:
        for number, block in enumerate(self._blocks):
            if self._holds:
                yield block, self._weights[number]
            else:
                pairs = zip(self._known, self._counts(block), strict=True)
                yield block, [self._weighed(known, counts) for known, counts in pairs]

    def scores(self, documents: Sequence[str]) -> Candidates:
        """Documents × individuals; of a large background the best of each document."""
        return _Attempt(self, documents).candidates()
        

class _Attempt:
    """One set of documents under attack."""

    def __init__(self, fitted: FittedLexical, documents: Sequence[str]) -> None:
        self.fitted = fitted
        self.documents = documents
        counts, self._wording, self._occurrences = _counted(documents)
        self._weights = [self._weighed(known, found) for known, found in zip(fitted._known, counts, strict=True)]
        # A document without a single known term says nothing: it must neither be matched nor tell what is usual.
        self.heard: NDArray[np.bool_] = np.any([np.diff(found.indptr) > 0 for found in self._weights], axis=0)
        self._usual = [found @ known.mean for known, found in zip(fitted._known, self._weights, strict=True)]
        self._mean = np.zeros((len(VIEWS), len(fitted.texts)))
        self._deviation = np.ones((len(VIEWS), len(fitted.texts)))

    def _weighed(self, known: _Known, counts: Matrix) -> Matrix:
        found = known.compact(counts)
        having = np.bincount(found.indices, minlength=len(known.rarity))
        found.data *= np.log((1 + self._speaking(counts)) / having[found.indices])
        return _unit(found)

    def _speaking(self, counts: Matrix) -> int:
        """Documents that have any word."""
        return int((np.diff(counts.indptr) > 0).sum())

    def candidates(self) -> Candidates:
        number = len(self.fitted.texts)
        everybody = number <= EVERYBODY
        score = np.zeros((len(self.documents), number if everybody else BEST))
        column: Ints | None = None if everybody else np.zeros(score.shape, dtype=np.int64)
        if column is not None:
            score[:] = -np.inf
        turned = [found[self.heard].T.tocsr() for found in self._weights]
        for block, weights in self.fitted._each_block():
            fused = np.zeros((int(self.heard.sum()), len(block)))
            for place, (weight, _) in enumerate(VIEWS):
                fit = (weights[place] @ turned[place]).toarray().T.astype(np.float64)
                fit -= self._usual[place][self.heard][:, None]
                found, mean, deviation = standardised(fit, PRIOR)
                fused += weight * found
                self._mean[place, block.start : block.stop] = mean
                self._deviation[place, block.start : block.stop] = deviation
            if column is None:
                score[self.heard, block.start : block.stop] = fused
            else:
                score[self.heard], column[self.heard] = _best(score[self.heard], column[self.heard], fused, block)
        return Candidates(score, number, self.heard, column, self.explain)
