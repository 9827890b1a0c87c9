"""How much more often an attack succeeds than where it cannot know anything (the control).

The estimates are those of Giomi et al. 2023 (anonymeter): Wilson's for both rates, errors propagated linearly.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats, Ints
from showthrough.statistics.numerics.distributions import normal_quantile


class RateEstimate(NamedTuple):
    """A rate, and how far it may be off on either side."""

    value: Floats
    error: Floats

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Between 0 and 1."""
        low, high = (np.clip(self.value + side * self.error, 0.0, 1.0) for side in (-1, 1))
        return low, high


def rate(successes: ArrayLike, tries: ArrayLike, confidence: float = 0.95) -> RateEstimate:
    """Wilson 1927: (s + z²/2) / (n + z²), with the error z / (n + z²) · √(s (n − s) / n + z²/4).

    >>> estimate = rate(30, 100)
    >>> estimate.value.round(6).item(), estimate.error.round(6).item()
    (0.307399, 0.08845)
    """
    won, of = np.asarray(successes, dtype=np.float64), np.asarray(tries, dtype=np.float64)
    z = normal_quantile((1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(of > 0, won * (of - won) / of, np.nan)
    # A sum of halves may lie above the whole by a rounding.
    error = z / (of + z**2) * np.sqrt(np.maximum(variance, 0.0) + z**2 / 4)
    return RateEstimate(np.where(of > 0, (won + z**2 / 2) / (of + z**2), np.nan), error)


def above(attack: RateEstimate, control: RateEstimate) -> RateEstimate:
    """(r − c) / (1 − c): of what the control leaves, the share that the attack finds. Below 0 where it finds less.

    >>> risk = above(rate(30, 100), rate(10, 100))
    >>> risk.value.round(6).item(), [end.round(6).item() for end in risk.ends]
    (0.217579, [0.104635, 0.330523])
    """
    remainder = 1 - control.value
    risk = (attack.value - control.value) / remainder
    error = np.sqrt((attack.error / remainder) ** 2 + (control.error * (attack.value - 1) / remainder**2) ** 2)
    return RateEstimate(risk, error)


def pick_partners(keys: Sequence[str], groups: Sequence[Hashable], seed: int) -> Ints:
    """For each the number of one of another group, each taken as evenly as can be; −1 where all are of one group.

    In a random order, group after group, everybody takes whoever stands further on by the size of the largest group:
    that is somebody of another group unless one group has more than half of all, and then the rest is drawn. `keys` are
    their ids: the order in which they are given does not matter.

    >>> pick_partners(["a", "b", "c"], ["x", "x", "y"], seed=0).tolist()[:2]
    [2, 2]
    """
    number = {group: index for index, group in enumerate(sorted({*groups}, key=str))}
    of = np.array([number[group] for group in groups], dtype=np.int64)
    partners = np.full(len(of), -1, dtype=np.int64)
    if len(number) < 2:
        return partners
    random = np.random.default_rng(seed)
    by_key = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    shuffled = by_key[random.permutation(len(of))]
    order = shuffled[np.argsort(random.permutation(len(number))[of[shuffled]], kind="stable")]
    sizes = np.bincount(of)
    candidates = np.roll(order, -int(sizes.max()))
    alike = np.flatnonzero(of[candidates] == of[order])
    own = of[order[alike]]
    _, first = np.unique(of[order], return_index=True)
    drawn = random.integers(0, len(of) - sizes[own])
    candidates[alike] = order[np.where(drawn < first[own], drawn, drawn + sizes[own])]
    partners[order] = candidates
    return partners
