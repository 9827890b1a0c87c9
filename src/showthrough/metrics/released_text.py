"""A released text: which of its characters stood in the original, and which of its words do, in whatever place."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from showthrough.core.patterns import lazy_pattern
from showthrough.data.masks import Mask, as_read

_WORD = lazy_pattern(r"[^\W_]+")
_CODE, _NAME = 5, 3  # letters and digits of a code, and letters of a name, from which on they are no coincidence


class ReleasedText(msgspec.Struct, frozen=True):
    """What can be read of a text, with the spans that an anonymizer wrote there.

    >>> released = ReleasedText.of("Mr John Doe of Oslo", [Mask(3, 11, "PERSON"), Mask(15, 19)])
    >>> released.text, released.tells(0, 9), released.tells(3, 9), released.original(10, 12)
    ('Mr PERSON of ', True, False, (12, 14))
    """

    original_text: str
    text: str
    masks: list[Mask] = msgspec.field(default_factory=list)  # as they are read: ascending, none overlapping another
    starts: list[int] = msgspec.field(default_factory=list)  # where in the released text each of them writes

    @classmethod
    def of(cls, text: str, masks: Iterable[Mask]) -> ReleasedText:
        flat = as_read(text, masks)
        pieces: list[str] = []
        starts: list[int] = []
        position = length = 0
        for mask in flat:
            pieces += (text[position : mask.start], mask.replacement or "")
            length += mask.start - position
            starts.append(length)
            length += len(pieces[-1])
            position = mask.end
        return cls(text, "".join((*pieces, text[position:])), flat, starts)

    def tells(self, start: int, end: int) -> bool:
        """Whether a letter or digit there is the original's: it was left, or it is in a word that a mask repeats."""
        position = start
        for number in range(max(0, bisect_right(self.starts, start) - 1), len(self.masks)):
            mask, low = self.masks[number], self.starts[number]
            high = low + len(mask.replacement or "")
            if low >= end:
                break
            if _WORD.search(self.text, position, max(position, low)):
                return True
            if self._repeats(mask, max(low, start), min(high, end)):
                return True
            position = max(position, high)
        return position < end and _WORD.search(self.text, position, end) is not None

    def _repeats(self, mask: Mask, start: int, end: int) -> bool:
        """Whether a word that is written there is one of what the mask hides, in whatever case or width."""
        written = _words(self.text[start:end]) if start < end else []
        return bool(written) and not set(written).isdisjoint(_words(self.original_text[mask.start : mask.end]))

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that a span of the released text stands for, masks as a whole."""
        return self._back(start, 0), self._back(end - 1, 1)

    def mask_at(self, start: int, end: int) -> Mask | None:
        """The mask whose replacement holds a span of the released text, where one does."""
        number = bisect_right(self.starts, start) - 1
        if number < 0 or end > self.starts[number] + len(self.masks[number].replacement or ""):
            return None
        return self.masks[number]

    def _back(self, position: int, after: int) -> int:
        number = bisect_right(self.starts, position) - 1
        while number >= 0:
            mask, low = self.masks[number], self.starts[number]
            high = low + len(mask.replacement or "")
            if position >= high:
                return mask.end + position - high + after
            if low < high:
                return mask.end if after else mask.start
            number -= 1
        return position + after


class Telling:
    """The words of an original that tell something of it wherever they stand: a header may have moved to the end.

    >>> telling = Telling("A person aged 45, Ole Berg, wrote.", ["45", "Ole Berg"])
    >>> [telling.has(words) for words in ("45", "44", "Berg", "PERSON", "Ole wrote")]
    [True, False, True, False, False]
    """

    def __init__(self, original: str, finds: Iterable[str] = ()) -> None:
        words = _WORD.findall(unicodedata.normalize("NFKC", original))
        self._line = _line(map(str.casefold, words))
        self._found = "\n".join(_line(_words(find)) for find in finds)
        self._ordinary = {word for word in words if word.islower()}

    def has(self, written: str) -> bool:
        """Whether words that were written are words of the original, side by side there.

        They are where a find of the same detector has them. Where none has, they must be more than what any text has:
        a word that this original never writes in small letters, or a code.
        """
        words = _words(written)
        row = _line(words)
        return bool(words) and (row in self._found or (row in self._line and any(map(self._is_rare, words))))

    def _is_rare(self, word: str) -> bool:
        if any(map(str.isdigit, word)):
            return len(word) >= _CODE
        return word not in self._ordinary and (len(word) >= _NAME or not word.isascii())


def _line(words: Iterable[str]) -> str:
    """Words with a space on both sides of each: what one line has of another, it has in whole words."""
    return f" {' '.join(words)} "


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
