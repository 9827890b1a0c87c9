"""Thirty kills at moments drawn by lot, and what they leave: nothing, and a run that resumes to the same.

SIGTERM, SIGKILL and SIGINT, each to the process and to its group, with one process and with two. Ten seconds later no
process, temporary file or semaphore of the run may be left, and the same command with --resume has to give the run that
nobody killed. Linux alone: processes are found in /proc by a mark in their environment. Another number of kills and
another seed can be given: `python benchmarks/kills.py 60 1`.

`python benchmarks/kills.py 20 --in-files` kills with SIGKILL alone, and every answer is written at once and leaves
memory, as those of very many documents do: whatever the moment, resuming gives the same run. What lay in a folder of
the killed program is then removed by the next.

`python benchmarks/kills.py 20 --lost-work` kills a run of some minutes with SIGKILL, and tells how much work was lost:
the time from when the documents were done that its journal holds, up to the kill. It fails above a minute.
`--documents` makes the run longer or shorter, `--resumed` says how many of the killed runs are completed and compared,
and `--every` how many seconds lie between two checkpoints.
"""

from __future__ import annotations

import argparse
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
from showthrough.evaluation.checkpoints import EVERY
from showthrough.run.journal import Journal

DOCUMENTS = 4000
LOST = 60  # seconds of work that a kill may cost
PATIENCE = 10  # seconds after which nothing may be left
SLOW = ("-m", "preset:default", "-m", "residual")  # looks at every text of every system again
WAYS = [
    (number, to_group, jobs)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
    for to_group in (False, True)
    for jobs in (1, 2)
]


# The program, with rows of few documents in files, and a journal from the first answer on.
IN_FILES = """
from showthrough.evaluation import checkpoints
from showthrough.run import journal
checkpoints._WORTH = journal.LARGE = 0
from showthrough.cli import main
main()
"""
# The program, which also notes when how many documents are done.
NOTING = """
import sys, time
from showthrough.evaluation import checkpoints, gathered
checkpoints.EVERY, log = float(sys.argv.pop(1)), open(sys.argv.pop(1), "a")
take = gathered.Gathered.take

def noted(self, answer, stop):
    take(self, answer, stop)
    print(time.time(), self.done, file=log, flush=True)

gathered.Gathered.take = noted
from showthrough.cli import main
main()
"""


