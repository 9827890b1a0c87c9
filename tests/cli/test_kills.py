"""However a run ends, what was finished is kept where it can be, nothing is left, and resuming gives the same run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import showthrough.cli.evaluate as command
from showthrough import Interrupted, Plan, evaluate, read_anonymization, read_corpus
from showthrough.cli.signals import stoppable, unbroken
from showthrough.core.errors import ChangedError
from showthrough.data.documents import Corpus
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.engines.local import Local
from showthrough.run.journal import Journal
from showthrough.run.run import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, and processes seen in /proc")

DOCUMENTS = 60
EVALUATE = ("evaluate", "corpus.jsonl", "a=a.json", "-o", "run.json", "--resamples", "20", "-m", "recall", "-m", "er")
# A module that Python loads at its start, in workers too: small chunks, a checkpoint after each, and a wait half-way
# until a file says go.
WAITING = """
import os
import time
from pathlib import Path
from showthrough.evaluation import checkpoints
from showthrough.data.documents import Corpus
from showthrough.metrics.chunk import Chunk

chunks, begin = Corpus.chunks, Chunk.__init__
Corpus.chunks = lambda self, characters=100, start=0: chunks(self, characters, start)

def waiting(self, corpus, *rest):
    while int(corpus.documents[0].id[1:]) > 30 and not Path("go").exists():
        Path(f"half-way-{os.getpid()}").touch()
        time.sleep(0.05)
    begin(self, corpus, *rest)

Chunk.__init__ = waiting
checkpoints.EVERY = checkpoints._WORTH = 0
"""
# Rows of so few documents that leave memory, and are laid out in files at the end.
IN_FILES = """
from showthrough.run import journal
journal.LARGE = 10
"""
# Kills the program at a moment.
STRIKING = """
import os
save = checkpoints.Checkpoints.save_if_due

def struck(self, gathered):
    save(self, gathered)
    if {when}:
        os.kill(os.getpid(), 9)

checkpoints.Checkpoints.save_if_due = struck
"""


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    """Programs that are started hear signals, also where this one was told to ignore them, as in the background."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines, masks = [], {}
    for number in range(DOCUMENTS):
        text = f"Mr Doe {number} of Oslo left"
        at = text.index("Oslo")
        mentions = [
            {"start_offset": 3, "end_offset": 6, "entity_type": "PERSON", "identifier_type": "DIRECT"},
            {"start_offset": at, "end_offset": at + 4, "entity_type": "LOC", "identifier_type": "QUASI"},
        ]
        layer = {"annotator": {"entity_mentions": mentions}}
        lines.append(json.dumps({"doc_id": f"d{number}", "text": text, "annotations": layer}))
        masks[f"d{number}"] = [[3, 6]] if number % 2 else [[at, at + 4]]
    Path("corpus.jsonl").write_text("\n".join(lines))
    Path("a.json").write_text(json.dumps(masks))


def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=100, start=0: original(self, characters, start))


def whole() -> Run:
    return evaluate(
        read_corpus("corpus.jsonl"), {"a": read_anonymization("a.json")}, ["recall", "er"], resamples=20
    )  # fmt: skip


class Program:
    """The real program, which waits half-way, and every process that belongs to it, whatever became of its parent."""

    def __init__(self, *options: str, large: bool = False, then: str = "") -> None:
        for folder in ("site", "tmp"):
            Path(folder).mkdir(exist_ok=True)
        Path("site/sitecustomize.py").write_text(WAITING + IN_FILES * large + then)
        self.mark = uuid4().hex
        self.jobs = int(options[options.index("--jobs") + 1]) if "--jobs" in options else 1
        paths = [str(Path("site").resolve()), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "TMPDIR": str(Path("tmp").resolve()),
            "MARK": self.mark,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "showthrough", *EVALUATE, *options],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def wait_half_way(self) -> None:
        deadline = time.monotonic() + 120
        while self._waiting() < self.jobs and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.process.poll() is None
        time.sleep(0.3)  # the chunks before are answered meanwhile

    def _waiting(self) -> int:
        return len(list(Path().glob("half-way-*")))

    def others(self) -> list[int]:
        return [pid for pid in self.alive() if pid != self.process.pid]

    def alive(self) -> list[int]:
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit() and self.mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def ended(self, *, left: bool = False) -> tuple[int, str, str]:
        """With what it said; a kill while rows are laid out leaves these `left`, for the next to remove."""
        out, err = self.process.communicate(timeout=60)
        deadline = time.monotonic() + 10
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.alive() == []
        assert list(Path("tmp").iterdir()) == []
        assert left or [path.name for path in Path().iterdir() if path.name.startswith(".")] == []
        return self.process.returncode, out, err


