"""How often each kind of document, layer, mention and entity occurs: counts that add up over any number of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from showthrough.core.arrays import Bools, Ints
from showthrough.data.documents import Corpus, Document, Identifier, Mention
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import find_touching, merge_spans
from showthrough.data.types import is_confidential

LONG = 100  # characters: a mention of more is a long one (Pilán et al. 2022, section 5.2)
_SAYS = {None: 0, False: 1, True: 2}


class DocumentKind(NamedTuple):
    """What documents are counted by."""

    layers: int
    mentions: int  # of all layers
    reviewed: bool | None  # whether somebody looked through a layer; None: not said


class LayerKind(NamedTuple):
    """What one annotator's layers are counted by."""

    annotator: str
    mentions: int
    entities: int
    masked: int  # mentions that are to be masked
    stated: int  # mentions of which the annotator said so
    reviewed: bool


class MentionKind(NamedTuple):
    """What mentions are counted by."""

    entity_type: str
    identifier: Identifier
    stated: bool
    linked: bool  # whether it has an entity id
    confidential: str | None
    edit: str | None
    long: bool


class EntityKind(NamedTuple):
    """What entities are counted by: the type of the first mention, the highest level of all, as metrics have it."""

    entity_type: str
    level: int
    mentions: int
    several_strings: bool
    confidential: bool | None  # whether one mention is; `None` where none says


class Extent(Struct, frozen=True):
    """How long the texts of layers are, and how much of them mentions cover, each place once in a layer."""

    characters: int = 0
    tokens: int = 0
    marked_characters: int = 0
    marked_tokens: int = 0
    masked_characters: int = 0
    masked_tokens: int = 0

    def __add__(self, other: Extent) -> Extent:
        return Extent(*(own + another for own, another in zip(astuple(self), astuple(other), strict=True)))


@dataclass
class CorpusTally:
    """The counts of some documents."""

    documents: Counter[DocumentKind] = field(default_factory=Counter)
    layers: Counter[LayerKind] = field(default_factory=Counter)
    mentions: Counter[MentionKind] = field(default_factory=Counter)
    entities: Counter[EntityKind] = field(default_factory=Counter)
    extents: defaultdict[str, Extent] = field(default_factory=lambda: defaultdict(Extent))  # by annotator
    edits: Counter[tuple[str, str]] = field(default_factory=Counter)  # mentions by annotator and edit
    characters: int = 0
    tokens: int = 0

    def add(self, other: CorpusTally) -> None:
        self.documents.update(other.documents)
        self.layers.update(other.layers)
        self.mentions.update(other.mentions)
        self.entities.update(other.entities)
        for annotator, extent in other.extents.items():
            self.extents[annotator] += extent
        self.edits.update(other.edits)
        self.characters += other.characters
        self.tokens += other.tokens


def tallies(corpus: Corpus) -> dict[str, CorpusTally]:
    """The counts of every split, in one walk; documents of which nobody said the split are one of their own."""
    split_tallies: defaultdict[str, CorpusTally] = defaultdict(CorpusTally)
    for numbers in corpus.chunks():
        by_split: defaultdict[str, list[Document]] = defaultdict(list)
        for document in corpus.part(numbers):
            by_split[document.split].append(document)
        for split, documents in by_split.items():
            split_tallies[split].add(_count_documents(SpanLayout(Corpus(documents))))
    return dict(split_tallies)


def _count_documents(axis: SpanLayout) -> CorpusTally:
    marks = list(chain.from_iterable(axis.layers.mentions))
    extents = _extents(axis)
    names = [annotation.annotator for document in axis.documents for annotation in document.annotations]
    tally = CorpusTally(
        _documents(axis),
        _layers(axis, marks),
        _mentions(marks),
        _entities(axis, marks),
        characters=len(axis) - len(axis.documents) + 1,
        tokens=len(axis.tokens),
    )
    for name, extent in zip(names, extents, strict=True):
        tally.extents[name] += extent
    for name, mentions in zip(names, axis.layers.mentions, strict=True):
        tally.edits.update((name, mark.edit) for mark in mentions if mark.edit and not mark.edit.isspace())
    return tally


def _documents(axis: SpanLayout) -> Counter[DocumentKind]:
    mentions = axis.by_document(axis.layers.document[axis.gold.layer]).astype(np.int64)
    reviewed = (None if document.reviewed is None else bool(document.reviewed) for document in axis.documents)
    return Counter(map(DocumentKind, axis.layers.count.tolist(), mentions.tolist(), reviewed))


