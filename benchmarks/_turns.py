"""Timing of several works against each other."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def quickest(repeats: int, works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the quickest of so many goes of each; taken in turns, so that a busy machine slows all alike."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    return {name: min(found) for name, found in times.items()}
