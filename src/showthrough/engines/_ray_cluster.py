"""Connects to a Ray cluster at an address, or starts one on this machine that ends with the program.

Ray tells its makers about its use unless it is told not to; here it always is. It prints much, waits for minutes where
nobody listens, and takes over the signals of a program: none of that reaches whoever asked for it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.engines import _ray_session
from showthrough.engines.base import cores

_CONNECT_TIMEOUT = 5.0  # seconds in which an address has to answer
_MAX_FOLDER_NAME = (
    8  # characters of the folder that all of it is in: Ray has sockets there, whose names may have 107 in all
)
_PREFIX = "showthrough-ray-"
_EXPECTED = "expected HOST:PORT of a cluster's head, or auto on one of its machines"
# What a client says first in HTTP/2, and an empty frame of settings, which a server answers with its own.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_SETTINGS = 4  # the kind of that frame
# What Ray and its processes are told before they start.
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing leaves the machine
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def connect(address: str | None, workers: int | None) -> Cluster:
    """Raises PlanError where there is no Ray, or none at the address."""
    for name, value in _QUIET.items():
        os.environ[name] = value if name == "RAY_USAGE_STATS_ENABLED" else os.environ.get(name, value)
    if find_spec("ray") is None:
        raise PlanError("needs Ray, which is not installed: pip install 'showthrough[ray]'", "engine ray")
    if "ray" not in sys.modules:  # it reads these when it is imported
        _set_token(address)
    import ray

    head = None if address is None else _find_head(address)
    if ray.is_initialized():  # by the program that calls: its cluster, and its own to end
        current = ray.get_runtime_context().gcs_address
        if head not in (None, current):
            fault = f"this program is connected to the Ray cluster at {current} already; expected that one, or none"
            raise PlanError(fault, f"address {shorten(str(address))}")
        return Cluster(None)
    if head is not None:
        _connect(address, address=head)
        return Cluster(None, ends=True)
    if find_spec("ray._private.authentication") is None:
        fault = f"Ray {ray.__version__} lets anybody in the network run programs here; expected 2.60 or later"
        raise PlanError(fault, "engine ray")
    session = _start_session(_folder_to_be(), workers or cores())
    try:
        answer = session.stdout.readline() if session.stdout else b""
        head, fault = json.loads(answer) if answer else ("", "it ended at once")
        if fault:
            raise PlanError(f"Ray cannot be started here: {fault}", "engine ray")
        _connect(None, address=head)
    except BaseException:
        session.communicate()
        raise
    return Cluster(session, ends=True)


def _start_session(folder: Path, workers: int) -> subprocess.Popen[bytes]:
    """A process that starts a Ray, says where it is or why there is none, and ends all of it with this process."""
    code = f"import sys; sys.path[:] = {sys.path!a}; from showthrough.engines._ray_cluster import start; start()"
    return subprocess.Popen(  # noqa: S603 (this very interpreter)
        [
            *(sys.executable, "-I", "-S", _ray_session.__file__, str(folder)),
            *(sys.executable, "-P", "-c", code, str(folder), str(workers)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def start() -> None:
    """In another process: starts a Ray, says where it is or why there is none, and stays."""
    folder, workers = Path(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(os.dup(1), "w") as program, _silent():
        try:
            import ray

            folder.mkdir(0o700)
            # Ray opens the folder that it is given to everybody: the one around it is closed.
            ray.init(
                address="local", num_cpus=workers, _temp_dir=str(folder / "r"), include_dashboard=False,
                log_to_driver=False, configure_logging=False, logging_level=logging.CRITICAL,
            )  # fmt: skip
            answer = ray.get_runtime_context().gcs_address, ""
        except (Exception, SystemExit) as error:  # of whatever kind: Ray has many, and some that are no errors
            answer = "", _first_line(error)
        print(json.dumps(answer), file=program, flush=True)
        sys.stdin.read()  # until who ends all of it has ended itself


def _set_token(address: str | None) -> None:
    """Ray listens to the whole network: who speaks to it may have to know a word."""
    if address is None:  # which is written nowhere
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    if address is None or _has_token():  # `ray start` asks for it where there is one
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _has_token() -> bool:
    """Whether there is a token where Ray looks for one."""
    if os.environ.get("RAY_AUTH_TOKEN"):
        return True
    try:
        usual = Path.home() / ".ray" / "auth_token"
        return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or usual).is_file()
    except (OSError, RuntimeError):  # no home
        return False


def asks_for_token() -> bool:
    """Whether Ray does so in this process."""
    try:
        from ray._private.authentication.authentication_utils import is_token_auth_enabled
    except ImportError:  # of another version
        return False
    return bool(is_token_auth_enabled())


class Cluster:
    """What this program is connected to."""

    def __init__(self, session: subprocess.Popen[bytes] | None, ends: bool = False) -> None:
        self._start_session = session  # of a cluster of its own
        self._ends = ends

    @cached_property
    def address(self) -> str:
        """Where its head is."""
        import ray

        return str(ray.get_runtime_context().gcs_address)

    def answers(self) -> bool:
        """Whether its head still listens."""
        host, _, port = self.address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT).close()
        except OSError:
            return False
        return True

    @property
    def own(self) -> bool:
        """Whether it is of this machine and this program alone."""
        return self._start_session is not None

    def end(self) -> None:
        import ray

        try:
            if self._ends:
                with _silent(), _own_signals():
                    ray.shutdown()
        finally:
            if self._start_session is not None:
                self._start_session.communicate()


def _connect(user_address: str | None, **options: Any) -> None:
    """Connects to the cluster at an address, or to that of this program; raises PlanError where that fails."""
    import ray

    logging.getLogger("ray").setLevel(logging.CRITICAL)
    try:
        with _silent(), _own_signals():
            _hush()
            ray.init(
                **options, namespace="showthrough", log_to_driver=False, configure_logging=False,
                logging_level=logging.CRITICAL,
            )  # fmt: skip
    except BaseException as error:  # of whatever kind: Ray has many, and some that are no errors
        with suppress(Exception), _silent():
            ray.shutdown()
        if isinstance(error, SystemExit) and error.code == signal.SIGTERM:  # which Ray takes so meanwhile
            raise KeyboardInterrupt from None
        if not isinstance(error, Exception | SystemExit):
            raise
        if user_address is None:
            raise PlanError(f"Ray cannot be started here: {_first_line(error)}", "engine ray") from error
        why = f"Ray cannot be used there: {_first_line(error)}; {_EXPECTED}, and the token that it asks for, if any"
        raise PlanError(why, f"address {shorten(user_address)}") from error


def _hush() -> None:
    """Ray prints on standard output what befalls its machines, whatever it is told; what matters is told here."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *values, **options: None
    if not isinstance(threading.excepthook, _ThreadErrorHook):
        threading.excepthook = _ThreadErrorHook(threading.excepthook)


