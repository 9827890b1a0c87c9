"""Worker processes: every answer, errors as they are, a second try for those that are killed, and none left."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from showthrough import (
    METRICS,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Interrupted,
    Mask,
    Metric,
    PlanError,
    Rows,
    evaluate,
)
from showthrough.core.errors import ChangedError, Problem
from showthrough.engines.base import InProcess, SharedValue, open_engine
from showthrough.engines.local import Local
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Chunk


@pytest.fixture(autouse=True)
def at_a_prompt() -> Iterator[None]:
    """What is defined here travels as if it were defined in a script: workers need not find this file."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def workers() -> Iterator[Local]:
    found = Local(2)
    yield found
    found.close()


def doubled(number: int) -> tuple[int, int]:
    time.sleep(0.05 if number % 3 == 0 else 0)
    print("what a library prints is no answer")
    return number * 2, os.getpid()


def test_every_task_is_answered_and_nobody_is_left(workers: Local) -> None:
    found = list(workers.map(doubled, ((number,) for number in range(20))))
    assert {done.task: done.value[0] for done in found} == {number: 2 * number for number in range(20)}
    pids = {done.value[1] for done in found}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {done.value[1] for done in workers.map(doubled, [(1,), (2,), (3,)])} <= pids  # they stay for more
    workers.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_answers_in_the_order_of_the_tasks(workers: Local) -> None:
    assert [value for value, _ in workers.in_order(doubled, ((number,) for number in range(20)))] == list(
        range(0, 40, 2)
    )


def waiting(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_who_is_slow_keeps_nobody_waiting(workers: Local) -> None:
    assert [done.value for done in workers.map(waiting, [(0.5,), (0,), (0,), (0,), (0,), (0,)])] == [0] * 5 + [0.5]


def test_only_a_few_tasks_are_taken_ahead(workers: Local) -> None:
    taken = []

    def tasks() -> Iterator[tuple[int]]:
        for number in range(50):
            taken.append(number)
            yield (number,)

    answers = workers.map(doubled, tasks())
    next(answers)
    assert len(taken) == 4


def failing(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    "error",
    [
        InputError([Problem("f", "p", "m"), Problem("g", "p", "m")]),
        PlanError("message", "place"),
        ChangedError(Problem("f", "", "changed")),
        MemoryError("no more"),
        ValueError("wrong"),
    ],
)
def test_errors_come_back_as_they_are(error: Exception, workers: Local) -> None:
    with pytest.raises(type(error)) as caught:
        list(workers.map(failing, [(error,)]))
    assert str(caught.value) == str(error)
    assert getattr(caught.value, "problems", None) == getattr(error, "problems", None)
    assert [number for number, _ in workers.in_order(doubled, [(1,)])] == [2]


def dying(how: str, mark: str) -> str:
    """Ends its process, once for each mark."""
    if how and not (mark and Path(mark).exists()):
        if mark:
            Path(mark).touch()
        if how == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("how", ["exit", "kill"])
def test_a_worker_that_is_gone_is_replaced(how: str, workers: Local, tmp_path: Path) -> None:
    tasks = [(how if number == 3 else "", str(tmp_path / "died")) for number in range(8)]
    assert [done[1:] for done in workers.map(dying, tasks)] == [("done", None)] * 8


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("how", "said"), [("exit", "ended with exit status 3"), ("kill", "was killed (SIGKILL), as the system does")]
)
def test_a_task_that_kills_every_worker_is_given_up_and_the_rest_done(how: str, said: str, workers: Local) -> None:
    found = {done.task: done for done in workers.map(dying, [(how if number == 3 else "", "") for number in range(8)])}
    assert {number for number, done in found.items() if done.lost} == {3}
    assert said in str(found[3].lost)
    assert [found[number].value for number in (0, 1, 2, 4, 5, 6, 7)] == ["done"] * 7


class Counted:
    """A value that tells how often it travelled."""

    sent = 0

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        Counted.sent += 1
        return Counted, (self.name,)


def named(number: int, *values: SharedValue[Any]) -> tuple[int, list[str], int, int]:
    from showthrough.engines import _shared_values

    found = [one.value for one in values]
    return (
        number,
        [one.name if isinstance(one, Counted) else one[0].value.name for one in found],
        len(_shared_values._here),
        os.getpid(),
    )


def test_a_shared_value_travels_once_to_each_worker_and_is_forgotten(workers: Local) -> None:
    Counted.sent = 0
    one, two = workers.share(Counted("one")), workers.share(Counted("two"))
    inside = workers.share([two])  # which holds another
    found = list(workers.in_order(named, ((number, one, inside) for number in range(20))))
    assert [(number, names) for number, names, *_ in found] == [(number, ["one", "two"]) for number in range(20)]
    assert Counted.sent == 2 * len({pid for *_, pid in found})  # two values, to whoever works
    del one, two, inside
    last = {pid: held for _, _, held, pid in workers.in_order(named, ((number,) for number in range(20)))}
    assert set(last.values()) == {0}


def test_which_engine_settings_ask_for() -> None:
    with open_engine() as alone, open_engine(jobs=1) as one, open_engine(jobs=3) as three:
        assert (isinstance(alone, InProcess), isinstance(one, InProcess)) == (True, True)
        assert (isinstance(three, Local), three.workers) == (True, 3)
    with (
        pytest.raises(PlanError, match=r"address: found '10.0.0.1:6379', which is for Ray alone"),
        open_engine(address="10.0.0.1:6379"),
    ):
        pass


@dataclass(frozen=True)
class Kept(Metric):
    """Share of characters that are not masked."""

    group = "utility"
    title = "Kept characters"
    undefined = "there is no text"

    def bind(self, chunk: Chunk) -> Any:
        corpus = chunk.corpus
        length = [len(document.text) for document in corpus]
        return lambda one: Rows.of(
            masked=[sum(mask.end - mask.start for mask in one.of(document.id)) for document in corpus], length=length
        )

    def combine(self, totals: Any) -> Any:
        return {HEADLINE: 1 - ratio(totals["masked"], totals["length"])}


def test_a_metric_of_ones_own_is_sent_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the table of this program alone; workers look it up nowhere."""
    monkeypatch.setitem(METRICS, "kept", Kept())
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=10, start=0: chunks(self, characters, start))
    corpus = Corpus([Document(str(number), "ten letter") for number in range(6)])
    masks = Anonymization({str(number): [Mask(0, number + 1)] for number in range(6)}, "a")
    run = evaluate(corpus, masks, ["kept"], jobs=2, resamples=0)
    assert run["a", "kept"].value == 1 - 21 / 60  # 1 + 2 + 3 + 4 + 5 + 6 of 6 × 10 characters


def killing(chunk: Any) -> None:
    if chunk.corpus.documents[0].id == "d2":
        os._exit(1)


@dataclass(frozen=True)
class Deadly(Kept):
    """Ends the process that looks at one document."""

    def bind(self, chunk: Chunk) -> Any:
        killing(chunk)
        return super().bind(chunk)


def test_documents_that_nobody_can_work_on_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "deadly", Deadly())
    chunks = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=10, start=0: chunks(self, characters, start))
    corpus = Corpus([Document(f"d{number}", "ten letter") for number in range(6)])
    masks = Anonymization({f"d{number}": [Mask(0, number + 1)] for number in range(6)}, "a")
    with pytest.raises(Interrupted) as caught:
        evaluate(corpus, masks, ["deadly"], jobs=2, resamples=0)
    assert caught.value.reason == (
        "a worker process ended with exit status 1; 1 document given up: d2; fewer --jobs need less (in Python, jobs=1)"
    )
    assert caught.value.partial.scores == []
