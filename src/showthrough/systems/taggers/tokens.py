"""A text as taggers see it: words, numbers and signs, in lines, sentences and sections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

# A record has headings, a header, a footer, and fields.

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


# Letters, digits and signs apart, so that whatever people mark begins and ends with a token.
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
_ENDS = frozenset(".!?…")
_CLOSING = frozenset("\"'”’»)]")
_MOST_CLOSING = 4  # of them behind one stop


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text, in its order."""

    text: str
    words: list[str]
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, text: str) -> Tokens:
        """
        >>> Tokens.of("Dr. Rask, 12/03").words
        ['Dr', '.', 'Rask', ',', '12', '/', '03']
        """
        matches = list(_TOKEN.finditer(text))
        return cls(
            text,
            [match[0] for match in matches],
            [match.start() for match in matches],
            [match.end() for match in matches],
        )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def gaps(self) -> list[str]:
        """What stands before each token: nothing, a blank or the end of a line (as one line feed)."""
        gaps = [self.text[end:start] for end, start in zip([0, *self.ends], self.starts, strict=False)]
        return ["\n" if "\n" in gap else " " if gap else "" for gap in gaps]

    @cached_property
    def lines(self) -> list[range]:
        """The tokens of each line that has any."""
        return _ranges([number for number, gap in enumerate(self.gaps) if gap == "\n"], len(self))

    @cached_property
    def sentences(self) -> list[range]:
        """The tokens of each sentence: it ends with its line, or at . ! ? … before white space and no small letter."""
        opens = []
        for number in range(1, len(self)):
            if self.gaps[number] == "\n" or (self.gaps[number] and self._closes(number - 1) and self._opens(number)):
                opens.append(number)
        return _ranges(opens, len(self))

    def _closes(self, number: int) -> bool:
        """Whether a sentence may end with a token: at a stop, or at quotes and brackets behind one."""
        least = max(number - _MOST_CLOSING, 0)
        while number > least and self.words[number] in _CLOSING:
            number -= 1
        return self.words[number] in _ENDS

    def _opens(self, number: int) -> bool:
        return not self.words[number][0].islower()

    @cached_property
    def fields(self) -> list[HeadingField]:
        """What stands in lines of the form `Heading: value`."""
        return fields_of(self)

    @cached_property
    def headings(self) -> dict[int, str]:
        """Headings that are lines of their own, by their first token."""
        return headings_of(self)

    @cached_property
    def parts(self) -> list[str]:
        """Of each token, the part of the record: header, body or footer."""
        return parts_of(self)


def _ranges(opens: list[int], length: int) -> list[range]:
    cuts = sorted({0, *opens, length})
    return [range(first, last) for first, last in pairwise(cuts)]
