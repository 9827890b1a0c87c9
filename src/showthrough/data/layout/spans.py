"""Spans as arrays: the positions they cover, their overlaps, and counts before each position."""

from __future__ import annotations

from typing import Protocol

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Bytes, Codes, Ints, Ints32

# Of eight letters as one number, those that a word of so many letters has.
_OF_WORD: Codes = np.array([2**64 - 2 ** (64 - 8 * size) for size in range(9)], dtype=np.uint64)


class SortedSpans(Protocol):
    """Things on a line, by start."""

    @property
    def start(self) -> Ints: ...
    @property
    def end(self) -> Ints: ...


class Spans(msgspec.Struct, frozen=True):
    """Tokens in the span layout, each with its number and that of the thing it was found in (a mention, a mask)."""

    start: Ints
    end: Ints
    token: Ints
    origin: Ints

    def __len__(self) -> int:
        return len(self.start)


class Contents(msgspec.Struct, frozen=True):
    """What spans have of tokens, without a list of them span by span: of nested spans that would be endless.

    A span has the tokens `first` to before `last` whole, and cuts off at most one at either edge.
    """

    first: Ints
    last: Ints
    cut: Spans  # `origin` is the span

    def times(self, tokens: int) -> Ints:
        """Of each token, how many of the spans have it whole."""
        return count_over(self.first, self.last, tokens)


def count_over(first: Ints, last: Ints, things: int) -> Ints:
    """Of each thing, how many of some ranges it is in, which go from `first` to before `last`.

    >>> count_over(np.array([0, 1]), np.array([3, 2]), 4).tolist()
    [1, 2, 1, 0]
    """
    edges = np.bincount(first, minlength=things + 1) - np.bincount(last, minlength=things + 1)
    return np.asarray(np.cumsum(edges)[:things], dtype=np.int64)