def semaphores() -> set[str]:
    return {
        path.name for path in Path("/dev/shm").glob("*") if path.name.startswith(("sem.", "loky", "psm_", "joblib"))
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "to_group", "jobs"),
    [
        (signal.SIGTERM, False, 2),
        (signal.SIGHUP, False, 1),
        (signal.SIGINT, True, 2),
        (signal.SIGKILL, False, 2),
        (signal.SIGKILL, True, 2),
    ],
)
def test_a_signal(number: signal.Signals, to_group: bool, jobs: int) -> None:
    before = semaphores()
    program = Program("--jobs", str(jobs))
    try:
        program.wait_half_way()
        assert len(program.others()) == (2 if jobs == 2 else 0)
        (os.killpg if to_group else os.kill)(program.process.pid, number)
        status, out, err = program.ended()
    finally:
        program.process.kill()
    assert semaphores() <= before
    assert out == ""
    assert not Path("run.json").exists()
    part = Run.load("run.json.part")
    assert 30 <= len(part.documents) < DOCUMENTS
    if number == signal.SIGKILL:
        assert (status, err) == (-9, "")
    else:
        assert (status, err) == (
            130,
            f"interrupted after {len(part.documents)} of {DOCUMENTS} documents; run.json.part holds them: "
            "the same command with --resume completes it\n",
        )
    Path("go").touch()
    program = Program("--jobs", str(jobs), "--resume")
    status, _, err = program.ended()
    assert (status, err) == (0, f"going on after {len(part.documents)} of {DOCUMENTS} documents\n")
    assert not Path("run.json.part").exists()
    run = Run.load("run.json")
    assert run.complete
    assert (run.rows, run.scores) == (whole().rows, whole().scores)


@pytest.mark.slow
def test_three_kills_of_a_run_whose_rows_are_in_files() -> None:
    """With half of the documents done, with all, and when the run is about to be saved."""
    kills = [
        STRIKING.format(when="gathered.done_count > 20"),
        STRIKING.format(when=f"gathered.done_count == {DOCUMENTS}"),
        "import os\nfrom showthrough.run.run import Run\nRun.save = lambda *_, **__: os.kill(os.getpid(), 9)\n",
    ]
    Path("go").touch()
    for number, kill in enumerate(kills):
        program = Program(*["--resume"] * (number > 0), large=True, then=kill)
        assert program.ended(left=number == 2)[0] == -9
        assert not Path("run.json").exists()
        assert Journal(Path("run.json.part")).done_count >= (21, 60, 60)[number]
    assert Program("--resume", large=True).ended()[0] == 0
    assert len(list(Path().glob("run.json*"))) == 2  # with its folder
    run, wanted = Run.load("run.json"), whole()
    assert run.in_files
    assert run.scores == wanted.scores
    assert run.rows_of("recall", "a").totals() == wanted.rows_of("recall", "a").totals()


