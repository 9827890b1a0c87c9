"""Workers of a Ray cluster: actors, each with a core or an accelerator of its own, which keep loaded what they loaded.

An actor is sent as code and not by name, so that a machine that lacks the package, or has another version of it, can
say so. What was put to work is kept here until its answer has come: a machine that is gone takes nothing along.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from showthrough.core.errors import InputError, PlanError, Problem, ResourceError, shorten
from showthrough.engines._ray_cluster import Cluster, asks_for_token, connect
from showthrough.engines._serialization import call_packed, outcome, packed_plugins, unpack_result
from showthrough.engines._shared_values import SharedHandle, forget, keep, left_behind, pack_task
from showthrough.engines.base import Engine, GoneError, LostError, SharedValue, TaskResult
from showthrough.version import __version__

T = TypeVar("T")

_AHEAD = 2  # tasks for each worker that are under way: it has the next when it is done with one
_TRIES = 3  # of a task, each by another worker
_PATIENCE = 600.0  # seconds that may pass without any worker: a cluster may have to start machines first
_LOOK = 5.0  # seconds between two looks at the clock
_SILENT = 3  # looks in a row after which a head that is silent is taken for gone
_GREETING = 60.0  # seconds in which each machine of a cluster has to say what it has


@dataclass(eq=False)
class _Task:
    """What is to be done, kept until it is."""

    number: int
    message: bytes
    shared: Sequence[SharedHandle[Any]]
    failed: int = 0
    suspected: bool = False  # of having ended a worker


@dataclass(eq=False)
class _Worker:
    """An actor, what it was told so far, and what it is to do."""

    actor: Any
    node: str = ""
    plugins: bytes = b""
    values: set[int] = field(default_factory=set)  # shared values that it has
    tasks: dict[Any, _Task] = field(default_factory=dict)  # in the order in which it does them, by their answers to be

    def has_room_for(self, task: _Task) -> bool:
        """What a worker had that ended is tried alone: an answer that is on its way then is lost, too, so that of two
        tasks the first may be blamed for the second."""
        if task.suspected or any(active_task.suspected for active_task in self.tasks.values()):
            return not self.tasks
        return len(self.tasks) < _AHEAD


class Pool(Engine):
    """Actors of one kind. They start with the first tasks and stay until they are closed."""

    def __init__(self, workers: int, needs: Mapping[str, Any], cluster: Cluster) -> None:
        self.workers = workers
        self._needs = needs
        self._cluster = cluster
        self._own = cluster.own
        self._ready: list[_Worker] = []
        self._starting: dict[Any, _Worker] = {}  # by what they are asked first
        self._stored: dict[
            int, tuple[Any, Sequence[SharedHandle[Any]]]
        ] = {}  # shared values, and those that they hold in turn
        self._fault = "no worker came"

    def share(self, value: T) -> SharedValue[T]:
        return SharedHandle(value)

    def close(self) -> None:
        for worker in [*self._ready, *self._starting.values()]:
            self._dismiss(worker)
        self._stored.clear()

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        import ray

        plugins, numbered = packed_plugins(), enumerate(tasks)
        waiting: deque[_Task] = deque()
        under_way, more, seen = 0, True, time.monotonic()
        try:
            while True:
                while more and under_way < _AHEAD * self.workers:
                    number, task = next(numbered, (-1, ()))
                    more = number >= 0
                    if more:
                        waiting.append(_Task(number, *pack_task(function, task)))
                        under_way += 1
                        self._grow(len(waiting), plugins)
                if not under_way:
                    return
                self._hand_out(waiting, plugins)
                pending = [*self._starting, *(answer for worker in self._ready for answer in worker.tasks)]
                answers = ray.wait(pending, num_returns=1, timeout=_LOOK)[0] if pending else []
                if not answers:
                    self._look_for_the_head()
                for done in [task_result for answer in answers for task_result in self._looked_at(answer, waiting)]:
                    under_way -= 1
                    yield done
                if self._ready:
                    seen = time.monotonic()
                elif not self._starting or time.monotonic() - seen > _PATIENCE:
                    self._grow(1, plugins)
                    under_way -= len(waiting)
                    yield from (TaskResult(task.number, None, LostError(self._fault)) for task in waiting)
                    waiting.clear()
                    seen = time.monotonic()
        finally:
            for worker in [candidate for candidate in self._ready if candidate.tasks]:  # nobody waits for it any more
                self._dismiss(worker)

    def _grow(self, count: int, plugins: bytes) -> None:
        import ray

        while len(self._starting) < count and len(self._ready) + len(self._starting) < self.workers:
            self._look_for_the_head()
            kind = ray.remote(_actor()).options(**self._needs, max_restarts=0, scheduling_strategy="SPREAD")
            actor = kind.remote(sys.path if self._own else [], str(Path.cwd()))
            self._starting[actor.begin.remote(plugins, __version__)] = _Worker(actor, plugins=plugins)

    def _look_for_the_head(self) -> None:
        """Raises GoneError where it is silent for long. Ray would wait for a minute, and end the program unsaid."""
        for _ in range(_SILENT):
            if self._cluster.answers():
                return
            time.sleep(_LOOK)
        raise GoneError(f"the head of the Ray cluster at {self._cluster.address} does not answer any more")

    def _hand_out(self, waiting: deque[_Task], plugins: bytes) -> None:
        while waiting and (free := [candidate for candidate in self._ready if candidate.has_room_for(waiting[0])]):
            worker, task = min(free, key=lambda candidate: len(candidate.tasks)), waiting.popleft()
            if worker.plugins != plugins:
                worker.actor.sync.remote(plugins)
                worker.plugins = plugins
            left = left_behind(worker.values)
            worker.values.difference_update(left)
            values = {
                shared_value.number: [self._value(shared_value)]
                for shared_value in self._all(task.shared)
                if shared_value.number not in worker.values
            }
            worker.values.update(values)
            worker.tasks[worker.actor.work.remote(task.message, values, left)] = task
        for number in left_behind(self._stored):
            del self._stored[number]

    def _value(self, shared_value: SharedHandle[Any]) -> Any:
        """Where the store of the cluster has a shared value."""
        return self._stored[shared_value.number][0]

    def _all(self, shared: Sequence[SharedHandle[Any]]) -> Iterator[SharedHandle[Any]]:
        """Shared values, those first that others hold."""
        import ray

        for shared_value in shared:
            if shared_value.number not in self._stored:
                message, inner = pack_task(_itself, (shared_value.value,))
                self._stored[shared_value.number] = ray.put(message), inner
            yield from self._all(self._stored[shared_value.number][1])
            yield shared_value

    def _looked_at(self, answer: Any, waiting: deque[_Task]) -> Iterator[TaskResult]:
        """What there is to say of what came: of a new worker, or of a task."""
        if answer in self._starting:
            self._greet(answer)
            return
        worker = next(candidate for candidate in self._ready if answer in candidate.tasks)
        try:
            task, content = worker.tasks[answer], _got(answer)
        except _GoneError:
            yield from self._mourn(worker, waiting)
            return
        del worker.tasks[answer]
        yield from self._yield_result(worker, task, content, waiting)

    def _yield_result(
        self, worker: _Worker, task: _Task, content: bytes, waiting: deque[_Task]
    ) -> Iterator[TaskResult]:
        try:
            yield TaskResult(task.number, unpack_result(content))
        except MemoryError:  # another machine may have more
            yield from self._retry(task, waiting, f"memory ran out on worker {worker.node}")
        except InputError as error:
            raise error if self._own else error.at(f"on worker {worker.node}") from error
        except ResourceError as error:
            raise error if self._own else PlanError(str(error), f"worker {worker.node}") from error

    def _retry(self, task: _Task, waiting: deque[_Task], fault: str) -> Iterator[TaskResult]:
        task.failed += 1
        if task.failed < _TRIES:
            waiting.append(task)
        else:
            yield TaskResult(task.number, None, LostError(f"{fault}, as in {_TRIES - 1} tries before"))

    def _mourn(self, worker: _Worker, waiting: deque[_Task]) -> Iterator[TaskResult]:
        """A worker is gone. What it was at is tried elsewhere; what lay there behind is not to blame."""
        tasks, fault = worker.tasks, f"a worker on {worker.node} was gone in the middle of it"
        worker.tasks = {}
        self._dismiss(worker)
        blamed = False
        for answer, task in tasks.items():
            try:
                yield from self._yield_result(worker, task, _got(answer), waiting)
            except _GoneError:
                task.suspected = True
                if blamed:
                    waiting.appendleft(task)
                else:
                    yield from self._retry(task, waiting, fault)
                blamed = True
        self._grow(len(self._starting) + 1, worker.plugins)

    def _greet(self, answer: Any) -> None:
        """Takes a worker in, unless what it has does not fit; such machines come later, or would have been refused."""
        worker = self._starting.pop(answer)
        try:
            worker.node, fault = _got(answer)
        except _GoneError as error:
            fault = f"a worker could not be started: {error}"
        if fault:
            self._fault = fault
            self._dismiss(worker)
        else:
            self._ready.append(worker)

    def _dismiss(self, worker: _Worker) -> None:
        import ray

        with suppress(ValueError):
            self._ready.remove(worker)
        self._starting = {answer: other for answer, other in self._starting.items() if other is not worker}
        with suppress(Exception):  # it is gone already, or Ray is
            ray.kill(worker.actor)


class RayEngine(Pool):
    """The cores of a cluster: of one at an address, or of this machine. For models it has the accelerators."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self._cluster = connect(address, workers)  # which says what Ray has to know before it is imported
        import ray

        try:
            resources = ray.cluster_resources()
            cores, self._accelerators = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
            if not cores:
                raise PlanError("the cluster has no cores for workers; expected one at least", "engine ray")
            super().__init__(min(workers or cores, cores), {"num_cpus": 1}, self._cluster)
            self._for_models: Pool | None = None
            if not self._own:
                _look_around()
        except BaseException:
            self._cluster.end()
            raise

    def for_models(self) -> Engine:
        if not self._accelerators:
            return self
        if self._for_models is None:
            self._for_models = Pool(self._accelerators, {"num_cpus": 0, "num_gpus": 1}, self._cluster)
        return self._for_models

    def close(self) -> None:
        if self._for_models is not None:
            self._for_models.close()
        super().close()
        self._cluster.end()


