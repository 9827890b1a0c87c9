"""A text as taggers see it: words, numbers and signs, in lines and sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from showthrough.systems.taggers.sections import HeadingField, fields_of, headings_of, parts_of

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
