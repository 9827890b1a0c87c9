"""Requests to stop: SIGTERM and SIGHUP are taken as Ctrl-C is, and none of them interrupts the writing of results."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
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
    """Signals to stop raise KeyboardInterrupt in here, but for those that whoever started the program ignores."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    usual = {signal.SIG_DFL, signal.default_int_handler}
    before = {number: found for number in numbers if (found := signal.getsignal(number)) in usual}
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
