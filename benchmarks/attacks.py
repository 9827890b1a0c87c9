"""The lexical attack: how many people it finds, how fast, and how much memory a large background takes.

Attacks the actors of WikiActors_50 and the applicants of TAB's 127 test cases in all their anonymizations, prints the
accuracy of every attack beside the least that it has to reach, and the seconds for all nine of TAB together, from the
texts in memory to the intervals (at most 20 on two cores; the background is learned once). Then 127 documents against
100,000 individuals, in a process of its own: seconds, and peak memory (at most 2 GB). Needs SHOWTHROUGH_DATA, but for
the last. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from showthrough import Background, Run, apply_masks, read_anonymization, read_background, read_corpus, reidentify
from showthrough.formats.background import read_recorded

SECONDS, GIGABYTES = 20.0, 2.0
LEAST = {
    "ner3": 1.0, "ner4": 0.98, "ner7": 1.0, "presidio": 1.0, "spacy": 0.98, "word2vec_t=0.5": 0.98,
    "word2vec_t=0.25": 0.84, "manual": 0.78, "spaCy_Entity": 0.94, "Presidio_Entity": 0.97, "St.NER3_Entity": 0.98,
    "Manual_Entity": 0.90, "Manual_INTACT": 0.92,
}  # fmt: skip
DOCUMENTS, INDIVIDUALS, WORDS = 127, 100_000, 60

Texts = Mapping[str, Mapping[str, str]]


def show(title: str, run: Run, seconds: float, limits: Mapping[str, float]) -> bool:
    """One line an anonymization: its worst case, the least it has to be, each attack."""
    print(f"\n{title}: {len(run.documents)} documents, {seconds:.1f} s")
    print(f"{'':24}{'worst':>8}{'least':>8}{'lexical':>10}{'+assignment':>13}")
    good = True
    for name in run.names:
        worst, plain, matched = (run[name, "trir", part].value or 0 for part in ("", "lexical", "lexical+assignment"))
        least = limits.get(name, 0)
        good &= worst >= least
        told = f"{least:8.1%}" if least else " " * 8
        print(f"{name:24}{worst:8.1%}{told}{plain:10.1%}{matched:13.1%}{'' if worst >= least else '  MISSED'}")
    return good


def attacked(background: Background, texts: Texts) -> tuple[Run, float]:
    started = time.perf_counter()
    run = reidentify(background, texts)
    return run, time.perf_counter() - started


def actors(data: Path) -> bool:
    recorded = read_recorded(data / "wiki_actors/WikiActors_50_eval.json")
    texts = {name.removesuffix("_abstract"): found for name, found in recorded.documents.items()}
    return show("WikiActors_50", *attacked(recorded.background, texts), LEAST)


def applicants(data: Path, background: str) -> tuple[Run, float]:
    corpus = read_corpus(data / "tab/test_texts.json")
    texts = {}
    for path in sorted((data / "tab/anonymizations").glob("*.json")):
        found = read_anonymization(path, corpus)
        texts[path.stem] = {document.id: apply_masks(document.text, found.of(document.id)) for document in corpus}
    return attacked(read_background(data / f"tab/background/{background}.json"), texts)


def large() -> None:
    """Words as in a language: the k-th most frequent one has frequency 1/k."""
    random = np.random.default_rng(0)
    vocabulary = np.array([f"w{number:x}" for number in random.integers(0, 1 << 28, 60_000)])
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    said = vocabulary[random.choice(len(vocabulary), (INDIVIDUALS, WORDS), p=weights / weights.sum())]
    background = {str(number): " ".join(row) for number, row in enumerate(said)}
    hidden = np.where(random.random((DOCUMENTS, WORDS)) < 0.5, "MASK", said[:DOCUMENTS])
    texts = {str(number): " ".join(row) for number, row in enumerate(hidden)}
    run, seconds = attacked(Background(background), {"half": texts})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    good = peak <= GIGABYTES and (run["half", "trir"].value or 0) > 0.9
    print(
        f"\n{DOCUMENTS} documents against {INDIVIDUALS:,} individuals: {run['half', 'trir'].value:.1%} found,", end=" "
    )
    print(f"{seconds:.0f} s, peak memory {peak:.1f} GB{'' if good else '  MISSED'}")
    print(f"lexical+assignment: {run['half', 'trir', 'lexical+assignment'].reason}")
    sys.exit(not good)


def main() -> int:
    given = os.environ.get("SHOWTHROUGH_DATA")
    good = True
    if given:
        good &= actors(Path(given))
        run, seconds = applicants(Path(given), "public")
        good &= show("TAB, public background", run, seconds, LEAST)
        in_time = seconds <= SECONDS
        print(f"limit {SECONDS:.0f} s: {'met' if in_time else 'MISSED'}")
        good &= in_time
        show("TAB, a tenth of it", *applicants(Path(given), "public_10pct"), {})
    else:
        print("SHOWTHROUGH_DATA is not set: people of real corpora are not attacked")
    good &= subprocess.run([sys.executable, __file__, "large"], check=False).returncode == 0
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["large"]:
        large()
    sys.exit(main())
