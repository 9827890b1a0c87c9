"""Passages: what a rewriting says it wrote anew, or the sentences of a text, each with what stands there now."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from showthrough.data.masks import Mask, apply_masks, flattened

# A sentence ends at a line's end, or at a mark with what closes behind it, before a blank and no small letter; not
# behind a title or a single capital, which are shortened words.
_SHORT = r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\b[Nn]o)"
_END = re.compile(rf"""{_SHORT}(?<![.!?…])[.!?…]++["'”’)\]]*+(?=\s++[^\sa-z])|\n""")


class Passage(NamedTuple):
    """A stretch of the original, and what can be read in its place."""

    start: int
    end: int
    original: str
    released: str

    @property
    def blank(self) -> bool:
        """Whether there was nothing and is nothing."""
        return not (self.original.strip() or self.released.strip())

    @property
    def unchanged(self) -> bool:
        """Whether the same stands there, white space aside."""
        return "".join(self.original.split()) == "".join(self.released.split())


def sentences(text: str) -> list[tuple[int, int]]:
    """Where sentences begin and end, without the white space around them.

    >>> text = "Mr. Doe left. He said: “Why?” J. Smith did\\nnot"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Doe left.', 'He said: “Why?”', 'J. Smith did', 'not']
    """
    return list(_trimmed(text, [match.end() for match in _END.finditer(text)]))


def _trimmed(text: str, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for last in (*ends, len(text)):
        held = text[first:last]
        if inner := held.strip():
            start = first + held.index(inner[0])
            yield start, start + len(inner)
        first = last


def of_sentences(text: str, masks: Iterable[Mask]) -> list[Passage]:
    """All sentences, with masks applied. How many there are is for the original alone to say: of a mask over several,
    the first has what it writes.
    """
    flat = flattened(masks)
    ends = [mask.end for mask in flat]
    found = []
    for start, end in sentences(text):
        inside = []
        for mask in flat[bisect_right(ends, start) :]:
            if mask.start >= end:
                break
            first, last = max(mask.start, start), min(mask.end, end)
            inside.append(Mask(first - start, last - start, mask.replacement if first == mask.start else None))
        found.append(Passage(start, end, text[start:end], apply_masks(text[start:end], inside)))
    return found


def of_rewriting(text: str, masks: Iterable[Mask], written: str | None) -> list[Passage]:
    """The passages that were written anew, and what lies between them.

    What no passage covers is unchanged where the text that was handed in still has it, and gone where it has not.
    """
    ordered = sorted(masks, key=lambda mask: (mask.start, mask.end))
    found = [Passage(mask.start, mask.end, text[mask.start : mask.end], mask.replacement or "") for mask in ordered]
    reading = None if written is None else "".join(written.split())
    position = 0
    for start, end in [*((mask.start, mask.end) for mask in ordered), (len(text), len(text))]:
        between = text[position:start]
        if re.search(r"\w", between):
            there = reading is None or "".join(between.split()) in reading
            found.append(Passage(position, start, between, between if there else ""))
        position = max(position, end)
    return sorted(found)
