"""Requests to stop: SIGTERM and SIGHUP are taken as Ctrl-C is, and none of them interrupts the writing of results."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from showthrough.__main__ import leave
from showthrough.core.errors import InputError, Interrupted, OutputError, PlanError, ResourceError, UnavailableError

FELL_SHORT = 1
BAD_INPUT = 2
INTERRUPTED = 130


def exit_status(error: BaseException) -> int:
    if isinstance(error, Interrupted):
        return exit_status(error.__cause__) if error.__cause__ else INTERRUPTED
    return BAD_INPUT if isinstance(error, InputError | OutputError | UnavailableError) else FELL_SHORT


@contextmanager
def refuse_unavailable() -> Iterator[None]:
    """A model that cannot be had, or had in this memory, is a bad request where nothing else is done."""
    try:
        yield
    except ResourceError as error:
        raise PlanError(str(error)) from error


Result = TypeVar("Result")

_ALLOCATIONS = 50_000  # objects after which the collector looks for cycles: there are many documents and few cycles
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_ONCE = 3  # seconds in which a second request is the same one: supervisors and fingers repeat themselves


class _Requests:
    """What was asked so far."""

    def __init__(self) -> None:
        self.held = 0  # blocks that must not be interrupted
        self.waiting = False
        self.last = -float("inf")

    def take(self, *_: object) -> None:
        if self.held:
            self.waiting = True
        elif time.monotonic() - self.last > _ONCE:
            self.last = time.monotonic()
            raise KeyboardInterrupt


_requests = _Requests()


@contextmanager
def stoppable() -> Iterator[None]:
    """Signals to stop raise KeyboardInterrupt in here, except those that the parent process ignores."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {signal.SIG_DFL, signal.default_int_handler}
    before = {number: current for number in _SIGNALS if (current := signal.getsignal(number)) in usual}
    global _requests
    _requests = _Requests()
    for number in before:
        signal.signal(number, _requests.take)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def exit_on_signal() -> Iterator[None]:
    """A signal to stop ends the process in here, as while the program is loaded: a command is being imported."""
    handled = [number for number in _SIGNALS if signal.getsignal(number) == _requests.take]
    for number in handled:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, _requests.take)
        if not gc.isenabled():
            gc.freeze()  # what was imported stays to the end, and need not be looked at again and again
            gc.set_threshold(_ALLOCATIONS, 50, 100)
            gc.enable()
            from showthrough.engines.base import keep_freed_memory  # here: --version needs no engine

            keep_freed_memory()


@contextmanager
def unbroken() -> Iterator[None]:
    """What is done in here is done to its end; a request to stop that comes meanwhile raises KeyboardInterrupt then."""
    requests = _requests
    requests.held += 1
    try:
        yield
    finally:
        requests.held -= 1
    if requests.waiting and not requests.held:
        requests.waiting = False
        raise KeyboardInterrupt


def interruptible(work: Callable[[], Result]) -> Result:
    """Inside an unbroken block: what may be stopped. Nothing comes between its end and what is to be done with it."""
    requests = _requests
    requests.held -= 1
    try:
        if requests.waiting and not requests.held:
            requests.waiting = False
            raise KeyboardInterrupt
        return work()
    finally:
        requests.held += 1
