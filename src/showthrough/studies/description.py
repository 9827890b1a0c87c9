"""What a corpus holds, as the Text Anonymization Benchmark tells it of its own (Pilán et al. 2022, Tables 1 to 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import fsum, sqrt
from typing import TypeVar

from msgspec import Struct

from showthrough.core.expected import expects
from showthrough.data.documents import Corpus
from showthrough.data.levels import level_of
from showthrough.data.silver import is_silver
from showthrough.data.types import is_confidential
from showthrough.studies._tallies import (
    LONG as LONG,
    CorpusTally,
    EntityKind,
    Extent,
    LayerKind,
    MentionKind,
    tallies,
)
from showthrough.studies.people import PeopleSummary, people_in

_Key = TypeVar("_Key")
_LEVELS = ("NO_MASK", "QUASI", "DIRECT")  # of entities, by number


class MeanDeviation(Struct, frozen=True):
    """Mean and standard deviation (with n − 1) of so many values; `None` where there are too few."""

    mean: float | None
    deviation: float | None
    number: int


class Levels(Struct, frozen=True):
    """How many identify directly, together with others, and how many may stay."""

    direct: int = 0
    quasi: int = 0
    no_mask: int = 0
    may_mask: int = 0

    @property
    def total(self) -> int:
        return self.direct + self.quasi + self.no_mask + self.may_mask

    @property
    def masked(self) -> int:
        return self.direct + self.quasi


class MarkCounts(Struct, frozen=True, kw_only=True):
    """What was marked of one type, or of all of them."""

    mentions: Levels
    inferred: int  # mentions of which nobody said how they identify
    guessed: int  # of these, those whose type tells it neither
    confidential: int
    statuses: dict[str, int]  # mentions by what they say of being confidential; those that say nothing are not in it
    edits: dict[str, int]  # mentions by what annotators did to marks made beforehand; likewise
    long: int  # mentions of more than 100 characters
    linked: int  # mentions with an entity id; another is an entity of its own
    entities: Levels
    confidential_entities: int
    entities_with_status: int
    chained: int  # mentions of these entities, also those of another type than the first
    most_mentions: int  # of an entity
    repeated: int  # entities with more than one mention
    several_strings: int  # entities whose mentions do not all read the same

    @property
    def with_status(self) -> int:
        return sum(self.statuses.values())

    @property
    def with_edit(self) -> int:
        return sum(self.edits.values())


class AnnotatorMarks(Struct, frozen=True, kw_only=True):
    """What one annotator marked, and how much of it and of the texts is to be masked."""

    program: bool
    layers: int  # documents that the annotator read
    reviewed: int  # of these, those that somebody else looked through
    mentions: int
    entities: int
    masked: int  # mentions
    stated: int  # mentions of which the annotator said how they identify; of the others their types tell
    masked_share: float | None  # of mentions; `None` where the annotator said of none whether it is to be masked
    masked_by_document: MeanDeviation  # the same share, over documents with mentions
    extent: Extent
    edits: dict[str, int]  # mentions by what the annotator did to marks made beforehand


class CorpusPart(Struct, frozen=True, kw_only=True):
    """What some documents hold: all, or those of one split."""

    documents: int
    documents_by_annotators: dict[int, int]  # how many documents so many annotators read
    documents_reviewed: int | None  # None: no document says whether it was
    layers: int
    layers_by_programs: int
    layers_reviewed: int | None
    characters: int
    tokens: int
    mentions_per_document: MeanDeviation  # of all annotators together
    mentions_per_layer: MeanDeviation
    masked_by_annotator: (
        MeanDeviation  # the share of mentions that are to be masked, over annotators that are no programs
    )
    masked_by_layer: MeanDeviation  # the same over their layers
    edits_by_annotator: dict[str, MeanDeviation]  # the share of each edit in those that annotators, no programs, told
    marks: MarkCounts
    types: dict[str, MarkCounts]  # the most frequent first
    annotators: dict[str, AnnotatorMarks]  # who read most first


class Description(Struct, frozen=True):
    """What a corpus holds, as a whole and by split."""

    corpus: str
    digest: str
    whole: CorpusPart
    splits: dict[str, CorpusPart]  # the largest first; none where no document says its split
    people: PeopleSummary | None = None  # None: no document says who is in it


@expects(corpus=Corpus)
def describe(corpus: Corpus) -> Description:
    """Counts of documents, annotators, mentions, entities, types, identifiers, confidential categories and edits.

    >>> from showthrough.data.documents import Annotation, Document, Mention
    >>> doe = Annotation("ann", (Mention(3, 6, "PERSON", "DIRECT"), Mention(10, 14, "LOC", "NO_MASK")))
    >>> description = describe(Corpus([Document("a", "Mr Doe of Oslo", (doe,)), Document("b", "Oslo")]))
    >>> description.whole.documents_by_annotators, description.whole.marks.mentions
    ({0: 1, 1: 1}, Levels(direct=1, quasi=0, no_mask=1, may_mask=0))
    """
    by_split = tallies(corpus)
    whole = CorpusTally()
    for tally in by_split.values():
        whole.add(tally)
    parts = {split: _part(tally) for split, tally in by_split.items()} if any(by_split) else {}
    ordered = dict(sorted(parts.items(), key=lambda item: (-item[1].documents, item[0])))
    return Description(corpus.name, corpus.digest, _part(whole), ordered, people_in(corpus))


def _part(tally: CorpusTally) -> CorpusPart:
    annotators = _annotators(tally)
    telling = {
        name: reader.masked_share
        for name, reader in annotators.items()
        if reader.masked_share is not None and not reader.program
    }
    layers = [(kind, times) for kind, times in tally.layers.items() if kind.annotator in telling and kind.mentions]
    reviewed = [(kind.reviewed, times) for kind, times in tally.documents.items() if kind.reviewed is not None]
    return CorpusPart(
        documents=tally.documents.total(),
        documents_by_annotators=dict(sorted(_sums((kind.layers, n) for kind, n in tally.documents.items()).items())),
        documents_reviewed=sum(times for looked, times in reviewed if looked) if reviewed else None,
        layers=tally.layers.total(),
        layers_by_programs=sum(reader.layers for reader in annotators.values() if reader.program),
        layers_reviewed=sum(reader.reviewed for reader in annotators.values()) if reviewed else None,
        characters=tally.characters,
        tokens=tally.tokens,
        mentions_per_document=_mean_deviation((kind.mentions, times) for kind, times in tally.documents.items()),
        mentions_per_layer=_mean_deviation((kind.mentions, times) for kind, times in tally.layers.items()),
        masked_by_annotator=_mean_deviation((share, 1) for share in telling.values()),
        edits_by_annotator=_edit_shares(annotators),
        masked_by_layer=_mean_deviation((kind.masked / kind.mentions, times) for kind, times in layers),
        marks=_marks(tally.mentions, tally.entities),
        types=_types(tally),
        annotators=annotators,
    )


def _annotators(tally: CorpusTally) -> dict[str, AnnotatorMarks]:
    by_name: defaultdict[str, list[tuple[LayerKind, int]]] = defaultdict(list)
    for kind, times in tally.layers.items():
        by_name[kind.annotator].append((kind, times))
    edits: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for (name, edit), times in tally.edits.items():
        edits[name].append((edit, times))
    annotators = {
        name: _annotator(name, layers, tally.extents[name], _most_first(edits[name]))
        for name, layers in by_name.items()
    }
    return dict(sorted(annotators.items(), key=lambda item: (-item[1].layers, item[0])))


def _edit_shares(annotators: Mapping[str, AnnotatorMarks]) -> dict[str, MeanDeviation]:
    """Of each edit the share among an annotator's, over annotators."""
    edits_by_annotator = [marks.edits for marks in annotators.values() if marks.edits and not marks.program]
    names = sorted({edit for edits in edits_by_annotator for edit in edits})
    return {
        name: _mean_deviation((edits.get(name, 0) / sum(edits.values()), 1) for edits in edits_by_annotator)
        for name in names
    }


