"""Groups of documents: how often equal ones differ, how often a gap is seen, and what they cost.

    equal groups of 60 documents, over all groups together       differ in at most 5 % of 1,000 draws
    one of them 0.15 below the others                             is seen in at least 80 %
    TAB's 100 cases, 4 anonymizations, two slices                 at most 1.2 times the run without them

Documents have two identifiers each, as `removed_di` counts them. `--draws N` draws fewer; `--cost` measures cost alone.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from _tab import data_folder
from _turns import quickest
from showthrough.statistics import GroupSums, Ratios, group_tests, holm

_FORM = Ratios(("",), np.zeros((2, 1, 0)))
_DOCUMENTS, _LEVEL, _SHUFFLES = 60, 0.05, 999
_CASES = [(2, 0.95), (4, 0.95), (4, 0.9)]  # groups, share that is hidden
_LIMITS = {"differ": 0.05, "seen": 0.8, "cost": 1.2}


def corrected(groups: int, share: float, gap: float, random: np.random.Generator) -> list[float]:
    """The corrected p values of all groups; the first has a smaller share."""
    group = np.repeat(np.arange(groups), _DOCUMENTS)
    hidden = random.binomial(2, np.where(group == 0, share - gap, share)).astype(np.float64)
    rows = np.stack([hidden, np.full(len(group), 2.0)])[:, :, None]
    values = []
    for number in range(groups if groups > 2 else 1):  # of two, both are the same test
        inside = group == number
        sums = GroupSums(_FORM, rows * inside[None, :, None], rows * ~inside[None, :, None])
        (test,) = group_tests([sums], inside, ~inside, _SHUFFLES, 0)[0].tests
        values.append(1.0 if test.p is None else test.p)
    return holm(values)


def simulate(draws: int) -> bool:
    sound = True
    for groups, share in _CASES:
        random = np.random.default_rng(groups)
        differ = np.mean([min(corrected(groups, share, 0.0, random)) <= _LEVEL for _ in range(draws)])
        seen = np.mean([corrected(groups, share, 0.15, random)[0] <= _LEVEL for _ in range(draws)])
        sound = sound and differ <= _LIMITS["differ"] and seen >= _LIMITS["seen"]
        print(f"{groups} groups, {share:.2f} hidden: equal ones differ in {differ:.3f}, a gap is seen in {seen:.3f}")
    return sound


def cost() -> bool:
    data = data_folder()
    if data is None:
        return True
    masks = sorted((data / "tab/train_anonymizations").glob("*.json"))
    command = [sys.executable, "-m", "showthrough", "evaluate", str(data / "tab/train_100.json")]
    command += [f"{path.stem}={path}" for path in masks]

    def run(*options: str) -> None:
        subprocess.run([*command, *options], check=True, capture_output=True)

    slices = "--slice", "countries", "--slice", "type"
    seconds = quickest(3, {"without": run, "with": lambda: run(*slices)})
    ratio = seconds["with"] / seconds["without"]
    print(f"two slices: {seconds['with']:.2f} s for {seconds['without']:.2f} s, {ratio:.2f} times")
    return ratio <= _LIMITS["cost"]


if __name__ == "__main__":
    draws = int(sys.argv[sys.argv.index("--draws") + 1]) if "--draws" in sys.argv else 1000
    results = [cost(), *([] if "--cost" in sys.argv else [simulate(draws)])]
    sys.exit(not all(results))
