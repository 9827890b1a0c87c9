"""What is done with one chunk of documents, in this process or in another one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from showthrough.core.errors import ResourceError
from showthrough.core.families import Inputs
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
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

    @property
    def systems(self) -> list[Anonymization]:
        """What is under test."""
        return [anonymization for anonymization in self.anonymizations if anonymization.name not in REFERENCES]


@dataclass
class ChunkResult:
    """What came of a chunk."""

    rows: dict[Cell, Rows] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # metrics, and why
    masks: dict[str, MaskNoticeCounts] = field(default_factory=dict)  # by anonymization
    free: list[Spans] | None = None  # words of kept documents that may stay readable; None where nobody can tell
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
