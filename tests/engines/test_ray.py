"""Ray: a real cluster of two nodes on this machine, one of which is killed, and one that ends with the program."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import cloudpickle
import msgspec
import pytest

from showthrough import (
    METRICS,
    Corpus,
    InputError,
    Metric,
    Plan,
    PlanError,
    ResourceError,
    Rows,
    evaluate,
    evaluate_plan,
    parse_metric,
    read_anonymization,
    read_corpus,
)
from showthrough.cli import demo_corpus as demo
from showthrough.core.errors import Problem
from showthrough.engines import _ray_cluster, _ray_session
from showthrough.engines._ray import _Task as Task, _Worker as Worker
from showthrough.engines._ray_cluster import Cluster
from showthrough.engines.base import GoneError, SharedValue, open_engine
from showthrough.evaluation.settings import Settings
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Chunk
from showthrough.run.run import Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'showthrough[ray]'"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes seen in /proc"),
]

SHARDS = 20
SLOWLY = r"(?m:^.+, .+ (so far|left)\n)*"  # what the program says on a machine with much else to do
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


@pytest.fixture(autouse=True)
def at_a_prompt() -> Iterator[None]:
    """What is defined here travels as if it were defined in a script: workers need not find this file."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module", autouse=True)
def signals() -> Iterator[None]:
    """Who starts a cluster has Ray handle signals; the tests that follow in this process want them as they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AUTH_TOKEN"] = uuid4().hex * 2
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args=NODE)
    yield made
    made.shutdown()


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Any]:
    second = cluster.add_node(**{name: NODE[name] for name in ("num_cpus", "object_store_memory")})
    with open_engine("ray", address=cluster.address) as found:
        found.second = second  # for who kills it
        yield found


def doubled(number: int, shared: SharedValue[Any], mark: str = "") -> Any:
    if number == 3:
        os._exit(1)
    if number == 5 and not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return number * 2, shared.value[0].value, os.getpid()


def test_tasks_are_shared_tried_again_and_given_up(engine: Any, tmp_path: Path) -> None:
    shared = engine.share([engine.share("inside")])
    mark = str(tmp_path / "died")
    found = {done.task: done for done in engine.map(doubled, ((number, shared, mark) for number in range(12)))}
    assert sorted(found) == list(range(12))
    assert {number for number, done in found.items() if done.lost} == {3}
    assert re.fullmatch(r"a worker on \S+ was gone in the middle of it, as in 2 tries before", str(found[3].lost))
    values = [found[number].value for number in range(12) if number != 3]
    assert [value[0] for value in values] == [2 * number for number in range(12) if number != 3]
    assert {value[1] for value in values} == {"inside"}
    assert len({value[2] for value in values}) >= 2
    assert Path(mark).exists()


def test_what_a_worker_had_that_ended_is_tried_alone() -> None:
    fresh, failed = Task(0, b"", []), Task(1, b"", [], suspected=True)
    free, busy, full = (Worker(None, tasks=dict.fromkeys(range(count), fresh)) for count in range(3))
    suspected = Worker(None, tasks={0: failed})
    assert [one.has_room_for(fresh) for one in (free, busy, full, suspected)] == [True, True, False, False]
    assert [one.has_room_for(failed) for one in (free, busy, full, suspected)] == [True, False, False, False]


def told(_: int) -> tuple[str | None, list[str]]:
    """Whether Ray may tell others of its use, in this process and in all of Ray's that can be looked at."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            line = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
            if b"/raylet/raylet" in line or b"gcs_server" in line or b"dashboard.py" in line:
                found += re.findall(rb"RAY_USAGE_STATS_ENABLED=(\w+)", (folder / "environ").read_bytes()) or [b"unset"]
        except OSError:
            continue
    return os.environ.get("RAY_USAGE_STATS_ENABLED"), [one.decode() for one in found]


def test_nothing_is_told_to_anybody(engine: Any) -> None:
    ((own, others),) = engine.in_order(told, [(0,)])
    assert own == "0"
    assert len(others) >= 3
    assert set(others) == {"0"}


def raising(error: Exception) -> None:
    raise error


