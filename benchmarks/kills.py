"""Thirty kills at moments drawn by lot, and what they leave: nothing, and a run that resumes to the same.

SIGTERM, SIGKILL and SIGINT, each to the process and to its group, with one process and with two. Ten seconds later no
process, temporary file or semaphore of the run may be left, and the same command with --resume has to give the run that
nobody killed. Linux alone: processes are found in /proc by a mark in their environment. Another number of kills and
another seed can be given: `python benchmarks/kills.py 60 1`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import msgspec

from showthrough import Run

DOCUMENTS = 4000
PATIENCE = 10  # seconds after which nothing may be left
WAYS = [
    (number, to_group, jobs)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
    for to_group in (False, True)
    for jobs in (1, 2)
]


def write(folder: Path) -> None:
    """Documents of some 2,000 characters, in chunks of a million: eight of them."""
    masks = {}
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for number in range(DOCUMENTS):
            text = f"Mr Doe{number} of Oslo left. " * 80
            starts = range(0, len(text), len(text) // 80)
            marks = [
                {"start_offset": at + 3, "end_offset": at + 6, "entity_type": "PERSON", "identifier_type": "DIRECT"}
                for at in starts
            ]
            layers = {"annotator": {"entity_mentions": marks}}
            out.write(json.dumps({"doc_id": f"d{number}", "text": text, "annotations": layers}) + "\n")
            masks[f"d{number}"] = [[at + 3, at + 6] for at in starts][number % 3 :]
    (folder / "masks.json").write_text(json.dumps(masks), encoding="utf-8")


class Program:
    """One start of the command, and every process that came of it."""

    def __init__(self, inputs: Path, folder: Path, jobs: int, *options: str) -> None:
        self.mark = uuid4().hex
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        masks = [f"{name}={inputs / 'masks.json'}" for name in "abcd"]
        command = ["evaluate", inputs / "corpus.jsonl", *masks, "-o", folder / "run.json"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "showthrough", *map(str, command), "--jobs", str(jobs), *options],
            env={**os.environ, "TMPDIR": str(self.temporary), "SHOWTHROUGH_MARK": self.mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def alive(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


def semaphores() -> set[str]:
    return {path.name for path in Path("/dev/shm").iterdir()}  # noqa: S108 (where the system shows them)


def numbers(path: Path) -> bytes:
    """All of a run but when and how fast it was made."""
    run = Run.load(path)
    run.provenance = {}
    return msgspec.json.encode(run)


def kill(inputs: Path, way: tuple[signal.Signals, bool, int], delay: float, reference: bytes) -> dict[str, object]:
    """One kill: what was left of it, and whether the run came out the same."""
    number, to_group, jobs = way
    before = semaphores()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Program(inputs, folder, jobs)
        time.sleep(delay)
        if program.process.poll() is None:
            (os.killpg if to_group else os.kill)(program.process.pid, number)
        deadline = time.monotonic() + PATIENCE
        while program.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        left = program.alive()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        said = program.process.communicate()[1].decode()
        files = [path.name for path in (*folder.glob(".*"), *program.temporary.iterdir())]
        kept = len(Run.load(folder / "run.json").documents) if (folder / "run.json").exists() else 0
        found = {
            "status": program.process.returncode,
            "kept": kept,
            "processes": len(left),
            "files": len(files),
            "semaphores": len(semaphores() - before),
            "traceback": "Traceback" in said,
        }
        if kept < DOCUMENTS or not Run.load(folder / "run.json").complete:
            Program(inputs, folder, jobs, "--resume").process.communicate()
        found["same"] = numbers(folder / "run.json") == reference
    return found


def main() -> int:
    if sys.platform != "linux":
        print("processes cannot be found here: nothing measured")
        return 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # heard by what is started, also in the background
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    lot = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name)
        write(inputs)
        start = time.monotonic()
        Program(inputs, inputs, 1).process.communicate()
        seconds = time.monotonic() - start
        reference = numbers(inputs / "run.json")
        print(f"{DOCUMENTS} documents, {seconds:.1f} s without a kill")
        for turn in range(count):
            way = WAYS[turn % len(WAYS)]
            delay = lot.uniform(0, seconds)
            found = kill(inputs, way, delay, reference)
            failed += bool(found["processes"] or found["files"] or found["semaphores"] or not found["same"])
            target = "group" if way[1] else "process"
            told = ", ".join(f"{key} {value}" for key, value in found.items())
            print(f"{turn + 1:3} {way[0].name} to the {target:7} -j {way[2]} after {delay:5.2f} s: {told}", flush=True)
    print(f"{failed} of {count} kills left something or changed the run   limit 0")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
