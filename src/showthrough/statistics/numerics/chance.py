"""Agreement against chance, from sums of any shape: what κ and α have in common, and how far ordered categories lie."""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Floats

_NONE = 1e-12  # an expected disagreement that is nothing but rounding


def correct_for_chance(observed: Floats, expected: Floats) -> Floats:
    """1 less the disagreement that is seen over the one expected by chance; undefined where chance cannot disagree."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > _NONE, 1 - observed / expected, np.nan))


def expected_of_draws(whole: Floats, products: Floats, *, returned: bool) -> Floats:
    """How often two draws differ, given how many there are and the products of how often each category is drawn.

    κ returns the first draw before the second, α does not.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((whole**2 - products) / (whole * (whole if returned else whole - 1)))


def ordinal_distances(margins: Floats) -> Floats:
    """The squared difference of each two ordered categories, in stacks: the last axis is that of the categories.

    As many ratings as lie between two categories, half of those in either of the two (Krippendorff 2011).
    """
    ranks = np.cumsum(margins, axis=-1) - margins / 2
    return np.asarray((ranks[..., :, None] - ranks[..., None, :]) ** 2)


def ordinal_alpha(coincidences: Floats) -> Floats:
    """Krippendorff's α of ordered categories; coincidences as `alpha_of` takes them.

    >>> ordinal_alpha(np.array([[4.0, 0.0], [0.0, 2.0]])).item()
    1.0
    """
    return alpha_of(coincidences, ordinal_distances(coincidences.sum(axis=-1)))


def alpha_of(coincidences: Floats, distance: Floats) -> Floats:
    """Krippendorff's α, given squared differences of categories, in stacks whose last two axes are the categories.

    In coincidences each pair of one item's ratings counts 1 / (raters − 1), so that an item counts as often as it was
    rated.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        differing = (coincidences * distance).sum(axis=(-2, -1)) / coincidences.sum(axis=(-2, -1))
    return correct_for_chance(np.asarray(differing), _expected(coincidences, distance))


def farthest(coincidences: Floats) -> Floats:
    """By how much α of ordered categories would fall from 1 if all raters differed as far as they can."""
    distance = ordinal_distances(coincidences.sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(distance.max(axis=(-2, -1)) / _expected(coincidences, distance))


def _expected(coincidences: Floats, distance: Floats) -> Floats:
    """The squared difference of two ratings that are drawn by chance, neither of them returned."""
    margins = coincidences.sum(axis=-1)
    total = margins.sum(axis=-1)
    products = margins[..., :, None] * margins[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((products * distance).sum(axis=(-2, -1)) / (total * (total - 1)))
