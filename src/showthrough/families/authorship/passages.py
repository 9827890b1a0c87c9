"""The rewritten passages of a document: the unit of soundness, of ratings and of `known_words`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from showthrough.data.documents import Document
from showthrough.data.masks import Anonymization, Mask, apply_masks, as_read
from showthrough.data.text_anonymizations import Rewriting

SENTENCES = "passages.1"  # for signatures; rises when a text could be cut in another way

# A sentence ends at a line's end, or at a mark with what closes behind it, before a blank and no small letter; not
# behind a title or a single capital, which are shortened words.
_SHORT = r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\b[Nn]o)"
_END = re.compile(rf"""{_SHORT}(?<![.!?…])[.!?…]++["'”’)\]]*+(?=\s++[^\sa-z])|\n""")


class PassagePair(NamedTuple):
    """A span of the original, and what can be read in its place."""

    start: int
    end: int
    original: str
    written: str

    @property
    def blank(self) -> bool:
        """Whether there was nothing and is nothing."""
        return not (self.original.strip() or self.written.strip())

    @property
    def unchanged(self) -> bool:
        """Whether the same stands there, white space aside."""
        return "".join(self.original.split()) == "".join(self.written.split())


def passages(document: Document, anonymization: Anonymization) -> list[PassagePair]:
    """The passages of a rewriting as they were handed in; of any other anonymization its sentences, masks applied.

    >>> document = Document("a", "Ann came. She saw Oslo. It rained.")
    >>> masked = Anonymization({"a": [Mask(0, 3, "X"), Mask(18, 25, "it, i")]})
    >>> [passage.written for passage in passages(document, masked)]
    ['X came.', 'She saw it, i', 't rained.']
    """
    text, masks = document.text, anonymization.of(document.id)
    if isinstance(anonymization, Rewriting):
        candidates = of_rewriting(text, masks, anonymization.written.get(document.id))
    else:
        candidates = of_sentences(text, masks)
    return [passage for passage in candidates if not passage.blank]


def sentences(text: str) -> list[tuple[int, int]]:
    """Where sentences begin and end, without the white space around them.

    >>> text = "Mr. Doe left. He said: “Why?” J. Smith did\\nnot"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Doe left.', 'He said: “Why?”', 'J. Smith did', 'not']
    """
    return list(_trim_spans(text, [match.end() for match in _END.finditer(text)]))


def _trim_spans(text: str, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for last in (*ends, len(text)):
        segment = text[first:last]
        if inner := segment.strip():
            start = first + segment.index(inner[0])
            yield start, start + len(inner)
        first = last


def of_sentences(text: str, masks: Iterable[Mask]) -> list[PassagePair]:
    """All sentences, with masks applied. How many there are is for the original alone to say: of a mask over several,
    the first has what it writes.
    """
    flat, spans = as_read(text, masks), sentences(text)
    reach = [
        *(end for _, end in spans[:-1]),
        len(text),
    ]  # what is written into white space at the end is the last one's
    return [
        PassagePair(start, end, text[start:end], read_span(text, flat, start, upto))
        for (start, end), upto in zip(spans, reach, strict=False)
    ]


def read_span(text: str, masks: Sequence[Mask], start: int, end: int) -> str:
    """What can be read in a span and the white space before it, under masks that are in order.

    What a mask writes stands where it begins.
    """
    while start and text[start - 1].isspace():
        start -= 1
    inside = []
    for mask in masks[bisect_right(masks, start, key=lambda mask: mask.end) :]:
        if mask.start >= end:
            break
        first, last = max(mask.start, start), min(mask.end, end)
        inside.append(Mask(first - start, last - start, mask.replacement if first == mask.start else None))
    return apply_masks(text[start:end], inside).strip()


def of_rewriting(text: str, masks: Iterable[Mask], written: str | None) -> list[PassagePair]:
    """The passages that were written anew, and what lies between them.

    What no passage covers is unchanged where the text that was handed in still has it, and gone where it has not.
    """
    ordered = sorted(masks, key=lambda mask: (mask.start, mask.end))
    result = [
        PassagePair(mask.start, mask.end, text[mask.start : mask.end], mask.replacement or "") for mask in ordered
    ]
    reading = None if written is None else "".join(written.split())
    position = 0
    for start, end in [*((mask.start, mask.end) for mask in ordered), (len(text), len(text))]:
        between = text[position:start]
        if re.search(r"\w", between):
            unchanged = reading is None or "".join(between.split()) in reading
            result.append(PassagePair(position, start, between, between if unchanged else ""))
        position = max(position, end)
    return sorted(result)
