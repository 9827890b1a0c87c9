"""What came of the documents so far, answer after answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from showthrough.evaluation.chunks import Answer, Cell
from showthrough.evaluation.mask_notices import MaskCounts
from showthrough.metrics import Rows
from showthrough.run.documents import Spans


class Part(NamedTuple):
    """An answer, and how far it is with it."""

    answer: Answer
    done: int  # documents with rows
    looked: int  # documents of which is known what a run does not keep: counts of masks, words that may stay readable


@dataclass
class Gathered:
    """All answers in their order.

    Whoever stops the program at whatever moment finds an answer here as a whole or not at all: it comes in one step.
    """

    parts: list[Part] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)  # metrics, and why

    @property
    def done(self) -> int:
        return self.parts[-1].done if self.parts else 0

    @property
    def looked(self) -> int:
        return self.parts[-1].looked if self.parts else 0

    def take(self, answer: Answer, numbers: range) -> None:
        """An answer about some documents."""
        self.parts.append(Part(answer, max(self.done, numbers.stop), numbers.stop))

    def take_whole(self, answer: Answer) -> None:
        """An answer about all documents at once."""
        answer.free = []
        self.parts.append(Part(answer, self.done, self.looked))

    @property
    def rows(self) -> dict[Cell, list[Rows]]:
        return rows_of(self.parts)

    @property
    def free(self) -> list[Spans] | None:
        """Words of documents that may stay readable; `None` where nobody can tell."""
        return free_of(self.parts)

    def masks(self, name: str) -> MaskCounts:
        """What notices count of an anonymization's masks."""
        return masks_of(self.parts, name)


def rows_of(parts: Iterable[Part]) -> dict[Cell, list[Rows]]:
    """Rows of consecutive chunks."""
    found: dict[Cell, list[Rows]] = {}
    for part in parts:
        for cell, rows in part.answer.rows.items():
            found.setdefault(cell, []).append(rows)
    return found


def free_of(parts: Iterable[Part]) -> list[Spans] | None:
    each = [part.answer.free for part in parts]
    known = [free for free in each if free is not None]
    return list(chain.from_iterable(known)) if len(known) == len(each) else None


def masks_of(parts: Iterable[Part], name: str) -> MaskCounts:
    return MaskCounts.summed(part.answer.masks[name] for part in parts if name in part.answer.masks)
