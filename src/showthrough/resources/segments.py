"""Questions in word pieces: which pieces a span has, which segment answers for them, and the answer put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from showthrough.resources.information import Bools, Context, Floats, Ints, Question


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
        last = np.maximum(np.searchsorted(self.start[places], end, side="left"), first)
        span = np.repeat(np.arange(len(start)), last - first)
        piece = np.arange(len(span)) + np.repeat(first - (np.cumsum(last - first) - (last - first)), last - first)
        return span, places[piece]


class Asked:
    """One question cut into segments, and the answers as they come in."""

    def __init__(self, pieces: Pieces, question: Question, context: Context) -> None:
        self.pieces = pieces
        self.spans = len(question.start)
        self._span, self._piece = pieces.overlapping(question.start, question.end)
        self._turn = question.turn[self._span]
        turns, length = int(question.turn.max(initial=-1)) + 1, len(pieces.ids)
        self.hidden: Bools = np.zeros((turns, length), dtype=bool)
        self.hidden[self._turn, self._piece] = True
        self._logs: Floats = np.full((turns, length), np.nan)

        stride = context.segment_length - context.overlap
        count = max(1, -(-(length - context.overlap) // stride))
        self.begin = np.arange(count) * stride
        self.end = np.minimum(self.begin + context.segment_length, length)
        # Of two segments that share a piece the one in which it lies farther from the edge answers.
        self.owner = np.clip((np.arange(length) - context.overlap // 2) // stride, 0, count - 1)

    def passes(self) -> Iterator[Pass]:
        """What is to be run: every segment once for each turn that asks for something in it."""
        for segment, (first, last) in enumerate(zip(self.begin.tolist(), self.end.tolist(), strict=True)):
            mine = self.owner[first:last] == segment
            for turn in np.flatnonzero((self.hidden[:, first:last] & mine).any(axis=1)).tolist():
                yield Pass(self, turn, first, last, mine)

    def record(self, turn: int, places: Ints, logs: Floats) -> None:
        self._logs[turn, places] = logs

    def ics(self) -> Floats:
        """−ln p of each span's least probable piece; 0 where the tokenizer sees nothing in it."""
        ics = np.zeros(self.spans)
        np.maximum.at(ics, self._span, -self._logs[self._turn, self._piece])
        return ics


@dataclass(frozen=True)
class Pass:
    """One segment of one text with the pieces of one turn hidden."""

    asked: Asked
    turn: int
    first: int
    last: int
    mine: Bools

    def __len__(self) -> int:
        return self.last - self.first

    @property
    def ids(self) -> Ints:
        return self.asked.pieces.ids[self.first : self.last]

    @property
    def hidden(self) -> Ints:
        """The places in the segment whose pieces are hidden."""
        return np.flatnonzero(self.asked.hidden[self.turn, self.first : self.last])

    def record(self, logs: Floats) -> None:
        """Takes ln p of every hidden piece; those that another segment answers for are left to it."""
        hidden = self.hidden
        mine = self.mine[hidden]
        self.asked.record(self.turn, self.first + hidden[mine], logs[mine])