class _GoneError(Exception):
    """What was asked for will not come: whoever was asked is gone."""


def _got(answer: Any) -> Any:
    """An answer that is there."""
    import ray

    try:
        return ray.get(answer)
    except ray.exceptions.RayError as error:
        raise _GoneError(shorten(str(error).partition("\n")[0], 160)) from None


def _look_around() -> None:
    """Asks each machine of the cluster what it has, before any work. Raises PlanError where it is not what is here."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    look = ray.remote(_looker())
    addresses = {
        look.options(
            num_cpus=0, max_retries=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote(__version__, asks_for_token()): node["NodeManagerAddress"]
        for node in nodes
    }
    problems = []
    for answer in ray.wait(list(addresses), num_returns=len(addresses), timeout=_GREETING)[0]:
        with suppress(_GoneError):  # a machine that goes meanwhile is none of the cluster
            if fault := _got(answer):
                problems.append(Problem("", f"worker {addresses[answer]}", fault))
    if problems:
        raise InputError(problems)


def _looker() -> Callable[..., str]:
    """What each machine runs; as it is made in here, it travels as code and needs nothing there."""

    def look(expected: str, token: bool = False) -> str:
        try:
            from showthrough.version import __version__
        except ImportError as error:
            return f"showthrough cannot be imported there ({error}); expected showthrough {expected}, as here"
        if __version__ != expected:
            return f"found showthrough {__version__}; expected {expected}, as here"
        from showthrough.engines._ray_cluster import asks_for_token

        if token and not asks_for_token():  # it would not be answered here, and end without a word
            return "asks for no token, and here there is one; expected RAY_AUTH_MODE=disabled here, or token there"
        return ""

    return look


def _actor() -> type:
    look = _looker()

    class Worker:
        """One that works. Its methods find what they need where it is."""

        def __init__(self, path: list[str], folder: str) -> None:
            import os
            import sys
            from contextlib import suppress

            if path:
                sys.path[:] = path
            with suppress(OSError):  # paths are relative to it, where storage is shared
                os.chdir(folder)

        def begin(self, plugins: bytes, expected: str) -> tuple[str, str]:
            """Where it is, and what is wrong with what is installed there."""
            import ray

            fault = look(expected)
            if not fault:
                self.sync(plugins)
            return str(ray.util.get_node_ip_address()), fault

        def sync(self, plugins: bytes) -> None:
            from showthrough.engines._serialization import sync_plugins

            sync_plugins(plugins)

        def work(self, message: bytes, values: dict[int, list[Any]], left: list[int]) -> bytes:
            from showthrough.engines._ray import run_task

            return run_task(message, values, left)

    return Worker


def run_task(message: bytes, values: dict[int, list[Any]], left: list[int]) -> bytes:
    """In the worker: does a task, with the shared values that it has not met before."""
    return outcome(_run_task, message, values, left)


def _run_task(message: bytes, values: dict[int, list[Any]], left: list[int]) -> Any:
    import ray

    forget(left)
    for number, (reference,) in values.items():
        keep(number, call_packed(ray.get(reference)))
    return call_packed(message)


def _itself(value: T) -> T:
    return value
