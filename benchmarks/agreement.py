"""Agreement of annotators: what it costs, and whether its intervals are right.

    1,000 documents with 4 annotators (TAB's cases that several read, under new ids):
        the whole analysis, from the file to the numbers, in a process of its own     at most 10 s of processor time
        its peak of memory                                                            at most 500 MB
    coverage of 95 % intervals of Fleiss' κ, 5 to 60 documents, raters who err in
    some documents more than in others, and documents of very different lengths       at least 93 %

`--times` sets how often each case of coverage is tried; the noise of a figure is √(0.95 · 0.05 / times). Time and
memory need SHOWTHROUGH_DATA; coverage does not. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from showthrough import agreement, read_corpus
from showthrough.studies.agreement.estimates import Draws, estimates, find_intervals
from showthrough.studies.agreement.tallies import AgreementTally

DOCUMENTS, ANNOTATORS = 1_000, 4
LIMIT_SECONDS, LIMIT_MB = 10, 500
SIZES = (5, 10, 20, 60)
LEAST = 0.93
# How often a rater errs, how unevenly that is spread over documents, and how uneven these are themselves.
CASES = {
    "5 % errors, alike": (0.05, 0.05, 0.5),
    "5 % errors, uneven": (0.05, 0.3, 0.5),
    "20 % errors, alike": (0.2, 0.1, 0.5),
    "20 % errors, very uneven": (0.2, 0.4, 1.0),
    "1 % errors, alike": (0.01, 0.1, 0.5),
    "2 % errors, very uneven": (0.02, 0.4, 1.0),
}
PREVALENCE = np.array([0.7, 0.15, 0.1, 0.05])
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def written(data: Path, path: Path) -> None:
    """As many documents, each with as many annotators: layers of a case are repeated where it has fewer."""
    cases = [case for case in json.loads((data / "tab/train_100.json").read_bytes()) if len(case["annotations"]) > 1]
    documents = []
    for number in range(DOCUMENTS):
        case = cases[number % len(cases)]
        layers = list(case["annotations"].values())
        again = {f"annotator{place}": layers[place % len(layers)] for place in range(ANNOTATORS)}
        documents.append({**case, "doc_id": f"{number}", "annotations": again})
    path.write_text(json.dumps(documents, ensure_ascii=False), encoding="utf-8")


def measured(path: Path) -> None:
    """Processor time and peak memory of this process, for the one that asked."""
    start = time.process_time()
    found = agreement(read_corpus(path))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak, found.shared, found.of("masking", "characters").krippendorff.value]))


def cost() -> bool:
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not data:
        print("SHOWTHROUGH_DATA is not set: time and memory not measured")
        return True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.json"
        written(Path(data), path)
        command = [sys.executable, __file__, "--measure", str(path)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, peak, shared, alpha = json.loads(answer)
    print(f"{shared:,} documents, {ANNOTATORS} annotators: {seconds:.2f} s, peak {peak:.0f} MB, α {alpha:.4f}")
    print(f"limits: {LIMIT_SECONDS} s, {LIMIT_MB} MB")
    return seconds <= LIMIT_SECONDS and peak <= LIMIT_MB


def simulated(random: np.random.Generator, documents: int, errors: float, uneven: float, sizes: float) -> Rows:
    """Of each document: items, how much two raters agree on them, and how often each category was chosen."""
    size = np.maximum(2, random.lognormal(np.log(60), sizes, documents).astype(np.int64))
    scale = (1 - uneven) / uneven
    rate = random.beta(errors * scale, (1 - errors) * scale, documents)
    document = np.repeat(np.arange(documents), size)
    shares = np.cumsum(random.dirichlet(PREVALENCE * 10, documents), axis=1)
    true = (random.random(len(document))[:, None] > shares[document]).sum(axis=1).clip(0, len(PREVALENCE) - 1)
    said = []
    for _ in range(2):
        wrong = random.random(len(document)) < rate[document]
        said.append(np.where(wrong, random.integers(0, len(PREVALENCE), len(document)), true))
    agreeing = np.bincount(document, said[0] == said[1], minlength=documents)
    chosen = np.zeros((documents, len(PREVALENCE)))
    for one in said:
        np.add.at(chosen, (document, one), 0.5)
    return size.astype(np.float64), agreeing.astype(np.float64), chosen


def kappa(rows: Rows) -> float:
    items, agreeing, chosen = (each.sum(axis=0) for each in rows)
    expected = ((chosen / items) ** 2).sum()
    return float(1 - (1 - agreeing / items) / (1 - expected))


def tallied(rows: Rows) -> AgreementTally:
    items, agreeing, chosen = rows
    block = np.arange(len(items))
    tally = AgreementTally.empty(len(items))
    tally.add(block, items, agreeing)
    for category in range(chosen.shape[1]):
        tally.first.add(np.zeros_like(block), block, np.full_like(block, category), chosen[:, category])
    return tally


def coverage(times: int) -> bool:
    """How often the interval holds what the same raters reach on very many documents."""
    kept = True
    for name, case in CASES.items():
        random = np.random.default_rng(0)
        truth = float(np.mean([kappa(simulated(random, 5_000, *case)) for _ in range(8)]))
        shares = {}
        for documents in SIZES:
            held = 0
            for _ in range(times):
                (one,) = estimates(tallied(simulated(random, documents, *case)), Draws(resamples=200))
                (found,) = find_intervals([one.correct_for_chance("", returned=True)], confidence=0.95)
                held += found.low is not None and found.high is not None and found.low <= truth <= found.high
            shares[documents] = held / times
        kept &= min(shares.values()) >= LEAST
        told = ", ".join(f"{documents}: {100 * share:.1f} %" for documents, share in shares.items())
        print(f"{name:<26} κ {truth:.3f}   coverage with documents {told}", flush=True)
    print(f"limit: {100 * LEAST:.0f} %")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--times", type=int, default=500)
    asked = parser.parse_args()
    if asked.measure:
        measured(asked.measure)
        return 0
    fast = cost()
    return int(not (coverage(asked.times) and fast))


if __name__ == "__main__":
    sys.exit(main())
