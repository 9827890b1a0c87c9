"""Counts the cores that may be used."""

from __future__ import annotations

import os


def cores() -> int:
    """How many cores there are to use. Whoever set a number, as is done for worker processes, knows why."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    if setting.isdigit() and int(setting):
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
