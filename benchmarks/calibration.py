"""Whether what is said of chance is so: intervals and tests tried on documents of which the truth is known.

    coverage of 95 % intervals: shares 0.5, 0.9, 0.97, 0.99; 20, 42, 127, 500 documents     at least 93 %
    the same where long documents leak more: 50, 150, 500 documents                         at least 93 %
    false alarms at 0.05 there, both leaking alike; and one leaking evenly                   at most 7 and 10 %
    false alarms at 0.05, equal precision, 30 against 0.5 masked tokens a document           at most 7 %
    the same with as much masked on both sides                                               at most 7 %
    power where as much is masked on both sides, against plain randomization                 at most 3 points less
    coverage of the interval of a difference                                                 at least 92 %
    false alarms between two near-perfect systems that leak in different ways                at most 7 %
    false alarms between two exchangeable anonymizers under one attack without assignment    at most 6 %

Identifiers cluster by document: a document's share is drawn from a beta distribution. Seeded; takes some minutes.
`--times` sets how often each case is tried; the noise of a figure is √(0.95 · 0.05 / times), 0.5 points for 2,000.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from showthrough.evaluation._scoring import intervals_of
from showthrough.metrics import EntityRecall, Precision, Recall, Rows
from showthrough.statistics import (
    judge_difference,
    pair_tests,
    plain_p,
    resampled_totals,
)

SHARES, DOCUMENTS = (0.5, 0.9, 0.97, 0.99), (20, 42, 127, 500)
# The correlation inside a document, and how unevenly identifiers are spread over documents.
CLUSTERINGS = {
    "a little": (0.1, 0.0),
    "much": (0.4, 0.0),
    "whole documents": (1.0, 0.0),
    "uneven, much": (0.4, 1.0),
    "very uneven, whole documents": (1.0, 1.5),
}
RESAMPLES, SHUFFLES = 400, 399
Random = np.random.Generator
COLUMNS = {"precision": ("agreed", "asked"), "recall": ("hidden", "total")}


def chances(random: Random, share: float, correlation: float, documents: int) -> np.ndarray:
    """Every document's own share; they average to the given one."""
    if correlation == 1:
        return (random.random(documents) < share).astype(np.float64)
    scale = (1 - correlation) / correlation
    return random.beta(share * scale, (1 - share) * scale, documents)


def identifiers(random: Random, documents: int, uneven: float = 0.0) -> np.ndarray:
    """How many each document has: about as many, or some a hundred times as many as others."""
    if uneven:
        return np.ceil(random.lognormal(1.5, uneven, documents)).astype(np.int64)
    return 1 + random.poisson(4, documents)


def interval(values: np.ndarray, seed: int) -> tuple[float, float, float]:
    """An entity recall with its interval."""
    rows = Rows(COLUMNS["recall"], values.astype(np.float64))
    sums = resampled_totals(rows.values, RESAMPLES, seed)
    low, high = intervals_of(EntityRecall(), rows, dict(zip(rows.columns, sums.T, strict=True)), 0.95)[""]
    return float(values[:, 0].sum() / values[:, 1].sum()), low, high


def coverage(times: int) -> Iterator[tuple[str, float, bool]]:
    for name, (correlation, uneven) in CLUSTERINGS.items():
        for share in SHARES:
            for documents in DOCUMENTS:
                random = np.random.default_rng(1)
                inside = 0
                for seed in range(times):
                    total = identifiers(random, documents, uneven)
                    hidden = random.binomial(total, chances(random, share, correlation, documents))
                    _, low, high = interval(np.column_stack([hidden, total]), seed)
                    inside += low <= share <= high
                yield (
                    f"coverage, {share:<4} in {documents:>3}, clustered: {name}",
                    inside / times,
                    inside / times >= 0.93,
                )


