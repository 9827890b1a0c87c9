"""An engine for tests: nobody else is there, but whatever would travel to a worker and back is packed and unpacked."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import cloudpickle

from showthrough.engines.base import InProcess, TaskResult


class Pickling(InProcess):
    """Takes itself for several workers, finishes every two tasks in the wrong order, and counts them."""

    workers = 2

    def __init__(self) -> None:
        self.tasks = 0

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        waiting: TaskResult | None = None
        for number, task in enumerate(tasks):
            self.tasks += 1
            there, arguments = _unpacked((function, task))
            done = TaskResult(number, _unpacked(there(*arguments)))
            if waiting is None:
                waiting = done
            else:
                yield from (done, waiting)
                waiting = None
        if waiting is not None:
            yield waiting


def _unpacked(value: Any) -> Any:
    return pickle.loads(cloudpickle.dumps(value))  # noqa: S301 (packed right here)