def test_a_head_that_is_gone_is_told_before_ray_ends_the_program(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter([True, False, True, False, False, False])  # a moment's silence is none
    monkeypatch.setattr("showthrough.engines._ray._LOOK", 0.01)
    monkeypatch.setattr("showthrough.engines._ray_cluster.Cluster.answers", lambda self: next(said))
    monkeypatch.setattr(engine, "workers", 1)
    gone = r"^the head of the Ray cluster at [\d.]+:\d+ does not answer any more$"
    with pytest.raises(GoneError, match=gone):
        list(engine.map(time.sleep, [(60,)]))
    assert list(said) == []


def test_whether_a_head_listens() -> None:
    cluster = Cluster(None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        cluster.address = f"127.0.0.1:{listening.getsockname()[1]}"
        assert cluster.answers()
    assert not cluster.answers()


def test_threads_of_ray_fail_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: told.append(failed.thread.name))
    for _ in range(2):  # also where several clusters are connected to, one after the other
        _ray_cluster._hush()
    for name in ("ray_listen_error_messages", "another"):
        threading.excepthook(threading.ExceptHookArgs((OSError, OSError(), None, threading.Thread(name=name))))
    assert told == ["another"]


def test_what_workers_raise_says_where(engine: Any) -> None:
    with pytest.raises(InputError, match=r"^/shared/a\.jsonl: does not exist \(on worker [\d.]+\)$"):
        list(engine.map(raising, [(InputError(Problem("/shared/a.jsonl", "", "does not exist")),)]))
    with pytest.raises(PlanError, match=r"^worker [\d.]+: needs zstandard: pip install"):
        list(engine.map(raising, [(ResourceError("needs zstandard: pip install 'showthrough[zst]'"),)]))
    found = list(engine.map(raising, [(MemoryError(),)]))  # another machine may have more: three tries
    assert "memory ran out on worker" in str(found[0].lost)


@dataclass(frozen=True)
class Kept(Metric):
    """Share of characters that are not masked, slowly."""

    group = "utility"
    title = "Kept characters"
    undefined = "there is no text"

    def bind(self, chunk: Chunk) -> Any:
        time.sleep(0.05)
        corpus = chunk.corpus
        length = [len(document.text) for document in corpus]
        return lambda one: Rows.of(
            masked=[sum(mask.end - mask.start for mask in one.of(document.id)) for document in corpus], length=length
        )

    def combine(self, totals: Any) -> Any:
        return {HEADLINE: 1 - ratio(totals["masked"], totals["length"])}


def test_another_version_is_told_before_any_work(cluster: Any, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from showthrough.engines import _ray as module
    from showthrough.version import __version__

    monkeypatch.setattr(module, "__version__", "99.1")
    said = rf"^worker [\d.]+: found showthrough {re.escape(__version__)}; expected 99\.1, as here(\n|$)"
    with pytest.raises(InputError, match=said), open_engine("ray", address=cluster.address):
        pass
    look = module._looker()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "showthrough.version", None)
        assert look("99.1").startswith("showthrough cannot be imported there (")


def test_a_cluster_that_asks_for_no_token_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers would ask this program without one, be refused and end."""
    from showthrough.engines import _ray as module
    from showthrough.version import __version__

    look = module._looker()
    for there, here, told in ((True, True, False), (False, False, False), (True, False, False), (False, True, True)):
        monkeypatch.setattr(_ray_cluster, "asks_for_token", lambda there=there: there)
        assert look(__version__, here).startswith("asks for no token, and here there is one") == told


def in_shards(folder: Path, name: str, objects: Sequence[Any]) -> str:
    """JSON Lines in twenty files; the pattern that means all of them."""
    for number in range(SHARDS):
        lines = [msgspec.json.encode(one) + b"\n" for one in objects[number::SHARDS]]
        (folder / f"{name}-{number:02}.jsonl").write_bytes(b"".join(lines))
    return str(folder / f"{name}-*.jsonl")


def test_a_node_that_is_killed_in_the_middle_changes_no_number(
    cluster: Any, engine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A metric of this program's own, built-in ones, and intervals, over twenty files that workers read."""
    monkeypatch.setitem(METRICS, "kept", Kept())
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=1_000, start=0: chunks(self, characters, start))
    whole = read_corpus(demo.corpus_path(), name="demo")
    masked = {name: read_anonymization(path, whole, name=name) for name, path in demo.anonymization_paths().items()}
    pattern = in_shards(tmp_path, "corpus", msgspec.json.decode(demo.corpus_path().read_bytes()))
    corpus = read_corpus(pattern, name="demo", engine=engine)
    assert (len(corpus), corpus.digest) == (len(whole), whole.digest)
    found = []
    for name, one in masked.items():
        pattern = in_shards(tmp_path, name, [{"doc_id": key, "masks": masks} for key, masks in one.masks.items()])
        found.append(read_anonymization(pattern, corpus, name=name, engine=engine))
    metrics = ["kept", "recall", "er_di", "recall_per_type"]
    settings = Settings(resamples=50, engine="ray", address=cluster.address)
    plan = Plan(corpus, tuple(found), tuple(map(parse_metric, metrics)), settings)
    killed: list[int] = []

    def progress(done: int, total: int) -> None:
        if done > total / 3 and not killed:
            killed.append(done)
            cluster.remove_node(engine.second, allow_graceful=False)

    run = evaluate_plan(plan, progress=progress, engine=engine)
    alone = evaluate(whole, masked, metrics, resamples=50)
    assert 0 < killed[0] < len(corpus)
    assert run.failures == []
    parts = {(score.anonymization, score.metric, score.part): score for score in run.scores}
    assert parts == {(score.anonymization, score.metric, score.part): score for score in alone.scores}
    assert len(engine._ready) == 1  # who is left


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:9", r"nobody answers at [\d.]+:9 \(Connection refused\); is the cluster's head running there\?"),
        ("ray://10.0.0.1:10001", r"found 'ray://10.0.0.1:10001'; expected HOST:PORT of a cluster's head, or auto"),
        ("10.0.0.1", "found '10.0.0.1'; expected HOST:PORT"),
        ("10.0.0.1:x", "found '10.0.0.1:x'; expected HOST:PORT"),
    ],
)
def test_an_address_where_no_cluster_is(address: str, said: str) -> None:
    with pytest.raises(PlanError, match=f"^address {re.escape(address)}: {said}"), open_engine("ray", address=address):
        pass


