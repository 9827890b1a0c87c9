"""A JSON Lines corpus of any length in bounded memory, by the command that a user types.

    python benchmarks/scale.py                      1,000, 10,000 and 100,000 documents of TAB
    python benchmarks/scale.py 1000000              the same up to a million: 25 GB of disk, half an hour
    python benchmarks/scale.py --short 10000000     notes of 200 characters, up to ten million: 6 GB of disk

TAB's 100 training cases are written out again and again; of notes, a thousand are. Each size is scored in a process of
its own, whose peak of resident memory and time are printed, and the size of the run. Limits: 1,000 MB for a million
documents or less, 1,500 MB beyond; and time linear: at most 1.5 times as long a document at the largest size as at the
smallest, the start of the program aside. `--jobs 2` shares the work: printed is then what the program itself takes, and
what the largest of its workers does. Needs SHOWTHROUGH_DATA for TAB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

MILLION = 1_000_000
LIMIT_MB, LIMIT_MB_BEYOND = 1_000, 1_500
LINEAR = 1.5
NOTE = 200  # characters of a short document
_NAMES = {"Ole": "PERSON", "Berg": "PERSON", "Per": "PERSON", "Oslo": "LOC", "Bergen": "LOC", "1996": "DATETIME"}
_WORDS = [
    *_NAMES, "Mr", "of", "the", "nurse", "was", "seen", "x-ray", "by", "with", "a", "fever", "and", "cough", "on",
    "May", "in", "who", "left", "home", "early",
]  # fmt: skip
_SCRIPT = """import resource, sys
from showthrough.__main__ import main

try:
    main()
finally:
    with open(sys.argv[0] + ".peak", "w") as out:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=out)
"""


class Measured(NamedTuple):
    seconds: float
    peak_mb: float
    worker_mb: float


def write(data: Path, folder: Path, documents: int) -> tuple[Path, Path]:
    """TAB's cases and Presidio's masks of them, as often as needed, each under an id of its own."""
    cases = json.loads((data / "tab/train_100.json").read_bytes())
    masks = json.loads((data / "tab/train_anonymizations/presidio.json").read_bytes())
    lines = [json.dumps({**case, "doc_id": ""}, ensure_ascii=False) for case in cases]
    pairs = [(case["doc_id"], line, json.dumps(masks[case["doc_id"]])) for case, line in zip(cases, lines, strict=True)]
    return _written(folder, pairs, documents)


def write_notes(folder: Path, documents: int) -> tuple[Path, Path]:
    """Notes of 200 characters with a few names each, four in five of which are masked."""
    chance = random.Random(0)
    pairs = []
    for number in range(1000):
        words: list[str] = []
        while sum(map(len, words)) + len(words) < NOTE:
            words.append(chance.choice(_WORDS))
        text, spans, start = " ".join(words)[:NOTE], [], 0
        for word in words:
            if word in _NAMES and start + len(word) <= NOTE:
                spans.append((start, start + len(word), word))
            start += len(word) + 1
        marks = [
            {
                "start_offset": start, "end_offset": end, "entity_type": _NAMES[word], "entity_id": word,
                "identifier_type": "DIRECT" if _NAMES[word] == "PERSON" else "QUASI",
            }
            for start, end, word in spans
        ]  # fmt: skip
        line = json.dumps({"doc_id": "", "text": text, "annotations": {"a": {"entity_mentions": marks}}})
        masks = [[start, end, None] for start, end, _ in spans if chance.random() < 0.8]
        pairs.append((f"note-{number:03}", line, json.dumps(masks)))
    return _written(folder, pairs, documents)


def _written(folder: Path, pairs: list[tuple[str, str, str]], documents: int) -> tuple[Path, Path]:
    corpus, anonymization = folder / f"{documents}.jsonl", folder / f"{documents}.masks.jsonl"
    with corpus.open("w", encoding="utf-8") as out, anonymization.open("w", encoding="utf-8") as masked:
        for number in range(documents):
            name, line, masks = pairs[number % len(pairs)]
            name = f"{name}#{number}"
            out.write(line.replace('"doc_id": ""', f'"doc_id": "{name}"', 1) + "\n")
            masked.write(f'{{"doc_id": "{name}", "masks": {masks}}}\n')
    return corpus, anonymization


def evaluated(folder: Path, corpus: Path, anonymization: Path, options: list[str]) -> Measured:
    """The whole command in a process of its own, from files to the run file."""
    script = folder / "showthrough"
    script.write_text(_SCRIPT, encoding="utf-8")
    asked = [str(corpus), f"presidio={anonymization}", "-o", str(folder / "run.json"), *options]
    start = time.perf_counter()
    subprocess.run([sys.executable, script, "evaluate", *asked], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    peak = int((folder / "showthrough.peak").read_text(encoding="utf-8")) / 1024
    return Measured(seconds, peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("largest", type=int, nargs="?", default=100_000)
    parser.add_argument("--short", type=int, metavar="LARGEST", help="notes of 200 characters, up to so many")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where files are written meanwhile; a temporary folder")
    given = parser.parse_args()
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not (data or given.short):
        print("SHOWTHROUGH_DATA is not set: nothing measured")
        return 0
    largest = given.short or given.largest
    least = 10_000 if given.short else 1_000
    each, failed = [], False
    for documents in sorted({size for size in (least, 10 * least, largest) if size <= largest}):
        with tempfile.TemporaryDirectory(dir=given.folder) as name:
            folder = Path(name)
            files = write_notes(folder, documents) if given.short else write(Path(str(data)), folder, documents)
            start = evaluated(folder, *_written(folder, [("a", '{"doc_id": "", "text": "a"}', "[]")], 1), []).seconds
            (folder / "run.json").unlink()
            found = evaluated(folder, *files, ["--jobs", str(given.jobs)])
            size = sum(one.stat().st_size for one in folder.rglob("run.json*/*")) + (folder / "run.json").stat().st_size
        each.append((found.seconds - start) / documents)
        limit = LIMIT_MB if documents <= MILLION else LIMIT_MB_BEYOND
        failed |= max(found.peak_mb, found.worker_mb if given.jobs > 1 else 0) > limit
        worker = f" (a worker {found.worker_mb:.0f})" if given.jobs > 1 else ""
        print(
            f"{documents:>10,} documents: {found.seconds:8.2f} s, {1e3 * each[-1]:.3f} ms each, "
            f"peak {found.peak_mb:.0f} MB{worker} of {limit}, run {size / 1e6:.0f} MB",
            flush=True,
        )
    ratio = each[-1] / each[0]
    failed |= ratio > LINEAR
    print(f"time a document, largest to smallest: {ratio:.2f}   limit {LINEAR}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
