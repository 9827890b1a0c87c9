"""What is done with one chunk of documents, in this process or in another one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import ResourceError
from showthrough.core.families import Inputs
from showthrough.core.plugins import is_plugin
from showthrough.data.documents import Corpus, Document, chunk_ranges
from showthrough.data.masks import Anonymization, TypedMask
from showthrough.data.references import REFERENCES
from showthrough.engines.base import SharedValue
from showthrough.evaluation._mask_notices import MaskNoticeCounts, tells_of_masks
from showthrough.metrics import Metric, Rows
from showthrough.metrics.base import failure_of, sound
from showthrough.metrics.chunk import Anonymized, Chunk, EntityGroups, HidingRule
from showthrough.metrics.matching.entities import HowRead
from showthrough.models import resources_of_process
from showthrough.models.settings import ModelSettings
from showthrough.run.documents import Spans, free_words

Cell = tuple[str, str]  # a metric's text, the name of an anonymization


@dataclass(frozen=True)
class Work:
    """What is asked of a chunk; it travels to other processes."""

    metrics: Mapping[str, Metric]  # by text
    anonymizations: Sequence[Anonymization]
    refused: frozenset[Cell] = frozenset()  # references that a metric cannot score
    noticed: frozenset[str] | None = None  # function words of notices; None: masks are not looked at
    elsewhere: HowRead | None = None  # how direct identifiers are looked for outside their marks; None: not at all
    kept: HidingRule | None = None  # where documents are kept for a reader
    types: tuple[str, ...] | None = None  # entity types of the whole corpus; None: of the chunk
    entity_groups: tuple[EntityGroups, ...] = ()  # by which entities are counted beside
    inputs: Inputs = field(default_factory=dict)  # of families, those that metrics of single documents need
    people: Mapping[str, Metric] = field(default_factory=dict)  # by which annotators are scored against each other

    @property
    def systems(self) -> list[Anonymization]:
        """What is under test."""
        return [anonymization for anonymization in self.anonymizations if anonymization.name not in REFERENCES]


class ReadingCounts(NamedTuple):
    """What each annotator reaches against the others, by document, and in the order of its annotators."""

    documents: Ints  # of each reading, the number of its document in the chunk
    names: list[str]
    annotators: Ints  # of each reading, the number of its annotator among the names
    rows: dict[str, Rows]  # by a metric's text
    failures: dict[str, str]


@dataclass
class ChunkResult:
    """What came of a chunk."""

    rows: dict[Cell, Rows] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # metrics, and why
    masks: dict[str, MaskNoticeCounts] = field(default_factory=dict)  # by anonymization
    free: list[Spans] | None = None  # words of kept documents that may stay readable; None where nobody can tell
    readings: ReadingCounts | None = None  # of documents that several people marked
    seconds: float = 0.0


def process_chunk(chunk: Chunk, work: Work) -> ChunkResult:
    """Does the work. A metric fails only where an anonymization under test does; a reference then has no rows."""
    started, answer = time.perf_counter(), ChunkResult()
    metrics = []
    for text, metric in work.metrics.items():
        try:
            chunk.bind_metric(metric)
            metrics.append((text, metric))
        except Exception as error:  # of a plugin, anything
            answer.failures[text] = failure_of(metric, error)
    # Anonymizations outside, metrics inside: an anonymization is marked once and all metrics look at it.
    for anonymization in work.anonymizations:
        anonymized = Anonymized(chunk, anonymization)
        for text, metric in metrics:
            if (text, anonymization.name) in work.refused:
                continue
            try:
                answer.rows[text, anonymization.name] = sound(metric, anonymized.rows(metric), len(chunk.corpus))
            except Exception as error:  # of a plugin, anything
                why = failure_of(metric, error)
                if anonymization.name not in REFERENCES:
                    answer.failures[text] = why
        if work.noticed is not None and tells_of_masks(anonymization) and anonymization.name not in REFERENCES:
            counts = MaskNoticeCounts.of(anonymized.coverage, work.noticed)
            answer.masks[anonymization.name] = (
                counts.with_elsewhere(anonymized, work.elsewhere) if work.elsewhere else counts
            )
    if work.kept is not None:
        with suppress(ResourceError):
            answer.free = list(free_words(chunk, work.kept))
    if work.people:
        answer.readings = count_readings(chunk, work.people)
    answer.seconds = time.perf_counter() - started
    return answer


def process_remote_chunk(
    corpus: Corpus, anonymizations: Sequence[Anonymization], shared_work: SharedValue[Work], models: ModelSettings
) -> ChunkResult:
    """The same in another process, with masks of these documents alone and what is the same for all chunks."""
    started, work = time.perf_counter(), replace(shared_work.value, anonymizations=anonymizations)
    resources = resources_of_process(models)
    resources.inputs = work.inputs
    chunk = Chunk(corpus, resources, work.types, work.systems, work.entity_groups)
    answer = process_chunk(chunk, work)
    chunk.forget()
    answer.seconds = time.perf_counter() - started  # with what decoding the documents took, which is done here
    return answer


def count_readings(chunk: Chunk, metrics: Mapping[str, Metric]) -> ReadingCounts | None:
    """Scores annotators as systems on the documents that several people marked; nothing where there are none."""
    triples = [
        (turn, number, reader)
        for number, document in enumerate(chunk.axis.documents)
        if len(document.annotations) > 1 and len(document.readers) > 1
        for turn, reader in enumerate(document.readers)
    ]
    if not triples:
        return None
    turns, numbers = (np.array(column) for column in list(zip(*triples, strict=True))[:2])
    # A document is there as often as it has annotators. Plugins may know documents by their ids: they see each once.
    apart = any(map(is_plugin, metrics.values()))
    groups = [np.flatnonzero(turns == turn) for turn in range(turns.max() + 1)] if apart else [np.arange(len(triples))]
    rows: dict[str, list[Rows]] = {text: [] for text in metrics}
    failures: dict[str, str] = {}
    lengths = np.diff(chunk.axis.bounds)[numbers]
    for group in groups:
        for some in chunk_ranges(lengths[group]):
            pairs = [triples[index][1:] for index in group[some.start : some.stop].tolist()]
            answer = _score_annotators(chunk, metrics, pairs)
            failures |= answer.failures
            for (text, _), counted in answer.rows.items():
                rows[text].append(counted)
    order = np.argsort(np.concatenate(groups))
    names, annotators = np.unique(np.array([reader for *_, reader in triples], dtype=object), return_inverse=True)
    joined = {text: Rows.concatenate(parts) for text, parts in rows.items() if text not in failures}
    in_order = {text: Rows(table.columns, table.values[order]) for text, table in joined.items()}
    return ReadingCounts(numbers, names.tolist(), annotators, in_order, failures)


def _score_annotators(chunk: Chunk, metrics: Mapping[str, Metric], pairs: Sequence[tuple[int, str]]) -> ChunkResult:
    """Scores what annotators want masked, of documents by number, against what the others marked there."""
    documents, gold = chunk.axis.documents, chunk.axis.gold  # of all layers, of which each pair has some
    before = (np.cumsum(gold.layers.count) - gold.layers.count).tolist()
    left, layers, masks = [], [], {}
    for number, reader in pairs:
        document, chosen = documents[number], layers_without(documents[number], reader)
        document_id = document.id
        while document_id in masks:  # the same document with another annotator
            document_id += "#"
        left.append(msgspec.structs.replace(with_layers(document, chosen), id=document_id))
        layers += [before[number] + layer for layer in chosen]
        masks[document_id] = _masks_of(document, reader)
    axis = chunk.axis.part([number for number, _ in pairs], left)
    axis.gold = gold.part(np.array(layers, dtype=np.int64), axis)
    others = Chunk(Corpus(left), chunk.resources, chunk.types)
    others.axis = axis
    answer = process_chunk(others, Work(metrics, [Anonymization(masks, "people")]))
    others.forget()
    return answer


def _masks_of(document: Document, annotator: str) -> tuple[TypedMask, ...]:
    """What an annotator wants masked, with nothing in its place."""
    return tuple(
        [  # a list: a generator takes half as long again
            TypedMask(mention.start, mention.end, None, mention.entity_type)
            for annotation in document.annotations
            if annotation.annotator == annotator
            for mention in annotation.mentions
            if mention.must_mask
        ]
    )


def layers_without(document: Document, annotator: str) -> list[int]:
    """The numbers of the layers of the other people alone."""
    other_readers = {*document.readers} - {annotator}
    return [number for number, layer in enumerate(document.annotations) if layer.annotator in other_readers]


def with_layers(document: Document, numbers: Sequence[int]) -> Document:
    return msgspec.structs.replace(document, annotations=tuple(document.annotations[number] for number in numbers))
