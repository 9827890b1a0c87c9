"""Whether a gate against a baseline does what it says, tried on documents of which the truth is known.

    equal systems that fail: er_di, er_qi and recall together, 30 to 300 documents          at most 5 %
    the same with one number alone                                                           at most 5 %
    a loss of just the margin that is shown to be more                                       at most 5 %
    a loss of just the margin of which --bound says that it is not more                      at most 5 %
    planted losses that are caught                                                           a table; large ones 80 %
    equal means, but the later one leaks singly where the earlier leaked by whole documents  told, no limit

Identifiers cluster by document: a document's share is drawn from a beta distribution. Both systems find the same
documents hard, or each its own. Seeded. `--times` sets how often each case is tried: the noise of a figure is
√(0.05 · 0.95 / times), 0.7 points for 1,000. `--cases` names the tables to make.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from calibration import COLUMNS, chances, identifiers
from showthrough.metrics import Recall
from showthrough.statistics import LEVEL, SHOWN, Loss, holm, loss_of

SHUFFLES = 399
Random = np.random.Generator
Line = tuple[str, float, bool]


def hidden(random: Random, total: np.ndarray, share: float, correlation: float, hard: np.ndarray | None) -> np.ndarray:
    """How many identifiers of each document are hidden; in hard documents fewer, whoever hides them."""
    if share >= 1:
        return total
    if correlation == 0:
        own = np.full(len(total), share)
        if hard is not None:
            own = np.clip(share + (1 - share) * 0.9 * np.sin(2 * np.pi * hard), 0, 1)
        return random.binomial(total, own)
    return random.binomial(total, chances(random, share, correlation, len(total)))


def systems(
    random: Random, documents: int, shares: tuple[float, float], correlations: tuple[float, float], together: bool
) -> list[list[np.ndarray]]:
    """For er_di, er_qi and recall the later and the earlier system's counts, document by document."""
    totals = identifiers(random, documents), 2 * identifiers(random, documents)
    hard = random.random(documents) if together else None
    found = [
        [
            hidden(random, total, share, correlation, hard)
            for share, correlation in zip(shares, correlations, strict=True)
        ]
        for total in totals
    ]
    sides = [[np.column_stack([one, total]) for one in each] for each, total in zip(found, totals, strict=True)]
    tokens = [2 * direct + 3 * quasi for direct, quasi in zip(*sides, strict=True)]  # an identifier has some words
    return [[side.astype(np.float64) for side in each] for each in (*sides, tokens)]


def losses(numbers: list[list[np.ndarray]], margin: float, seed: int) -> list[Loss]:
    return [
        loss_of(
            Recall().combine, COLUMNS["recall"], *pair, "", higher=True, margin=margin, shuffles=SHUFFLES, seed=seed
        )
        for pair in numbers
    ]


def fails(found: list[Loss]) -> bool:
    return any(p <= SHOWN for p in holm([loss.p for loss in found if loss.p is not None]))


def tried(
    times: int,
    documents: int,
    shares: tuple[float, float],
    correlations: tuple[float, float] = (0.0, 0.0),
    *,
    margin: float = 0.0,
    together: bool = False,
    numbers: int = 3,
) -> tuple[float, float]:
    """How often a gate fails, and how often it shows that no more than the margin was lost."""
    random = np.random.default_rng(1)
    failed = shown = 0
    for seed in range(times):
        found = losses(systems(random, documents, shares, correlations, together)[:numbers], margin, seed)
        failed += fails(found)
        shown += all(loss.most is not None and loss.most <= margin for loss in found)
    return failed / times, shown / times


HOW = {"singly": 0.0, "together (0.4)": 0.4, "whole documents": 1.0}


def equal(times: int) -> Iterator[Line]:
    for documents in (30, 100, 300):
        for share in (0.7, 0.97, 0.995):
            for how, correlation in HOW.items():
                share_failed, _ = tried(times, documents, (share, share), (correlation, correlation))
                what = f"equal at {share}, {documents} documents, leaks {how}, three numbers"
                yield what, share_failed, share_failed <= LEVEL
    for documents in (30, 300):
        share_failed, _ = tried(times, documents, (0.9, 0.9), together=True)
        yield f"equal at 0.9, {documents} documents, hard ones in common", share_failed, share_failed <= LEVEL


def alone(times: int) -> Iterator[Line]:
    for documents in (30, 100, 300):
        for share in (0.9, 0.99):
            share_failed, _ = tried(times, documents, (share, share), numbers=1)
            yield f"equal at {share}, {documents} documents, one number", share_failed, share_failed <= LEVEL


def boundary(times: int) -> Iterator[Line]:
    for documents in (30, 100, 300):
        for shares, margin in (((0.94, 0.99), 0.05), ((0.97, 0.99), 0.02), ((0.85, 0.9), 0.05)):
            for how, correlation in HOW.items():
                both = correlation, correlation
                failed, shown = tried(times, documents, shares, both, margin=margin, numbers=1)
                what = f"{shares[1]} became {shares[0]}, margin {margin}, {documents} documents, leaks {how}"
                yield f"{what}: shown to be more", failed, failed <= LEVEL
                yield f"{what}: shown to be no more", shown, shown <= LEVEL


def planted(times: int) -> Iterator[Line]:
    for documents in (30, 100, 300):
        for before, now in ((1.0, 0.99), (1.0, 0.97), (0.99, 0.95), (0.97, 0.9), (0.9, 0.8)):
            for how, correlation in (("singly", 0.0), ("together (0.4)", 0.4)):
                caught, _ = tried(times, documents, (now, before), (correlation, correlation))
                large = documents >= 100 and before - now >= 0.03
                yield (
                    f"{before} became {now}, {documents} documents, leaks {how}: caught",
                    caught,
                    not large or caught >= 0.8,
                )


def unlike(times: int) -> Iterator[Line]:
    for documents, share in ((42, 0.97), (127, 0.99), (300, 0.99)):
        failed, _ = tried(times, documents, (share, share), (0.0, 1.0), numbers=1)
        yield f"equal at {share}, {documents} documents, whole documents became single leaks", failed, True
        failed, _ = tried(times, documents, (share, share), (1.0, 0.0), numbers=1)
        yield f"equal at {share}, {documents} documents, single leaks became whole documents", failed, True


CASES = {"equal": equal, "alone": alone, "boundary": boundary, "planted": planted, "unlike": unlike}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=1000)
    options.add_argument("--cases", nargs="*", choices=CASES, default=list(CASES))
    given = options.parse_args()
    held = True
    for name in given.cases:
        for what, share, holds in CASES[name](given.times):
            print(f"{what:<100}{share:7.3f}{'' if holds else '  does not hold'}", flush=True)
            held &= holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
