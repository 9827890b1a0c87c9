"""Places in texts with what stands around them, as somebody reads them in a line."""

from __future__ import annotations

import re
from typing import NamedTuple

_AROUND = 40  # characters that are shown on either side
LONGEST = 200  # characters of the place itself: mentions may be nested, and each as long as its document
_SPACES = re.compile(r"\s+")
_CUT_FIRST, _CUT_LAST = re.compile(r"^\S+(?=\s)"), re.compile(r"(?<=\s)\S+$")


class Context(NamedTuple):
    """What stands before a place, there and after it; a word that is cut off is left out."""

    before: str
    here: str
    after: str


def context_of(text: str, start: int, end: int) -> Context:
    """A place with the words around it, where words have spaces between them.

    >>> context_of("The applicants say that they were born in Oslo,\\nlive there and leave it seldom.", 42, 46)
    Context(before='applicants say that they were born in ', here='Oslo', after=', live there and leave it seldom.')
    """
    return Context(_text_before(text, start), in_a_line(text, start, end), _text_after(text, end))


def in_a_line(text: str, start: int, end: int) -> str:
    """What stands there, in one line; of a very long place the beginning and the end."""
    if end - start > LONGEST:
        half = LONGEST // 2
        return f"{in_a_line(text, start, start + half)} … {in_a_line(text, end - half, end)}"
    return _SPACES.sub(" ", text[start:end])


def _text_before(text: str, start: int) -> str:
    low = max(0, start - _AROUND)
    piece = text[low:start]
    if low and not text[low - 1].isspace():
        piece = _CUT_FIRST.sub("", piece)
    return _SPACES.sub(" ", piece).lstrip()


def _text_after(text: str, end: int) -> str:
    high = end + _AROUND
    piece = text[end:high]
    if high < len(text) and not text[high].isspace():
        piece = _CUT_LAST.sub("", piece)
    return _SPACES.sub(" ", piece).rstrip()
