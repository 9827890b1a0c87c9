"""Passages as the page shows them side by side: what they were, what they are, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from showthrough.data.masks import flatten_masks
from showthrough.families.authorship.passages import read_span
from showthrough.report.changes import DiffSegment, changes
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