@pytest.mark.slow
def test_a_killed_worker_keeps_what_was_finished() -> None:
    """As the system does when memory runs out."""
    program = Program("--jobs", "2")
    try:
        program.wait_half_way()
        tried = {*program.others()}
        for pid in tried:
            os.kill(pid, signal.SIGKILL)
        while len(again := {*program.others()} - tried) < 2:  # each chunk is tried once more
            time.sleep(0.05)
        for pid in again:
            os.kill(pid, signal.SIGKILL)
        Path("go").touch()  # all others are done
        status, _, err = program.ended()
    finally:
        program.process.kill()
    done = len(Run.load("run.json.part").documents)
    assert 30 <= done < DOCUMENTS
    lost = re.findall(r"\bd\d+\b", err)
    assert (status, err) == (
        1,
        f"stopped after {done} of {DOCUMENTS} documents: a worker process was killed (SIGKILL), as the system does "
        f"when memory runs out; {len(lost)} documents given up: {', '.join(lost)}; fewer --jobs need less "
        "(in Python, jobs=1); run.json.part holds them: the same command with --resume completes it\n",
    )
    assert Program("--resume").ended()[0] == 0
    assert Run.load("run.json").rows == whole().rows


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("options", [(), ("--without-text",)])
def test_a_signal_when_everything_is_scored(
    number: int, options: tuple[str, ...], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is all that the work gave: it is saved, and told to be."""
    bars = command.scoring

    @contextmanager
    def struck() -> Iterator[Any]:
        with bars() as both:
            yield both
        os.kill(os.getpid(), number)  # the run is made, and not yet saved

    monkeypatch.setattr(command, "scoring", struck)
    outcome = cli(*EVALUATE, *options)
    assert (outcome.status, outcome.out) == (130, "")
    assert outcome.err.startswith("interrupted when everything was scored\nrun written to run.json")
    run = Run.load("run.json")
    assert run.complete
    assert run.scores == whole().scores
    assert ("holds the documents' text" in outcome.err) == (run.texts is not None) == (not options)


def test_a_signal_while_workers_are_closed(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Local, "close", lambda self: os.kill(os.getpid(), signal.SIGINT))
        outcome = cli(*EVALUATE, "--jobs", "2")
    assert outcome.status == 130
    assert outcome.err.startswith("interrupted when everything was scored\nrun written to run.json")
    assert Run.load("run.json").scores == whole().scores


@pytest.mark.slow
def test_who_ignores_a_signal_is_not_stopped_by_it() -> None:
    """As nohup does, and a shell for what runs in the background."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        program = Program()
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    program.wait_half_way()
    os.kill(program.process.pid, signal.SIGHUP)
    Path("go").touch()
    assert program.ended()[0] == 0
    assert Run.load("run.json").complete


def failing_axis(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fails(corpus: Corpus) -> SpanLayout:
        if int(corpus.documents[0].id[1:]) > 30:
            raise error
        return SpanLayout(corpus)

    monkeypatch.setattr("showthrough.metrics.chunk.SpanLayout", fails)


def test_a_full_memory_keeps_what_was_finished(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    small_chunks(monkeypatch)
    reference = whole()
    with monkeypatch.context() as patch:
        failing_axis(patch, MemoryError())
        outcome = cli(*EVALUATE)
        with pytest.raises(Interrupted, match="memory ran out"):
            whole()
    done = len(Run.load("run.json.part").documents)
    assert 30 <= done < DOCUMENTS
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == (
        f"stopped after {done} of {DOCUMENTS} documents: memory ran out; shorter documents or fewer metrics at a time "
        "need less; run.json.part holds them: the same command with --resume completes it\n"
    )
    assert cli(*EVALUATE, "--resume").status == 0
    assert Run.load("run.json").rows == reference.rows


def test_a_full_memory_while_reading(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any, **options: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("showthrough.evaluation.requests.read_corpus", fails)
    outcome = cli(*EVALUATE)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == "memory ran out; smaller files or fewer of them need less\n"


def truncated() -> None:
    os.truncate("corpus.jsonl", 5000)


def changed() -> None:
    content = Path("corpus.jsonl").read_bytes()
    Path("corpus.jsonl").write_bytes(content.replace(b"Oslo", b"Rome"))


@pytest.mark.parametrize("change", [truncated, changed, lambda: Path("corpus.jsonl").unlink()])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_corpus_that_changes_meanwhile(
    change: Callable[[], None], jobs: int, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_chunks(monkeypatch)
    reference = whole()
    content = Path("corpus.jsonl").read_bytes()
    state = Path("corpus.jsonl").stat()
    original = command.evaluate_plan
    changes = [change]

    def advance(done: int, total: int) -> None:
        if done > 10 and changes:
            changes.pop()()

    def meanwhile(plan: Plan, **options: Any) -> Run:
        return original(plan, **{**options, "progress": advance})

    with monkeypatch.context() as patch:
        patch.setattr(command, "evaluate_plan", meanwhile)
        outcome = cli(*EVALUATE, "--jobs", jobs)
    if outcome.status == 0:  # the file that is open stays there when its name goes
        assert jobs == 1
        assert not Path("corpus.jsonl").exists()
        return
    done = len(Run.load("run.json.part").documents)
    assert 10 < done < DOCUMENTS
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"stopped after {done} of {DOCUMENTS} documents: corpus.jsonl: ")
    assert outcome.err.endswith(
        "; run.json.part holds them: once the file is as it was, the same command with --resume completes it\n"
    )
    assert outcome.err.count("\n") == 1
    Path("corpus.jsonl").write_bytes(content)
    os.utime("corpus.jsonl", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert cli(*EVALUATE, "--resume").status == 0
    assert Run.load("run.json").rows == reference.rows


def test_a_corpus_that_changed_before_it_was_scored() -> None:
    corpus = read_corpus("corpus.jsonl")
    truncated()
    with pytest.raises(ChangedError, match=r"corpus.jsonl: changed while it was read"):
        evaluate(corpus, read_anonymization("a.json"), ["recall"])


@pytest.fixture
def handlers() -> Iterator[None]:
    with stoppable():
        yield


@pytest.mark.usefixtures("handlers")
def test_what_must_not_be_broken_is_done_to_its_end() -> None:
    done = []

    def work() -> None:
        with unbroken():
            for number in (signal.SIGTERM, signal.SIGINT):
                os.kill(os.getpid(), number)
                done.append(number)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [signal.SIGTERM, signal.SIGINT]


@pytest.mark.usefixtures("handlers")
def test_a_request_that_is_repeated_at_once_is_one() -> None:
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_while_the_run_is_saved(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    save = Run.save

    def slowly(self: Run, *arguments: Any, **options: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        save(self, *arguments, **options)

    monkeypatch.setattr(Run, "save", slowly)
    outcome = cli(*EVALUATE)
    assert outcome.status == 130
    assert Run.load("run.json").complete
