"""What came of the documents so far: answers about any of them, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from showthrough.evaluation._chunks import Cell, ChunkResult
from showthrough.evaluation._mask_notices import MaskNoticeCounts
from showthrough.metrics import Rows
from showthrough.run.documents import Spans
from showthrough.storage.columns.ranges import RangeSet
from showthrough.storage.columns.tables import narrowest, wide_enough


@dataclass
class PartialResult:
    """An answer about some documents: in memory, or where it can be read again."""

    numbers: range
    counted: bool  # it has the rows of all metrics that count documents one by one
    looked: bool  # it has what a run does not keep: counts of masks, words that may stay readable, risks
    whole: bool  # it has the rows of metrics that look at all documents
    answer: ChunkResult | None
    read: Callable[[], ChunkResult] | None = None

    @property
    def result(self) -> ChunkResult:
        if self.answer is not None:
            return self.answer
        if self.read is None:
            raise LookupError  # it is in memory until it can be read again
        return self.read()


class RowShape(NamedTuple):
    """What is known of the rows of one metric and anonymization, wherever they are."""

    documents: int = 0
    kind: np.dtype[Any] = np.dtype("u1")
    first: Mapping[str, tuple[int, int]] = {}  # columns: the first document that has each, and its place there

    def with_rows(self, rows: Rows, numbers: range) -> RowShape:
        positions = {column: (numbers.start, position) for position, column in enumerate(rows.columns)}
        kind = wide_enough(self.kind, narrowest(rows.values))
        before = {column: first for column, first in self.first.items() if first < positions.get(column, first)}
        first = self.first if positions.keys() <= before.keys() else {**self.first, **positions, **before}
        return RowShape(self.documents + len(numbers), kind, first)

    @property
    def columns(self) -> tuple[str, ...]:
        """In the order in which they come up from document to document, whoever was done first."""
        return tuple(sorted(self.first, key=self.first.__getitem__))


class _State(NamedTuple):
    """What is known of the first so many pieces."""

    pieces: int = 0
    counted: RangeSet = RangeSet()
    looked: RangeSet = RangeSet()
    shapes: Mapping[Cell, RowShape] = {}
    masks: Mapping[str, MaskNoticeCounts] = {}


class EvaluationProgress:
    """All answers.

    Whoever stops the program at whatever moment finds an answer here as a whole or not at all: what is known changes in
    one step.
    """

    def __init__(self) -> None:
        self.failures: dict[str, str] = {}  # metrics, and why
        self._pieces: list[PartialResult] = []
        self._state = _State()

    @property
    def pieces(self) -> list[PartialResult]:
        return self._pieces[: self._state.pieces]

    def since(self, count: int) -> list[PartialResult]:
        """Pieces after the first so many."""
        return self._pieces[count : self._state.pieces]

    @property
    def shapes(self) -> Mapping[Cell, RowShape]:
        return self._state.shapes

    @property
    def done_count(self) -> int:
        """Documents with rows."""
        return self._state.counted.count

    @property
    def rows(self) -> dict[Cell, int]:
        """Of how many documents there are rows, by metric and anonymization."""
        return {cell: shape.documents for cell, shape in self.shapes.items()}

    def has_rows(self, numbers: range) -> bool:
        """Whether these documents are done, though perhaps not looked at for what a run does not keep."""
        return self._state.counted.holds(numbers)

    @property
    def done_ranges(self) -> list[range]:
        """The documents with rows."""
        return self._state.counted.ranges

    def iter_remaining(self, total: int) -> Iterator[range]:
        """What is still to do, in ranges that are done or not as a whole: where they are, they are looked at."""
        for numbers in list(self._state.looked.gaps(total)):
            yield from self._state.counted.parts(numbers)

    def take(self, answer: ChunkResult, numbers: range) -> None:
        """An answer about some documents."""
        self._take(PartialResult(numbers, not self.has_rows(numbers), True, False, answer), answer)

    def take_whole(self, answer: ChunkResult) -> None:
        """An answer about all documents at once; a metric that failed has none, and nothing is there to keep."""
        documents = max(map(len, answer.rows.values()), default=0)
        if documents:
            self._take(PartialResult(range(documents), False, False, True, answer), answer)

    def take_earlier(self, piece: PartialResult) -> None:
        """What an earlier run has of some documents."""
        self._take(piece, piece.result)

    def _take(self, piece: PartialResult, answer: ChunkResult) -> None:
        state, numbers = self._state, piece.numbers
        shapes, masks = dict(state.shapes), dict(state.masks)
        for cell, rows in answer.rows.items():
            shapes[cell] = shapes.get(cell, RowShape()).with_rows(rows, numbers)
        for name, counts in answer.masks.items() if piece.looked else ():
            masks[name] = MaskNoticeCounts.combine([masks.get(name, MaskNoticeCounts()), counts])
        self._pieces[state.pieces :] = [piece]
        self._state = _State(
            state.pieces + 1,
            state.counted.with_more(numbers) if piece.counted else state.counted,
            state.looked.with_more(numbers) if piece.looked else state.looked,
            shapes,
            masks,
        )

    def in_order(self) -> Iterator[PartialResult]:
        """From document to document; what is about all of them last."""
        yield from sorted(self.pieces, key=lambda piece: (piece.whole, piece.numbers.start))

    def merge_rows(self) -> dict[Cell, Rows]:
        """The rows of all documents that are done, in memory."""
        tables: dict[Cell, list[Rows]] = {}
        for piece in self.in_order():
            for cell, rows in piece.result.rows.items():
                tables.setdefault(cell, []).append(rows)
        return {cell: Rows.concatenate(parts) for cell, parts in tables.items()}

    @property
    def free(self) -> list[Spans] | None:
        """Words of documents that may stay readable; `None` where nobody can tell."""
        spans = [piece.result.free for piece in self.in_order() if piece.looked]
        present = [free for free in spans if free is not None]
        return list(chain.from_iterable(present)) if len(present) == len(spans) else None

    def masks(self, name: str) -> MaskNoticeCounts:
        """What notices count of an anonymization's masks."""
        return self._state.masks.get(name, MaskNoticeCounts())
