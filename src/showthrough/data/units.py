"""Converts offsets between code points, UTF-16 units, bytes of UTF-8 and graphemes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError, Problem
from showthrough.core.patterns import lazy_pattern

# Graphemes are clusters as Unicode has them today, "text elements" as version 8 had them, which Microsoft's services
# count: there a flag joins the flag after it, and a skin tone or a joined emoji stands for itself.
Unit = Literal["code points", "utf-16", "bytes", "graphemes", "text elements"]
EXPECTED = "expected offsets in Unicode code points, unless --offsets says what they count"
_IN_WORDS: dict[Unit, str] = {
    "code points": "characters", "utf-16": "UTF-16 units", "bytes": "bytes of UTF-8", "graphemes": "graphemes",
    "text elements": "text elements",
}  # fmt: skip
_BLANK = lazy_pattern(r"\s+|\\[nrt]")  # also as programs write it
_CLUSTER_8 = (
    r"\r\n|[\p{GCB=Control}\r\n\U000E0020-\U000E007F]"
    r"|(?:\p{GCB=L}*(?:\p{GCB=V}+|\p{GCB=LV}\p{GCB=V}*|\p{GCB=LVT})\p{GCB=T}*|\p{GCB=L}+|\p{GCB=T}+|\p{GCB=RI}+|.)"
    r"(?:(?![\U0001F3FB-\U0001F3FF\U000E0020-\U000E007F])[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}])*"
)


def reads_as(piece: str, covered: str | None) -> bool:
    r"""Whether a piece of text is what a mark says that it covers, white space aside; where it says nothing, it is.

    Browsers give what is selected with other spaces than the text has, with runs of them joined and ends trimmed; Label
    Studio writes line breaks as `\n`.

    >>> reads_as("Ann\n\u00a0 Lee", r"Ann\n Lee"), reads_as("Ann Lee", "nn Lee")
    (True, False)
    """
    return covered is None or piece == covered or _BLANK.sub("", piece) == _BLANK.sub("", covered)


def to_code_points(text: str, offsets: Sequence[int], unit: Unit) -> list[int]:
    """The same places in code points; raises InputError, without a file, for an offset that is inside a character.

    >>> to_code_points("😀 Ann", [3, 6], "utf-16"), to_code_points("é Ann", [3, 6], "bytes")
    ([2, 5], [2, 5])
    """
    if counts_alike(text, unit):
        _check(offsets, len(text), unit)
        return list(offsets)
    borders = _borders(text, unit)
    if unit in ("graphemes", "text elements"):
        _check(offsets, len(borders) - 1, unit)
        return [int(borders[offset]) for offset in offsets]
    _check(offsets, int(borders[-1]), unit)
    return _border_indices(borders, offsets, f"is inside a character: offsets in {_IN_WORDS[unit]} count its parts")


def length_in(text: str, unit: str) -> int:
    """How long a text is in UTF-16 units, or in bytes of UTF-8."""
    encoded = text.encode("utf-16-le" if unit == "utf-16" else "utf-8", "surrogatepass")
    return len(encoded) // 2 if unit == "utf-16" else len(encoded)


def places_or_none(text: str, offsets: Sequence[int], unit: Unit) -> Ints:
    """The same places in code points, and -1 for each offset that is none: inside a character, or not in the text."""
    borders = _borders(text, unit)
    past = int(borders[-1]) + 1  # for all that are past the end, which may be beyond 64 bits
    queries = np.array([min(max(offset, -1), past) for offset in offsets], dtype=np.int64)
    indices = np.clip(np.searchsorted(borders, queries), 0, len(borders) - 1)
    return np.where(borders[indices] == queries, indices, -1)


def from_code_points(text: str, offsets: Sequence[int], unit: Unit) -> list[int]:
    """The same places in another unit; raises InputError, without a file, for one that is inside a grapheme.

    >>> from_code_points("😀 Ann", [2, 5], "utf-16")
    [3, 6]
    """
    _check(offsets, len(text), "code points")
    if counts_alike(text, unit):
        return list(offsets)
    borders = _borders(text, unit)
    if unit in ("graphemes", "text elements"):
        return _border_indices(borders, offsets, f"is inside what {_IN_WORDS[unit]} count as one")
    return [int(borders[offset]) for offset in offsets]


def reach_of(text: str) -> int:
    """How far its characters reach: 0 where all are ASCII, 2 where one is beyond U+FFFF, else 1.

    >>> reach_of("Ann"), reach_of("é Ann"), reach_of("😀 Ann")
    (0, 1, 2)
    """
    if text.isascii():
        return 0
    return 1 if counts_alike(text, "utf-16") else 2


def counts_alike(text: str, unit: Unit) -> bool:
    """Whether each character counts one, so that offsets into this text are the same in this unit."""
    if unit == "code points" or (text.isascii() and (unit in ("utf-16", "bytes") or "\r\n" not in text)):
        return True
    if unit == "utf-16":  # in UTF-16 two bytes each, unless one is beyond U+FFFF
        return len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)
    return unit != "bytes" and len(_borders(text, unit)) == len(text) + 1


@lru_cache(maxsize=4)  # of the texts whose marks are placed one by one
def _borders(text: str, unit: Unit) -> Ints:
    """Where each character starts, counted in the unit, and the end; of clusters where each starts, in code points."""
    if unit in ("graphemes", "text elements"):
        starts = [match.start() for match in _cluster(unit).finditer(text)]
        return np.array([*starts, len(text)], dtype=np.int64)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    steps = (0xFFFF,) if unit == "utf-16" else (0x7F, 0x7FF, 0xFFFF)  # from where on a character takes one more
    sizes = 1 + sum((points > step).astype(np.int64) for step in steps)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


@cache
def _cluster(unit: Unit) -> Any:
    import regex

    return regex.compile(r"\X" if unit == "graphemes" else _CLUSTER_8, regex.DOTALL)


def _border_indices(borders: Ints, offsets: Sequence[int], fault: str) -> list[int]:
    """The numbers of the borders at these offsets."""
    queries = np.asarray(offsets, dtype=np.int64)
    indices = np.searchsorted(borders, queries)
    for offset in queries[borders[indices] != queries].tolist():
        raise InputError(Problem("", "", f"offset {offset} {fault}"))
    return [int(index) for index in indices]


def _check(offsets: Sequence[int], length: int, unit: Unit) -> None:
    for offset in offsets:
        if offset < 0:
            raise InputError(Problem("", "", f"offset {offset} is negative; expected 0 or more"))
        if offset > length:
            fault = f"offset {offset} is past the end of the text ({length} {_IN_WORDS[unit]})"
            raise InputError(Problem("", "", fault))
