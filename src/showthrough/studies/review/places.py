"""Where words stand in a text, and which of the places somebody means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from showthrough.data.documents import Mention
from showthrough.data.layout.characters import is_ideograph

Span = tuple[int, int]
_KANA = range(0x3040, 0x3100)  # written without spaces as well


def normalize_spaces(words: str) -> str:
    """Words as they are compared: one space between each two, wherever lines end."""
    return " ".join(words.split())


def places_of(words: str, text: str) -> list[Span]:
    """Where words stand in a text, whatever white space is between them; as whole words where they stand so anywhere.

    >>> places_of("Mr Doe", "Mr\\nDoe saw Mr Doering."), places_of("Doe", "Doering"), places_of("山田", "山田氏と山田")
    ([(0, 6)], [(0, 3)], [(0, 2), (4, 6)])
    """
    pattern = r"\s+".join(map(re.escape, words.split()))
    spans = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    return [span for span in spans if _apart(text, *span)] or spans


def _apart(text: str, start: int, end: int) -> bool:
    """Whether no letter of the same word stands before or after."""
    before = start > 0 and _are_joined(text[start - 1], text[start])
    return not before and not (end < len(text) and _are_joined(text[end - 1], text[end]))


def _are_joined(left: str, right: str) -> bool:
    return all(
        character.isalnum() and not is_ideograph(character) and ord(character) not in _KANA
        for character in (left, right)
    )


def marks_of(words: str, text: str, mentions: Sequence[Mention]) -> list[int]:
    """The numbers of the marks that have these words, in the order of the text."""
    meant = normalize_spaces(words)
    numbers = [
        number
        for number, mention in enumerate(mentions)
        if normalize_spaces(text[mention.start : mention.end]) == meant
    ]
    return sorted(numbers, key=lambda number: (mentions[number].start, mentions[number].end))


def readable(spans: Sequence[Span], mentions: Sequence[Mention]) -> list[Span]:
    """Those of which nothing is hidden."""
    masked = [(mention.start, mention.end) for mention in mentions if mention.identifier != "NO_MASK"]
    return [(start, end) for start, end in spans if all(end <= low or high <= start for low, high in masked)]
