"""Marks whose unit of counting nobody states: the text that they cover tells it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from showthrough.core.errors import InputError
from showthrough.data.offsets import unit_of
from showthrough.data.units import Unit, counts_alike, reads_as, to_code_points
from showthrough.formats.base import unlike
from showthrough.formats.objects import Entry

_UNITS: tuple[Unit, ...] = ("utf-16", "code points")  # what browsers count, and what scripts do


class UnitSpan(msgspec.Struct, gc=False, frozen=True):
    """Where a mark is, counted in whatever unit."""

    start: int
    end: int
    covered: str | None  # what it says that it covers
    field: str


def placed_in(text: str, spans: Sequence[UnitSpan], entry: Entry) -> list[tuple[int, int]]:
    """The spans in code points: of the ways to count in which each covers what it says, that in which most do exactly.

    A line break of two characters may count one, because browsers show it so.
    """
    if counts_alike(text, "utf-16") and "\r\n" not in text:
        for span in spans:
            if text[span.start : span.end] != span.covered:
                _check(text, span, entry)
        return [(span.start, span.end) for span in spans]
    offsets = entry.columns.offsets
    units = (unit_of(offsets) or "code points",) if offsets else _UNITS
    ways = [_convert_spans(text, spans, unit, breaks) for breaks in ("\r\n", "\n") for unit in units]
    exact = [-1 if way is None else _exact(text, way, spans) for way in ways]
    fitting = [way for way, count in zip(ways, exact, strict=True) if way is not None and count == max(0, *exact)]
    if not fitting:
        for span in spans:
            _check(text, span, entry)
        raise entry.fail(
            "its marks fit neither offsets in UTF-16 units nor in code points; expected one of them for all"
        )
    for number, span in enumerate(spans):
        if span.covered is None and len({way[number] for way in fitting}) > 1:
            fault = (
                "has no text, so nothing shows whether offsets count UTF-16 units or code points, and here it matters"
            )
            raise entry.fail(fault, span.field)
    return fitting[0]


def _convert_spans(text: str, spans: Sequence[UnitSpan], unit: Unit, breaks: str) -> list[tuple[int, int]] | None:
    """Spans in code points, if CRLF is read as `breaks`; `None` where one is not in the text."""
    seen = text.replace("\r\n", breaks)
    try:
        flat = to_code_points(seen, [offset for span in spans for offset in (span.start, span.end)], unit)
    except InputError:
        return None
    if len(seen) < len(text):
        pieces = text.split("\r\n")[:-1]
        ends: list[int] = []  # of the lines, where each break is one character
        for piece in pieces:
            ends.append((ends[-1] + 1 if ends else 0) + len(piece))
        flat = [offset + bisect_left(ends, offset) for offset in flat]
    return list(zip(flat[::2], flat[1::2], strict=True))


def _exact(text: str, way: Sequence[tuple[int, int]], spans: Sequence[UnitSpan]) -> int:
    """How many spans cover what they say, to the character; -1 where one covers something else."""
    pieces = [(text[start:end], span.covered) for (start, end), span in zip(way, spans, strict=True)]
    return sum(piece == covered for piece, covered in pieces) if all(reads_as(*pair) for pair in pieces) else -1


def _check(text: str, span: UnitSpan, entry: Entry) -> None:
    start, end, covered, field = msgspec.structs.astuple(span)
    if 0 <= start < end <= len(text) and not reads_as(text[start:end], covered):
        raise entry.fail(unlike(f"at {start}–{end}", text[start:end], "the mark says", covered), field)
    if not 0 <= start < end <= len(text):
        entry.mention(text, start, end, field=field)  # raises, with what is wrong
