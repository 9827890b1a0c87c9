"""What a corpus lost on its way through a file: the documents that were written, and those that were read back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.silver import is_silver
from showthrough.errors import some


def losses(before: Iterable[Document], after: Sequence[Document]) -> list[str]:
    """All that the second documents lack of the first, counted; nothing where they hold the same.

    Layers are compared by their annotator's name, and in their order where it is gone; marks by their place.
    """
    numbers = {document.id: number for number, document in enumerate(after)}
    found = _Losses()
    for document in before:
        number = numbers.get(document.id)
        found.compare(document, None if number is None else after[number])
    return list(found.lines())


@dataclass
class _Losses:
    """Counts of what is lost so far."""

    counts: Counter[str] = field(default_factory=Counter)
    names: dict[str, None] = field(default_factory=dict)  # of annotators; in order

    def compare(self, document: Document, kept: Document | None) -> None:
        if kept is None:
            self.counts["documents"] += 1
            return
        self.counts["texts"] += document.text != kept.text
        self.counts["groups"] += bool(document.group) and document.group != kept.group
        self.counts["splits"] += bool(document.split) and document.split != kept.split
        self.counts["reviews"] += document.reviewed is not None and document.reviewed != kept.reviewed
        self.counts["authors"] += document.authorship is not None and document.authorship != kept.authorship
        self.counts["people"] += bool(document.subjects) and document.subjects != kept.subjects
        self.counts["unread"] += bool(kept.annotations) and not document.annotations
        for layer, other in _pairs(document.annotations, kept.annotations):
            if other is None:
                self.counts["layers"] += not layer.mentions
            if other is None or layer.annotator != other.annotator:
                self.names[layer.annotator] = None
            self._compare_marks(layer.mentions, other.mentions if other else ())

    def _compare_marks(self, mentions: Sequence[Mention], kept: Sequence[Mention]) -> None:
        places: dict[tuple[int, int], list[Mention]] = defaultdict(list)
        for mention in kept:
            places[mention.start, mention.end].append(mention)
        entities: dict[str, list[str]] = defaultdict(list)  # of those with several mentions, what became of their ids
        sizes = Counter(mention.entity_id for mention in mentions)
        for mention in mentions:
            there = places[mention.start, mention.end]
            if not there:
                self.counts["no masks" if mention.identifier == "NO_MASK" else "marks"] += 1
                continue
            other = max(there, key=lambda one: (one.entity_type == mention.entity_type, one == mention))
            there.remove(other)
            self.counts["types"] += mention.entity_type != other.entity_type
            self.counts["levels"] += mention.identifier != other.identifier
            self.counts["statuses"] += mention.confidential is not None and mention.confidential != other.confidential
            self.counts["edits"] += mention.edit is not None and mention.edit != other.edit
            self.counts["ids"] += bool(mention.entity_id) and mention.entity_id != other.entity_id
            if mention.entity_id and sizes[mention.entity_id] > 1:
                entities[mention.entity_id].append(other.entity_id)
        self.counts["entities"] += sum(len(set(ids)) > 1 or not ids[0] for ids in entities.values())
        self.counts["added"] += sum(map(len, places.values()))

    def lines(self) -> Iterator[str]:
        people, programs = ([name for name in self.names if is_silver(name) is made] for made in (False, True))
        if programs:
            yield f"that programs made the annotations ({some(programs)})"
        if people:
            yield f"the name{'s' * (len(people) > 1)} of {_counted(len(people), 'annotator')} ({some(people)})"
        for key, (phrase, one) in _PHRASES.items():
            if number := self.counts[key]:
                yield phrase.format(_counted(number, one))


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


def _pairs(layers: Sequence[Annotation], kept: Sequence[Annotation]) -> Iterator[tuple[Annotation, Annotation | None]]:
    """Each layer with what is left of it."""
    left = {layer.annotator: layer for layer in kept}
    named = {layer.annotator: left.pop(layer.annotator, None) for layer in layers}
    others = iter(left.values())
    for layer in layers:
        yield layer, named[layer.annotator] or next(others, None)


def _counted(number: int, one: str) -> str:
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{number} {one if number == 1 else many}"