class _ThreadErrorHook:
    """Tells of threads that failed, but for Ray's, which do so when its head is gone."""

    def __init__(self, usual: Callable[[threading.ExceptHookArgs], object]) -> None:
        self._usual = usual

    def __call__(self, failed: threading.ExceptHookArgs) -> None:
        if failed.thread is None or not failed.thread.name.startswith("ray_"):
            self._usual(failed)


def _first_line(error: BaseException) -> str:
    lines = [" ".join(line.split()) for line in re.split(r"\n|(?<=\.) ", str(error)) if line.strip()]
    return shorten((lines or [type(error).__name__])[0].rstrip("."), 200)


def _find_head(address: str) -> str:
    """Where the head is; raises PlanError where nobody answers as one. Ray itself would try for minutes, or abort."""
    where = f"address {shorten(address)}"
    if "://" in address or (address != "auto" and ":" not in address):
        raise PlanError(f"found {quote_value(address)}; {_EXPECTED}", where)
    head = _resolve(address)
    if not head and address == "auto":
        raise PlanError("no Ray cluster runs on this machine: start one with `ray start --head`, or name one", where)
    host, _, port = head.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise PlanError(f"found {quote_value(head or address)}; {_EXPECTED}", where)
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT) as line:
            answers = os.environ.get("RAY_USE_TLS") == "1" or _answers(line)
    except OSError as error:
        why = error.strerror or str(error) or "no answer"
        raise PlanError(f"nobody answers at {head} ({why}); is the cluster's head running there?", where) from error
    if not answers:
        raise PlanError(f"what answers at {head} is no Ray cluster; {_EXPECTED}", where)
    return head


def _resolve(address: str) -> str:
    """The head's address as Ray takes it, also that of `auto`; empty where there is none."""
    from ray._private.services import canonicalize_bootstrap_address

    with _silent(), suppress(Exception, SystemExit):  # of many kinds, and they differ from version to version
        return canonicalize_bootstrap_address(address) or ""
    return ""


def _answers(line: socket.socket) -> bool:
    """Whether whoever listens speaks as a Ray head does."""
    line.sendall(_HELLO)
    frame = b""
    while len(frame) < 4:
        more = line.recv(4 - len(frame))
        if not more:
            return False
        frame += more
    return frame[3] == _SETTINGS


def _folder_to_be() -> Path:
    """A name for a folder with sockets, logs and what does not fit into memory. What others left is removed."""
    usual = tempfile.gettempdir()
    parent = Path(usual if len(usual) <= _MAX_FOLDER_NAME else "/tmp")  # noqa: S108 (for its owner alone)
    for folder in parent.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdigit() and not _is_alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)  # another user's stays
    return parent / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@contextmanager
def _own_signals() -> Iterator[None]:
    """Who handles signals stays who it was."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _silent() -> Iterator[None]:
    """What is written meanwhile to standard error and output, by libraries in C as well, goes nowhere."""
    copies = {}
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123 (a device)
        for number in (1, 2):
            with suppress(OSError):  # closed
                copies[number] = os.dup(number)
                os.dup2(nothing.fileno(), number)
        try:
            yield
        finally:
            for number, copy in copies.items():
                os.dup2(copy, number)
                os.close(copy)
