"""Where anonymizations fail, counted by entity type, after the error analysis of Pilán et al. 2022 (Table 11).

*Missed*: a mention to be masked of which everything can be read. *Under-masked*: one of which a part can be read.
*Spurious*: a mask that hides nothing that any annotator wanted masked. *Over-masked*: a mask that hides such a mention
and words beside it. Function words, titles and punctuation inside a mention may stay readable, and words that a
replacement repeats can be read, as for recall. A span that several annotators marked alike counts once. Types of one
kind are one, whoever named them: what systems say is told by the types of the texts (`data.labels`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from showthrough.core.arrays import Bools, Ints, Ints8
from showthrough.data.labels import NO_TYPE, Labels
from showthrough.data.layout.characters import is_space
from showthrough.data.layout.coverage import Coverage
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.layout.spans import count_before, find_overlaps, highest
from showthrough.models.lexicon import is_punctuation
from showthrough.run.documents import RunTexts, span_index_of

Kind = Literal["missed", "under-masked", "spurious", "over-masked"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MaskKind = Literal["over-masked", "no-mask", "spurious"]  # no-mask: it hides what annotators marked as not to be masked
MASK_KINDS: tuple[MaskKind, ...] = get_args(MaskKind)

# What became of a mention.
LEAKED, PARTLY, HIDDEN, FREE, UNASKED = range(5)  # FREE: nothing in it is asked for; UNASKED: need not be masked
NOT_MARKED = "(not marked)"  # stands for a type
NOT_MASKED = "(not masked)"  # so does this


class Location(NamedTuple):
    """A span of a document, by its number among the texts and its offsets there."""

    document: int
    start: int
    end: int


@dataclass(frozen=True)
class FailureAnalysis:
    """What became of every mention under one anonymization, and where it fails."""

    outcome: Ints8  # of each mention, in the order of the texts
    leaks: Ints  # documents × 2: distinct spans that can be read at least in part, direct ones and quasi-identifiers
    failures: dict[tuple[Kind, str], list[Location]]  # by kind and entity type
    echoes: list[Location]  # words that can be read in the replacement of their mask, in order

    def count(self, kind: Kind, entity_type: str) -> int:
        return len(self.failures.get((kind, entity_type), ()))


class Bounds(NamedTuple):
    """Where spans begin and end, by start."""

    start: Ints
    end: Ints


class Needless(NamedTuple):
    """A mask that hides more than anybody wanted, and the type that it was taken for."""

    kind: MaskKind
    entity_type: str
    location: Location


@dataclass(frozen=True)
class TypePair:
    """How many spans of an annotators' type are under a mask of a system's type."""

    marked: str
    masked: str
    spans: int


class MarkedOffsets(NamedTuple):
    """The places of some mentions in the span layout, ascending, and the entity type at each."""

    position: Ints
    kind: Ints

    def first(self, start: Ints, end: Ints) -> Ints:
        """The first entity type on each span, or -1."""
        number = np.searchsorted(self.position, start)
        inside = number < np.searchsorted(self.position, end)
        entity_type = np.full(len(start), -1)
        entity_type[inside] = self.kind[number[inside]]
        return entity_type


class Inspection:
    """Texts laid out for looking at: shared by all anonymizations of a run."""

    def __init__(self, texts: RunTexts) -> None:
        self.texts = texts
        self.axis = SpanLayout(texts.corpus())
        self.gold = self.axis.gold
        self.span_index = span_index_of(self.axis, texts)
        self._labels = Labels(self.gold.types)
        self.types, codes = self._labels.number_titles(name or NO_TYPE for name in self.gold.types)
        self.entity_type = np.array(codes, dtype=np.int64)[self.gold.entity_type[self.gold.entity]]  # of a mention
        self._wanted = self._paint(self.gold.level > 0)
        self._unwanted = self._paint(self.gold.level == 0)
        words = ~(self.axis.table(is_punctuation) | self.axis.table(is_space)).view(np.bool_)
        words[self._wanted.position] = False
        words[self._paint(self.gold.level < 0).position] = False  # MAY_MASK counts neither way
        self._outside = count_before(words)  # words before each place that nobody wants masked

    def _paint(self, chosen: Bools) -> MarkedOffsets:
        positions, entity_types = highest(self.gold.start[chosen], self.gold.end[chosen], self.entity_type[chosen])
        return MarkedOffsets(positions, entity_types)

    def coverage(self, name: str) -> Coverage:
        """The masks of one anonymization."""
        return Coverage(self.axis, self.texts.anonymization(name))

    def of(self, name: str) -> FailureAnalysis:
        """What one anonymization did."""
        coverage = self.coverage(name)
        outcome = self.states(coverage)
        outcome[self.gold.level <= 0] = UNASKED
        failures: dict[tuple[Kind, str], list[Location]] = {}
        for kind, entity_type, location in self._mentions(outcome):
            failures.setdefault((kind, entity_type), []).append(location)
        for mask in self.needless(coverage, name):
            mask_kind: Kind = "over-masked" if mask.kind == "over-masked" else "spurious"
            failures.setdefault((mask_kind, mask.entity_type), []).append(mask.location)
        return FailureAnalysis(outcome, self._leaks(outcome), failures, self._repeated_words(coverage))

    def states(self, coverage: Coverage) -> Ints8:
        """How much can be read of each mention, whether it is to be masked or not."""
        rule = self.span_index.mentions
        before = coverage.readable(self.span_index, self.texts.replacements)
        readable = before[rule.closes] - before[rule.opens]
        state = np.full(len(readable), PARTLY, dtype=np.int8)
        state[readable == rule.closes - rule.opens] = LEAKED
        state[readable == 0] = HIDDEN
        state[~rule.solid] = FREE
        return state

    def _repeated_words(self, coverage: Coverage) -> list[Location]:
        if self.texts.replacements == "trusted":
            return []
        return self.locate(coverage.disclosures.start, coverage.disclosures.end)

    def _mentions(self, outcome: Ints8) -> Iterator[tuple[Kind, str, Location]]:
        marks = np.column_stack([self.gold.start, self.gold.end, self.entity_type, outcome])[outcome <= PARTLY]
        start, end, type_codes, codes = np.unique(marks, axis=0).T
        for location, kind, code in zip(self.locate(start, end), type_codes.tolist(), codes.tolist(), strict=True):
            yield ("missed" if code == LEAKED else "under-masked"), self.types[kind], location

    def needless(self, coverage: Coverage, name: str) -> Iterator[Needless]:
        """Masks over words that nobody wants masked, as they stand in the texts; those that overlap are one."""
        judged = self.gold.annotators[coverage.document] > 0  # where nobody read, nobody can say
        start, end = coverage.start[judged], coverage.end[judged]
        beside = self._outside[end] > self._outside[start]
        start, end = start[beside], end[beside]
        wanted_types, unwanted = (states.first(start, end).tolist() for states in (self._wanted, self._unwanted))
        types, own_types = self.types, self._own_types(name)
        for location, hidden, marked in zip(self.locate(start, end), wanted_types, unwanted, strict=True):
            if hidden >= 0:
                yield Needless("over-masked", types[hidden], location)
            elif marked >= 0:
                yield Needless("no-mask", types[marked], location)
            else:
                yield Needless(
                    "spurious", own_types.get((location.document, location.start), "") or NOT_MARKED, location
                )

    def _own_types(self, name: str) -> dict[tuple[int, int], str]:
        """What the anonymizer itself said it found, by document and start."""
        title = cache(self._labels.title)
        typed = (
            (number, mask) for number, masks in enumerate(self.texts.masks[name]) for mask in masks if mask.entity_type
        )
        return {(number, mask.start): title(mask.entity_type) for number, mask in typed}

    def types_met(self, name: str) -> list[TypePair]:
        """The types of what is to be masked, and of the mask that hides most of it; empty where no mask has a type.

        A span of a type counts once, even if several annotators marked it. Masks over nothing that is to be masked
        count each, in documents that somebody annotated.
        """
        typed = [(number, mask) for number, masks in enumerate(self.texts.masks[name]) for mask in masks]
        titles, codes = self._labels.number_titles(mask.entity_type or NO_TYPE for _, mask in typed)
        if set(titles) <= {NO_TYPE}:
            return []
        base = self.axis.bounds
        spans = np.array([(base[at] + mask.start, base[at] + mask.end) for at, mask in typed], dtype=np.int64)
        order = np.lexsort((spans[:, 1], spans[:, 0]))
        masks, kind = Bounds(*spans[order].T), np.array(codes, dtype=np.int64)[order]
        wanted = self.gold.level > 0
        every = np.unique(np.column_stack([self.gold.start, self.gold.end, self.entity_type])[wanted], axis=0)
        mask, span, shared = find_overlaps(masks, Bounds(every[:, 0], every[:, 1]))
        best = np.lexsort((mask, -shared, span))
        first = best[np.flatnonzero(np.diff(span[best], prepend=-1))]
        masked_as = np.full(len(every), -1)
        masked_as[span[first]] = kind[mask[first]]
        free = self.gold.annotators[self.axis.document_at(masks.start)] > 0
        free[mask] = False
        pairs = Counter(zip(every[:, 2].tolist(), masked_as.tolist(), strict=True))
        pairs.update((-1, code) for code in kind[free].tolist())
        marked, masked = [*self.types, NOT_MARKED], [*titles, NOT_MASKED]
        return sorted(
            (TypePair(marked[left], masked[other], count) for (left, other), count in pairs.items()),
            key=lambda pair: (-pair.spans, pair.marked, pair.masked),
        )

    def _leaks(self, outcome: Ints8) -> Ints:
        leaking, count = outcome <= PARTLY, len(self.texts.documents)
        bounds = np.column_stack([self.gold.start, self.gold.end])[leaking]
        spans, number = np.unique(bounds, axis=0, return_inverse=True)
        level = np.zeros(len(spans), dtype=np.int8)
        np.maximum.at(level, number.ravel(), self.gold.level[leaking])  # direct for one annotator is direct
        document = self.axis.document_at(spans[:, 0])
        return np.column_stack([np.bincount(document[level == kind], minlength=count) for kind in (2, 1)])

    def locate(self, start: Ints, end: Ints) -> list[Location]:
        """Spans of the layout as locations in their documents."""
        document = self.axis.document_at(start)
        base = self.axis.bounds[document]
        return list(map(Location, document.tolist(), (start - base).tolist(), (end - base).tolist()))
