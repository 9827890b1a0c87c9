"""What came of the documents so far, chunk below chunk."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from showthrough.evaluation.chunks import Answer, Cell
from showthrough.evaluation.mask_notices import MaskCounts
from showthrough.metrics import Rows
from showthrough.run.documents import Spans


@dataclass
class Gathered:
    """Rows, failures, and what a run does not keep of documents; whoever saves it knows how much of it is saved."""

    rows: dict[Cell, list[Rows]] = field(default_factory=dict)  # of consecutive chunks
    failures: dict[str, str] = field(default_factory=dict)  # metrics, and why
    masks: dict[str, list[MaskCounts]] = field(default_factory=dict)
    free: list[Spans] | None = field(default_factory=list)  # None where nobody can tell
    done: int = 0  # documents with rows
    looked: int = 0  # documents whose masks are counted and whose free words are known

    def take(self, numbers: range, answer: Answer, metrics: Collection[str]) -> None:
        """An answer about the next documents. What only ranks them may fail: then nobody is told."""
        self.failures |= {text: why for text, why in answer.failures.items() if text in metrics}
        for cell, rows in answer.rows.items():
            self.rows.setdefault(cell, []).append(rows)
        for name, counts in answer.masks.items():
            self.masks.setdefault(name, []).append(counts)
        self.free = None if self.free is None or answer.free is None else self.free + answer.free
        self.looked = numbers.stop
        self.done = max(self.done, numbers.stop)

    def take_whole(self, answer: Answer) -> None:
        """An answer about all documents at once."""
        self.failures |= answer.failures
        self.rows |= {cell: [rows] for cell, rows in answer.rows.items()}

    def documents_of(self, cell: Cell) -> int:
        """How many have rows there."""
        return sum(len(rows.values) for rows in self.rows.get(cell, ()))

    def counted(self, name: str) -> MaskCounts:
        """What notices count of an anonymization's masks."""
        return MaskCounts.summed(self.masks.get(name, ()))
