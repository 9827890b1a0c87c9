"""Worker processes: tasks out, answers back in order, and none outlives the program, however that ends.

A worker hears its tasks through a pipe and ends when the other end closes, which the system sees to also when the
program is killed. There are pipes alone: no semaphores, shared memory or files, which a killed program would leave.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

from showthrough.errors import PlanError, shown
from showthrough.resources.device import cores
from showthrough.tables import adopt, guests

_HEAD = 8  # bytes that say how long a message is
_DYING = 5  # seconds that a process takes at most whose pipe is closed already
_AHEAD = 2  # tasks for each worker that are under way: it has the next when it is done with one
# Libraries that calculate in threads of their own; with the cores shared among workers, each has its part of them.
_THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS",
)  # fmt: skip


class WorkerKilledError(Exception):
    """A worker process ended in the middle of a task."""


class Workers:
    """Processes that share work. They start with the first task and stay until they are closed.

    What guests registered in this process is the first that a worker hears, so that its tables are the same.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._introduced: set[subprocess.Popen[bytes]] = set()

    def close(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for channel in filter(None, (process.stdin, process.stdout)):
                with suppress(OSError):  # what was not sent any more
                    channel.close()

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What the function gives for the arguments of each task, in their order; a few tasks ahead are under way.

        Raises what the function raises, and WorkerKilledError when a worker is gone.
        """
        under_way: deque[Future[Any]] = deque()
        threads = ThreadPoolExecutor(self._count)  # one waits for each worker
        try:
            for task in tasks:
                self._grow()
                under_way.append(threads.submit(self._ask, function, task))
                if len(under_way) >= _AHEAD * self._count:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _grow(self) -> None:
        if len(self._processes) < self._count:
            process = _started(self._count)
            self._processes.append(process)
            self._idle.put(process)

    def _ask(self, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
        import cloudpickle  # it also sends what was defined at a prompt or in a script

        message = cloudpickle.dumps((function, task))
        process = self._idle.get()
        try:
            if process not in self._introduced:
                _answered(process, _introduction())
                self._introduced.add(process)
            return _answered(process, message)
        finally:
            self._idle.put(process)


def _introduction() -> bytes:
    """What guests registered here, as a task: to have it too. Raises PlanError for a guest that cannot be sent."""
    import cloudpickle

    for kind, entries in guests().items():
        for name, entry in entries.items():
            try:
                cloudpickle.dumps(entry)
            except Exception as error:  # whatever a guest's own pickling raises
                fault = f"cannot be sent to a worker process: {error}; expected what can be pickled, or jobs=1"
                raise PlanError(fault, f"{kind}: {shown(name)}") from error
    return bytes(cloudpickle.dumps((adopt, (guests(),))))


def _answered(process: subprocess.Popen[bytes], message: bytes) -> Any:
    try:
        _send(process.stdin, message)
        received = _received(process.stdout)
    except (OSError, EOFError):
        raise WorkerKilledError(_end(process)) from None
    answer, error = pickle.loads(received)  # noqa: S301 (our own process wrote it)
    if error is not None:
        raise error
    return answer


def _started(count: int) -> subprocess.Popen[bytes]:
    """A process in a session of its own: what is sent to the program's group, as by Ctrl-C, is the program's to handle.

    It finds modules where this one does; -P keeps it from looking in the working directory beside.
    """
    code = f"import sys; sys.path[:] = {sys.path!a}; from showthrough.evaluation.workers import serve; serve()"
    share = str(max(cores() // count, 1))
    return subprocess.Popen(  # noqa: S603 (this very interpreter)
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**dict.fromkeys(_THREADS, share), **os.environ},
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _end(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(_DYING)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if status >= 0:
        return f"a worker process ended with exit status {status}"
    return f"a worker process was killed ({signal.Signals(-status).name}), as the system does when memory runs out"


def serve() -> None:
    """The life of a worker: one task after the other, until nobody listens any more."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # who stops the program stops its workers
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    hearing, saying = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)  # what a library prints must not stand among the answers
    except OSError:
        os.dup2(nothing, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(hearing, tasks), daemon=True).start()
    while True:
        answer = _answer(tasks.get())
        try:
            _send(saying, answer)
        except OSError:
            os._exit(1)


def _listen(hearing: IO[bytes], tasks: queue.SimpleQueue[bytes]) -> None:
    """Takes tasks in; the end of them is the end of the process, also in the middle of a calculation."""
    try:
        while True:
            tasks.put(_received(hearing))
    except (OSError, EOFError):
        os._exit(0)


def _answer(message: bytes) -> bytes:
    """What came of a task, or what was raised."""
    import cloudpickle

    try:
        function, task = pickle.loads(message)  # noqa: S301 (our own program wrote it)
        return bytes(cloudpickle.dumps((function(*task), None)))
    except Exception as error:  # whatever a task raises is the program's to handle: it is sent there
        error.add_note(traceback.format_exc())
        try:
            content = bytes(cloudpickle.dumps((None, error)))
            pickle.loads(content)  # noqa: S301 (as above: some exceptions cannot be made again)
        except Exception:  # of another's making, and pickling it may raise anything
            content = bytes(cloudpickle.dumps((None, RuntimeError(traceback.format_exc()))))
        return content


def _send(channel: IO[bytes] | None, message: bytes) -> None:
    if channel is None:
        raise EOFError
    channel.write(len(message).to_bytes(_HEAD, "little"))
    channel.write(message)
    channel.flush()


def _received(channel: IO[bytes] | None) -> bytes:
    if channel is None:
        raise EOFError
    length = int.from_bytes(_exactly(channel, _HEAD), "little")
    return _exactly(channel, length)


def _exactly(channel: IO[bytes], length: int) -> bytes:
    found = channel.read(length)
    if len(found) < length:
        raise EOFError
    return found
