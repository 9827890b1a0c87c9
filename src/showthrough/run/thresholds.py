"""What a number has to reach. A run remembers what was asked of it; no number depends on it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

End = Literal["min", "max"]
SIGNS: dict[End, str] = {"min": "≥", "max": "≤"}


class Threshold(msgspec.Struct, frozen=True):
    """The least or the most that a number may be."""

    metric: Annotated[str, "the text form of the metric"]
    end: Annotated[End, "whether the number must be at least or at most the limit"]
    limit: Annotated[float, "the limit itself, which still is good enough"]
    part: Annotated[str, "which of the metric's numbers; empty: the main one"] = ""
    slice: Annotated[str, "the field whose groups the limit is for; empty: all documents together"] = ""
    group: Annotated[str, "which group of that field; empty: the worst"] = ""

    def __str__(self) -> str:
        """
        >>> str(Threshold("er_di", "min", 0.95)), str(Threshold("recall_per_type", "min", 0.9, "CODE"))
        ('er_di ≥ 0.95', 'recall_per_type[CODE] ≥ 0.9')
        >>> str(Threshold("er_di", "min", 0.9, slice="year"))
        'er_di@worst(year) ≥ 0.9'
        """
        return f"{self.what} {SIGNS[self.end]} {self.limit:g}"

    @property
    def what(self) -> str:
        """The number that it is on, as it is asked for."""
        number = f"{self.metric}[{self.part}]" if self.part else self.metric
        if not self.slice:
            return number
        return f"{number}@{self.slice}={self.group}" if self.group else f"{number}@worst({self.slice})"

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.end == "min" else value <= self.limit
