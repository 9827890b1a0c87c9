"""Long texts in windows that overlap: each token is decided once, where it sees most on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Ints

_USUAL = 3, 4  # a window starts so much of the last one behind it: a token sees an eighth of a window on either side


def usual_stride(room: int) -> int:
    """How far apart windows start where nobody says.

    >>> usual_stride(512), usual_stride(1)
    (384, 1)
    """
    part, whole = _USUAL
    return max(1, room * part // whole)


@dataclass(frozen=True)
class TokenWindows:
    """A window reads the tokens from `begin` to before `end`, and decides those from `first` to before `last`."""

    begin: Ints
    end: Ints
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.begin)


def windows_of(length: int, room: int, stride: int) -> TokenWindows:
    """So many tokens in windows with room for `room` of them, each starting `stride` after the one before.

    The last one starts earlier where it would be short: context costs nothing there. Two windows that share tokens
    share them out in the middle, which is where a token has as much around it in one as in the other.

    >>> windows = windows_of(25, 10, 8)
    >>> [part.tolist() for part in (windows.begin, windows.end, windows.first, windows.last)]
    [[0, 8, 15], [10, 18, 25], [0, 9, 17], [9, 17, 25]]
    """
    if not 0 < stride <= room:
        raise ValueError(f"stride {stride} and room {room}: a token would be in no window")
    count = (1 - (room - length) // stride if length > room else 1) if length else 0
    begin = np.minimum(np.arange(count, dtype=np.int64) * stride, max(0, length - room))
    end = np.minimum(begin + room, length)
    middle = (begin[1:] + end[:-1] + 1) // 2
    return TokenWindows(begin, end, np.append(0, middle)[:count], np.append(middle, length)[-count:] if count else end)
