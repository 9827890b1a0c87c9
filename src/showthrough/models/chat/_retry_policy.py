"""When questions may be sent: not too many a minute, and after a refusal later and later."""

from __future__ import annotations

import random
import threading
import time
from email.utils import parsedate_to_datetime

TRIES = 8  # of one question, whatever goes wrong
PAID = 5  # answers to one question, where none of them is valid
FIRST, LONGEST = 0.5, 60.0  # seconds to wait after a first try, and at most where nobody says
TOLD = 600.0  # seconds that a server may ask for


class RetryPolicy:
    """Shared by all threads that ask one server. `stop` ends all waiting."""

    def __init__(self, rate: float, stop: threading.Event) -> None:
        self._gap = 60 / rate if rate else 0.0
        self._next = 0.0  # when the next question may be sent
        self._lock = threading.Lock()
        self._stop = stop

    def turn(self) -> bool:
        """Waits for the time to send one question; False where there is none to come, since all is stopped."""
        with self._lock:
            mine = max(self._next, time.monotonic())
            self._next = mine + self._gap
        return not self._stop.wait(max(0.0, mine - time.monotonic()))

    def after(self, tries: int, seconds: float | None) -> bool:
        """Waits after so many tries; whoever was told how long makes all others wait as well."""
        if seconds is not None:
            with self._lock:
                self._next = max(self._next, time.monotonic() + seconds)
            return not self._stop.wait(seconds)
        pause = min(LONGEST, FIRST * 2 ** (tries - 1))
        return not self._stop.wait(pause * (0.5 + random.random() / 2))


def parse_retry_after(milliseconds: str | None, retry_after: str | None) -> float | None:
    """Seconds that a server asks to wait, by its headers: a number, or a date. None where it says nothing useful.

    >>> parse_retry_after(None, "2"), parse_retry_after("1500", "2"), parse_retry_after(None, "soon")
    (2.0, 1.5, None)
    """
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        if retry_after is None:
            return None
        if retry_after.strip().replace(".", "", 1).isdigit():
            return float(retry_after)
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
