"""Texts in pieces that a language model can work on, and what it writes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from showthrough.core.patterns import lazy_pattern

LONGEST = 2_000  # characters of a passage: models leave things out of long ones
_PARAGRAPH = lazy_pattern(r"(\s*\n\s*)")
_SENTENCE = lazy_pattern(r"(?<=[.!?…])(\s+)")
_THOUGHTS = lazy_pattern(r"\A\s*<think>.*?</think>", re.DOTALL)


def passages(text: str) -> Iterator[str]:
    """Paragraphs, long ones cut between sentences, and the white space between them as pieces of their own.

    >>> list(passages("One.  Two!\\n\\nThree."))
    ['One.  Two!', '\\n\\n', 'Three.']
    """
    for piece in _PARAGRAPH.split(text):
        if len(piece) <= LONGEST:
            yield from filter(None, [piece])
            continue
        passage = ""
        for part in _SENTENCE.split(piece):
            if passage.strip() and len(passage) + len(part) > LONGEST:
                text_of_passage = passage.rstrip()
                yield from filter(None, [text_of_passage, passage[len(text_of_passage) :]])
                passage = ""
            passage += part
        yield from filter(None, [passage])


def windows(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Start and end of pieces that together are the text: whole paragraphs, as many as fit into so many characters.

    >>> list(windows("One.\\n\\nTwo.\\n\\nThree.", 12))
    [(0, 12), (12, 18)]
    """
    start = end = 0
    for piece in passages(text):
        if end > start and end + len(piece) - start > most:
            yield start, end
            start = end
        end += len(piece)
    if end > start:
        yield start, end


def spoken_text(content: str) -> str:
    """What a model says, without its thoughts. Raises ValueError where that is nothing."""
    spoken = _THOUGHTS.sub("", content, count=1).strip()
    if not spoken:
        raise ValueError("expected a text")
    return spoken
