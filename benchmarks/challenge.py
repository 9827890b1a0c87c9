"""The challenge's systems on MEDDOCAN: trained on train (500 records), scored on dev (250).

    strict and span F of the CRF and of boosted trees         above the HMM's (`train tagger --learner`)
    strict and span F of the HMM                              above those of rules: `rules`, and the preset guillen1
    the same of wellner3 and szarvas1                         above wellner2 (an HMM), and that above guillen1

Every token is masked that is so with a probability of at least 0.5. `rules` has types of its own, which are not
MEDDOCAN's and count as wrong, so its span F is the one to look at. Times are the processor's. Needs SHOWTHROUGH_DATA.

    python benchmarks/challenge.py [preset or learner …]
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from pathlib import Path

from _tab import data_folder
from showthrough import Corpus, evaluate, read_corpus
from showthrough.systems.anonymizing import anonymize
from showthrough.systems.base import Anonymizer
from showthrough.systems.rules import Rules
from showthrough.systems.taggers.training import PRESETS, train_tagger

LEARNERS = ("crf", "svm", "boosted", "hmm")
METRICS = {f"phi_{name}": f'phi_{name}(unknown_types="keep")' for name in ("strict", "span", "token")}
ORDER = (("crf", "hmm"), ("boosted", "hmm"), ("hmm", "guillen1"), ("hmm", "rules"),
         ("wellner3", "wellner2"), ("szarvas1", "wellner2"), ("wellner2", "guillen1"))  # fmt: skip


def measured(name: str, train: Corpus, dev: Corpus) -> dict[str, float]:
    """What one system reaches, and what it costs."""
    started = time.process_time()
    system: Anonymizer = Rules() if name == "rules" else train_tagger(
        train, "" if name in PRESETS else name, preset=name if name in PRESETS else "", threshold=0.5
    )  # fmt: skip
    trained = time.process_time()
    masks = anonymize(dev, system)
    done = time.process_time()
    run = evaluate(dev, {name: masks}, list(METRICS.values()), references=False, resamples=0)
    found = {metric: run[name, written].value or 0.0 for metric, written in METRICS.items()}
    return {**found, "seconds": trained - started, "records/s": len(dev) / (done - trained)}


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "meddocan" / "train_dev.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        train, dev = (Corpus(list(read_corpus(Path(folder) / part / "brat")), part) for part in ("train", "dev"))
    print(f"{'':10}" + "".join(f"{name:>11}" for name in (*METRICS, "seconds", "records/s")))
    found = {}
    for name in sys.argv[1:] or ("rules", *LEARNERS, *PRESETS):
        found[name] = measured(name, train, dev)
        print(f"{name:10}" + "".join(f"{value:11.4g}" for value in found[name].values()), flush=True)
    faults = [
        f"{metric}: {better} {found[better][metric]:.4f} is not above {worse} {found[worse][metric]:.4f}"
        for better, worse in ORDER
        for metric in ("phi_strict", "phi_span")
        if better in found and worse in found and found[better][metric] <= found[worse][metric]
    ]
    print("\n".join(faults) or "all hold")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