def long_documents(random: Random, documents: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Hidden identifiers and all: of t, log-normal with σ = 1.5, each leaks with 1 − e^(−rate · t)."""
    total = identifiers(random, documents, 1.5)
    return random.binomial(total, np.exp(-rate * total)), total


def share_hidden(rate: float) -> float:
    """The share that is hidden of all identifiers there could be."""
    total = identifiers(np.random.default_rng(0), 4_000_000, 1.5)
    return float((total * np.exp(-rate * total)).sum() / total.sum())


def long_leaks(times: int) -> Iterator[tuple[str, float, bool]]:
    for rate in (0.01, 0.002):
        share = share_hidden(rate)
        for documents in (50, 150, 500):
            random = np.random.default_rng(7)
            ends = [
                interval(np.column_stack(long_documents(random, documents, rate)), seed)[1:] for seed in range(times)
            ]
            covered = float(np.mean([low <= share <= high for low, high in ends]))
            what = f"coverage where long documents leak more, λ = {rate}, {share:.3f} hidden, {documents} documents"
            yield what, covered, covered >= 0.93
            above = float(np.mean([low > share for low, _ in ends]))
            yield "  of these, the low end is above the truth", above, above <= 0.07


def long_alarms(times: int) -> Iterator[tuple[str, float, bool]]:
    """Two equally good systems, of which the second leaks long documents too, or all alike."""
    for rate, documents in ((0.01, 50), (0.002, 50), (0.002, 150), (0.002, 500)):
        share = share_hidden(rate)
        for how in ("both", "one"):
            random = np.random.default_rng(8)
            values: list[float | None] = []
            for seed in range(times):
                hidden, total = long_documents(random, documents, rate)
                other = np.exp(-rate * total) if how == "both" else np.full(documents, share)
                sides = [
                    np.column_stack([side, total]).astype(np.float64)
                    for side in (hidden, random.binomial(total, other))
                ]
                values.append(studentized(*sides, seed))
            what = f"false alarms, long documents leak more in {how}, λ = {rate}, {documents} documents"
            yield what, found(values), found(values) <= (0.07 if how == "both" else 0.10)


def masked(random: Random, documents: int, rate: float, precision: float = 0.7) -> np.ndarray:
    asked = random.poisson(rate, documents)
    return np.column_stack([random.binomial(asked, precision), asked]).astype(np.float64)


def plain(one: np.ndarray, two: np.ndarray, seed: int) -> float | None:
    """The test of interchangeability: no standard errors."""
    return plain_p(Precision().combine, COLUMNS["precision"], [one, two], [""], SHUFFLES, seed)["", 0, 1]


def studentized(one: np.ndarray, two: np.ndarray, seed: int) -> float | None:
    (found,) = pair_tests(Precision().combine, COLUMNS["precision"], [one, two], [""], SHUFFLES, seed)
    return found.p


def found(values: list[float | None]) -> float:
    """The share of tests that find a difference at 0.05, of those that say anything."""
    said = [p for p in values if p is not None]
    return sum(p <= 0.05 for p in said) / len(said)


def alarms(times: int) -> Iterator[tuple[str, float, bool]]:
    for documents, rates in ((40, (30, 0.5)), (100, (30, 0.5)), (100, (30, 0.2)), (40, (10, 10)), (100, (5, 2))):
        random = np.random.default_rng(2)
        cases = [tuple(masked(random, documents, rate) for rate in rates) for _ in range(times)]
        share = found([studentized(*case, seed) for seed, case in enumerate(cases)])
        before = found([plain(*case, seed) for seed, case in enumerate(cases)])
        what = f"false alarms, {rates[0]} against {rates[1]} tokens in {documents} documents (plain: {before:.3f})"
        yield what, share, share <= 0.07


def power(times: int) -> Iterator[tuple[str, float, bool]]:
    for documents, other in ((20, 0.5), (40, 0.6), (100, 0.64)):
        random = np.random.default_rng(3)
        cases = []
        for _ in range(times):
            total = identifiers(random, documents) * 2
            sides = [random.binomial(total, share) for share in (0.7, other)]
            cases.append([np.column_stack([side, total]).astype(np.float64) for side in sides])
        share = found([studentized(*case, seed) for seed, case in enumerate(cases)])
        before = found([plain(*case, seed) for seed, case in enumerate(cases)])
        what = f"power, 0.7 against {other} in {documents} documents (plain: {before:.3f})"
        yield what, share, share >= before - 0.03


def differences(times: int) -> Iterator[tuple[str, float, bool]]:
    """Two systems on the same documents, which are hard for both."""
    for documents in (42, 127):
        for shares in ((0.9, 0.9), (0.99, 0.9), (0.99, 0.97), (0.6, 0.5)):
            random = np.random.default_rng(4)
            inside = 0
            for seed in range(times):
                total = identifiers(random, documents)
                place = random.random(documents)  # how hard a document is, for both
                sides = []
                for share in shares:
                    own = np.clip(share + (1 - share) * 0.9 * np.sin(2 * np.pi * place), 0, 1)
                    sides.append(np.column_stack([random.binomial(total, own), total]).astype(np.float64))
                (test,) = pair_tests(Recall().combine, COLUMNS["recall"], sides, [""], 1, seed)
                one, two = (interval(side, seed) for side in sides)
                low, high, _, _ = judge_difference(test, one[0] - two[0], one, two, 0.95)
                inside += (low or -1) <= shares[0] - shares[1] <= (high or 1)
            what = f"coverage of a difference, {shares[0]} and {shares[1]} in {documents} documents"
            yield what, inside / times, inside / times >= 0.92


def near_perfect(times: int) -> Iterator[tuple[str, float, bool]]:
    """Two equally good systems: one leaks singly, the other whole documents, so that it often shows no leak at all."""
    for documents, share in ((42, 0.97), (100, 0.98), (127, 0.99)):
        random = np.random.default_rng(6)
        alarms_, inside = 0, 0
        total = np.full(documents, 10)
        for seed in range(times):
            singly, whole = random.binomial(total, share), total * (random.random(documents) < share)
            sides = [np.column_stack([side, total]).astype(np.float64) for side in (singly, whole)]
            (test,) = pair_tests(Recall().combine, COLUMNS["recall"], sides, [""], SHUFFLES, seed)
            one, two = (interval(side, seed) for side in sides)
            low, high, p, _ = judge_difference(test, one[0] - two[0], one, two, 0.95)
            alarms_ += p is not None and p <= 0.05
            inside += low is None or high is None or low <= 0 <= high
        what = f"false alarms, both {share}, one leaks singly, the other whole documents, {documents} documents"
        yield what, alarms_ / times, alarms_ / times <= 0.07
        yield "  coverage of the interval of that difference", inside / times, inside / times >= 0.92


def attacks(times: int) -> Iterator[tuple[str, float, bool]]:
    """Two exchangeable anonymizations under an attack: who fits best is found, with or without an assignment."""
    from scipy.optimize import linear_sum_assignment

    documents = 50
    random = np.random.default_rng(5)
    alone: list[float | None] = []
    assigned: list[float | None] = []
    for seed in range(times):
        rights = []
        for _ in range(2):
            fit = random.normal(size=(documents, documents)) + 2.5 * np.eye(documents)
            place = np.arange(documents)
            rights.append((fit.argmax(axis=1) == place, linear_sum_assignment(-fit)[1] == place))
        for values, which in ((alone, 0), (assigned, 1)):
            sides = [np.column_stack([right[which], np.ones(documents)]).astype(np.float64) for right in rights]
            values.append(studentized(*sides, seed))
    yield "false alarms between attacks without assignment", found(alone), found(alone) <= 0.06
    yield "(with assignment, which is therefore not tested)", found(assigned), True


SIMULATIONS = {
    "coverage": coverage,
    "long_leaks": long_leaks,
    "long_alarms": long_alarms,
    "alarms": alarms,
    "power": power,
    "differences": differences,
    "near_perfect": near_perfect,
    "attacks": attacks,
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=1000)
    options.add_argument("--cases", nargs="*", choices=SIMULATIONS, default=list(SIMULATIONS))
    given = options.parse_args()
    times = given.times
    held = True
    for simulation in map(SIMULATIONS.__getitem__, given.cases):
        for what, share, holds in simulation(times):
            print(f"{what:<84}{share:7.3f}{'' if holds else '  does not hold'}", flush=True)
            held &= holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
