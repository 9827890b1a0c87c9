"""Where the masks of an anonymized text were, which says where its replacements are: all else stands in the original.

Between its replacements an anonymized text is the original, letter by letter. So the original is what was kept, in the
same order, with something of unknown length where a replacement is. The first kept piece is at the start, the last at
the end, and each of the others between the leftmost and the rightmost place that leaves room for all: mostly the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_MOST = 10_000  # places of all kept pieces together that are looked at


class Placement(NamedTuple):
    """What was masked: the span of every replacement, and places that another placement of the same pieces keeps."""

    spans: list[tuple[int, int]]
    doubtful: list[tuple[int, int]]
    several: bool  # whether the pieces could be elsewhere too


class NoPlacementError(ValueError):
    """The text between the replacements is not in the original. `piece` is the number of what was not found."""

    def __init__(self, piece: int) -> None:
        super().__init__(f"piece {piece}")
        self.piece = piece


def place_pieces(original: str, pieces: Sequence[str]) -> Placement:
    """The spans between the kept pieces, one fewer than there are pieces; raises NoPlacementError.

    >>> place_pieces("Mr John Doe of Oslo left.", ["Mr ", " of ", " left."]).spans
    [(3, 11), (15, 19)]
    >>> place_pieces("Ann Lee 3 May", ["", " ", ""])  # which of the spaces was kept?
    Placement(spans=[(0, 3), (4, 13)], doubtful=[(3, 4), (7, 8), (9, 10)], several=True)
    """
    if len(pieces) == 1:
        if original != pieces[0]:
            raise NoPlacementError(0)
        return Placement([], [], several=False)
    first, last = _leftmost(original, pieces), _rightmost(original, pieces)
    if first == last:
        return Placement(_between(first, pieces), [], several=False)
    choices = _choices(original, pieces, first, last)
    starts = _best(original, pieces, choices)
    ways = zip(choices, pieces, strict=True)
    doubtful = [
        (start, start + len(piece)) for positions, piece in ways if len(positions) > 1 and piece for start in positions
    ]
    return Placement(_between(starts, pieces), doubtful, several=True)


def _between(starts: Sequence[int], pieces: Sequence[str]) -> list[tuple[int, int]]:
    ends = [start + len(piece) for start, piece in zip(starts, pieces, strict=True)]
    return list(zip(ends[:-1], starts[1:], strict=True))


def _leftmost(original: str, pieces: Sequence[str]) -> list[int]:
    """Each piece as far to the left as it goes, with at least a character before it that was masked."""
    if not original.startswith(pieces[0]):
        raise NoPlacementError(0)
    starts = [0]
    end = len(pieces[0])
    for number, piece in enumerate(pieces[1:], 1):
        start = original.find(piece, end + 1)
        if start < 0 or end >= len(original):
            raise NoPlacementError(number)
        starts.append(start)
        end = start + len(piece)
    at_end = len(original) - len(pieces[-1])
    if not original.endswith(pieces[-1]) or at_end < starts[-1]:
        raise NoPlacementError(len(pieces) - 1)
    return [*starts[:-1], at_end]


def _rightmost(original: str, pieces: Sequence[str]) -> list[int]:
    """Each as far to the right; the leftmost exist, so these do."""
    starts = [len(original) - len(pieces[-1])]
    for piece in reversed(pieces[1:-1]):
        starts.append(original.rfind(piece, 0, starts[-1] - 1))
    return [0, *reversed(starts)]


def _choices(original: str, pieces: Sequence[str], first: Sequence[int], last: Sequence[int]) -> list[list[int]]:
    """All places of each piece: whatever lies between its leftmost and its rightmost leaves room for the others."""
    choices = []
    left = _MOST
    for number, (piece, low, high) in enumerate(zip(pieces, first, last, strict=True)):
        positions = []
        start = low
        while 0 <= start <= high:
            positions.append(start)
            start = original.find(piece, start + 1)
        left -= len(positions)
        if left < 0:
            raise NoPlacementError(number)
        choices.append(positions)
    return choices


def _best(original: str, pieces: Sequence[str], choices: Sequence[Sequence[int]]) -> list[int]:
    """Of all placements that whose masks start and end where words do, most of them; the leftmost among equals."""
    costs: list[list[int]] = [[0] * len(choices[0])]
    chosen: list[list[int]] = [[-1] * len(choices[0])]
    for number in range(1, len(choices)):
        before, length = choices[number - 1], len(pieces[number - 1])
        reach, best = 0, -1
        cost_row, chosen_row = [], []
        for start in choices[number]:
            while reach < len(before) and before[reach] + length < start:
                closing = costs[-1][reach] + _ragged_start(original, before[reach] + length)
                if best < 0 or closing < costs[-1][best] + _ragged_start(original, before[best] + length):
                    best = reach
                reach += 1
            base = costs[-1][best] + _ragged_start(original, before[best] + length)
            cost_row.append(base + _ragged_end(original, start))
            chosen_row.append(best)
        costs.append(cost_row)
        chosen.append(chosen_row)
    at = 0  # the last piece has one place
    starts = []
    for number in range(len(choices) - 1, -1, -1):
        starts.append(choices[number][at])
        at = chosen[number][at]
    return starts[::-1]


def _ragged_start(text: str, start: int) -> int:
    """Whether a mask would start with a space, or inside a word."""
    inside = 0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum()
    return inside + text[start : start + 1].isspace()


def _ragged_end(text: str, end: int) -> int:
    inside = 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return inside + text[end - 1 : end].isspace()
