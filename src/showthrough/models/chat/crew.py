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
    items: Sequence[T], work: Callable[[T], None], hands: int, stop: threading.Event, report: Callable[[int], None]
) -> None:
    """Does the work on all items, so many at once; `told` hears how many are done. Raises the first fault.

    Threads are daemons: a server that does not answer must not keep the program from ending.
    """
    remaining, lock = iter(items), threading.Lock()
    faults: list[BaseException] = []
    done = [0]

    def hand(home: threading.Event) -> None:
        for item in _take_items(remaining, lock, stop):
            try:
                work(item)
            except BaseException as error:  # told to whoever waits, below
                faults.append(error)
                stop.set()
            else:
                with lock:
                    done[0] += 1
        home.set()

    # Not `join`: where Ctrl-C interrupts it, Python before 3.13 takes a thread that still works for one that has ended.
    homes: list[threading.Event] = []
    try:
        for _ in range(min(hands, len(items))):
            homes.append(threading.Event())
            threading.Thread(target=hand, args=homes[-1:], daemon=True).start()
        for home in homes:
            while not home.wait(_TICK) and not stop.is_set():
                report(done[0])
    finally:
        stop.set()
        until = time.monotonic() + GRACE
        for home in homes:
            home.wait(max(0.0, until - time.monotonic()))
    report(done[0])
    if faults:
        raise faults[0]


def _take_items(remaining: Iterator[T], lock: threading.Lock, stop: threading.Event) -> Iterator[T]:
    while not stop.is_set():
        with lock:
            try:
                item = next(remaining)
            except StopIteration:
                return
        yield item