def _layers(axis: SpanLayout, marks: list[Mention]) -> Counter[LayerKind]:
    gold = axis.gold
    entity_layer = np.zeros(len(gold.entity_level), dtype=np.int64)
    entity_layer[gold.entity] = gold.layer
    stated = gold.layer[np.array([mark.stated for mark in marks], dtype=bool)]
    counts = [
        _times(numbers, len(axis.layers.mentions)).tolist()
        for numbers in (gold.layer, entity_layer, gold.layer[gold.level > 0], stated)
    ]
    annotators = [
        (annotation.annotator, annotation.annotator in (document.reviewed or ()))
        for document in axis.documents
        for annotation in document.annotations
    ]
    names, reviewed = [name for name, _ in annotators], [looked for _, looked in annotators]
    return Counter(map(LayerKind, names, *counts, reviewed))


def _mentions(marks: list[Mention]) -> Counter[MentionKind]:
    plain = Counter(  # a named tuple for each of a million mentions would take most of the time
        (
            mark.entity_type,
            mark.identifier,
            mark.stated,
            bool(mark.entity_id),
            mark.confidential,
            mark.edit,
            mark.end - mark.start > LONG,
        )
        for mark in marks
    )
    return Counter({MentionKind(*kind): times for kind, times in plain.items()})


def _times(numbers: Ints, many: int) -> Ints:
    return np.bincount(numbers, minlength=many).astype(np.int64)


def _extents(axis: SpanLayout) -> list[Extent]:
    """Of each layer."""
    document = axis.layers.document
    characters = np.diff(axis.bounds) - 1
    tokens = np.diff(np.searchsorted(axis.tokens.start, axis.bounds))
    marked = _count_covered(axis, np.ones(len(axis.gold.level), dtype=bool))
    masked = _count_covered(axis, axis.gold.level > 0)
    return list(
        map(Extent, *(column.tolist() for column in (characters[document], tokens[document], *marked, *masked)))
    )


def _count_covered(axis: SpanLayout, which: Bools) -> tuple[Ints, Ints]:
    """The characters and tokens that these mentions cover, layer by layer, each once; of a token a part is enough."""
    gold, layers = axis.gold, axis.layers
    many, shift = len(layers.mentions), layers.shift[gold.layer[which]]
    start, end = merge_spans(gold.start[which] + shift, gold.end[which] + shift)
    layer = np.searchsorted(layers.base, start, side="right") - 1
    first, last = find_touching(axis.tokens, start - layers.shift[layer], end - layers.shift[layer])
    same = np.diff(layer, prepend=-1) == 0
    before = np.where(same, np.concatenate([first[:1], last[:-1]]), first)  # the token that two spans share counts once
    characters = np.bincount(layer, end - start, minlength=many)
    tokens = np.bincount(layer, last - np.maximum(first, before), minlength=many)
    return characters.astype(np.int64), tokens.astype(np.int64)


def _entities(axis: SpanLayout, marks: list[Mention]) -> Counter[EntityKind]:
    gold, text, many = axis.gold, axis.text, len(axis.gold.entity_level)
    mentions = _times(gold.entity, many)
    # Against the first of its entity, and never all of them at once: mentions may be long and lie in each other.
    first = (
        np.flatnonzero(np.diff(np.maximum.accumulate(gold.entity), prepend=-1))[gold.entity] if many else gold.entity
    )
    length = gold.end - gold.start
    other = length != length[first]
    alike = np.flatnonzero(~other & (gold.start != gold.start[first]))
    pairs = zip(gold.start[alike].tolist(), gold.start[first[alike]].tolist(), length[alike].tolist(), strict=True)
    other[alike] = [text[start : start + size] != text[another : another + size] for start, another, size in pairs]
    several = _times(gold.entity[other], many) > 0
    # 0: says nothing, 1: says that it is not, 2: is confidential; of an entity the highest.
    says = np.array([_SAYS[is_confidential(mark.confidential)] for mark in marks], dtype=np.int8)
    status = np.zeros(many, dtype=np.int8)
    np.maximum.at(status, gold.entity, says)
    kinds = (gold.types[kind] for kind in gold.entity_type.tolist())
    confidential = map((None, False, True).__getitem__, status.tolist())
    return Counter(
        map(EntityKind, kinds, gold.entity_level.tolist(), mentions.tolist(), several.tolist(), confidential)
    )