def _annotator(name: str, layers: list[tuple[LayerKind, int]], extent: Extent, edits: dict[str, int]) -> AnnotatorMarks:
    mentions = sum(kind.mentions * times for kind, times in layers)
    masked = sum(kind.masked * times for kind, times in layers)
    stated = sum(kind.stated * times for kind, times in layers)
    telling = [(kind, times) for kind, times in layers if kind.mentions] if stated else []
    return AnnotatorMarks(
        program=is_silver(name),
        layers=sum(times for _, times in layers),
        reviewed=sum(times for kind, times in layers if kind.reviewed),
        mentions=mentions,
        entities=sum(kind.entities * times for kind, times in layers),
        masked=masked,
        stated=stated,
        masked_share=masked / mentions if telling else None,
        masked_by_document=_mean_deviation((kind.masked / kind.mentions, times) for kind, times in telling),
        extent=extent,
        edits=edits,
    )


def _types(tally: CorpusTally) -> dict[str, MarkCounts]:
    """What was marked of each type. An entity has the type of its first mention, so a type may have mentions alone."""
    mentions: defaultdict[str, Counter[MentionKind]] = defaultdict(Counter)
    entities: defaultdict[str, Counter[EntityKind]] = defaultdict(Counter)
    for mention, times in tally.mentions.items():
        mentions[mention.entity_type][mention] = times
    for entity, times in tally.entities.items():
        entities[entity.entity_type][entity] = times
    by_type = {kind: _marks(mentions[kind], entities[kind]) for kind in mentions}
    return dict(sorted(by_type.items(), key=lambda item: (-item[1].mentions.total, item[0])))


