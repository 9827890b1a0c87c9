"""A JSON Lines corpus of any length in bounded memory: 1,000, 10,000 and 100,000 documents.

TAB's 100 training cases are written out again and again; each size is scored in a process of its own, whose peak
resident memory and time are printed. Limits: under 1 GB at the largest size, and time linear: at most 1.5 times as
long a document at the largest size as at the smallest. Needs SHOWTHROUGH_DATA and some 2.5 GB of disk; a smaller
largest size can be given: `python benchmarks/scale.py 20000`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_MB = 1000
LINEAR = 1.5


def write(data: Path, folder: Path, documents: int) -> tuple[Path, Path]:
    cases = json.loads((data / "tab/train_100.json").read_bytes())
    masks = json.loads((data / "tab/train_anonymizations/presidio.json").read_bytes())
    corpus, anonymization = folder / f"{documents}.jsonl", folder / f"{documents}.masks.jsonl"
    with corpus.open("w", encoding="utf-8") as out, anonymization.open("w", encoding="utf-8") as masked:
        for number in range(documents):
            case = cases[number % len(cases)]
            name = f"{case['doc_id']}#{number}"
            out.write(json.dumps({**case, "doc_id": name}, ensure_ascii=False) + "\n")
            masked.write(json.dumps({"doc_id": name, "masks": masks[case["doc_id"]]}, ensure_ascii=False) + "\n")
    return corpus, anonymization


def score(corpus: str, anonymization: str, run_file: str) -> None:
    """In a process of its own: score, save the run, print seconds and peak memory."""
    from showthrough import evaluate, read_anonymization, read_corpus

    start = time.perf_counter()
    documents = read_corpus(corpus)
    run = evaluate(documents, {"presidio": read_anonymization(anonymization)})
    run.save(run_file, force=True)
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            [seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, run["presidio", "recall"].value]
        )
    )


def main() -> int:
    if sys.argv[1:2] == ["--score"]:
        score(*sys.argv[2:5])
        return 0
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not data:
        print("SHOWTHROUGH_DATA is not set: nothing measured")
        return 0
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    each = []
    failed = False
    for documents in sorted({size for size in (1_000, 10_000, largest) if size <= largest}):
        with tempfile.TemporaryDirectory() as folder:
            corpus, anonymization = write(Path(data), Path(folder), documents)
            command = [sys.executable, __file__, "--score", corpus, anonymization, Path(folder) / "run.json"]
            answer = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
        seconds, peak, recall = json.loads(answer)
        each.append(seconds / documents)
        failed |= peak > LIMIT_MB
        print(
            f"{documents:>7} documents: {seconds:7.2f} s, {1e3 * each[-1]:.2f} ms each, "
            f"peak {peak:.0f} MB, recall {recall:.6f}"
        )
    ratio = each[-1] / each[0]
    failed |= ratio > LINEAR
    print(f"time a document, largest to smallest: {ratio:.2f}   limit {LINEAR}; memory limit {LIMIT_MB} MB")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
