"""Worker processes of this machine, none of which outlives the program.

A worker hears its tasks through a pipe and ends when the other end closes, which the system sees to also when the
program is killed. There are pipes alone: no semaphores, shared memory or files, which a killed program would leave.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, TypeVar

from showthrough.engines._serialization import call_packed, outcome, packed_plugins, sync_plugins, unpack_result
from showthrough.engines._shared_values import SharedHandle, forget, keep, left_behind, pack_task
from showthrough.engines.base import Engine, LostError, SharedValue, TaskResult, cores, keep_freed_memory

T = TypeVar("T")

_HEAD = 8  # bytes that say how long a message is
_DYING = 5  # seconds that a process takes at most whose pipe is closed already
_AHEAD = 2  # tasks for each worker that are under way: it has the next when it is done with one
_TRIES = 2  # of a task, each in another process
# Libraries that calculate in threads of their own; with the cores shared among workers, each has its part of them.
_THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS",
)  # fmt: skip


class _GoneError(Exception):
    """A worker process ended in the middle of a task."""


class Local(Engine):
    """Processes that share work. They start with the first tasks and stay until they are closed.

    What plugins registered in this process is the first that a worker hears, so that its tables are the same.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: list[_Worker] = []
        self._changing = threading.Lock()  # who belongs to it
        self._closed = False

    def close(self) -> None:
        with self._changing:
            self._closed = True
        for worker in self._all:
            worker.process.kill()
        for worker in self._all:
            worker.end()

    def share(self, value: T) -> SharedValue[T]:
        return SharedHandle(value)

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[TaskResult]:
        plugins = packed_plugins()
        threads = ThreadPoolExecutor(self.workers)  # one waits for each worker
        finished: queue.SimpleQueue[Future[TaskResult]] = queue.SimpleQueue()
        under_way = 0
        try:
            for number, task in enumerate(tasks):
                self._grow()
                future = threads.submit(self._run_task, number, (function, task), plugins)
                future.add_done_callback(finished.put)
                under_way += 1
                if under_way >= _AHEAD * self.workers:
                    yield finished.get().result()
                    under_way -= 1
            for _ in range(under_way):
                yield finished.get().result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _grow(self) -> None:
        if len(self._all) < self.workers:
            self._idle.put(self._start_worker())

    def _start_worker(self, replaced: _Worker | None = None) -> _Worker:
        with self._changing:  # none is started that nobody would end
            if self._closed:
                raise _GoneError("the workers were closed")
            if replaced is not None:
                self._all.remove(replaced)
                replaced.end()
            worker = _Worker(self.workers)
            self._all.append(worker)
        return worker

    def _run_task(self, number: int, task: tuple[Callable[..., Any], tuple[Any, ...]], plugins: bytes) -> TaskResult:
        """What comes of a task. One whose worker is gone is tried again in a new process."""
        worker, fault = self._idle.get(), ""
        try:
            for _ in range(_TRIES):
                try:
                    worker.sync(plugins)
                    return TaskResult(number, worker.ask(*task))
                except _GoneError as error:
                    fault = str(error)
                    worker = self._start_worker(replaced=worker)
            return TaskResult(number, None, LostError(fault))
        finally:
            self._idle.put(worker)


class _Worker:
    """A process, and what it was told so far."""

    def __init__(self, workers: int) -> None:
        self.process = _start_process(workers)
        self._plugins = b""
        self._kept: set[int] = set()  # shared values that it has

    def sync(self, plugins: bytes) -> None:
        if plugins != self._plugins:
            self.ask(sync_plugins, (plugins,))
            self._plugins = plugins

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """What the function gives there; raises what it raises, and _GoneError when the process is gone."""
        message, shared = pack_task(function, arguments)
        if forgotten := left_behind(self._kept):
            self._kept.difference_update(forgotten)
            self.ask(forget, (forgotten,))
        for sent in shared:
            if sent.number not in self._kept:
                self.ask(keep, (sent.number, sent.value))
                self._kept.add(sent.number)
        return self._answer(message)

    def _answer(self, message: bytes) -> Any:
        try:
            _send(self.process.stdin, message)
            content = _receive(self.process.stdout)
        except (OSError, ValueError, EOFError):  # ValueError: closed here
            raise _GoneError(_describe_end(self.process)) from None
        return unpack_result(content)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for channel in filter(None, (self.process.stdin, self.process.stdout)):
            with suppress(OSError):  # what was not sent any more
                channel.close()


def _start_process(workers: int) -> subprocess.Popen[bytes]:
    """A process in a session of its own: what is sent to the program's group, as by Ctrl-C, is the program's to handle.

    It finds modules where this one does; -P keeps it from looking in the working directory beside.
    """
    code = f"import sys; sys.path[:] = {sys.path!a}; from showthrough.engines.local import serve; serve()"
    share = str(max(cores() // workers, 1))
    return subprocess.Popen(  # noqa: S603 (this very interpreter)
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**dict.fromkeys(_THREADS, share), **os.environ},
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _describe_end(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(_DYING)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if status >= 0:
        return f"a worker process ended with exit status {status}"
    return f"a worker process was killed ({signal.Signals(-status).name}), as the system does when memory runs out"


# In the worker.


def serve() -> None:
    """The life of a worker: one task after the other, until nobody listens any more."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # who stops the program stops its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    keep_freed_memory()
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)  # what a library prints must not stand among the answers
    except OSError:
        os.dup2(nothing, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(incoming, tasks), daemon=True).start()
    while True:
        answer = outcome(call_packed, tasks.get())
        try:
            _send(outgoing, answer)
        except OSError:
            os._exit(1)


def _listen(incoming: IO[bytes], tasks: queue.SimpleQueue[bytes]) -> None:
    """Takes tasks in; the end of them is the end of the process, also in the middle of a calculation."""
    try:
        while True:
            tasks.put(_receive(incoming))
    except (OSError, EOFError):
        os._exit(0)


def _send(channel: IO[bytes] | None, message: bytes) -> None:
    if channel is None:
        raise EOFError
    channel.write(len(message).to_bytes(_HEAD, "little"))
    channel.write(message)
    channel.flush()


def _receive(channel: IO[bytes] | None) -> bytes:
    if channel is None:
        raise EOFError
    length = int.from_bytes(_read_exactly(channel, _HEAD), "little")
    return _read_exactly(channel, length)


def _read_exactly(channel: IO[bytes], length: int) -> bytes:
    content = channel.read(length)
    if len(content) < length:
        raise EOFError
    return content
