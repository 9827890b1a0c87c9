"""What the sections of the annex share: cells, signatures by number, and how a section says that it is empty."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.analysis.agreement.values import Estimate
from showthrough.report.sheets import Entry, Grid, Row, share, words
from showthrough.report.wording import percent

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


def left_open(caption: str, reason: str, command: str, label: str, notes: tuple[str, ...] = ()) -> Grid:
    """A section without figures says so, why, and what to run."""
    rows = (Row(NOT_MEASURED, (words(reason),)), Row("what to run", (words(command),)))
    return Grid(caption, ("in this run",), rows, "", notes, label)


def people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def between(found: Estimate) -> str:
    """The ends of an interval, in brackets."""
    return "" if found.low is None or found.high is None else f" ({percent(found.low)} to {percent(found.high)})"
