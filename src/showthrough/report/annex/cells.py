"""What the sections of the annex share: cells, signatures by number, and how a section says that it is empty."""

from __future__ import annotations

import math
from collections.abc import Iterator

from showthrough.report.sheets import Entry, Grid, Row, share, words
from showthrough.report.wording import percent
from showthrough.studies.agreement.values import Estimate

_NEXT = 1e-9  # what is nothing but rounding

NOT_MEASURED = "not measured"


class Lines:
    """Signatures, each with a number that stands beside the names of what they pin down."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def named(self, name: str, signature: str) -> str:
        return f"{name} [{self._numbers.setdefault(signature, len(self._numbers) + 1)}]"

    def grid(self) -> Iterator[Grid]:
        if self._numbers:
            rows = tuple(Row(f"[{number}]", (words(line),)) for line, number in self._numbers.items())
            yield Grid("Signatures: what pins the figures down", ("signature",), rows, "no.", label="signatures")


def entry_of(one: Estimate) -> Entry:
    return share(one.value, one.low, one.high, reason=one.reason)


def left_open(caption: str, reason: str, label: str, command: str = "", notes: tuple[str, ...] = ()) -> Grid:
    """A section without figures says so, why and what it takes; and what to run, where that is known."""
    return Grid(caption, ("in this run",), (Row(NOT_MEASURED, (words(reason),)),), "", notes, label, command=command)


def people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def at_most(end: float) -> float:
    """The upper end of a share's interval in thousandths, rounded up: the share must not exceed it.

    A run file may hold any number, so one beyond 0 and 1 is brought back between them.

    >>> at_most(0.99999996), at_most(0.0951), at_most(0.3), at_most(0.0), at_most(1e308)
    (1.0, 0.096, 0.3, 0.0, 1.0)
    """
    return math.ceil(1000 * min(max(end, 0.0), 1.0) - _NEXT) / 1000


def between(found: Estimate) -> str:
    """The ends of an interval, in brackets and rounded outwards.

    >>> between(Estimate(0.5, 0.0000001, 0.99999996))
    ' (0.0 % to 100.0 %)'
    """
    if found.low is None or found.high is None:
        return ""
    return f" ({percent(1 - at_most(1 - found.low))} to {percent(at_most(found.high))})"
