"""What annotators marked, as arrays of positions in a span layout, and the layers that they are counted by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec.structs import astuple

from showthrough.core.arrays import Bools, Ints, Ints8
from showthrough.data.documents import Document, Identifier, Mention
from showthrough.data.layout.spans import count_over, expand_ranges
from showthrough.data.types import is_confidential

if TYPE_CHECKING:
    from showthrough.data.layout.span_layout import SpanLayout

# A layer is one annotator's work on one document. Each has its own part of a line on which all layers lie.


class AnnotationLayers(msgspec.Struct, frozen=True, dict=True):
    """All layers of some documents, in the order of these."""

    mentions: Sequence[Sequence[Mention]]  # of a layer
    document: Ints  # of a layer
    base: Ints  # where a layer starts on the line
    shift: Ints  # from the span layout to a layer
    count: Ints  # layers of a document: an annotator who marked nothing counts too

    @classmethod
    def of(cls, documents: Sequence[Document], bounds: Ints) -> AnnotationLayers:
        mentions = [annotation.mentions for document in documents for annotation in document.annotations]
        count = np.array([len(document.annotations) for document in documents], dtype=np.int64)
        document = np.repeat(np.arange(len(count)), count)
        size = np.diff(bounds)[document]
        base = np.cumsum(size) - size
        return cls(mentions, document, base, base - bounds[document], count)

    @cached_property
    def of_mentions(self) -> Ints:
        """The layer of each mention, layer after layer."""
        return np.repeat(np.arange(len(self.mentions)), np.array(list(map(len, self.mentions)), dtype=np.int64))

    def copies(self, document: Ints) -> tuple[Ints, Ints]:
        """For things of documents: the number of the thing and the layer, of every copy."""
        first = (np.cumsum(self.count) - self.count)[document]
        return expand_ranges(first, first + self.count[document])


_LEVEL: dict[Identifier, int] = {"MAY_MASK": -1, "NO_MASK": 0, "QUASI": 1, "DIRECT": 2}
DIRECT = _LEVEL["DIRECT"]


class Gold(msgspec.Struct, frozen=True, dict=True):
    """What annotators marked, as arrays: mentions, the entities they make, the layers they stand in.

    Mentions are sorted by layer as they were read.
    """

    start: Ints
    end: Ints
    level: Ints8  # of a mention: 2 DIRECT, 1 QUASI, 0 NO_MASK, -1 MAY_MASK
    entity: Ints  # of a mention
    layer: Ints  # of a mention
    entity_document: Ints
    entity_level: Ints8  # the highest of its mentions: one direct mention makes it direct
    entity_type: Ints
    types: tuple[str, ...]
    layers: AnnotationLayers

    @classmethod
    def of(cls, axis: SpanLayout) -> Gold:
        layers = axis.layers
        layer = layers.of_mentions
        shift = axis.bounds[layers.document[layer]]
        columns = _Columns()
        for mentions in layers.mentions:
            columns.add(mentions)
        level = np.fromiter(map(_LEVEL.__getitem__, columns.identifiers), np.int8, len(layer))
        entity = np.array(columns.entities, dtype=np.int64)
        first = _first_of_each(entity)
        entity_level = np.zeros(len(first), dtype=np.int8)
        np.maximum.at(entity_level, entity, level)
        types: defaultdict[str, int] = defaultdict(count().__next__)
        entity_type = np.fromiter(
            map(types.__getitem__, map(columns.types.__getitem__, first.tolist())), np.int64, len(first)
        )
        return cls(
            start=np.array(columns.starts, dtype=np.int64) + shift,
            end=np.array(columns.ends, dtype=np.int64) + shift,
            level=level,
            entity=entity,
            layer=layer,
            entity_document=layers.document[layer[first]],
            entity_level=entity_level,
            entity_type=entity_type,
            types=tuple(types),
            layers=layers,
        )

    def part(self, chosen: Ints, axis: SpanLayout) -> Gold:
        """What stands in some of the layers, in a layout that has these alone: a layer may be there several times."""
        layers, old = axis.layers, self.layers
        # Mentions lie layer after layer, and so do entities, by their first mentions: each is of one layer alone.
        layer, mention = expand_ranges(*_ranges_of(self.layer, chosen))
        first, last = _ranges_of(self.layer[_first_of_each(self.entity)], chosen)
        _, is_left = expand_ranges(first, last)
        count = last - first
        entity = self.entity[mention] + (np.cumsum(count) - count - first)[layer]
        # Where a document starts in the old layout is what its layers have in front of it there.
        moved = axis.bounds[layers.document] - (old.base - old.shift)[chosen]
        types, first_of_type, entity_type = np.unique(self.entity_type[is_left], return_index=True, return_inverse=True)
        by_occurrence = np.argsort(first_of_type)
        return Gold(
            start=self.start[mention] + moved[layer],
            end=self.end[mention] + moved[layer],
            level=self.level[mention],
            entity=entity,
            layer=layer,
            entity_document=layers.document[layer[_first_of_each(entity)]],
            entity_level=self.entity_level[is_left],
            entity_type=np.argsort(by_occurrence)[entity_type],
            types=tuple(self.types[number] for number in types[by_occurrence].tolist()),
            layers=layers,
        )

    def entities(self, include: tuple[str, ...]) -> Bools:
        """Which entities are to be masked and of the kinds asked for."""
        direct, quasi = self.entity_level == 2, self.entity_level == 1
        return np.asarray((direct & ("direct" in include)) | (quasi & ("quasi" in include)))

    @cached_property
    def confidential(self) -> tuple[Ints, tuple[str, ...]]:
        """Of each mention, the number of its confidential category, or -1; and the categories."""
        statuses = [mention.confidential for mention in chain.from_iterable(self.layers.mentions)]
        # One spelling for all chunks: what one of them holds must not decide how a category is written.
        written = {status: status.strip().upper() for status in set(statuses) if status and is_confidential(status)}
        names = tuple(sorted(set(written.values())))
        number = {status: names.index(name) for status, name in written.items()}
        return np.array([number.get(status or "", -1) for status in statuses], dtype=np.int64), names

    @property
    def annotators(self) -> Ints:
        """How many annotators each document has; one who marked nothing counts too."""
        return self.layers.count

    @cached_property
    def has_may(self) -> bool:
        """Whether anything may be masked or stay."""
        return bool((self.level < 0).any())

    def _reach_of(self, chosen: Bools) -> tuple[Ints, Ints, Ints, Bools]:
        """Some mentions by layer and start: where each starts, how far those of its layer reach up to it, its
        document, and which end their layer.

        A mention contains a span when, among the mentions that start no later, the farthest end lies no earlier
        than the span's end: a running maximum answers that. On the line of layers one does for all annotators at once.
        """
        layer = self.layer[chosen]
        shift = self.layers.shift[layer]
        start = self.start[chosen] + shift
        order = np.argsort(start, kind="stable")  # which keeps layers together
        reach = np.maximum.accumulate((self.end[chosen] + shift)[order])
        last = np.diff(layer, append=-1) != 0
        return start[order] - shift, reach - shift, self.layers.document[layer], last

    @cached_property
    def _reach(self) -> tuple[Ints, Ints, Ints, Bools]:
        return self._reach_of(self.level > 0)

    @cached_property
    def _reach_with_may(self) -> tuple[Ints, Ints, Ints, Bools]:
        return self._reach_of(self.level != 0)

    def voters(self, start: Ints, end: Ints, document: Ints, agreed: Ints) -> Ints:
        """For each span, how many annotators say whether to mask it; `agreed` want it masked.

        Who has a MAY_MASK mention that contains it whole abstains. Where somebody does and nobody wants it masked, it
        counts for nobody.
        """
        annotators = self.annotators[document]
        if not self.has_may:
            return annotators
        abstaining = self.agreement(start, end, document, may=True) - agreed
        return np.where((agreed == 0) & (abstaining > 0), 0, annotators - abstaining)

    def agreement(self, start: Ints, end: Ints, document: Ints, *, may: bool = False) -> Ints:
        """For each span, how many annotators have a to-be-masked mention that contains it whole.

        With `may`, mentions that may be masked count as well.

        What a mention contains is looked for, and not the other way round: there are far fewer mentions than tokens.
        """
        if (start[1:] < start[:-1]).any():
            order = np.argsort(start, kind="stable")
            agreeing = np.zeros(len(start), dtype=np.int64)
            agreeing[order] = self.agreement(start[order], end[order], document[order], may=may)
            return agreeing
        opens, reach, of_document, last = self._reach_with_may if may else self._reach
        if not len(opens) or not len(start):
            return np.zeros(len(start), dtype=np.int64)
        # From its start up to the next one of its layer, or the end of its document, a mention's reach decides.
        first = np.searchsorted(start, opens)
        following = np.append(first[1:], 0)
        following[last] = np.searchsorted(document, of_document[last], side="right")
        if (end[1:] >= end[:-1]).all():
            stop = np.minimum(following, np.searchsorted(end, reach, side="right"))
            return count_over(first, np.maximum(stop, first), len(start))
        mention, span = expand_ranges(first, following)
        return np.bincount(span, end[span] <= reach[mention], minlength=len(start)).astype(np.int64)


class _Columns:
    """What mentions say, column by column; layers are added one by one.

    Each mention is looked at once: field by field, it would be fetched from memory five times.
    """

    def __init__(self) -> None:
        self.starts, self.ends = list[int](), list[int]()
        self.types, self.identifiers = list[str](), list[Identifier]()
        self.entities: list[int] = []
        self._next_number = count().__next__

    def add(self, mentions: Sequence[Mention]) -> None:
        if not mentions:
            return
        starts, ends, types, identifiers, ids, *_ = zip(*map(astuple, mentions), strict=True)
        self.starts += starts
        self.ends += ends
        self.types += types
        self.identifiers += identifiers
        # Entities are numbered in the order of their first mention, whose type names the entity. A mention without an
        # entity id is an entity of its own, known by its place.
        if not all(ids):
            ids = tuple(entity_id or position for position, entity_id in enumerate(ids))
        numbers: defaultdict[str | int, int] = defaultdict(self._next_number)
        self.entities += map(numbers.__getitem__, ids)


def _ranges_of(layer: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Of things that lie layer after layer, which each of some layers has: from the first to before the last."""
    return np.searchsorted(layer, chosen), np.searchsorted(layer, chosen, side="right")


def _first_of_each(entity: Ints) -> Ints:
    """Where each entity has its first mention; they are numbered in the order of these."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(entity), prepend=-1)) if len(entity) else entity
