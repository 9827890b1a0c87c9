"""Worker processes: answers in order, errors as they are, and none left."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cloudpickle
import pytest

from showthrough import METRICS, Anonymization, Corpus, Document, InputError, Mask, Metric, PlanError, Rows, evaluate
from showthrough.errors import ChangedError, Problem
from showthrough.evaluation.workers import WorkerKilledError, Workers
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Chunk


@pytest.fixture(autouse=True)
def at_a_prompt() -> Iterator[None]:
    """What is defined here travels as if it were defined in a script: workers need not find this file."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def workers() -> Iterator[Workers]:
    found = Workers(2)
    yield found
    found.close()


def doubled(number: int) -> tuple[int, int]:
    time.sleep(0.05 if number % 3 == 0 else 0)
    print("what a library prints is no answer")
    return number * 2, os.getpid()


def test_answers_come_in_the_order_of_the_tasks(workers: Workers) -> None:
    found = list(workers.map(doubled, ((number,) for number in range(20))))
    assert [number for number, _ in found] == list(range(0, 40, 2))
    pids = {pid for _, pid in found}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {pid for _, pid in workers.map(doubled, [(1,), (2,), (3,)])} <= pids  # they stay for more
    workers.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_only_a_few_tasks_are_taken_ahead(workers: Workers) -> None:
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
def test_errors_come_back_as_they_are(error: Exception, workers: Workers) -> None:
    with pytest.raises(type(error)) as caught:
        list(workers.map(failing, [(error,)]))
    assert str(caught.value) == str(error)
    assert getattr(caught.value, "problems", None) == getattr(error, "problems", None)
    assert [number for number, _ in workers.map(doubled, [(1,)])] == [2]


def dying(how: str) -> None:
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("how", "said"), [("exit", "ended with exit status 3"), ("kill", r"was killed \(SIGKILL\), as the system does")]
)
def test_a_worker_that_is_gone(how: str, said: str, workers: Workers) -> None:
    with pytest.raises(WorkerKilledError, match=said):
        list(workers.map(dying, [(how,)]))


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