def test_auto_where_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.engines._ray_cluster._resolve", lambda address: "")
    with (
        pytest.raises(PlanError, match=r"^address auto: no Ray cluster runs on this machine"),
        open_engine("ray", address="auto"),
    ):
        pass


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_an_address_where_something_else_listens(answer: bytes) -> None:
    with socket.socket() as listening:
        listening.bind(("", 0))
        listening.listen()

        def reply() -> None:
            with listening.accept()[0] as line:
                line.recv(100)
                line.sendall(answer)

        threading.Thread(target=reply, daemon=True).start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(PlanError, match="is no Ray cluster"), open_engine("ray", address=address):
            pass


class Program:
    """The real program with a Ray of its own, and every process that belongs to it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.mark = uuid4().hex
        self._sessions: set[str] = set()
        environment = {**os.environ, "MARK": self.mark}
        environment.pop("RAY_AUTH_TOKEN", None)
        environment.pop("RAY_AUTH_MODE", None)
        command = [sys.executable, "-m", "showthrough", "evaluate", str(demo.corpus_path())]
        command += [f"{name}={path}" for name, path in demo.anonymization_paths().items()]
        self.process = subprocess.Popen(
            [*command, "-o", "run.json", "--resamples", "20", "-m", "er_di", "-m", "residual", *options],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def alive(self) -> dict[int, str]:
        """With their commands. Processes of Ray may write over their environment, and with it the mark: what is in a
        session with one that has it is the program's as well."""
        found, marked = {}, set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                if state != "Z":
                    found[int(folder.name)] = session, (folder / "cmdline").read_text()
                    marked |= {session} if self.mark.encode() in (folder / "environ").read_bytes() else set()
            except OSError:
                continue
        self._sessions |= marked
        return {number: command for number, (session, command) in found.items() if session in self._sessions}

    def wait_for(self, command: str) -> None:
        deadline = time.monotonic() + 120
        while not any(command in one for one in self.alive().values()):
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=90)
        deadline = time.monotonic() + 50
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.alive() == {}
        return self.process.returncode, out, err


def test_a_command_with_an_address_where_nobody_listens(tmp_path: Path) -> None:
    status, out, err = Program(tmp_path, "--engine", "ray", "--address", "127.0.0.1:9").ended()
    assert (status, out) == (2, "")
    assert re.fullmatch(r"(error: )?address 127.0.0.1:9: nobody answers at [\d.]+:9 \(Connection refused\).*\n", err)
    assert list(tmp_path.iterdir()) == []


