"""Utility: do people find sensible what was written, and do they agree?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import ResourceError
from showthrough.data.authorship import HIGHEST, LOWEST, Rating, Ratings
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.numerics.chance import correct_for_chance, expected_of_draws, farthest, ordinal_alpha
from showthrough.statistics.rows import Rows, Totals

KAPPA, ALPHA, RATER = "kappa", "alpha", "rater:"
_VALUES = HIGHEST - LOWEST + 1
_PAIR = 2  # raters of an item, without whom nothing tells whether people agree
_POINTS, _RATINGS = "points", "ratings"
_AGREEING = "agreeing"
_SHARES = [f"share_{value}" for value in range(_VALUES)]
_MEETINGS = {(low, high): f"met_{low}_{high}" for low in range(_VALUES) for high in range(low, _VALUES)}


@dataclass(frozen=True)
class Sensibleness(Metric):
    """How sensible people find passages of the release, without the original: 2 sensible, 1 partly, 0 not.

    The mean of all ratings of all passages that were rated. Parts are the mean of each rater (`rater:NAME`), and how
    far raters agree on passages that two or more of them rated: Fleiss' `kappa`, and Krippendorff's `alpha` of ordered
    values. (Potthast, Hagen and Stein 2016)

    sensibleness = Σ ratings / |ratings|

    >>> from showthrough.data.masks import Anonymization
    >>> from showthrough.data.documents import Corpus, Document
    >>> from showthrough.data.authorship import Ratings
    >>> from showthrough.models import Resources
    >>> ratings = Ratings(
    ...     Rating(document="a", anonymization="A", item=item, rater=rater, value=value)
    ...     for item, both in {"1": (2, 2), "2": (2, 1), "3": (0, 0)}.items()
    ...     for rater, value in zip(("r1", "r2"), both)
    ... )
    >>> chunk = Chunk(Corpus([Document("a", "He came. He saw. He won.")]), Resources(inputs={"ratings": ratings}))
    >>> parts = Sensibleness().combine(chunk.rows(Sensibleness(), Anonymization({}, "A")).totals())
    >>> {part: round(value.item(), 3) for part, value in parts.items()}
    {'': 1.167, 'rater:r1': 1.333, 'rater:r2': 1.0, 'kappa': 0.455, 'alpha': 0.778}
    """

    group = "utility"
    needs = frozenset({"ratings"})
    title = "Sensibleness, rated 0 to 2"
    tells = "whether people find the text sensible"
    undefined = "no passage of it was rated; or, of agreement, none by two people, or all alike"
    roles = ("sense",)
    neutral = (KAPPA, ALPHA)

    def is_bounded(self, part: str) -> bool:
        return False

    def limits(self, part: str) -> tuple[float, float]:
        return (-1.0, 1.0) if part in (KAPPA, ALPHA) else (float(LOWEST), float(HIGHEST))

    def unit_change(self, part: str, totals: Totals) -> float:
        """All of a document rated at the other end; of agreement, raters who differ there: over what chance would."""
        if part == KAPPA:
            return float(1 / _expected(totals))
        if part == ALPHA:
            return float(farthest(_coincidences(totals)))
        return float(HIGHEST - LOWEST)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        ratings: Ratings | None = chunk.resources.inputs.get("ratings")
        if ratings is None:
            raise ResourceError("no ratings were given; expected --ratings PLACE (in Python, ratings=…)")
        raters = sorted({rating.rater for rating in ratings.ratings})
        sums = [f"{statistic}:{name}" for name in raters for statistic in (_POINTS, _RATINGS)]
        columns = (_POINTS, _RATINGS, _AGREEING, *_SHARES, *_MEETINGS.values(), *sums)
        documents = [document.id for document in chunk.corpus]

        def rows(anonymized: Anonymized) -> Rows:
            by_document = ratings.of.get(anonymized.name, {})
            values = np.zeros((len(documents), len(columns)))
            for index, key in enumerate(documents):
                if rated := by_document.get(key):
                    counts = _counts(rated)
                    values[index] = [counts.get(column, 0.0) for column in columns]
            return Rows(columns, values)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        parts = {HEADLINE: ratio(totals[_POINTS], totals[_RATINGS])}
        for column in sorted(column for column in totals if column.startswith(f"{_POINTS}:")):
            name = column.partition(":")[2]
            parts[f"{RATER}{name}"] = ratio(totals[column], totals[f"{_RATINGS}:{name}"])
        differing = 1 - ratio(totals[_AGREEING], _shares(totals).sum(axis=-1))
        parts[KAPPA] = correct_for_chance(differing, _expected(totals))
        parts[ALPHA] = ordinal_alpha(_coincidences(totals))
        return parts


def _counts(ratings: Sequence[Rating]) -> Mapping[str, float]:
    """What one document adds to every sum."""
    items = {item: index for index, item in enumerate(dict.fromkeys(rating.item for rating in ratings))}
    table = np.zeros((len(items), _VALUES))  # of each passage, how many raters gave each value
    counts: dict[str, float] = {_POINTS: 0.0, _RATINGS: 0.0}
    for rating in ratings:
        table[items[rating.item], rating.value - LOWEST] += 1
        for suffix in ("", f":{rating.rater}"):
            counts[_POINTS + suffix] = counts.get(_POINTS + suffix, 0.0) + rating.value
            counts[_RATINGS + suffix] = counts.get(_RATINGS + suffix, 0.0) + 1
    raters = table.sum(axis=1)
    several = table[raters >= _PAIR]
    rater_counts = raters[raters >= _PAIR]
    counts |= zip(_SHARES, (several / rater_counts[:, None]).sum(axis=0).tolist(), strict=True)
    counts[_AGREEING] = float(((several * (several - 1)).sum(axis=1) / (rater_counts * (rater_counts - 1))).sum())
    weighted = several / (rater_counts - 1)[:, None]
    coincidences = weighted.T @ several - np.diag(weighted.sum(axis=0))
    return counts | {column: float(coincidences[pair]) for pair, column in _MEETINGS.items()}


def _shares(totals: Totals) -> Floats:
    """Of each value, the shares of raters who chose it, summed over passages that several rated; in stacks."""
    return np.stack([totals[column] for column in _SHARES], axis=-1)


def _expected(totals: Totals) -> Floats:
    """How often two raters would differ by chance, as Fleiss has it: over passages, each of them once."""
    shares = _shares(totals)
    return expected_of_draws(shares.sum(axis=-1), (shares**2).sum(axis=-1), returned=True)


def _coincidences(totals: Totals) -> Floats:
    """How often each two values met in one passage, in stacks."""
    counts = [
        [totals[_MEETINGS[min(first, second), max(first, second)]] for second in range(_VALUES)]
        for first in range(_VALUES)
    ]
    return np.moveaxis(np.asarray(counts, dtype=np.float64), (0, 1), (-2, -1))
