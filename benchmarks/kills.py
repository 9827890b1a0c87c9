"""Thirty kills at moments drawn by lot, and what they leave: nothing, and a run that resumes to the same.

SIGTERM, SIGKILL and SIGINT, each to the process and to its group, with one process and with two; every third kill is of
a run with a Ray of its own. Ten seconds later, thirty with Ray, no process, temporary file or semaphore of the run may
be left, nor a folder of Ray, and the same command with --resume has to give the run that nobody killed. Linux alone:
processes are found in /proc by a mark in their environment, and by their sessions. Another number of kills and another
seed can be given: `python benchmarks/kills.py 60 1`. `--documents` makes runs longer or shorter, here and below.

`python benchmarks/kills.py 20 --in-files` kills with SIGKILL alone, and every answer is written at once and leaves
memory, as those of very many documents do: whatever the moment, resuming gives the same run. What lay in a folder of
the killed program is then removed by the next.

`python benchmarks/kills.py 20 --lost-work` kills a run of some minutes with SIGKILL, and tells how much work was lost:
the time from when the documents were done that its journal holds, up to the kill. It fails above a minute.
`--resumed` says how many of the killed runs are completed and compared, and `--every` how many seconds lie between two
checkpoints.
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
from itertools import cycle
from pathlib import Path
from uuid import uuid4

import msgspec

from showthrough import Run
from showthrough.evaluation.checkpoints import EVERY
from showthrough.run.journal import Journal

DOCUMENTS, TO_LOSE = 4000, 3000
LOST = 60  # seconds of work that a kill may cost
PATIENCE, OF_RAY = 10, 30  # seconds after which nothing may be left
SLOW = ("-m", "preset:default", "-m", "residual")  # looks at every text of every system again
Way = tuple[signal.Signals, bool, tuple[str, ...]]  # with what, whether to the group, options of the command
SIGNALS = [
    (number, to_group) for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT) for to_group in (False, True)
]
LOCAL: list[Way] = [(*how, ("--jobs", jobs)) for how in SIGNALS for jobs in ("1", "2")]
RAY: list[Way] = [(*how, ("--jobs", "2", "--engine", "ray")) for how in SIGNALS]


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
from showthrough.evaluation import _progress, checkpoints
checkpoints.EVERY, log = float(sys.argv.pop(1)), open(sys.argv.pop(1), "a")
take = _progress.EvaluationProgress.take

def noted(self, answer, stop):
    take(self, answer, stop)
    print(time.time(), self.done_count, file=log, flush=True)

_progress.EvaluationProgress.take = noted
from showthrough.cli import main
main()
"""


