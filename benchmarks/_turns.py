"""Processor time of several works against each other."""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping

# Seconds that `calibrate` takes on the machine for which limits in seconds were set (AMD EPYC, two virtual cores).
# Who set them measured commit adfd5af5 there: 0.95 s for --version, 1.45 s for 31 documents × 5 systems, 6.5 s for
# 5,000 TAB documents. Another machine, as quiet as it got, took 0.79, 1.17 and 5.03 s for these, and 0.0225 s for
# `calibrate` on the same day. 0.95 / 0.79 × 0.0225 = 0.027, 1.45 / 1.17 × 0.0225 = 0.028, 6.5 / 5.03 × 0.0225 = 0.029.
# With other programs at work, in turns, the three were between 0.024 and 0.031. It was 0.06 before, so figures in
# seconds of that time were twice too high.
CALIBRATION = 0.028


def processor_time() -> float:
    """Seconds of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def calibrate() -> None:
    """A fixed amount of what programs in Python do, to tell how fast a machine is now."""
    text = "Mr Doe of Oslo " * 5
    rows = [{"id": f"d{number}", "text": text, "spans": [[number, number + 7]]} for number in range(4_000)]
    counts: dict[str, int] = {}
    for _ in range(2):
        for row in json.loads(json.dumps(rows)):
            for word in row["text"].split():
                counts[word] = counts.get(word, 0) + len(row["spans"])
    sorted(counts)


def quickest(repeats: int, works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the quickest of so many goes of each; taken in turns, so that a busy machine slows all alike."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            start = processor_time()
            work()
            times[name].append(processor_time() - start)
    return {name: min(found) for name, found in times.items()}


def quickest_calibrated(repeats: int, works: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The same in seconds of the machine for which limits were set."""
    seconds = quickest(repeats, {"before": calibrate, **works, "after": calibrate})
    speed = CALIBRATION / min(seconds["before"], seconds["after"])
    return {name: seconds[name] * speed for name in works}


def run_python(*arguments: object) -> float:
    """Runs Python with these arguments; the megabytes of memory that it took at most.

    Modules are compiled and kept by the first run. A process counts what its parent held when it was started, so
    a parent that measures memory must be small.
    """
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as printed:
        command = [sys.executable, *map(str, arguments)]
        process = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            printed.seek(0)
            raise SystemExit(f"{' '.join(command)}\n{printed.read().decode(errors='replace')}")
    return used.ru_maxrss / 1024
