"""Whether a gate does what it says, tried on documents of which the truth is known.

    a share of just the limit that `check` calls met: 20 to 300 documents, and groups of them   at most 5 %
    the same where long documents leak more: 50, 150 and 500 documents                         at most 5 %
    the same of people whom an attack with a one-to-one assignment finds                       at most 5 %
    its interval, Clopper and Pearson's over half of the documents or fewer, covers             at least 93 %

Against a baseline:

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
from dataclasses import replace

import numpy as np
from msgspec.structs import replace as changed

from calibration import COLUMNS, chances, identifiers, long_documents, share_hidden
from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.evaluation._scoring import compute_scores
from showthrough.families.reidentification.metric import ReIdentification
from showthrough.metrics import EntityRecall, Recall, Rows
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.gate.grading import FAILED, PASSED, UNSURE
from showthrough.run.records import columns_of
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.statistics import LEVEL, SHOWN, Loss, holm, loss_of
from showthrough.statistics.numerics.matching import best_matching

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


def noise(times: int) -> float:
    """Two standard errors of a share of 5 %."""
    return 2 * float(np.sqrt(0.05 * 0.95 / times))


def template(documents: int, size: int) -> Run:
    """A run of so many documents, in groups of a size; its rows are made anew."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    texts = [
        Document(f"d{one:04}", f"Doe w{one} x{one} y{one} z{one} v{one}", marks, f"g{one // size}" if size > 1 else "")
        for one in range(documents)
    ]
    masks = Anonymization({one.id: [Mask(0, 3)] for one in texts}, "system")
    return evaluate(Corpus(texts), [masks], ["er_di"], resamples=200, references=False)


def statuses(run: Run, counts: list[tuple[np.ndarray, np.ndarray]], limit: float) -> list[int]:
    """What `check` says of systems that hide so many of so many identifiers in each document."""
    metric = EntityRecall("direct")
    systems = [changed(run.anonymizations[0], name=f"s{number}") for number in range(len(counts))]
    there = run.rows_of("er_di", "system")
    tables = {}
    for one, (right, total) in zip(systems, counts, strict=True):
        values = np.zeros_like(there.values, dtype=np.float64)
        values[:, there.columns.index("hidden")], values[:, there.columns.index("total")] = right, total
        tables["er_di", one.name] = replace(there, values=values)
    rows = {"er_di": {name: columns_of(table) for (_, name), table in tables.items()}}
    every = changed(run, anonymizations=systems, rows=rows)
    every = changed(every, scores=list(compute_scores(every, [metric], run.settings, tables)))
    gate = Gate([Threshold("er_di", "min", limit)], documents=0, identifiers=0, only=True)
    return [one.status for one in check_run(every, gate).anonymizations]


def thresholds(times: int) -> Iterator[Line]:
    """The share that is really hidden is just the limit: whoever is called met was lucky."""
    for documents, size in ((20, 1), (60, 1), (300, 1), (60, 3), (200, 10)):
        run = template(documents, size)
        for limit in (0.8, 0.95, 0.99):
            for how, correlation in HOW.items():
                random = np.random.default_rng(1)
                counts = []
                for _ in range(times):
                    total = identifiers(random, documents)
                    own = np.full(documents, limit)
                    if correlation:  # those of a group leak alike
                        own = np.repeat(chances(random, limit, correlation, -(-documents // size)), size)[:documents]
                    counts.append((random.binomial(total, own), total))
                found = statuses(run, counts, limit)
                met = found.count(PASSED) / times
                sure = all(one in (PASSED, UNSURE, FAILED) for one in found)
                groups = f" in groups of {size}" if size > 1 else ""
                what = f"{limit} of identifiers hidden, {documents} documents{groups}, leaks {how}: called met"
                yield what, met, sure and met <= LEVEL + noise(times)


def long(times: int) -> Iterator[Line]:
    """Of t identifiers each leaks with 1 − e^(−rate · t), and the limit is the share that is hidden of all."""
    for documents in (50, 150, 500):
        run = template(documents, 1)
        for rate in (0.01, 0.002):
            random = np.random.default_rng(1)
            limit = share_hidden(rate)
            counts = [long_documents(random, documents, rate) for _ in range(times)]
            met = statuses(run, counts, limit).count(PASSED) / times
            what = f"{limit:.3f} of identifiers hidden, {documents} documents, long ones leak more: called met"
            yield what, met, met <= LEVEL + noise(times)


def likeness(random: Random, documents: int, people: int, alike: int, clue: float) -> np.ndarray:
    """How well each document fits each person: its own better by a clue; some look alike in pairs or more."""
    fit = random.standard_normal((documents, people))
    own = np.arange(documents)
    if alike > 1:
        fit[:, :documents] += 6 * (own[:, None] // alike == own // alike)
    fit[own, own] += clue
    return fit


def assigned(times: int) -> Iterator[Line]:
    """People found by a one-to-one assignment: how often the interval holds the share that is found on average."""
    metric = ReIdentification(attacks="lexical+assignment")
    columns = "right:lexical+assignment", "ran:lexical+assignment"
    for documents, people in ((20, 20), (50, 50), (50, 75), (100, 100)):
        for alike in (1, 2, 3, 5):
            for clue in (-1.0, 0.0, 1.0, 2.0, 3.0):
                random = np.random.default_rng(1)
                right = [
                    best_matching(likeness(random, documents, people, alike, clue)) == np.arange(documents)
                    for _ in range(times)
                ]
                share = float(np.mean(right))
                ends = [
                    metric.own_interval("", Rows(columns, np.column_stack([one, np.ones(documents)])), 0.95)
                    for one in right
                ]
                sound = [one for one in ends if one is not None]
                covered = float(np.mean([low <= share <= high for low, high in sound]))
                met = float(np.mean([high < share for _, high in sound]))
                what = f"{documents} documents, {people} people, alike by {alike}, {share:.3f} found"
                yield f"{what}: covered", covered, covered >= 0.93 - noise(times)
                yield f"{what}: called met", met, met <= LEVEL + noise(times)


CASES = {
    "thresholds": thresholds,
    "long": long,
    "assigned": assigned,
    "equal": equal,
    "alone": alone,
    "boundary": boundary,
    "planted": planted,
    "unlike": unlike,
}


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
