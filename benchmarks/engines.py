"""Two workers against one, with processes and with Ray, from files to the run; and what an engine costs beside that.

TAB's 100 training cases are written out until there are 20,000 documents. Each command is a process of its own: one
worker and two, without Ray and on a Ray cluster that is there already; and two with a Ray that the command itself
starts and ends, which takes its time, shown without a limit. Limits: two workers are at least 1.6 times as fast as one,
and of the time that two workers have while chunks of 1,000 documents are under way, less than 10 % goes to anything but
the chunks.

Two cores have to be free: what the whole machine worked meanwhile is printed, and is to be the same for one and two but
for a few seconds. Needs SHOWTHROUGH_DATA; another number of documents can be given: `benchmarks/engines.py 5000`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from scale import write

FASTER = 1.6
OVERHEAD = 0.10
CHUNK = 1_000  # documents


class Evaluated(NamedTuple):
    seconds: float  # of the whole command
    processor: float  # seconds of all processes of the machine
    scores: list[object]


def shared_out(engine: str, folder: Path, files: tuple[Path, Path], *options: str) -> bool:
    """Whether two workers are so much faster than one, and give the same."""
    one, two = (evaluated(folder, *files, "--jobs", jobs, *options) for jobs in ("1", "2"))
    faster, same = one.seconds / two.seconds, one.scores == two.scores
    print(
        f"{engine}: one {one.seconds:.1f} s, two {two.seconds:.1f} s (the machine worked {one.processor:.1f} s and "
        f"{two.processor:.1f} s): {faster:.2f} times as fast   limit {FASTER}{'' if same else '   OTHER SCORES'}",
        flush=True,
    )
    return faster >= FASTER and same


@contextmanager
def a_cluster() -> Iterator[str]:
    """The address of a Ray with two cores."""
    own = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex * 2}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    try:
        yield cluster.address
    finally:
        cluster.shutdown()
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def evaluated(folder: Path, corpus: Path, anonymization: Path, *options: str) -> Evaluated:
    run = folder / "run.json"
    command = [sys.executable, "-m", "showthrough", "evaluate", corpus, f"presidio={anonymization}", "-o", run]
    busy, start = _busy(), time.perf_counter()
    subprocess.run(
        list(map(str, [*command, "--force", "--without-text", *options])), check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.perf_counter() - start
    return Evaluated(seconds, _busy() - busy, json.loads(run.read_bytes())["scores"])


def _busy() -> float:
    """Processor seconds of the whole machine, but for those that nobody used."""
    user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def overhead(engine: str, corpus: Path, anonymization: Path) -> float:
    """The share of two workers' time, while chunks are under way, that no chunk took."""
    from showthrough import Plan, evaluate_plan, read_anonymization, read_corpus
    from showthrough.data.documents import Corpus
    from showthrough.engines.base import open_engine
    from showthrough.evaluation.requests import default_metrics
    from showthrough.evaluation.runner import Runner
    from showthrough.evaluation.settings import Settings

    documents = read_corpus(corpus)
    masks = read_anonymization(anonymization, documents, name="presidio")
    Corpus.chunks = lambda self, characters=0, start=0: (  # type: ignore[assignment,method-assign]
        range(at, min(at + CHUNK, len(self))) for at in range(start, len(self), CHUNK)
    )
    spent: list[float] = []
    answers, walk = Runner._answers, Runner.through
    walked: list[float] = []

    def counted(self, *given):  # type: ignore[no-untyped-def]
        for numbers, answer in answers(self, *given):
            spent.append(answer.seconds)
            yield numbers, answer

    def timed(self, *given):  # type: ignore[no-untyped-def]
        start = time.perf_counter()
        walk(self, *given)
        walked.append(time.perf_counter() - start)

    Runner._answers, Runner.through = counted, timed  # type: ignore[method-assign]
    with open_engine(engine, 2) as workers:
        list(workers.map(_warm, [(number,) for number in range(8)]))  # what starting costs is in the other figure
        plan = Plan(documents, (masks,), tuple(default_metrics(documents, 1)), Settings(resamples=0, jobs=2))
        evaluate_plan(plan, engine=workers)
    return 1 - sum(spent) / (2 * walked[0])


def _warm(_: int) -> None:
    import showthrough.evaluation._chunks  # noqa: F401

    time.sleep(0.1)


def main() -> int:
    if sys.argv[1:2] == ["--overhead"]:
        print(overhead(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
        return 0
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not data:
        print("SHOWTHROUGH_DATA is not set: nothing measured")
        return 0
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(Path(data), folder, documents)
        failed |= not shared_out("processes", folder, files)
        with a_cluster() as address:
            failed |= not shared_out("Ray", folder, files, "--engine", "ray", "--address", address)
        seconds = evaluated(folder, *files, "--jobs", "2", "--engine", "ray").seconds
        print(f"Ray, started and ended by the command: {seconds:.1f} s with two workers")
        for engine in ("local", "ray"):
            command = [sys.executable, __file__, "--overhead", engine, *map(str, files)]
            share = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(
                f"overhead of {engine}, {CHUNK} documents a chunk: {100 * share:.1f} %   limit {100 * OVERHEAD:.0f} %"
            )
            failed |= share > OVERHEAD
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