def test_ray_of_this_machine_ends_with_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at its start or at work, it leaves nothing; let alone, it says what a run without Ray says."""
    far = tempfile.mkdtemp(prefix="too-far-for-sockets-", dir="/tmp")
    monkeypatch.setenv("TMPDIR", far)
    monkeypatch.setenv("HOME", far)
    for last in ("gcs_server", "ray::Worker"):  # Ray starts, and works: its agents are there then, too
        killed = Program(tmp_path, "--engine", "ray")
        killed.wait_for(last)
        (folder,) = Path("/tmp").glob(f"showthrough-ray-{killed.process.pid}-*")
        assert (folder.stat().st_mode & 0o777, (folder / "r").is_dir()) == (0o700, True)  # nobody else gets into it
        os.kill(killed.process.pid, signal.SIGKILL)
        status, out, err = killed.ended()
        assert (status, out) == (-signal.SIGKILL, "")  # 2, where Ray did not start
        assert re.fullmatch(SLOWLY, err)
        assert not folder.exists()
        (tmp_path / "run.json.part").unlink(missing_ok=True)
    program = Program(tmp_path, "--engine", "ray", "--jobs", "2")
    status, out, err = program.ended()
    run = Run.load(tmp_path / "run.json")
    assert (status, "er_di" in out) == (0, True)
    err = re.sub(SLOWLY, "", err)
    assert all(line.startswith(("note: ", "      ")) for line in err.splitlines())  # none is Ray's
    corpus = read_corpus(demo.corpus_path())
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    assert run.scores == evaluate(corpus, found, ["er_di", "residual"], resamples=20).scores
    assert list(Path("/tmp").glob(f"showthrough-ray-{program.process.pid}-*")) == []
    Path(far).rmdir()  # with nothing in it, and no token of Ray's


def test_a_session_ends_with_what_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    """Also what stands in a group of its own, has no parent any more, and has written over its environment."""
    folder, other = tmp_path / "ray-1", tmp_path / "ray-12"
    folder.mkdir()
    other.mkdir()
    sleep = [sys.executable, "-c", "import time; time.sleep(600)", str(folder)]
    inside = f"import subprocess; print(subprocess.Popen({sleep!r}, env={{}}, process_group=0).pid)"
    outside = subprocess.Popen(sleep)
    session = subprocess.Popen(
        [sys.executable, "-I", "-S", _ray_session.__file__, str(folder), sys.executable, "-c", inside],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        assert session.stdout is not None
        state = Path("/proc", session.stdout.readline().decode().strip(), "stat")
        assert (folder.exists(), ") Z " in state.read_text()) == (True, False)
        session.communicate()
        assert not state.exists() or ") Z " in state.read_text()
        assert outside.poll() is None
        assert [path.name for path in tmp_path.iterdir()] == [other.name]
    finally:
        outside.kill()
        outside.wait()


def test_what_is_left_of_a_program_that_is_gone_is_removed_by_the_next() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = Path(f"/tmp/showthrough-ray-{gone.pid}-0")
    kept = Path(f"/tmp/showthrough-ray-{os.getpid()}-0")
    for one in (left, kept):
        one.mkdir()
    try:
        name = _ray_cluster._folder_to_be()
        assert (left.exists(), kept.exists(), name.exists()) == (False, True, False)
    finally:
        kept.rmdir()


@pytest.mark.parametrize(("token", "mode"), [(True, "token"), (False, "")])
def test_a_token_is_sent_to_a_cluster_where_there_is_one(tmp_path: Path, token: bool, mode: str) -> None:
    """`ray start` asks for the token of its user's home, where there is one, and Ray itself does not send it."""
    if token:
        (tmp_path / ".ray").mkdir()
        (tmp_path / ".ray/auth_token").write_text("ab" * 32)
    script = (
        "import os, contextlib, showthrough\nfrom showthrough.engines.base import open_engine\n"
        "with contextlib.suppress(showthrough.PlanError), open_engine('ray', address='127.0.0.1:9'): pass\n"
        "print(os.environ.get('RAY_AUTH_MODE', ''))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment["HOME"] = str(tmp_path)
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout == f"{mode}\n"


def test_without_ray_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.engines._ray_cluster.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PlanError, match=r"needs Ray, .*: pip install 'showthrough\[ray\]'"), open_engine("ray"):
        pass


def test_ray_that_cannot_be_started_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so, and nothing of addresses, of which none was named."""
    refused = "def init(**options): raise ValueError('no room for the object store. And more that nobody asked for.')"
    (tmp_path / "ray.py").write_text(refused)
    monkeypatch.syspath_prepend(str(tmp_path))  # where the process looks that is to start it
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    with (
        pytest.raises(PlanError, match=r"^engine ray: Ray cannot be started here: no room for the object store$"),
        open_engine("ray", jobs=1),
    ):
        pass
    assert list(Path("/tmp").glob(f"showthrough-ray-{os.getpid()}-*")) == []
