"""Counts the cores that may be used, and has a process of the program use threads and memory without waste."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

# Of the GNU C library, with their numbers: from how many free bytes on they are given back, and how many bytes of a
# block get pages of their own. It takes no more than these for the second.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = (-1, 1 << 30), (-3, 1 << 25)


def cores() -> int:
    """How many cores there are to use. Whoever set a number, as is done for worker processes, knows why."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    if setting.isdigit() and int(setting):
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keep_freed_memory() -> None:
    """Memory that arrays no longer need stays with the process, for the arrays of the next chunk.

    The GNU C library would give it back each time, and the system would clear every page anew. That took a tenth of an
    evaluation. Other libraries are left as they are. The most memory that is used at once stays the same.
    """
    if sys.platform != "linux":
        return
    import ctypes  # which NumPy imports as well

    with suppress(OSError, AttributeError):
        tune = ctypes.CDLL(None).mallopt
        for parameter, value in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            tune(parameter, value)