def write(folder: Path, documents: int = DOCUMENTS) -> None:
    """Documents of some 2,000 characters, in chunks of a million: eight of them."""
    masks = {}
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for number in range(documents):
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

    def __init__(
        self, inputs: Path, folder: Path, jobs: int, *options: str, program: tuple[str, ...] = ("-m", "showthrough")
    ) -> None:
        self.mark = uuid4().hex
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        masks = [f"{name}={inputs / 'masks.json'}" for name in "abcd"]
        command = ["evaluate", inputs / "corpus.jsonl", *masks, "-o", folder / "run.json"]
        self.process = subprocess.Popen(
            [sys.executable, *program, *map(str, command), "--jobs", str(jobs), *options],
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
    """All of a run but when and how fast it was made, and where its rows are."""
    run = Run.load(path)
    rows = {
        metric: {
            name: {column: list(map(float, values)) for column, values in columns.items()}
            for name, columns in by_name.items()
        }
        for metric, by_name in run.rows.items()
    }
    evidence = {
        metric: {name: dict(shown.items()) for name, shown in by_name.items()}
        for metric, by_name in run.evidence.items()
    }
    fields = {"documents": list(run.documents), "groups": list(run.groups), "rows": rows, "evidence": evidence}
    return msgspec.json.encode(msgspec.structs.replace(run, provenance={}, tables=None, **fields))


def kill(
    inputs: Path, way: tuple[signal.Signals, bool, int], delay: float, reference: bytes, program_of: tuple[str, ...]
) -> dict[str, object]:
    """One kill: what was left of it, and whether the run came out the same."""
    number, to_group, jobs = way
    in_files = "-c" in program_of
    before = semaphores()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Program(inputs, folder, jobs, program=program_of)
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
        # Tables that were being laid out are left where they are: the next program removes them.
        files = [path.name for path in (*folder.glob(".*"), *program.temporary.iterdir()) if not in_files]
        kept = documents_in(folder)
        found = {
            "status": program.process.returncode,
            "kept": kept,
            "processes": len(left),
            "files": len(files),
            "semaphores": len(semaphores() - before),
            "traceback": "Traceback" in said,
        }
        if not (folder / "run.json").exists():
            Program(inputs, folder, jobs, "--resume", program=program_of).process.communicate()
        found["same"] = numbers(folder / "run.json") == reference
        found["files"] = len(files) + len(list(folder.glob(".*")))
    return found


def documents_in(folder: Path) -> int:
    """How many documents are kept, in the run file or in its journal."""
    if (folder / "run.json").exists():
        return len(Run.load(folder / "run.json").documents)
    part = folder / "run.json.part"
    return Journal(part).done if part.exists() else 0


def lose(inputs: Path, asked: argparse.Namespace, delay: float, turn: int, reference: bytes) -> dict[str, object]:
    """One SIGKILL in a long run: the seconds of work that it cost, and whether the run came out the same."""
    jobs = 1 + turn % 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = ("-c", NOTING, str(asked.every), str(folder / "log"))
        killed = Program(inputs, folder, jobs, *SLOW, program=program)
        time.sleep(delay)
        killed.process.kill()
        moment = time.time()
        killed.process.communicate()
        log = [line.split() for line in (folder / "log").read_text().splitlines()] if (folder / "log").exists() else []
        kept = documents_in(folder)
        since = [float(when) for when, done in log if int(done) <= kept]
        started = moment - delay
        # With nothing kept, all that was done is lost; also what it took to begin.
        found: dict[str, object] = {
            "jobs": jobs,
            "done": max((int(done) for _, done in log), default=0),
            "kept": kept,
            # Who is done before the kill has lost nothing.
            "lost": 0.0 if (folder / "run.json").exists() else round(moment - max([started, *since]), 1),
        }
        if turn < asked.resumed and not (folder / "run.json").exists():
            resumed = Program(inputs, folder, jobs, *SLOW, "--resume")
            found["said"] = resumed.process.communicate()[1].decode().partition("\n")[0]
            found["same"] = numbers(folder / "run.json") == reference
            found["left"] = [path.name for path in folder.iterdir() if path.name.startswith((".", "run.json."))]
    return found


def lost_work(asked: argparse.Namespace) -> int:
    lot, failed = random.Random(asked.seed), 0
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name)
        write(inputs, asked.documents)
        start = time.monotonic()
        Program(inputs, inputs, 1, *SLOW).process.communicate()
        seconds = time.monotonic() - start
        reference = numbers(inputs / "run.json")
        print(
            f"{asked.documents} documents, {seconds:.1f} s without a kill, checkpoints every {asked.every:g} s",
            flush=True,
        )
        worst = 0.0
        for turn in range(asked.count):
            delay = lot.uniform(0, seconds)
            found = lose(inputs, asked, delay, turn, reference)
            worst = max(worst, float(str(found["lost"])))
            failed += found.get("same") is False or bool(found.get("left"))
            told = ", ".join(f"{key} {value}" for key, value in found.items())
            print(f"{turn + 1:3} SIGKILL after {delay:6.1f} s: {told}", flush=True)
    print(f"{worst:.1f} s of work lost at most   limit {LOST}")
    print(f"{failed} of {min(asked.resumed, asked.count)} resumed runs left something or were others   limit 0")
    return int(failed > 0 or worst > LOST)


def main() -> int:
    if sys.platform != "linux":
        print("processes cannot be found here: nothing measured")
        return 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # heard by what is started, also in the background
    parser = argparse.ArgumentParser(description="Kills runs at random moments.")
    parser.add_argument("count", nargs="?", type=int, default=30)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--lost-work", action="store_true")
    parser.add_argument("--in-files", action="store_true")
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--resumed", type=int, default=20)
    parser.add_argument("--every", type=float, default=EVERY)
    asked = parser.parse_args()
    return lost_work(asked) if asked.lost_work else all_signals(asked.count, asked.seed, in_files=asked.in_files)


def all_signals(count: int, seed: int, *, in_files: bool = False) -> int:
    lot, failed = random.Random(seed), 0
    program = ("-c", IN_FILES) if in_files else ("-m", "showthrough")
    ways = [way for way in WAYS if way[0] == signal.SIGKILL] if in_files else WAYS
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name)
        write(inputs)
        start = time.monotonic()
        Program(inputs, inputs, 1, program=program).process.communicate()
        seconds = time.monotonic() - start
        reference = numbers(inputs / "run.json")
        print(f"{DOCUMENTS} documents, {seconds:.1f} s without a kill")
        for turn in range(count):
            way = ways[turn % len(ways)]
            delay = lot.uniform(0, seconds)
            found = kill(inputs, way, delay, reference, program)
            failed += bool(found["processes"] or found["files"] or found["semaphores"] or not found["same"])
            target = "group" if way[1] else "process"
            told = ", ".join(f"{key} {value}" for key, value in found.items())
            print(f"{turn + 1:3} {way[0].name} to the {target:7} -j {way[2]} after {delay:5.2f} s: {told}", flush=True)
    print(f"{failed} of {count} kills left something or changed the run   limit 0")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