def _marks(mentions: Counter[MentionKind], entities: Counter[EntityKind]) -> MarkCounts:
    inferred = {kind: times for kind, times in mentions.items() if not kind.stated}
    return MarkCounts(
        mentions=_levels((kind.identifier, times) for kind, times in mentions.items()),
        inferred=sum(inferred.values()),
        guessed=sum(times for kind, times in inferred.items() if level_of(kind.entity_type) is None),
        confidential=sum(times for kind, times in mentions.items() if is_confidential(kind.confidential)),
        statuses=_most_first((kind.confidential, times) for kind, times in mentions.items()),
        edits=_most_first((kind.edit, times) for kind, times in mentions.items()),
        long=sum(times for kind, times in mentions.items() if kind.long),
        linked=sum(times for kind, times in mentions.items() if kind.linked),
        entities=_levels((_LEVELS[kind.level], times) for kind, times in entities.items()),
        confidential_entities=sum(times for kind, times in entities.items() if kind.confidential),
        entities_with_status=sum(times for kind, times in entities.items() if kind.confidential is not None),
        chained=sum(kind.mentions * times for kind, times in entities.items()),
        most_mentions=max((kind.mentions for kind in entities), default=0),
        repeated=sum(times for kind, times in entities.items() if kind.mentions > 1),
        several_strings=sum(times for kind, times in entities.items() if kind.several_strings),
    )


def _levels(counts: Iterable[tuple[str, int]]) -> Levels:
    sums = _sums(counts)
    return Levels(sums["DIRECT"], sums["QUASI"], sums["NO_MASK"], sums["MAY_MASK"])


def _most_first(counts: Iterable[tuple[str | None, int]]) -> dict[str, int]:
    """By what was said; white space says nothing."""
    sums = _sums((name, times) for name, times in counts if name and not name.isspace())
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def _sums(counts: Iterable[tuple[_Key, int]]) -> Counter[_Key]:
    sums: Counter[_Key] = Counter()
    for key, times in counts:
        sums[key] += times
    return sums


def _mean_deviation(counts: Iterable[tuple[float, int]]) -> MeanDeviation:
    """Sums that are rounded once, so that the order of documents changes no digit."""
    times: Mapping[float, int] = _sums(counts)
    number = sum(times.values())
    if not number:
        return MeanDeviation(None, None, 0)
    mean = fsum(value * count for value, count in times.items()) / number
    squares = fsum((value - mean) ** 2 * count for value, count in times.items())
    return MeanDeviation(mean, sqrt(squares / (number - 1)) if number > 1 else None, number)
