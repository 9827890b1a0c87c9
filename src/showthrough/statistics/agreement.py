"""How far raters agree: observed agreement, Cohen's κ, Fleiss' κ, Krippendorff's α.

All work from counts: of each item, how many raters put it into each category. Items that look the same are one row with
a weight, so that a million characters are a few rows. A coefficient is undefined where nothing tells agreement from
chance, and says so: no number is made up.

Sources: Jacob Cohen (1960), Educational and Psychological Measurement 20; Joseph L. Fleiss (1971), Psychological
Bulletin 76; Kilem L. Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, for numbers of raters that vary;
Klaus Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.statistics.numerics.chance import alpha_of, correct_for_chance, expected_of_draws, ordinal_alpha

Level = Literal["nominal", "ordinal", "interval"]

NO_PAIR = "nothing was rated by two"
ONE_CATEGORY = "every rating is the same, so agreement cannot be separated from chance"
_PAIR = 2


class Coefficient(NamedTuple):
    """A number, or none and the reason."""

    value: float | None
    reason: str = ""


def count_ratings(ratings: Sequence[Sequence[Hashable | None]]) -> tuple[Floats, list[Hashable]]:
    """From ratings, a row for each rater and None where one is missing: items × categories, and the categories.

    Categories are in their order, which is that of ordinal and interval ratings.

    >>> counts, categories = count_ratings([["a", "b", None], ["a", "a", "b"]])
    >>> counts.tolist(), categories
    ([[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]], ['a', 'b'])
    """
    values = {rating for row in ratings for rating in row if rating is not None}
    categories = sorted(values)  # type: ignore[type-var]
    index = {category: number for number, category in enumerate(categories)}
    counts = np.zeros((max(map(len, ratings), default=0), len(categories)))
    for row in ratings:
        for item, rating in enumerate(row):
            if rating is not None:
                counts[item, index[rating]] += 1
    return counts, categories


def observed_agreement(counts: ArrayLike, weights: ArrayLike | None = None) -> Coefficient:
    """The share of pairs of raters that agree on an item, on average over items that two or more rated.

    >>> observed_agreement([[2, 0], [1, 1]]).value
    0.5
    """
    table, weight = _rated_items(counts, weights, _PAIR)
    if not weight.sum():
        return Coefficient(None, NO_PAIR)
    return Coefficient(float((_agreement_shares(table) * weight).sum() / weight.sum()))


def cohen(table: ArrayLike) -> Coefficient:
    """Cohen's κ of two raters, from how often the first said a row's category and the second a column's.

    >>> round(cohen([[20, 5], [10, 15]]).value, 9)  # (0.7 − 0.5) / (1 − 0.5)
    0.4
    """
    both = np.asarray(table, dtype=np.float64)
    whole = both.sum()
    if not whole:
        return Coefficient(None, NO_PAIR)
    differing = 1 - np.trace(both) / whole
    expected = expected_of_draws(whole, both.sum(axis=0) @ both.sum(axis=1), returned=True)
    return _to_coefficient(correct_for_chance(differing, expected))


def fleiss(counts: ArrayLike, weights: ArrayLike | None = None) -> Coefficient:
    """Fleiss' κ; where items have different numbers of raters, its generalisation by Gwet (2014, section 2.5).

    Observed is the agreement of items that two or more rated. Expected is Σ π², where π is the mean over rated items of
    the share of raters who chose a category. With the same number of raters everywhere that is Fleiss' (1971) κ.
    """
    table, weight = _rated_items(counts, weights, _PAIR)
    every, of_every = _rated_items(counts, weights, 1)
    if not weight.sum():
        return Coefficient(None, NO_PAIR)
    differing = ((1 - _agreement_shares(table)) * weight).sum() / weight.sum()
    shares = (of_every[:, None] * every / every.sum(axis=1, keepdims=True)).sum(axis=0)
    return _to_coefficient(
        correct_for_chance(differing, expected_of_draws(of_every.sum(), shares @ shares, returned=True))
    )


def krippendorff(
    counts: ArrayLike, weights: ArrayLike | None = None, level: Level = "nominal", values: ArrayLike | None = None
) -> Coefficient:
    """Krippendorff's α; ratings that are missing are simply not there.

    Ordinal ratings have their categories in order. Interval ratings have `values`, one for each category.
    """
    table, weight = _rated_items(counts, weights, _PAIR)
    if not weight.sum():
        return Coefficient(None, NO_PAIR)
    raters = table.sum(axis=1)
    margins = weight @ table
    whole = margins.sum()
    if level == "nominal":
        differing = ((1 - _agreement_shares(table)) * weight * raters).sum() / whole
        return _to_coefficient(
            correct_for_chance(differing, expected_of_draws(whole, margins @ margins, returned=False))
        )
    share = weight / (raters - 1)
    coincidences = (table * share[:, None]).T @ table - np.diag(share @ table)
    if level == "ordinal":
        return _to_coefficient(ordinal_alpha(coincidences))
    if values is None:
        raise ValueError("interval ratings need the values of their categories")
    numbers = np.asarray(values, dtype=np.float64)
    return _to_coefficient(alpha_of(coincidences, np.subtract.outer(numbers, numbers) ** 2))


def _rated_items(counts: ArrayLike, weights: ArrayLike | None, least: int) -> tuple[Floats, Floats]:
    """The items that at least so many rated, and their weights."""
    table = np.asarray(counts, dtype=np.float64)
    weight = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    enough = table.sum(axis=1) >= least if table.size else np.zeros(len(table), dtype=bool)
    return table[enough], weight[enough]


def _agreement_shares(table: Floats) -> Floats:
    """Of each item, the share of pairs of raters who agree."""
    raters = table.sum(axis=1)
    return np.asarray((table * (table - 1)).sum(axis=1) / (raters * (raters - 1)))


def _to_coefficient(value: Floats) -> Coefficient:
    return Coefficient(None, ONE_CATEGORY) if np.isnan(value) else Coefficient(float(value))
