"""Compares the documents that were written with those that were read back, and counts what was lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from showthrough.core.errors import join_names
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.silver import is_silver


def losses(before: Iterable[Document], after: Sequence[Document]) -> list[str]:
    """All that the second documents lack of the first, counted; nothing where they hold the same.

    Layers are compared by their annotator's name, and in their order where it is gone; marks by their place.
    """
    numbers = {document.id: number for number, document in enumerate(after)}
    result = _Losses()
    for document in before:
        number = numbers.get(document.id)
        result.compare(document, None if number is None else after[number])
    return list(result.lines())


@dataclass
class _Losses:
    """Counts of what is lost so far."""

    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, None] = field(default_factory=dict)  # of annotators; in order

    def compare(self, document: Document, read_back: Document | None) -> None:
        if read_back is None:
            self.counts["documents"] += 1
            return
        self.counts["texts"] += document.text != read_back.text
        self.counts["groups"] += bool(document.group) and document.group != read_back.group
        self.counts["splits"] += bool(document.split) and document.split != read_back.split
        self.counts["reviews"] += document.reviewed is not None and document.reviewed != read_back.reviewed
        self.counts["authors"] += document.authorship is not None and document.authorship != read_back.authorship
        self.counts["people"] += bool(document.subjects) and document.subjects != read_back.subjects
        self.counts["unread"] += bool(read_back.annotations) and not document.annotations
        for layer, other in _pair_layers(document.annotations, read_back.annotations):
            if other is None:
                self.counts["layers"] += not layer.mentions
            if other is None or layer.annotator != other.annotator:
                self.names[layer.annotator] = None
            self._compare_marks(layer.mentions, other.mentions if other else ())

    def _compare_marks(self, mentions: Sequence[Mention], read_back: Sequence[Mention]) -> None:
        by_span: dict[tuple[int, int], list[Mention]] = defaultdict(list)
        for mention in read_back:
            by_span[mention.start, mention.end].append(mention)
        entities: dict[str, list[str]] = defaultdict(list)  # of those with several mentions, what became of their ids
        sizes = Counter(mention.entity_id for mention in mentions)
        for mention in mentions:
            candidates = by_span[mention.start, mention.end]
            if not candidates:
                self.counts["no masks" if mention.identifier == "NO_MASK" else "marks"] += 1
                continue
            other = max(
                candidates, key=lambda candidate: (candidate.entity_type == mention.entity_type, candidate == mention)
            )
            candidates.remove(other)
            self.counts["types"] += mention.entity_type != other.entity_type
            self.counts["levels"] += mention.identifier != other.identifier
            self.counts["statuses"] += mention.confidential is not None and mention.confidential != other.confidential
            self.counts["edits"] += mention.edit is not None and mention.edit != other.edit
            self.counts["ids"] += bool(mention.entity_id) and mention.entity_id != other.entity_id
            if mention.entity_id and sizes[mention.entity_id] > 1:
                entities[mention.entity_id].append(other.entity_id)
        self.counts["entities"] += sum(len(set(ids)) > 1 or not ids[0] for ids in entities.values())
        self.counts["added"] += sum(map(len, by_span.values()))

    def lines(self) -> Iterator[str]:
        people, programs = (
            [name for name in self.names if is_silver(name) is by_program] for by_program in (False, True)
        )
        if programs:
            yield f"that programs made the annotations ({join_names(programs)})"
        if people:
            yield f"the name{'s' * (len(people) > 1)} of {_format_count(len(people), 'annotator')} ({join_names(people)})"
        for key, (phrase, noun) in _PHRASES.items():
            if number := self.counts[key]:
                yield phrase.format(_format_count(number, noun))


_PHRASES = {
    "documents": ("{}", "document"),
    "texts": ("the text of {}", "document"),
    "groups": ("the group of {}", "document"),
    "splits": ("the split of {}", "document"),
    "reviews": ("whose annotations of {} were reviewed", "document"),
    "authors": ("what is known of the author of {}", "document"),
    "people": ("who is in {} and what is true of them", "document"),
    "unread": ("that nobody has looked through {}", "document"),
    "layers": ("{} without marks", "annotation layer"),
    "marks": ("{} to be masked", "mark"),
    "no masks": ("{} not to be masked", "mark"),
    "types": ("the type of {}", "mark"),
    "levels": ("the identifier level of {}", "mark"),
    "entities": ("the co-reference of {}", "entity"),
    "ids": ("the entity id of {}", "mark"),
    "statuses": ("the confidential status of {}", "mark"),
    "edits": ("what annotators did to {}", "mark"),
    "added": ("{} too many", "mark"),
}


def _pair_layers(
    layers: Sequence[Annotation], read_back: Sequence[Annotation]
) -> Iterator[tuple[Annotation, Annotation | None]]:
    """Each layer with what is left of it."""
    remaining = {layer.annotator: layer for layer in read_back}
    named = {layer.annotator: remaining.pop(layer.annotator, None) for layer in layers}
    unnamed = iter(remaining.values())
    for layer in layers:
        yield layer, named[layer.annotator] or next(unnamed, None)


def _format_count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
