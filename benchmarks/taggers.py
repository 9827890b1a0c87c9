"""Trained taggers on MEDDOCAN and on the Text Anonymization Benchmark, with the settings that `train tagger` has.

    MEDDOCAN, trained on train, scored on dev: exact spans and types (phi_strict), F      at least 0.92
    training on its 500 records, the threshold too                                        under 300 s
    tagging on 2 cores                                                                    at least 20 records a second
    TAB, trained on 70 of 100 documents, scored on the other 30, several splits: er_di     at least 0.90
    er_qi                                                                                 at least 0.80
    precision                                                                             at least 0.70

Times are the processor's, of one process: other work on the machine does not count. Tagging shares documents among
processes, so that two cores do twice as much. Needs SHOWTHROUGH_DATA.

    python benchmarks/taggers.py [meddocan] [tab] [seed …]
"""

from __future__ import annotations

import os
import random
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from showthrough import Corpus, evaluate, read_corpus
from showthrough.systems.anonymizing import anonymize
from showthrough.systems.taggers.training import train_tagger

STRICT, SECONDS, RATE, CORES = 0.92, 300.0, 20.0, 2
LEAST = {"er_di": 0.90, "er_qi": 0.80, "precision": 0.70}
SEEN, SEEDS = 70, (0, 1, 2, 3, 4)


def meddocan(data: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "meddocan" / "train_dev.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        train, dev = (list(read_corpus(Path(folder) / part / "xml")) for part in ("train", "dev"))
    started = time.process_time()
    tagger = train_tagger(Corpus(train, "train"))
    trained = time.process_time()
    masks = anonymize(Corpus(dev, "dev"), tagger)
    rate = CORES * len(dev) / (time.process_time() - trained)
    score = (
        evaluate(Corpus(dev, "dev"), {"crf": masks}, ["phi_strict"], references=False)["crf", "phi_strict"].value or 0.0
    )
    seconds = trained - started
    print(f"MEDDOCAN: strict F {score:.4f}, trained in {seconds:.0f} s, {rate:.0f} records/s on {CORES} cores, "
          f"threshold {tagger.threshold}")  # fmt: skip
    faults = [f"strict F {score:.4f} < {STRICT}"] * (score < STRICT)
    faults += [f"training took {seconds:.0f} s, not under {SECONDS:.0f}"] * (seconds >= SECONDS)
    return faults + [f"{rate:.1f} records/s < {RATE}"] * (rate < RATE)


def tab(data: Path, seed: int) -> list[str]:
    documents = list(read_corpus(data / "tab" / "train_100.json"))
    order = list(range(len(documents)))
    random.Random(seed).shuffle(order)
    seen, unseen = (Corpus([documents[at] for at in sorted(part)]) for part in (order[:SEEN], order[SEEN:]))
    tagger = train_tagger(seen, seed=seed)
    run = evaluate(unseen, {"crf": anonymize(unseen, tagger)}, list(LEAST), references=False)
    found = {name: run["crf", name].value or 0.0 for name in LEAST}
    told = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
    print(f"TAB, split {seed}: {told}, threshold {tagger.threshold}", flush=True)
    return [f"split {seed}: {name} {found[name]:.3f} < {least}" for name, least in LEAST.items() if found[name] < least]


def main() -> int:
    data = Path(os.environ["SHOWTHROUGH_DATA"])
    asked = sys.argv[1:]
    seeds = [int(one) for one in asked if one.isdecimal()] or SEEDS
    faults = meddocan(data) if "meddocan" in asked or "tab" not in asked else []
    if "tab" in asked or "meddocan" not in asked:
        faults += [fault for seed in seeds for fault in tab(data, seed)]
    print("\n".join(faults) or "all hold")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
