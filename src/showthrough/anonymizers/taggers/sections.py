"""Headings of a record, its header and footer, and the fields in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from showthrough.anonymizers.taggers.tokens import Tokens

_LONGEST_HEADING = 6  # words before a colon


@dataclass(frozen=True)
class Field:
    """What stands after a heading and a colon, up to the next heading or the end of the line."""

    heading: str  # in small letters
    first: int
    last: int


def fields_of(tokens: Tokens) -> list[Field]:
    """All fields of a text. A line may have several: `Age: 47 Sex: F`."""
    found: list[Field] = []
    words, gaps = tokens.words, tokens.gaps
    for line in tokens.lines:
        colons = [
            number
            for number in line
            if words[number] == ":" and number > line.start and not gaps[number] and words[number - 1][-1].isalpha()
        ]
        begins = [_heading(tokens, line.start if not before else before[-1] + 1, colon)
                  for before, colon in ((colons[:place], colon) for place, colon in enumerate(colons))]  # fmt: skip
        for place, colon in enumerate(colons):
            end = begins[place + 1] if place + 1 < len(colons) else line.stop
            if begins[place] < colon and colon + 1 < end:
                heading = " ".join(words[begins[place] : colon]).lower()
                found.append(Field(heading, colon + 1, end))
    return found


def _heading(tokens: Tokens, low: int, colon: int) -> int:
    """Where the heading of a colon begins: with the line, or, within one, with its last capital letter."""
    words = tokens.words
    first = max(low, colon - _LONGEST_HEADING)
    opens_line = low == 0 or tokens.gaps[low] == "\n"
    if opens_line and low >= colon - _LONGEST_HEADING:
        return low
    for number in range(colon - 1, first - 1, -1):
        if words[number][0].isupper():
            return number
    return colon
