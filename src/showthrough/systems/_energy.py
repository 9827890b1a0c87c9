"""The energy of this machine's processors, where Linux counts it (powercap, RAPL)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_POWERCAP = Path("/sys/class/powercap")
_MICRO = 1_000_000
NO_COUNTER = "this machine has no counter of energy that can be read"


class EnergyCounter(NamedTuple):
    """What a counter shows, in millionths of a joule, and where it starts anew."""

    shown: int
    most: int


def read_counters(folder: Path = _POWERCAP) -> dict[str, EnergyCounter]:
    """The counters of whole processors by name; none where there are none, or where only the administrator may look."""
    counters = {}
    for package in sorted(folder.glob("intel-rapl:*")):
        if package.name.count(":") == 1:  # others are parts of it
            try:
                values = [int((package / name).read_text()) for name in ("energy_uj", "max_energy_range_uj")]
            except (OSError, ValueError):
                continue
            counters[package.name] = EnergyCounter(*values)
    return counters


def joules_between(before: Mapping[str, EnergyCounter], after: Mapping[str, EnergyCounter]) -> float | None:
    """What was used; `None` where nothing counts it. A counter that shows less has started anew, once.

    >>> joules_between({"a": EnergyCounter(9_000_000, 10_000_000)}, {"a": EnergyCounter(1_000_000, 10_000_000)})
    2.0
    """
    if not before or before.keys() != after.keys():
        return None
    steps = (after[name].shown - counter.shown for name, counter in before.items())
    return (
        sum(step if step >= 0 else step + after[name].most for name, step in zip(before, steps, strict=True)) / _MICRO
    )
