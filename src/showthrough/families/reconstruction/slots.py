"""What stood under masks: the hidden parts of what annotators marked, and what a release shows in their place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal, NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Document, Mention
from showthrough.data.labels import Labels, label_of
from showthrough.data.reading_form import reading_form
from showthrough.data.types import kind_of
from showthrough.metrics.released_text import ReleasedText
from showthrough.models.detectors.base import is_placeholder
from showthrough.models.gazetteer import lies_in

Way = Literal["suppressed", "labelled", "numbered", "surrogate", "generalized"]

_WORD = lazy_pattern(r"[^\W_]+")
_EDGES = lazy_pattern(r"^[\W_]+|[\W_]+$")
_LABEL = lazy_pattern(r"[^\W\d_]+(?:[-_/ ][^\W_]+)*")
_BRACKETED = lazy_pattern(r"[\[<({*_].*[\]>)}*_]", re.DOTALL)
_WIDE_NUMBER = lazy_pattern(r"[<>]\s?[€£$]?\d+|\d+0s|[€£$]?\d+(?:s|k|M|bn)?\s?[-–]\s?\d+(?:s|k|M|bn)?")
_SAME = lazy_pattern(r"(\S)\1+")


class Slot(NamedTuple):
    """A place in a released text where something was hidden, and what the release says of it.

    `entity_type` is empty and `length` 0 where the release says nothing of these.
    """

    start: int
    end: int
    entity_type: str = ""
    length: int = 0
    words: frozenset[str] = frozenset()  # of a wider term


class Target(NamedTuple):
    """A hidden part of what annotators marked: where it stood, all readings that count, and its slot."""

    start: int
    end: int
    text: str
    exact: frozenset[str]
    forms: frozenset[str]
    entity_type: str
    identifier: str
    way: Way
    slot: Slot


class _Part(NamedTuple):
    """Consecutive characters of a mention that masks hide, by the first and the last of these masks."""

    start: int
    end: int
    first: int
    last: int
    mention: Mention


def targets_of(document: Document, released: ReleasedText, labels: Labels) -> list[Target]:
    """All hidden parts of what has to be masked, in their order; what several annotators marked counts once.

    `labels` are the types of the corpus: a label that a mask writes is read as one of them.

    >>> from showthrough import Annotation, Mask
    >>> marks = Annotation("a", (Mention(3, 11, "PERSON", "DIRECT"), Mention(15, 19, "LOC", "QUASI")))
    >>> document = Document("d", "Mr John Doe of Oslo", (marks,))
    >>> masks = [Mask(3, 7, "[NAME]"), Mask(8, 11, "****")]
    >>> targets = targets_of(document, ReleasedText.of(document.text, masks), Labels(["LOC", "PERSON"]))
    >>> [(target.text, target.way, target.slot.entity_type) for target in targets]
    [('John Doe', 'labelled', 'PERSON')]
    """
    mentions = {
        (mention.start, mention.end, mention.entity_type, mention.identifier): mention
        for annotation in document.annotations
        for mention in annotation.mentions
        if mention.must_mask
    }
    starts = [mask.start for mask in released.masks]
    parts = [part for mention in mentions.values() for part in _hidden_parts(released, starts, mention)]
    parts.sort(key=lambda part: (*part[:4], part.mention.entity_type, part.mention.identifier))
    together: list[list[_Part]] = []
    end = 0
    for part in parts:
        if part.start >= end:
            together.append([])
        together[-1].append(part)
        end = max(end, part.end)
    targets = (_target(document.text, released, overlapping, labels) for overlapping in together)
    return [target for target in targets if target is not None]


def _hidden_parts(released: ReleasedText, starts: list[int], mention: Mention) -> Iterator[_Part]:
    """What masks hide of a mention; masks with no readable word between them hide one part."""
    text, part = released.original_text, None
    for number in range(max(0, bisect_right(starts, mention.start) - 1), len(starts)):
        mask = released.masks[number]
        if mask.start >= mention.end:
            break
        start, end = max(mask.start, mention.start), min(mask.end, mention.end)
        if start >= end:
            continue
        if part is not None and _WORD.search(text, part.end, start) is None:
            part = part._replace(end=end, last=number)
            continue
        if part is not None:
            yield part
        part = _Part(start, end, number, number, mention)
    if part is not None:
        yield part


def _target(text: str, released: ReleasedText, parts: list[_Part], labels: Labels) -> Target | None:
    """What overlapping parts hide; nothing where no word is hidden, or the release says it in its place."""
    texts = [_EDGES.sub("", text[part.start : part.end]) for part in parts]
    longest = max(range(len(parts)), key=lambda number: (len(texts[number]), -number))
    first, last = min(part.first for part in parts), max(part.last for part in parts)
    start = released.starts[first]
    end = released.starts[last] + len(released.masks[last].replacement or "")
    written, main = released.text[start:end], parts[longest]
    form = reading_form(texts[longest])
    if not form.strip() or f" {form.strip()} " in f" {reading_form(written).strip()} ":
        return None
    identifier = "DIRECT" if any(part.mention.identifier == "DIRECT" for part in parts) else "QUASI"
    way, entity_type, length = way_of(released.masks[main.first].replacement or "", texts[longest], labels)
    return Target(
        min(part.start for part in parts),
        max(part.end for part in parts),
        texts[longest],
        frozenset(texts),
        frozenset(map(reading_form, texts)),
        main.mention.entity_type,
        identifier,
        way,
        # Of what kind a surrogate or a wider term is can be seen: guessers are granted what annotators say of it, and
        # whether the term is wider, since the way of replacing is no secret.
        Slot(
            start,
            end,
            main.mention.entity_type if way in ("surrogate", "generalized") else entity_type,
            length,
            _words(released.masks[main.first].replacement or "") if way == "generalized" else _NO,
        ),
    )


def way_of(written: str, hidden: str, labels: Labels) -> tuple[Way, str, int]:
    """How something was replaced, the type that this says, and the length that it says.

    A surrogate is whatever is none of the others.

    >>> labels = Labels(["DATE"])
    >>> [way_of(written, "5 May 2019", labels) for written in ("", "*****", "[DATE]", "<DATE_1>")]
    [('suppressed', '', 0), ('suppressed', '', 5), ('labelled', 'DATE', 0), ('numbered', 'DATE', 0)]
    >>> [way_of(written, "5 May 2019", labels)[0] for written in ("2019", "7 June 2011")]
    ['generalized', 'surrogate']
    """
    bare = written.strip()
    if _SAME.fullmatch(bare) and not bare[0].isdigit():
        return "suppressed", "", len(bare)
    if _WORD.search(bare) is None:
        return "suppressed", "", 0
    label = label_of(bare)
    is_type = label in labels or kind_of(label) is not None or is_placeholder(bare)
    if label.isupper() and _LABEL.fullmatch(label) and (is_type or _BRACKETED.fullmatch(bare)):
        return ("numbered" if any(map(str.isdigit, bare)) else "labelled"), labels.taken(label) or "", 0
    if _is_wider(bare, hidden):
        return "generalized", "", 0
    return "surrogate", "", 0


def _is_wider(written: str, hidden: str) -> bool:
    """Whether a text says less of the same: some of its words, the region of a place, or the decade of a number."""
    words, every = _words(written), _words(hidden)
    if words < every:
        return True
    if any(reading_form(region) == reading_form(written) for region in lies_in(hidden)):
        return True
    return _WIDE_NUMBER.fullmatch(written) is not None and any(map(str.isdigit, hidden)) and not words & every


_NO: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(reading_form(text).split())