def expand_ranges(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """All numbers from `first` to before `last` of many ranges: the range each is of, and the number.

    >>> [array.tolist() for array in expand_ranges(np.array([5, 9]), np.array([7, 10]))]
    [[0, 0, 1], [5, 6, 9]]
    """
    size = np.maximum(last - first, 0)
    origin = np.repeat(np.arange(len(size)), size)
    return origin, np.arange(len(origin)) + np.repeat(first - (np.cumsum(size) - size), size)


def list_positions(start: Ints, end: Ints) -> Ints:
    """All places of some spans, span after span."""
    return expand_ranges(start, end)[1]


def find_overlaps(left: SortedSpans, right: SortedSpans) -> tuple[Ints, Ints, Ints]:
    """All pairs that share characters: left, right, and how many they share. Cheapest with the shorter list right.

    There are as many as spans where one side does not overlap itself; else there may be as many as their product.
    """
    # What ends before a span starts cannot touch it, nor what starts after its end; the reach is the farthest end yet.
    reach = np.maximum.accumulate(left.end) if len(left.end) else left.end
    first = np.searchsorted(reach, right.start, side="right")
    last = np.searchsorted(left.start, right.end, side="left")
    theirs, ours = expand_ranges(first, last)
    shared = np.minimum(left.end[ours], right.end[theirs]) - np.maximum(left.start[ours], right.start[theirs])
    touching = shared > 0
    return ours[touching], theirs[touching], shared[touching]


def find_touching(tokens: SortedSpans, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The first token that each span has, at least in part, and the one after the last."""
    first = np.searchsorted(tokens.end, start, side="right")
    return first, np.maximum(np.searchsorted(tokens.start, end, side="left"), first)


class TokenFinder:
    """Finds what spans have of tokens by position: to look that up takes less than a search for each span."""

    def __init__(self, tokens: SortedSpans, length: int) -> None:
        """Tokens do not overlap, and lie in order on a line of this length."""
        opens = np.zeros(length + 1, dtype=bool)  # the last text has a line feed too, for who counts it
        opens[tokens.start] = True
        self._before, self._end = count_before(opens), tokens.end

    def touching(self, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """The same as `find_touching`."""
        first = self._before[start].astype(np.int64)
        if len(self._end):  # the last that begins before a span may reach into it
            first -= (first > 0) & (self._end[first - 1] > start)
        return first, np.maximum(self._before[end], first)


def contents_of(
    tokens: SortedSpans, start: Ints, end: Ints, touching_tokens: tuple[Ints, Ints] | None = None
) -> Contents:
    """What spans, which may overlap, have of tokens, which do not and are in order.

    `touching_tokens` is what `find_touching` says, where somebody knows it already.
    """
    first, last = touching_tokens or find_touching(tokens, start, end)
    touching = last > first
    opened, closed = touching.copy(), touching.copy()
    opened[touching] = tokens.start[first[touching]] < start[touching]
    closed[touching] = tokens.end[last[touching] - 1] > end[touching]
    left, right = np.flatnonzero(opened), np.flatnonzero(closed & ~(opened & (last - first == 1)))
    span, token = np.concatenate([left, right]), np.concatenate([first[left], last[right] - 1])
    low, high = np.maximum(tokens.start[token], start[span]), np.minimum(tokens.end[token], end[span])
    first = first + opened
    return Contents(first, np.maximum(last - closed, first), Spans(low, high, token, span))


def highest(start: Ints, end: Ints, value: Ints) -> tuple[Ints, Ints]:
    """All places that spans cover, and of each the highest value of a span over it; no value is below 0.

    A span is two of a power of two, one from its start and one to its end. From the longest down, what holds for a
    stretch holds for both of its halves: so the work does not grow with how many spans lie over a place.

    >>> place, value = highest(np.array([0, 1, 5]), np.array([4, 3, 6]), np.array([7, 9, 2]))
    >>> place.tolist(), value.tolist()
    ([0, 1, 2, 3, 5], [7, 9, 9, 7, 2])
    """
    position = list_positions(*merge_spans(start, end))
    low, high = np.searchsorted(position, start), np.searchsorted(position, end)
    power = np.frexp(high - low)[1] - 1  # -1 of what is empty
    top = np.full(len(position), -1, dtype=np.int64)
    for level in range(int(power.max(initial=-1)), -1, -1):
        step = 1 << level
        top[step:] = np.maximum(top[step:], top[:-step].copy())
        indices = np.flatnonzero(power == level)
        for edge in (low[indices], high[indices] - step):
            np.maximum.at(top, edge, value[indices])
    return position, top


def find_openings(start: Ints, end: Ints) -> Ints:
    """Of spans in the order of their starts, those that begin where all before them have ended."""
    reach = np.maximum.accumulate(end) if len(end) else end
    return np.flatnonzero(np.concatenate([np.ones(min(1, len(start)), dtype=bool), start[1:] >= reach[:-1]]))


def merge_spans(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Spans in order, those that overlap joined to one: as many places as they cover, however often they do."""
    if (start[1:] >= end[:-1]).all():
        return start, end
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    opens = find_openings(start, end)
    return start[opens], np.maximum.reduceat(end, opens)


def paint(canvas: Bools, start: Ints, end: Ints) -> None:
    """Sets all places of some spans; they may overlap."""
    canvas[list_positions(*merge_spans(start, end))] = True


def count_before(which: Bools) -> Ints32:
    """How many are set before each place, and after the last."""
    before = np.zeros(len(which) + 1, dtype=np.int32)
    before[1:] = which  # a sum that also converts takes half as long again
    return np.cumsum(before, dtype=np.int32, out=before)


def eight_letters(letters: Bytes, start: Ints, end: Ints) -> Codes:
    """The first eight letters of many words, each eight as one number; 0 after the last of a shorter word."""
    padded = np.append(letters, np.zeros(8, dtype=np.uint8))
    eights: Codes = np.ndarray((len(letters) + 1,), dtype=">u8", buffer=padded, strides=(1,))
    return np.asarray(eights[start].astype(np.uint64) & _OF_WORD[np.minimum(end - start, 8)])


def set_within(which: Bools, start: Ints, end: Ints) -> Ints:
    """The places of some spans that are set, each once."""
    positions = list_positions(*merge_spans(start, end))
    return positions[which[positions]]
