"""Where sentences begin and end, by punctuation and line ends."""

from __future__ import annotations

import re

_STOP = re.compile(r"\n|[.!?…]+[\"'”’»)\]]*\s+")
_WORD = re.compile(r"\w")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences of a text, end to end; what has no word belongs to the one before it, or else to the first.

    >>> text = "Seen by Dr. Li. Slept well, e.g. at noon.\\nDischarged"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Seen by Dr. ', 'Li. ', 'Slept well, e.g. at noon.\\n', 'Discharged']
    """
    stops = (
        stop for stop in _STOP.finditer(text) if "\n" in stop[0] or not text[stop.end() : stop.end() + 1].islower()
    )
    spans: list[tuple[int, int]] = []
    begin = 0
    for end in (*(stop.end() for stop in stops), len(text)):
        if _WORD.search(text, begin, end):
            spans.append((begin, end))
        elif spans:
            spans[-1] = (spans[-1][0], end)
        else:
            continue
        begin = end
    return spans
