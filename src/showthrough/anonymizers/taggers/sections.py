"""Headings of a record, its header and footer, and the fields in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from showthrough.anonymizers.taggers.tokens import Tokens

_LONGEST_HEADING = 6  # words before a colon
_LONGEST_FIELD = 60  # tokens of a line in a header or footer


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


def headings_of(tokens: Tokens) -> dict[int, str]:
    """Lines that are headings by themselves: few words, no full stop, nothing but capitals or a colon at the end."""
    found: dict[int, str] = {}
    for line in tokens.lines:
        words = tokens.words[line.start : line.stop]
        if len(words) <= _LONGEST_HEADING + 2 and words[-1] != ".":
            letters = [word for word in words if word[0].isalpha()]
            if letters and (words[-1] == ":" or all(word.isupper() for word in letters)):
                found[line.start] = " ".join(letters).lower()
    return found


def parts_of(tokens: Tokens) -> list[str]:
    """Of each token, whether it is in the header (lines with fields, up to the first long one without), the footer
    (the same from the end) or the body.
    """
    parts = ["body"] * len(tokens)
    with_field = {one.first for one in tokens.fields}
    lines = tokens.lines
    fields = [any(at in with_field for at in line) or len(line) <= _LONGEST_HEADING for line in lines]
    long = [len(line) > _LONGEST_FIELD for line in lines]
    for order, name in ((range(len(lines)), "header"), (range(len(lines) - 1, -1, -1), "footer")):
        for row in order:
            if long[row] or not fields[row] or parts[lines[row].start] != "body":
                break
            parts[lines[row].start : lines[row].stop] = [name] * len(lines[row])
    return parts
