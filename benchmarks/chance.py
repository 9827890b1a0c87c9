"""What chance says of a million documents: how long resamples and shuffles take on one core, and what they hold.

    1,000 resamples of 104 columns            under 60 s of processor time
    9,999 shuffles of two systems, one share  under 60 s
    memory of either                          under 100 MB, whatever the number of documents

Rows are made up block by block, as those in files are read. `--documents` sets how many there are; the limits of time
are for a million and grow with them.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

from showthrough.metrics import Recall, Rows
from showthrough.metrics.derived import DerivedRows
from showthrough.statistics import pair_tests, resampled_totals
from showthrough.statistics.rows import BLOCK

MILLION = 1_000_000
SECONDS, MEGABYTES = 60.0, 100.0
COLUMNS = ("hidden", "total")


def counts(documents: int, columns: tuple[str, ...], seed: int) -> Rows:
    def blocks() -> Iterator[np.ndarray]:
        random = np.random.default_rng(seed)
        for start in range(0, documents, BLOCK):
            yield random.integers(0, 9, (min(BLOCK, documents - start), len(columns))).astype(np.float64)

    return DerivedRows(columns, documents, blocks)


def resampled(documents: int, resamples: int) -> None:
    resampled_totals(counts(documents, tuple(map(str, range(104))), 0), resamples, 0)


def shuffled(documents: int, shuffles: int) -> None:
    systems = [counts(documents, COLUMNS, seed) for seed in (1, 2)]
    list(pair_tests(Recall().combine, COLUMNS, systems, [""], shuffles, 0))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=MILLION)
    documents = options.parse_args().documents
    tried: list[tuple[str, Callable[[int, int], None], int]] = [
        ("1,000 resamples of 104 columns", resampled, 1000),
        ("9,999 shuffles of two systems", shuffled, 9999),
    ]
    failed = False
    for what, work, times in tried:
        started = time.process_time()
        work(documents, times)
        seconds, limit = time.process_time() - started, SECONDS * documents / MILLION
        tracemalloc.start()
        work(documents, 64)  # tracing takes time; the sums of all 9,999 shuffles are 1 MB more
        held = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        failed |= seconds > limit or held > MEGABYTES
        print(
            f"{what}, {documents:,} documents: {seconds:.1f} s (limit {limit:g}), {held:.0f} MB (limit {MEGABYTES:g})"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