def write(folder: Path, documents: int) -> None:
    """Documents of some 2,000 characters, in chunks of a million: eight of them where there are 4,000."""
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
        self, inputs: Path, folder: Path, *options: str, program: tuple[str, ...] = ("-m", "showthrough")
    ) -> None:
        self.mark = uuid4().hex
        self.sessions: set[str] = set()  # that have processes with the mark
        self.seen: set[int] = set()  # processes, also those that ended
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        masks = [f"{name}={inputs / 'masks.json'}" for name in "abcd"]
        command = ["evaluate", inputs / "corpus.jsonl", *masks, "-o", folder / "run.json"]
        self.process = subprocess.Popen(
            [sys.executable, *program, *map(str, command), *options],
            env={**os.environ, "TMPDIR": str(self.temporary), "SHOWTHROUGH_MARK": self.mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def alive(self) -> list[int]:
        """Processes of Ray may write over their environment, and with it the mark: what is in a session with one that
        has it is of this program as well."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if state != "Z":
                    found.append((int(entry.name), session))
                    if self.mark.encode() in (entry / "environ").read_bytes():
                        self.sessions.add(session)
            except OSError:
                continue
        here = [number for number, session in found if session in self.sessions]
        self.seen.update(here)
        return here

    def files(self) -> list[Path]:
        """Temporary ones, and those of its Ray: where paths are short, with the number of a process in their names."""
        shared = Path("/tmp")  # noqa: S108 (nothing is written there)
        names = [name for one in self.seen for name in (f"showthrough-ray-{one}-*", f"ray/session_*_{one}")]
        return [*self.temporary.iterdir(), *(path for name in names for path in shared.glob(name))]


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


def kill(inputs: Path, way: Way, delay: float, reference: bytes, program_of: tuple[str, ...]) -> dict[str, object]:
    """One kill: what was left of it, and whether the run came out the same."""
    number, to_group, options = way
    in_files = "-c" in program_of
    before = semaphores()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Program(inputs, folder, *options, program=program_of)
        time.sleep(delay)
        program.alive()  # seen once
        if program.process.poll() is None:
            (os.killpg if to_group else os.kill)(program.process.pid, number)
        deadline = time.monotonic() + (OF_RAY if "ray" in options else PATIENCE)
        while program.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        left = program.alive()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        said = program.process.communicate()[1].decode()
        # Tables that were being laid out are left where they are: the next program removes them.
        files = [path.name for path in (*folder.glob(".*"), *program.files()) if not in_files]
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
            resumed = Program(inputs, folder, *options, "--resume", program=program_of)
            resumed.alive()
            resumed.process.communicate()
            files += [path.name for path in resumed.files()]
        found["same"] = numbers(folder / "run.json") == reference
        found["files"] = len(files) + len(list(folder.glob(".*")))
    return found


def documents_in(folder: Path) -> int:
    """How many documents are kept, in the run file or in its journal."""
    if (folder / "run.json").exists():
        return len(Run.load(folder / "run.json").documents)
    part = folder / "run.json.part"
    return Journal(part).done_count if part.exists() else 0


def lose(inputs: Path, asked: argparse.Namespace, delay: float, turn: int, reference: bytes) -> dict[str, object]:
    """One SIGKILL in a long run: the seconds of work that it cost, and whether the run came out the same."""
    jobs = 1 + turn % 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = ("-c", NOTING, str(asked.every), str(folder / "log"))
        killed = Program(inputs, folder, "--jobs", str(jobs), *SLOW, program=program)
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
            resumed = Program(inputs, folder, "--jobs", str(jobs), *SLOW, "--resume")
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
        Program(inputs, inputs, "--jobs", "1", *SLOW).process.communicate()
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
    parser.add_argument("--documents", type=int)
    parser.add_argument("--resumed", type=int, default=20)
    parser.add_argument("--every", type=float, default=EVERY)
    asked = parser.parse_args()
    asked.documents = asked.documents or (TO_LOSE if asked.lost_work else DOCUMENTS)
    return lost_work(asked) if asked.lost_work else all_signals(asked)


def all_signals(asked: argparse.Namespace) -> int:
    lot, failed, in_files = random.Random(asked.seed), 0, asked.in_files
    program = ("-c", IN_FILES) if in_files else ("-m", "showthrough")
    local = cycle(way for way in LOCAL if way[0] == signal.SIGKILL or not in_files)
    of_ray = cycle(RAY)
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name)
        write(inputs, asked.documents)
        seconds = measured(inputs, program, *LOCAL[0][2])
        reference = numbers(inputs / "run.json")
        seconds_of_ray = 0.0 if in_files else measured(inputs, program, *RAY[0][2], "--force")
        print(
            f"{asked.documents} documents, {seconds:.1f} s without a kill, {seconds_of_ray:.1f} s with Ray", flush=True
        )
        for turn in range(asked.count):
            with_ray = turn % 3 == 2 and not in_files
            way = next(of_ray if with_ray else local)
            delay = lot.uniform(0, seconds_of_ray if with_ray else seconds)
            found = kill(inputs, way, delay, reference, program)
            left = found["processes"] or found["files"] or found["semaphores"]
            failed += bool(left or found["traceback"] or not found["same"])
            target = "group" if way[1] else "process"
            told = ", ".join(f"{key} {value}" for key, value in found.items())
            how = f"{way[0].name} to the {target:7} {' '.join(way[2])}"
            print(f"{turn + 1:3} {how} after {delay:5.2f} s: {told}", flush=True)
    print(f"{failed} of {asked.count} kills left something or changed the run   limit 0")
    return int(failed > 0)


def measured(inputs: Path, program: tuple[str, ...], *options: str) -> float:
    """Seconds that a run takes which nobody kills."""
    start = time.monotonic()
    Program(inputs, inputs, *options, program=program).process.communicate()
    return time.monotonic() - start


if __name__ == "__main__":
    sys.exit(main())
