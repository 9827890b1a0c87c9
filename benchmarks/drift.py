"""Whether `check --drift` does what it says, in months of which the truth is known.

One month is 31 daily looks, each at every rate, window and side, against the 30 days before. An alarm is a false one if
nothing changed in the 61 days.

    quiet months with any alarm, of 1,000: days alike, unlike each other, weekends, rare leaks    at most 5 %
    a leak rate that doubles is found within 7 days of 200 documents, as a rise of finds               at least 90 %

The second holds where 5 % of documents leak before and days differ from each other by a fifth (coefficient of variation
0.2) or less. What is found with rarer leaks, or days that differ more, is shown without a limit. So are quiet months in
which a day is like the day before, which the test does not expect. Lengths are lognormal; finds and masks follow them,
and the day. Seeded; `--times` sets the number of months.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from showthrough.statistics.drift import LOOKS, DayTotals, Rate, find_drift

REFERENCE = 30
SHARES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])  # of types among masks
RATES = (
    Rate("finds", both_ways=False, weight=len(SHARES) + 2),
    Rate("masks"),
    Rate("length", counts=False),
    *(Rate(f"share {number}") for number in range(len(SHARES))),
)
TOGETHER = 100  # months in memory at a time
LEVEL, POWER = 0.05, 0.9
Line = tuple[str, float, bool]


@dataclass(frozen=True)
class Month:
    """What releases are like: documents a day, finds and masks in one, and how far days differ (as CV)."""

    documents: int = 200
    leaks: float = 0.05
    masks: float = 5.0
    days: float = 0.0  # of finds
    others: float = 0.0  # of lengths and types
    weekend: float = 1.0  # documents of a Saturday or Sunday, of those of other days
    reference: int = REFERENCE
    memory: float = 0.0  # how much of a day's own is that of the day before, as a correlation
    watched: int = LOOKS
    drift: float = 1.0  # times the leaks of the days that are watched

    def __str__(self) -> str:
        size = f"{self.documents} documents a day" + ("" if self.weekend == 1 else ", a tenth on weekends")
        more = f", a reference of {self.reference} days" * (self.reference != REFERENCE)
        more += f", like the day before by {self.memory:g}" * (self.memory > 0)
        return f"{size}, {self.leaks:g} leaks each, days differ by {self.days:g} (others {self.others:g}){more}"


def factor(random: np.random.Generator, variation: float, size: tuple[int, ...], memory: float = 0.0) -> np.ndarray:
    """What days have of their own: of mean 1. Days are the second axis."""
    if not variation or not memory:
        return random.gamma(variation**-2, variation**2, size) if variation else np.ones(size)
    own = random.standard_normal(size)
    for day in range(1, size[1]):
        own[:, day] = memory * own[:, day - 1] + np.sqrt(1 - memory**2) * own[:, day]
    return np.exp(variation * own - variation**2 / 2)


def totals(random: np.random.Generator, month: Month, times: int) -> DayTotals:
    """So many months, drawn document by document and summed by day."""
    number = month.reference + month.watched
    later = np.arange(number) >= month.reference
    finds = factor(random, month.days, (times, number), month.memory) * np.where(later, month.drift, 1) * month.leaks
    lengths = factor(random, month.others, (times, number), month.memory)
    types = factor(random, month.others, (times, number, len(SHARES)), month.memory) * SHARES * month.masks
    sizes = np.where(np.arange(number) % 7 >= 5, round(month.documents * month.weekend), month.documents)
    sums = np.zeros((5, times, number, len(RATES)))
    for day, size in enumerate(sizes.tolist()):
        length = lengths[:, day, None] * random.lognormal(-0.18, 0.6, (times, size))
        words = np.round(200 * length) + 1
        found = random.poisson(finds[:, day, None] * length).astype(float)
        masks = random.poisson(types[:, day, None] * length[..., None]).astype(float)
        every = masks.sum(-1)
        columns = [(found, words), (every, words), (words, np.ones_like(words))]
        for place, (one, by) in enumerate([*columns, *((masks[..., kind], every) for kind in range(len(SHARES)))]):
            for sort, values in enumerate((one, by, one * one, one * by, by * by)):
                sums[sort, :, day, place] = values.sum(-1)
    return DayTotals(np.broadcast_to(sizes.astype(float), (times, number)), *sums)


def tried(month: Month, times: int) -> tuple[float, float]:
    """How often any alarm is raised, and a rise of finds."""
    random = np.random.default_rng(1)
    alarms = [
        find_drift(totals(random, month, TOGETHER), month.reference, RATES).alarms for _ in range(times // TOGETHER)
    ]
    every = np.concatenate(alarms)
    return float(every.any(axis=(1, 2, 3)).mean()), float((every[..., 0] > 0).any(axis=(1, 2)).mean())


QUIET = (
    Month(),
    Month(days=0.2, others=0.1, weekend=0.1),
    Month(days=0.5, others=0.3, weekend=0.1),
    Month(leaks=0.002, others=0.1, weekend=0.1),
    Month(documents=40, days=0.3, others=0.2, weekend=0.1),
    Month(days=0.5, others=0.3, reference=10),
)
TIED = tuple(Month(days=0.2, others=0.1, memory=memory) for memory in (0.3, 0.5, 0.8))
LOUD = (
    (Month(), True),
    (Month(days=0.2, others=0.1), True),
    (Month(leaks=0.2, days=0.2, others=0.1), True),
    (Month(days=0.3, others=0.1), False),
    (Month(leaks=0.02, days=0.2, others=0.1), False),
    (Month(leaks=0.01, days=0.2, others=0.1), False),
)


def lines(times: int) -> Iterator[Line]:
    for month in QUIET:
        share, _ = tried(month, times)
        yield f"quiet months with an alarm: {month}", share, share <= LEVEL
    for month in TIED:
        share, _ = tried(month, times)
        yield f"quiet months with an alarm: {month}", share, True
    for month, limited in LOUD:
        _, share = tried(Month(**{**vars(month), "watched": 7, "drift": 2.0}), times)
        yield f"found within a week: {month}", share, not limited or share >= POWER


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=1000)
    held = True
    for what, share, holds in lines(options.parse_args().times):
        print(f"{what:<150}{share:7.3f}{'' if holds else '  does not hold'}", flush=True)
        held &= holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
