"""What changed between two versions of a passage, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

_PIECE = re.compile(r"\w+|[^\w\s]")
_MOST = 250_000  # pairs of pieces that are compared; of longer passages what their ends share is left alone


class Stretch(NamedTuple):
    """Some text of a passage, and whether the other version lacks it."""

    text: str
    changed: bool


def changes(before: str, after: str) -> tuple[list[Stretch], list[Stretch]]:
    """Both versions in stretches; white space is no change.

    >>> one, two = changes("He came home.", "He  went home .")
    >>> [tuple(each) for each in one], [tuple(each) for each in two]
    ([('He ', False), ('came', True), (' home.', False)], [('He  ', False), ('went', True), (' home .', False)])
    """
    one, two = ([(found[0], found.start(), found.end()) for found in _PIECE.finditer(text)] for text in (before, after))
    kept = _kept([word for word, _, _ in one], [word for word, _, _ in two])
    return _stretches(before, one, {first for first, _ in kept}), _stretches(after, two, {last for _, last in kept})


def _kept(one: list[str], two: list[str]) -> list[tuple[int, int]]:
    """The places of words that stand in both versions, in the same order."""
    most = min(len(one), len(two))
    head = next((place for place in range(most) if one[place] != two[place]), most)
    tail = next((place for place in range(most - head) if one[-1 - place] != two[-1 - place]), most - head)
    kept = [(place, place) for place in range(head)]
    kept += [(len(one) - place, len(two) - place) for place in range(1, tail + 1)]
    first, last = one[head : len(one) - tail], two[head : len(two) - tail]
    if len(first) * len(last) <= _MOST:
        blocks = SequenceMatcher(None, first, last, autojunk=False).get_matching_blocks()
        kept += [(head + a + step, head + b + step) for a, b, size in blocks for step in range(size)]
    return kept


def _stretches(text: str, pieces: list[tuple[str, int, int]], kept: set[int]) -> list[Stretch]:
    """A text cut where what is kept and what is not meet; white space between two goes with what is kept."""
    found: list[Stretch] = []
    begin = 0  # of the stretch that is not told yet
    changed = False
    for place, (_, start, end) in enumerate(pieces):
        here = place not in kept
        if here != changed:
            cut = start if here else pieces[place - 1][2]
            if cut > begin:
                found.append(Stretch(text[begin:cut], changed))
            begin, changed = cut, here
        if place == len(pieces) - 1 and here and end < len(text):
            found.append(Stretch(text[begin:end], True))
            begin, changed = end, False
    return [*found, Stretch(text[begin:], changed)] if begin < len(text) else found
