"""Passages as the page shows them side by side: what they were, what they are, and what changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from showthrough.data.masks import flatten_masks
from showthrough.families.authorship.passages import read_span
from showthrough.run.roles import choose_metric
from showthrough.run.run import Run

MOST = 25  # passages of each anonymization, and
IN_ALL = 300  # of all together
_LONGEST = 1_500  # characters of a passage that are shown


class _RankedPassage(NamedTuple):
    """A passage; they are sorted by these fields, and of equal ones the longest tells most."""

    value: float
    size: int  # less than 0, so that the longest is first
    system: int
    document: int
    start: int
    end: int


def passages(run: Run) -> dict[str, Any]:
    """Those that keep least of their meaning, the worst first: whose, in which document, where, and both versions.

    Nothing of a run that holds no text, or whose metrics looked at no passage.
    """
    record = choose_metric(run, "meaning")
    if run.texts is None or record is None:
        return {}
    candidates = sorted(_iter_passages(run, record.text))
    shown: list[_RankedPassage] = []
    left = dict.fromkeys(range(len(run.names)), MOST)
    for passage in candidates:
        if left[passage.system] and len(shown) < IN_ALL:
            left[passage.system] -= 1
            shown.append(passage)
    listed = [
        [passage.system, run.texts.documents[passage.document].id, passage.start, passage.value, *_sides(run, passage)]
        for passage in shown
    ]
    return {"metric": record.text, "most": MOST, "found": len(candidates), "passages": listed} if listed else {}


def _iter_passages(run: Run, metric: str) -> Iterator[_RankedPassage]:
    numbers = {} if run.texts is None else {document.id: index for index, document in enumerate(run.texts.documents)}
    for system, name in enumerate(run.names):
        evidence = run.evidence.get(metric, {}).get(name, {})
        for key, number in numbers.items():
            for passage in evidence[key].passages if key in evidence else ():
                yield _RankedPassage(
                    passage.value, passage.start - passage.end, system, number, passage.start, passage.end
                )


def _sides(run: Run, passage: _RankedPassage) -> tuple[list[DiffSegment], list[DiffSegment]]:
    """What stood there and what stands there now, long ones cut off."""
    if run.texts is None:
        return [], []
    text, masks = (
        run.texts.documents[passage.document].text,
        run.texts.masks[run.names[passage.system]][passage.document],
    )
    own = [mask.replacement or "" for mask in masks if (mask.start, mask.end) == (passage.start, passage.end)]
    touched = any(mask.start < passage.end and passage.start < mask.end for mask in masks)
    # A passage that no mask touches and that lost something is gone: the text that was handed in does not have it.
    written = own[0] if own else read_span(text, flatten_masks(masks), passage.start, passage.end) if touched else ""
    return changes(_shorten(text[passage.start : passage.end]), _shorten(written))


def _shorten(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


# What changed between two versions of a passage, word by word.

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
