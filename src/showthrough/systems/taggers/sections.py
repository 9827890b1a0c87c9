"""Headings of a record, its header and footer, and the fields in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from showthrough.systems.taggers.tokens import Tokens

_LONGEST_HEADING = 6  # words before a colon
_LONGEST_FIELD = 60  # tokens of a line in a header or footer


@dataclass(frozen=True)
class HeadingField:
    """What stands after a heading and a colon, up to the next heading or the end of the line."""

    heading: str  # in small letters
    first: int
    last: int


def fields_of(tokens: Tokens) -> list[HeadingField]:
    """All fields of a text. A line may have several: `Age: 47 Sex: F`."""
    fields: list[HeadingField] = []
    words, gaps = tokens.words, tokens.gaps
    for line in tokens.lines:
        begins, last = line.stop, -1  # of the field that is open: where its value begins
        heading = ""
        for number in range(line.start + 1, line.stop):
            if words[number] != ":" or gaps[number] or not words[number - 1][-1].isalpha():
                continue
            low = line.start if last < 0 else last + 1
            first = _heading(words, low, number, opens_line=last < 0)
            if heading and begins < first:
                fields.append(HeadingField(heading, begins, first))
            heading, begins, last = " ".join(words[first:number]).lower(), number + 1, number
        if heading and begins < line.stop:
            fields.append(HeadingField(heading, begins, line.stop))
    return fields


def _heading(words: list[str], low: int, colon: int, opens_line: bool) -> int:
    """Where the heading of a colon begins: with the line, or, within one, with its last capital letter."""
    if opens_line and low >= colon - _LONGEST_HEADING:
        return low
    for number in range(colon - 1, max(low, colon - _LONGEST_HEADING) - 1, -1):
        if words[number][0].isupper():
            return number
    return colon


def headings_of(tokens: Tokens) -> dict[int, str]:
    """Lines that are headings by themselves: few words, no full stop, nothing but capitals or a colon at the end."""
    headings: dict[int, str] = {}
    for line in tokens.lines:
        words = tokens.words[line.start : line.stop]
        if len(words) <= _LONGEST_HEADING + 2 and words[-1] != ".":
            letters = [word for word in words if word[0].isalpha()]
            if letters and (words[-1] == ":" or all(word.isupper() for word in letters)):
                headings[line.start] = " ".join(letters).lower()
    return headings


def parts_of(tokens: Tokens) -> list[str]:
    """Of each token, whether it is in the header (lines with fields, up to the first long one without), the footer
    (the same from the end) or the body.
    """
    parts = ["body"] * len(tokens)
    with_field = {field.first for field in tokens.fields}
    lines = tokens.lines
    fields = [any(at in with_field for at in line) or len(line) <= _LONGEST_HEADING for line in lines]
    long = [len(line) > _LONGEST_FIELD for line in lines]
    for order, name in ((range(len(lines)), "header"), (range(len(lines) - 1, -1, -1), "footer")):
        for row in order:
            if long[row] or not fields[row] or parts[lines[row].start] != "body":
                break
            parts[lines[row].start : lines[row].stop] = [name] * len(lines[row])
    return parts
