"""Several at work on a list, and what becomes of it when somebody stops them."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from showthrough.models.chat.model import at_work


def test_all_is_done_by_as_many_as_were_asked_for() -> None:
    done: list[int] = []
    told: list[int] = []
    at_work(range(20), done.append, 3, threading.Event(), told.append)
    assert sorted(done) == list(range(20))
    assert told[-1] == 20


def test_the_first_fault_ends_it_and_is_told() -> None:
    done: list[int] = []

    def work(item: int) -> None:
        if item == 2:
            raise ValueError("two")
        done.append(item)

    with pytest.raises(ValueError, match="two"):
        at_work(range(1000), work, 1, threading.Event(), lambda _: None)
    assert done == [0, 1]


@pytest.mark.parametrize("hands", [1, 4])
def test_who_is_interrupted_waits_for_what_is_under_way(hands: int) -> None:
    """It is paid already: an answer that comes then must be kept."""
    begun: list[int] = []
    done: list[int] = []
    ready = threading.Barrier(hands)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    def work(item: int) -> None:
        begun.append(item)
        if ready.wait() == 0:
            os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.3)
        done.append(item)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            at_work(range(100), work, hands, threading.Event(), lambda _: None)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(begun) == hands
    assert sorted(done) == sorted(begun)
