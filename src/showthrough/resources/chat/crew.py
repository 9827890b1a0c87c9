"""Several at work on a list, which Ctrl-C or the first fault stops; whatever was under way may still be finished."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
GRACE = 10.0  # seconds for what is under way when all is stopped
_TICK = 0.2  # seconds between two looks, in which signals are heard


def at_work(
    items: Sequence[T], work: Callable[[T], None], hands: int, stop: threading.Event, told: Callable[[int], None]
) -> None:
    """Does the work on all items, so many at once; `told` hears how many are done. Raises the first fault.

    Threads are daemons: a server that does not answer must not keep the program from ending.
    """
    left, lock = iter(items), threading.Lock()
    faults: list[BaseException] = []
    done = [0]

    def hand() -> None:
        for item in _shared(left, lock, stop):
            try:
                work(item)
            except BaseException as error:  # told to whoever waits, below
                faults.append(error)
                stop.set()
            else:
                with lock:
                    done[0] += 1

    threads = [threading.Thread(target=hand, daemon=True) for _ in range(min(hands, len(items)))]
    for one in threads:
        one.start()
    try:
        for one in threads:
            while one.is_alive() and not stop.is_set():
                one.join(_TICK)
                told(done[0])
    finally:
        stop.set()
        until = time.monotonic() + GRACE
        for one in threads:
            one.join(max(0.0, until - time.monotonic()))
    told(done[0])
    if faults:
        raise faults[0]


def _shared(left: Iterator[T], lock: threading.Lock, stop: threading.Event) -> Iterator[T]:
    while not stop.is_set():
        with lock:
            try:
                item = next(left)
            except StopIteration:
                return
        yield item
