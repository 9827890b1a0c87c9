"""Where passages of a submission stand in the original: as they say, or else in the order in which one reads.

PAN's submissions count positions in many ways, and copy passages with other white space. So texts are compared without
white space and byte-order marks, and positions are trusted where half of a text's passages stand where they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from showthrough.formats.authorship.pan_folders import MARK

_BLANK = np.array([*(code for code in range(0x3001) if chr(code).isspace()), ord(MARK)], dtype=np.uint32)
_NONE = -1


def squeeze(text: str) -> str:
    """Without white space and byte-order marks.

    >>> squeeze("\\ufeffMr  Doe\\r\\nleft.")
    'MrDoeleft.'
    """
    return "".join(text.split()).replace(MARK, "")


@dataclass(frozen=True)
class QuotedPassage:
    """A passage as a submission quotes it, and where it says it is; the end may be that of its last character."""

    original: str
    start: int
    end: int


class Original:
    """A text in which passages are looked for."""

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        self._places: NDArray[np.int64] = np.flatnonzero(~np.isin(codes, _BLANK))  # of what is left, in the text
        self.squeezed = squeeze(text)

    def find_passages(self, passages: Sequence[QuotedPassage]) -> NDArray[np.int64]:
        """The start and end of each in the squeezed text; -1 where it does not occur, and where it is blank."""
        quotes = [squeeze(passage.original) for passage in passages]
        sizes = np.array([len(text) for text in quotes], dtype=np.int64)
        starts = self._as_stated(passages, quotes, sizes)
        after = 0  # the end of the last passage that was found
        for number, quote in enumerate(quotes):
            if starts[number] == _NONE and quote:
                following = quotes[number + 1] if number + 1 < len(quotes) else ""
                starts[number] = self._nearest(quote, following, after)
            if starts[number] != _NONE:
                after = int(starts[number] + sizes[number])
        return np.stack([starts, np.where(starts == _NONE, _NONE, starts + sizes)], axis=1)

    def spans(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same in the text itself, from the first to the last character that is no white space."""
        return np.stack([self._places[positions[:, 0]], self._places[positions[:, 1] - 1] + 1], axis=1)

    def find_uncovered(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places in the text, white space aside, that no passage has."""
        steps = np.zeros(len(self._places) + 1, dtype=np.int64)
        np.add.at(steps, positions[:, 0], 1)
        np.add.at(steps, positions[:, 1], -1)
        left: NDArray[np.int64] = self._places[np.cumsum(steps)[:-1] == 0]
        return left

    def _as_stated(
        self, passages: Sequence[QuotedPassage], quotes: Sequence[str], sizes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Where passages stand as they say, if half of them do; the byte-order mark of a file may be counted or not."""
        best = np.full(len(quotes), _NONE, dtype=np.int64)
        if not quotes:
            return best
        stated = np.array([(passage.start, passage.end) for passage in passages], dtype=np.int64)
        for shift in (0, 1):
            starts = np.searchsorted(self._places, stated[:, 0] - shift)
            ends = [np.searchsorted(self._places, stated[:, 1] - shift + more) for more in (0, 1)]
            fitting = (sizes > 0) & np.any([starts + sizes == end for end in ends], axis=0)
            fits = [fit and self.squeezed.startswith(quote, start)
                    for fit, quote, start in zip(fitting, quotes, starts.tolist(), strict=True)]  # fmt: skip
            if sum(fits) > np.count_nonzero(best != _NONE):
                best = np.where(fits, starts, _NONE)
        trusted = 2 * np.count_nonzero(best != _NONE) >= np.count_nonzero(sizes)
        return best if trusted else np.full(len(quotes), _NONE, dtype=np.int64)

    def _nearest(self, quote: str, following: str, after: int) -> int:
        """Where a passage stands: right after the last one, else nearest to there, best with the next one behind it."""
        if self.squeezed.startswith(quote, after):
            return after
        for target in dict.fromkeys((quote + following, quote)):
            later = self.squeezed.find(target, after)
            earlier = self.squeezed.rfind(target, 0, after + len(target) - 1)
            if later == _NONE or (earlier != _NONE and after - earlier < later - after):
                later = earlier
            if later != _NONE:
                return later
        return _NONE
