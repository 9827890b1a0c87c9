"""Questions in word pieces: which pieces a span has, which segment answers for them, and the answer put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.layout.spans import expand_ranges
from showthrough.models.information import ModelContext, SpanQuery


@dataclass(frozen=True)
class TokenPieces:
    """A text as a tokenizer cut it; the model's own marks are pieces too, at no place in the text."""

    ids: Ints
    start: Ints
    end: Ints
    special: Bools

    def find_overlaps(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The pieces that overlap each span, as two parallel arrays: number of the span, number of the piece."""
        indices = np.flatnonzero(~self.special & (self.end > self.start))
        first = np.searchsorted(self.end[indices], start, side="right")
        last = np.searchsorted(self.start[indices], end, side="left")
        span, piece = expand_ranges(first, last)
        return span, indices[piece]


class SegmentedQuestion:
    """One question cut into segments, and the answers as they come in."""

    def __init__(self, pieces: TokenPieces, question: SpanQuery, context: ModelContext) -> None:
        self.pieces = pieces
        self.spans = len(question.start)
        self._span, piece = pieces.find_overlaps(question.start, question.end)
        # A cell is a piece that is hidden in a turn; cells stand in the order of turns, then of pieces.
        self._length = length = len(pieces.ids)
        self.cells, self._cell = np.unique(question.turn[self._span] * length + piece, return_inverse=True)
        self.logs: Floats = np.full(len(self.cells), np.nan)

        stride = context.segment_length - context.overlap
        count = max(1, -(-(length - context.overlap) // stride))
        self.begin = np.arange(count) * stride
        self.end = np.minimum(self.begin + context.segment_length, length)
        # Of two segments that share a piece the one in which it lies farther from the edge answers.
        self.owner = np.clip((np.arange(length) - context.overlap // 2) // stride, 0, count - 1)

    def passes(self) -> list[Pass]:
        """What is to be run: every segment once for each turn that asks for something in it."""
        if not len(self.cells):
            return []
        turn, piece = np.divmod(self.cells, self._length)
        turns = int(turn[-1]) + 1
        segment, number = np.divmod(np.unique(self.owner[piece] * turns + turn), turns)
        row = number * self._length
        first, last = self.begin[segment], self.end[segment]
        edges = np.searchsorted(self.cells, (row + first, row + last))
        columns = (column.tolist() for column in (segment, first, last, row + first, *edges))
        return [Pass(self, *of_pass) for of_pass in zip(*columns, strict=True)]

    def ics(self) -> Floats:
        """−ln p of each span's least probable piece; 0 where the tokenizer sees nothing in it."""
        ics = np.zeros(self.spans)
        np.maximum.at(ics, self._span, -self.logs[self._cell])
        return ics


class Pass(NamedTuple):
    """One segment of one text with the pieces of one turn hidden: its cells from `low` to `high`."""

    question: SegmentedQuestion
    segment: int
    first: int
    last: int
    zero: int
    low: int
    high: int

    @property
    def length(self) -> int:
        return self.last - self.first

    @property
    def ids(self) -> Ints:
        return self.question.pieces.ids[self.first : self.last]

    @property
    def hidden(self) -> Ints:
        """The places in the segment whose pieces are hidden."""
        positions: Ints = self.question.cells[self.low : self.high] - self.zero
        return positions

    def record(self, logs: Floats) -> None:
        """Takes ln p of every hidden piece; those that another segment answers for are left to it."""
        mine = self.question.owner[self.hidden + self.first] == self.segment
        self.question.logs[self.low : self.high][mine] = logs[mine]
