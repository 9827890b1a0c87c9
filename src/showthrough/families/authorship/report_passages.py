"""Passages as the page shows them side by side: what they were, what they are, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from showthrough.data.masks import flattened
from showthrough.families.authorship.passages import standing
from showthrough.report.changes import Stretch, changes
from showthrough.run.roles import chosen
from showthrough.run.run import Run

MOST = 25  # passages of each anonymization, and
IN_ALL = 300  # of all together
_LONGEST = 1_500  # characters of a passage that are shown


class _Found(NamedTuple):
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
    record = chosen(run, "meaning")
    if run.texts is None or record is None:
        return {}
    found = sorted(_found(run, record.text))
    shown: list[_Found] = []
    left = dict.fromkeys(range(len(run.names)), MOST)
    for one in found:
        if left[one.system] and len(shown) < IN_ALL:
            left[one.system] -= 1
            shown.append(one)
    listed = [
        [one.system, run.texts.documents[one.document].id, one.start, one.value, *_sides(run, one)] for one in shown
    ]
    return {"metric": record.text, "most": MOST, "found": len(found), "passages": listed} if listed else {}


def _found(run: Run, metric: str) -> Iterator[_Found]:
    numbers = {} if run.texts is None else {document.id: place for place, document in enumerate(run.texts.documents)}
    for system, name in enumerate(run.names):
        evidence = run.evidence.get(metric, {}).get(name, {})
        for key, number in numbers.items():
            for one in evidence[key].passages if key in evidence else ():
                yield _Found(one.value, one.start - one.end, system, number, one.start, one.end)


def _sides(run: Run, one: _Found) -> tuple[list[Stretch], list[Stretch]]:
    """What stood there and what stands there now, long ones cut off."""
    if run.texts is None:
        return [], []
    text, masks = run.texts.documents[one.document].text, run.texts.masks[run.names[one.system]][one.document]
    own = [mask.replacement or "" for mask in masks if (mask.start, mask.end) == (one.start, one.end)]
    touched = any(mask.start < one.end and one.start < mask.end for mask in masks)
    # A passage that no mask touches and that lost something is gone: the text that was handed in does not have it.
    written = own[0] if own else standing(text, flattened(masks), one.start, one.end) if touched else ""
    return changes(_cut(text[one.start : one.end]), _cut(written))


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
