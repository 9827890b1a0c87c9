"""What changed between two versions of a passage, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_PIECE = re.compile(r"\w+|[^\w\s]")
_MOST = 250_000  # pairs of pieces that are compared; of longer passages what their ends share is left alone


class DiffSegment(NamedTuple):
    """Some text of a passage, and whether the other version lacks it."""

    text: str
    changed: bool


def changes(before: str, after: str) -> tuple[list[DiffSegment], list[DiffSegment]]:
    """Both versions in spans; white space is no change.

    >>> before, after = changes("He came home.", "He  went home .")
    >>> [tuple(each) for each in before], [tuple(each) for each in after]
    ([('He ', False), ('came', True), (' home.', False)], [('He  ', False), ('went', True), (' home .', False)])
    """
    old, new = ([(match[0], match.start(), match.end()) for match in _PIECE.finditer(text)] for text in (before, after))
    common = _common_words([word for word, _, _ in old], [word for word, _, _ in new])
    return _split_segments(before, old, {first for first, _ in common}), _split_segments(
        after, new, {last for _, last in common}
    )


def _common_words(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """The places of words that stand in both versions, in the same order."""
    most = min(len(before), len(after))
    head = next((index for index in range(most) if before[index] != after[index]), most)
    tail = next((index for index in range(most - head) if before[-1 - index] != after[-1 - index]), most - head)
    pairs = [(index, index) for index in range(head)]
    pairs += [(len(before) - index, len(after) - index) for index in range(1, tail + 1)]
    first, last = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(first) * len(last) <= _MOST:
        blocks = SequenceMatcher(None, first, last, autojunk=False).get_matching_blocks()
        pairs += [(head + a + step, head + b + step) for a, b, size in blocks for step in range(size)]
    return pairs


def _split_segments(text: str, pieces: list[tuple[str, int, int]], common: set[int]) -> list[DiffSegment]:
    """A text cut where what is kept and what is not meet; white space between two goes with what is kept."""
    segments: list[DiffSegment] = []
    begin = 0  # of the span that is not told yet
    changed = False
    for index, (_, start, end) in enumerate(pieces):
        is_new = index not in common
        if is_new != changed:
            cut = start if is_new else pieces[index - 1][2]
            if cut > begin:
                segments.append(DiffSegment(text[begin:cut], changed))
            begin, changed = cut, is_new
        if index == len(pieces) - 1 and is_new and end < len(text):
            segments.append(DiffSegment(text[begin:end], True))
            begin, changed = end, False
    return [*segments, DiffSegment(text[begin:], changed)] if begin < len(text) else segments
