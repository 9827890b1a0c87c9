"""Workers as an engine has them, for tests: what is sent to them is pickled, and they finish in another order."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from showthrough.engines.base import Engine, InProcess, SharedValue, TaskResult


class Elsewhere(Engine):
    """Workers that are far away: all tasks are sent at once, and the last is done first."""

    workers = 3

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        sent = [pickle.dumps((function, task)) for task in tasks]
        for number in reversed(range(len(sent))):
            there, task = pickle.loads(sent[number])  # noqa: S301 (our own bytes)
            yield TaskResult(number, pickle.loads(pickle.dumps(there(*task))))  # noqa: S301

    def share(self, value: Any) -> SharedValue[Any]:
        return InProcess().share(value)

    def close(self) -> None:
        """There is nobody."""
