"""Whether what is said of chance in measures of verifiers is so: answers are drawn of which the truth is known.

    coverage of 95 % intervals: AUC 0.65, 0.85, 0.97; 50 and 200 problems, half or 15 % by one author    at least 93 %
    false alarms at 0.05 between two equally good verifiers that err on the same problems                at most 7 %

What a verifier sees is normal, shifted by kind; what it is unsure of it leaves open. Power is told. Seeded; takes
two minutes. `--times` sets how often each case is tried; the noise of a figure is √(0.95 · 0.05 / times), 1.3 points.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from showthrough.families.authorship.verifiers.measures import MEASURES, OVERALL, compute_measures, statistics_of
from showthrough.statistics import pair_tests
from showthrough.studies.agreement.values import Estimate
from showthrough.studies.verification import verifier_scores

PARTS = (*MEASURES, OVERALL)
PROBLEMS, SHARES, AREAS = (50, 200), (0.5, 0.15), (0.65, 0.85, 0.97)
OPEN = 0.15  # of what is seen, on either side of the middle
TOGETHER = 0.5  # of what two verifiers see is the same
Array = NDArray[np.float64]


def drawn(
    random: np.random.Generator, problems: int, share: float, *shifts: float
) -> tuple[NDArray[np.bool_], list[Array]]:
    """Which problems are by one author, and what verifiers answer that tell the kinds apart by so much."""
    same = random.random(problems) < share
    shared, answers = random.normal(size=problems), []
    for shift in shifts:
        own = random.normal(size=problems)
        seen = np.sqrt(TOGETHER) * shared + np.sqrt(1 - TOGETHER) * own + np.where(same, shift / 2, -shift / 2)
        answers.append(np.where(np.abs(seen) < OPEN, 0.5, 1 / (1 + np.exp(-seen * shift))))
    return same, answers


def coverage(times: int) -> bool:
    """Tells how often intervals hold the truth, case by case; whether that is often enough."""
    sound = True
    for problems, share, area in product(PROBLEMS, SHARES, AREAS):
        random, shift = np.random.default_rng(problems), float(np.sqrt(2) * norm.ppf(area))
        same, (answers,) = drawn(random, 400_000, share, shift)
        truth = compute_measures({name: column.sum() for name, column in statistics_of(same, answers).items()})
        ends: dict[str, list[tuple[float, float]]] = {part: [] for part in PARTS}
        for _ in range(times):
            for part, one in scored(*drawn(random, problems, share, shift)).items():
                if one.low is not None and one.high is not None:
                    ends[part].append((one.low, one.high))
        inside = {part: float(np.mean([low <= truth[part] <= high for low, high in ends[part]])) for part in PARTS}
        sound &= min(inside.values()) >= 0.93
        told = "  ".join(f"{part} {one:.3f}" for part, one in inside.items())
        print(f"{problems:4} problems, {share:.0%} by one author, AUC {area}:  {told}")
    return sound


def scored(same: NDArray[np.bool_], answers: list[Array]) -> dict[str, Estimate]:
    keys = list(map(str, range(len(same))))
    truth, said = (dict(zip(keys, values.tolist(), strict=True)) for values in (same, answers[0]))
    return verifier_scores(truth, {"one": said}, resamples=200).verifiers[0].measures


def alarms(times: int) -> bool:
    """Tells how often two verifiers are found to differ; whether equally good ones are found to rarely enough."""
    sound = True
    for problems, share, shifts in product(PROBLEMS, (0.5, 0.2), ((1.5, 1.5), (1.0, 1.5))):
        random, found = np.random.default_rng(problems), dict.fromkeys(PARTS, 0)
        for number in range(times):
            same, answers = drawn(random, problems, share, *shifts)
            tables = [statistics_of(same, one) for one in answers]
            rows = [np.column_stack(list(table.values())) for table in tables]
            for test in pair_tests(compute_measures, list(tables[0]), rows, PARTS, 199, number):
                found[test.part] += test.p is not None and test.p <= 0.05
        equal = shifts[0] == shifts[1]
        sound &= not equal or max(found.values()) <= 0.07 * times
        told = "  ".join(f"{part} {count / times:.3f}" for part, count in found.items())
        what = "false alarms" if equal else "power"
        print(f"{problems:4} problems, {share:.0%} by one author, shifts {shifts}, {what}:  {told}")
    return sound


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=300)
    times = parser.parse_args().times
    sound = [coverage(times), alarms(times)]
    sys.exit(0 if all(sound) else 1)


if __name__ == "__main__":
    main()
