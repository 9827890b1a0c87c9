"""The interface of engines: a function and many tasks in, the result of each task out as soon as it is ready."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, NamedTuple, TypeVar

from showthrough.core.errors import PlanError, quote_value

T = TypeVar("T")
Watch = Callable[[str, int, int], None]  # what is being done, how much of it is done, and of how much

_MINUTE, _HOUR = 60, 3600


def describe_seconds(seconds: float) -> str:
    """A length of time as people say it.

    >>> describe_seconds(45), describe_seconds(1200), describe_seconds(12600)
    ('45 s', '20 min', '3.5 h')
    """
    if seconds < 1.5 * _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < 1.5 * _HOUR else f"{seconds / _HOUR:.1f} h"


class LostError(Exception):
    """A task was given up: whoever worked on it ended in the middle of it, also when others tried it again."""


class GoneError(LostError):
    """Nobody is there any more who could do any task at all."""


class TaskResult(NamedTuple):
    """What came of a task: a value, or why there is none."""

    task: int  # its number, from 0 on
    value: Any
    lost: LostError | None = None


class SharedValue(ABC, Generic[T]):
    """A value that travels to a worker once, however many tasks ask for it."""

    @property
    @abstractmethod
    def value(self) -> T: ...


class Engine(ABC):
    """Workers that share tasks. Functions and arguments travel to them; no number hangs on who did what."""

    workers: int  # tasks that are worked on at the same time; 1: in this very process, one after the other

    @abstractmethod
    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        """Calls the function with the arguments of each task, and gives what comes in the order in which it comes.

        Tasks are taken from the iterable as workers need them, a few ahead, so that it may be as long as it likes. What
        the function raises is raised here. A task whose worker is gone is tried again elsewhere, and `lost` at last;
        where all are gone for good, GoneError is raised.
        """

    @abstractmethod
    def share(self, value: T) -> SharedValue[T]:
        """A value for many tasks, sent to each worker once at most."""

    def for_models(self) -> Engine:
        """Workers with an accelerator each, where there are any; they are closed with these."""
        return self

    @abstractmethod
    def close(self) -> None: ...

    def in_order(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """The values of all tasks in their order; raises LostError where one was given up."""
        waiting: dict[int, Any] = {}
        following = 0
        for done in self.map(function, tasks):
            if done.lost is not None:
                raise done.lost
            waiting[done.task] = done.value
            while following in waiting:
                yield waiting.pop(following)
                following += 1


class _LocalValue(SharedValue[T]):
    def __init__(self, value: T) -> None:
        self._value = value

    @property
    def value(self) -> T:
        return self._value


class InProcess(Engine):
    """No workers at all: every task is done in this process when it is asked for."""

    workers = 1

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        for number, task in enumerate(tasks):
            yield TaskResult(number, function(*task))

    def share(self, value: T) -> SharedValue[T]:
        return _LocalValue(value)

    def close(self) -> None:
        """There are no workers to close."""


def cores() -> int:
    """How many cores there are to use. Whoever set a number, as is done for worker processes, knows why."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    if setting.isdigit() and int(setting):
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Of the GNU C library, by number: from how many free bytes on it gives them back, and how large a block is that gets
# pages of its own, which go back with it. So no more than the first is kept in vain.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = (-1, 1 << 26), (-3, 1 << 25)


def keep_freed_memory() -> None:
    """Memory that arrays no longer need stays with the process, for the arrays of the next chunk.

    The GNU C library would give it back each time, and the system would clear every page anew. That took a tenth of an
    evaluation. Other libraries are left as they are. The most memory that is used at once stays the same.
    """
    if sys.platform != "linux":
        return
    import ctypes  # which NumPy imports as well

    with suppress(OSError, AttributeError):
        tune = ctypes.CDLL(None).mallopt
        for parameter, value in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            tune(parameter, value)


@contextmanager
def open_engine(engine: str = "local", jobs: int | None = None, address: str | None = None) -> Iterator[Engine]:
    """Raises PlanError for an engine that cannot be had; whatever was started is gone at the end."""
    instance = _open_engine(engine, jobs, address)
    try:
        yield instance
    finally:
        instance.close()


def _open_engine(engine: str, jobs: int | None, address: str | None) -> Engine:
    if engine == "ray":
        from showthrough.engines._ray import RayEngine

        return RayEngine(address, jobs)
    if address is not None:
        raise PlanError(
            f"found {quote_value(address)}, which is for Ray alone; expected --engine ray with it", "address"
        )
    if (jobs or 1) == 1:
        return InProcess()
    from showthrough.engines.local import Local

    return Local(jobs or 1)
