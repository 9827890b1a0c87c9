"""Questions in word pieces: which pieces a span has, which segment answers for them, and the answer put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from showthrough.axis.spans import Bools, Ints, spread
from showthrough.resources.information import Context, Floats, Question


@dataclass(frozen=True)
class Pieces:
    """A text as a tokenizer cut it; the model's own marks are pieces too, at no place in the text."""

    ids: Ints
    start: Ints
    end: Ints
    special: Bools

    def overlapping(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The pieces that overlap each span, as two parallel arrays: number of the span, number of the piece."""
        places = np.flatnonzero(~self.special & (self.end > self.start))
        first = np.searchsorted(self.end[places], start, side="right")
        last = np.searchsorted(self.start[places], end, side="left")
        span, piece = spread(first, last)
        return span, places[piece]


class Asked:
    """One question cut into segments, and the answers as they come in."""

    def __init__(self, pieces: Pieces, question: Question, context: Context) -> None:
        self.pieces = pieces
        self.spans = len(question.start)
        self._span, piece = pieces.overlapping(question.start, question.end)
        # A cell is a piece that is hidden in a turn; cells stand in the order of turns, then of pieces.
        self._length = length = len(pieces.ids)
        self._cells, self._cell = np.unique(question.turn[self._span] * length + piece, return_inverse=True)
        self.logs: Floats = np.full(len(self._cells), np.nan)

        stride = context.segment_length - context.overlap
        count = max(1, -(-(length - context.overlap) // stride))
        self.begin = np.arange(count) * stride
        self.end = np.minimum(self.begin + context.segment_length, length)
        # Of two segments that share a piece the one in which it lies farther from the edge answers.
        self.owner = np.clip((np.arange(length) - context.overlap // 2) // stride, 0, count - 1)

    def passes(self) -> Iterator[Pass]:
        """What is to be run: every segment once for each turn that asks for something in it."""
        if not self._length:
            return
        turn, piece = np.divmod(self._cells, self._length)
        asked = np.unique(np.stack([self.owner[piece], turn], axis=1), axis=0)
        for segment, number in asked.tolist():
            yield Pass(self, number, segment, int(self.begin[segment]), int(self.end[segment]))

    def hidden(self, turn: int, first: int, last: int) -> tuple[slice, Ints]:
        """The cells of a turn between two pieces, and their pieces."""
        row = turn * self._length
        low, high = np.searchsorted(self._cells, (row + first, row + last)).tolist()
        return slice(low, high), self._cells[low:high] - row

    def ics(self) -> Floats:
        """−ln p of each span's least probable piece; 0 where the tokenizer sees nothing in it."""
        ics = np.zeros(self.spans)
        np.maximum.at(ics, self._span, -self.logs[self._cell])
        return ics


@dataclass(frozen=True)
class Pass:
    """One segment of one text with the pieces of one turn hidden."""

    asked: Asked
    turn: int
    segment: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    @property
    def ids(self) -> Ints:
        return self.asked.pieces.ids[self.first : self.last]

    @property
    def hidden(self) -> Ints:
        """The places in the segment whose pieces are hidden."""
        return self.asked.hidden(self.turn, self.first, self.last)[1] - self.first

    def record(self, logs: Floats) -> None:
        """Takes ln p of every hidden piece; those that another segment answers for are left to it."""
        cells, pieces = self.asked.hidden(self.turn, self.first, self.last)
        mine = self.asked.owner[pieces] == self.segment
        self.asked.logs[cells][mine] = logs[mine]
