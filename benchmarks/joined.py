"""Documents that belong together: how often intervals hold the truth, and how often tests find what is not there.

Every draw goes the way of a user: `evaluate`, and `compare` for two anonymizers that are equally good. Simulated are

    people   20 people with 10 documents each; whose documents leak is mostly a matter of the person
    copies   40 texts, each written out once to ten times; copies leak alike
    near     the same, where each copy has one word more at its end than the one before

Printed is how it comes out with the units that are found, and as if all documents were independent. Limits: intervals
of 95 % hold the truth in 0.93 of all draws or more, and tests at 0.05 find a difference in 0.06 or fewer.

    python benchmarks/joined.py                 400 draws, some minutes
    python benchmarks/joined.py --draws 2000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.data._independence import IndependentUnits
from showthrough.data.documents import InferredMention

COVERAGE, ALARMS = 0.93, 0.06
HIDDEN = 0.8  # of all names, on average
ALIKE = 0.5  # how much of the variance is between people
_NAME = 8  # letters


class Tried(NamedTuple):
    """How often it was right."""

    coverage: float  # of intervals
    alarms: float  # of tests, where there is nothing to find


def name_of(number: int) -> str:
    """Two words that nobody else has."""
    letters = [chr(97 + number // 26**place % 26) for place in range(3)]
    return f"Ann {letters[0].upper()}{''.join(letters[1:])}o"


def words(number: int, count: int) -> str:
    return " ".join(f"w{number}x{place}" for place in range(count))


def people() -> tuple[Corpus, np.ndarray]:
    return corpus([(one, f"{name_of(one)} on day {day}") for one in range(20) for day in range(10)], Mention)


def copies() -> tuple[Corpus, np.ndarray]:
    return corpus(
        [(one, f"{name_of(one)} {words(one, 10)}") for one in range(40) for _ in range(1 + one % 10)], InferredMention
    )


def near() -> tuple[Corpus, np.ndarray]:
    texts = [(one, f"{name_of(one)} {words(one, 60)}") for one in range(40)]
    return corpus([(one, text + " more" * more) for one, text in texts for more in range(1 + one % 5)], InferredMention)


def corpus(texts: list[tuple[int, str]], kind: type[Mention]) -> tuple[Corpus, np.ndarray]:
    """Documents, and of each the number of its unit. An inferred mention does not say that the name is the person's."""
    made = [
        Document(f"d{number:03}", text, (Annotation("a", (kind(0, _NAME, "PERSON", "DIRECT", "e"),)),))
        for number, (_, text) in enumerate(texts)
    ]
    return Corpus(made), np.array([unit for unit, _ in texts])


def by_person(unit: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Which names are hidden: each person has a share of their own."""
    size = (1 - ALIKE) / ALIKE
    share = chance.beta(HIDDEN * size, (1 - HIDDEN) * size, unit.max() + 1)
    return chance.random(len(unit)) < share[unit]


def by_text(unit: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    return (chance.random(unit.max() + 1) < HIDDEN)[unit]


Hiding = Callable[[np.ndarray, np.random.Generator], np.ndarray]
CASES: dict[str, tuple[Callable[[], tuple[Corpus, np.ndarray]], Hiding]] = {
    "people": (people, by_person), "copies": (copies, by_text), "near": (near, by_text),
}  # fmt: skip


def tried(case: str, draws: int, *, joined: bool = True) -> Tried:
    make, hiding = CASES[case]
    documents, unit = make()
    if not joined:
        documents.units = IndependentUnits((), len(documents))
    covered = alarms = 0
    for draw in range(draws):
        chance = np.random.default_rng(draw)
        masks = {name: masked(documents, hiding(unit, chance)) for name in ("one", "two")}
        run = evaluate(documents, masks, ["er_di"], resamples=300, seed=draw, references=False, texts=False)
        score = run["one", "er_di"]
        covered += score.low is not None and score.low <= HIDDEN <= (score.high or 1.0)
        (comparison,) = run.compare("er_di", shuffles=499, seed=draw, parts=False)
        alarms += comparison.p is not None and comparison.p <= 0.05
    return Tried(covered / draws, alarms / draws)


def masked(documents: Corpus, hidden: np.ndarray) -> Anonymization:
    pairs = zip(documents.ids, hidden.tolist(), strict=True)
    return Anonymization({key: [Mask(0, _NAME)] if gone else [] for key, gone in pairs})


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=400)
    draws = options.parse_args().draws
    failed = False
    print(f"{draws} draws{'':<21} units   coverage   false alarms")
    for case, (make, _) in CASES.items():
        found, alone = tried(case, draws), tried(case, draws, joined=False)
        wrong = found.coverage < COVERAGE or found.alarms > ALARMS
        failed |= wrong
        documents, _ = make()
        for what, units, one in (("joined", documents.units.count, found), ("not joined", len(documents), alone)):
            verdict = "" if what != "joined" else "   WRONG" if wrong else "   ok"
            print(f"{case:<8} {what:<20} {units:>6} {one.coverage:>10.3f} {one.alarms:>14.3f}{verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
