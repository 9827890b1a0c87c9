"""What of a document was written anew, passage by passage: the unit of soundness, of ratings and of `readable`."""

from __future__ import annotations

from typing import NamedTuple

from showthrough.axis.sentences import sentence_spans
from showthrough.data.documents import Document
from showthrough.data.masks import Anonymization, Mask, Rewriting, apply_masks, flattened

SENTENCES = "rules.1"  # for signatures; rises when a text could be cut in another way


class Passage(NamedTuple):
    """A stretch of the original, and what stands there now."""

    start: int
    end: int
    written: str


def passages(document: Document, anonymization: Anonymization) -> list[Passage]:
    """The passages of a rewriting as they were handed in; of any other anonymization its sentences, masks applied.

    Sentences lie end to end and are those of the original, untouched ones too; a mask that runs over the end of one
    takes the next along.

    >>> document = Document("a", "Ann came. She saw Oslo. It rained.")
    >>> masked = Anonymization({"a": [Mask(0, 3, "X"), Mask(18, 25, "it, i")]})
    >>> [tuple(one) for one in passages(document, masked)]
    [(0, 10, 'X came. '), (10, 34, 'She saw it, it rained.')]
    """
    masks = flattened(anonymization.of(document.id))
    if isinstance(anonymization, Rewriting):
        return [Passage(mask.start, mask.end, mask.replacement or "") for mask in masks]
    return _sentences(document.text, masks)


def _sentences(text: str, masks: list[Mask]) -> list[Passage]:
    found: list[Passage] = []
    begin = first = last = 0  # of a passage, its masks lie between the two
    for _, end in sentence_spans(text):
        while last < len(masks) and masks[last].start < end:
            last += 1
        if last > first and masks[last - 1].end > end and end < len(text):
            continue
        inside = [Mask(mask.start - begin, mask.end - begin, mask.replacement) for mask in masks[first:last]]
        found.append(Passage(begin, end, apply_masks(text[begin:end], inside)))
        begin, first = end, last
    return found
