"""What anonymizations reach at other thresholds: masks with lower scores left out, counted by the run's metrics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, NumberedMasks
from showthrough.evaluation._chunks import Work, process_chunk
from showthrough.evaluation.ceiling import has_ceiling
from showthrough.metrics import HEADLINE, Metric
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.run.records import Sweep
from showthrough.run.roles import PRECISION, RECALL
from showthrough.statistics.rows import Totals

MOST = 30  # thresholds of an anonymization: a curve is smooth by then, and all of them cost less than the run
_ROLES = {"direct identifiers", "quasi-identifiers", RECALL, PRECISION}
_DIGITS = 16  # after the point; more are in no number
_DOCUMENTS = 16_384  # whose scores are looked at together


def is_swept(metric: Metric) -> bool:
    """Whether it is counted at every threshold: what tells recall or precision by masks and annotations alone.

    To read the whole release again at each of them would cost more than the run.
    """
    return has_ceiling(metric) and not _ROLES.isdisjoint(metric.roles) and "release" not in metric.roles


def sweeps(anonymizations: Iterable[Anonymization], metrics: Mapping[str, Metric], whole: Chunk) -> dict[str, Sweep]:
    """By name, those of the anonymizations whose masks have different scores; `whole` are all documents."""
    corpus, resources = whole.corpus, whole.resources
    swept = [
        system for system in (_Swept.of(anonymization, corpus) for anonymization in anonymizations) if system.thresholds
    ]
    if not (swept and metrics):
        return {}
    parts = list(corpus.chunks())
    if len(parts) == 1:  # what was made of the documents is still there
        counted = (_count_sweep(whole, metrics, system.anonymization, system.thresholds) for system in swept)
        tallies: Iterable[list[_SweepCounts]] = [list(counted)]
    else:
        task = _SweepTask(metrics, [system.thresholds for system in swept], corpus.survey.types)
        tallies = resources.map_items(
            _count_remote_sweep, task, _split_documents(corpus, [system.anonymization for system in swept], parts)
        )
    for tally in tallies:
        for system, counts in zip(swept, tally, strict=True):
            system.take(counts)
    by_name = {system.anonymization.name: system.sweep(metrics) for system in swept}
    return {name: sweep for name, sweep in by_name.items() if sweep.values}


class _SweepTask(NamedTuple):
    """What is the same for all documents."""

    metrics: Mapping[str, Metric]  # by text
    thresholds: list[list[float]]  # of each anonymization
    types: tuple[str, ...]  # of the whole corpus


class _MaskedDocuments(NamedTuple):
    """Some documents with their masks, which travel."""

    corpus: Corpus
    anonymizations: list[Anonymization]


class _SweepCounts(NamedTuple):
    """What was counted of one anonymization of some documents."""

    sums: dict[tuple[str, int], Totals]  # by metric and number of the threshold
    masks: list[int]  # by the same number
    failed: set[str]


def _split_documents(
    corpus: Corpus, anonymizations: Sequence[Anonymization], parts: Iterable[range]
) -> Iterator[_MaskedDocuments]:
    for numbers in parts:
        ids = corpus.ids[numbers.start : numbers.stop]
        yield _MaskedDocuments(
            corpus.part(numbers, lazy=True), [anonymization.part(ids, lazy=True) for anonymization in anonymizations]
        )


def _count_remote_sweep(resources: Resources, task: _SweepTask, batch: _MaskedDocuments) -> list[_SweepCounts]:
    chunk = Chunk(batch.corpus, resources, task.types)
    pairs = zip(batch.anonymizations, task.thresholds, strict=True)
    return [_count_sweep(chunk, task.metrics, anonymization, thresholds) for anonymization, thresholds in pairs]


def _count_sweep(
    chunk: Chunk, metrics: Mapping[str, Metric], anonymization: Anonymization, thresholds: Sequence[float]
) -> _SweepCounts:
    """Some documents at every threshold. A mask without a score always stays, as in `anonymize --threshold`."""
    every = {document.id: anonymization.of(document.id) for document in chunk.corpus}
    left = [
        {key: [mask for mask in masks if mask.score is None or mask.score >= least] for key, masks in every.items()}
        for least in thresholds
    ]
    named = [Anonymization(masks, str(number)) for number, masks in enumerate(left)]
    answer = process_chunk(chunk, Work(metrics, named))
    sums = {(text, int(name)): rows.totals() for (text, name), rows in answer.rows.items()}
    return _SweepCounts(sums, [sum(map(len, masks.values())) for masks in left], set(answer.failures))


class ScoreLevels:
    """The scores of many masks: which there are, and how many masks have each.

    >>> levels = ScoreLevels.of([0.85, 0.4, 0.85])
    >>> levels.merge(ScoreLevels.of([0.4, 1.0])).at(np.array([0, 1, 2, 4])).tolist()  # of 0.4 0.4 0.85 0.85 1.0
    [0.4, 0.4, 0.85, 1.0]
    """

    def __init__(self, scores: Floats, masks: Ints) -> None:
        self.scores = scores  # each once, ascending
        self.masks = masks

    @classmethod
    def of(cls, scores: Iterable[float]) -> ScoreLevels:
        return cls(*np.unique(np.fromiter(scores, dtype=np.float64), return_counts=True))

    def merge(self, other: ScoreLevels) -> ScoreLevels:
        scores, index = np.unique(np.concatenate([self.scores, other.scores]), return_inverse=True)
        masks = np.zeros(len(scores), dtype=np.int64)
        np.add.at(masks, index, np.concatenate([self.masks, other.masks]))
        return ScoreLevels(scores, masks)

    def at(self, ranks: Ints) -> Floats:
        """The scores of some ranks among all of them, sorted."""
        return np.asarray(self.scores[np.searchsorted(np.cumsum(self.masks), ranks, side="right")])


def thresholds_of(distribution: ScoreLevels) -> list[float]:
    """Where other masks are left out, ascending: 0, which leaves out none, then between one score and the next.

    Each is as short as it can be written. Of many, about as many masks lie between each and the next. None for one
    score alone, or for one that is no number from 0 to 1.

    >>> thresholds_of(ScoreLevels.of([0.85, 0.4, 0.85, 0.8612, 1.0]))
    [0.0, 0.8, 0.86, 1.0]
    """
    levels = distribution.scores
    if len(levels) < 2 or not (levels[0] >= 0 and levels[-1] <= 1):
        return []
    indices: Sequence[int] = range(len(levels))
    if len(levels) > MOST:
        evenly = distribution.at(np.linspace(0, int(distribution.masks.sum()) - 1, MOST).round().astype(np.int64))
        indices = np.unique(np.searchsorted(levels, evenly)).tolist()
    scores = levels.tolist()
    # Of many scores, any of those half-way to the last that was taken would do: a short number matters more.
    return [0.0, *(_shortest(scores[(last + index) // 2], scores[index]) for last, index in pairwise(indices))]


def _shortest(above: float, most: float) -> float:
    """The number with the fewest digits that is greater than one and no greater than another."""
    numbers = (math.floor(most * 10**digits) / 10**digits for digits in range(_DIGITS))
    return next((number for number in numbers if above < number <= most), most)


@dataclass
class _Swept:
    """An anonymization, and what was counted of it so far."""

    anonymization: Anonymization
    thresholds: list[float]
    levels: int
    scored: int
    sums: dict[tuple[str, int], Counter[str]] = field(default_factory=dict)  # by metric and number of the threshold
    masks: Counter[int] = field(default_factory=Counter)  # by the same number
    failed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, anonymization: Anonymization, corpus: Corpus) -> _Swept:
        levels, all_masks = ScoreLevels.of(()), anonymization.masks
        none = isinstance(all_masks, NumberedMasks) and not all_masks.scored
        for first in () if none else range(0, len(corpus), _DOCUMENTS):
            masks = (mask for key in corpus.ids[first : first + _DOCUMENTS] for mask in anonymization.of(key))
            scores = [mask.score for mask in masks if mask.score is not None]
            levels = levels.merge(ScoreLevels.of(scores)) if scores else levels
        return cls(anonymization, thresholds_of(levels), len(levels.scores), int(levels.masks.sum()))

    def take(self, counted: _SweepCounts) -> None:
        """Adds what was counted of some more documents."""
        self.masks.update(dict(enumerate(counted.masks)))
        self.failed.update(counted.failed)
        for key, sums in counted.sums.items():
            self.sums.setdefault(key, Counter()).update(sums)

    def sweep(self, metrics: Mapping[str, Metric]) -> Sweep:
        numbers = range(len(self.thresholds))
        values = {
            text: [_value(metric, self.sums[text, number]) for number in numbers]
            for text, metric in metrics.items()
            if text not in self.failed
        }
        masks = [self.masks[number] for number in numbers]
        return Sweep(self.thresholds, masks, values, masks[0] - self.scored, self.levels)


def _value(metric: Metric, sums: Mapping[str, float]) -> float | None:
    value = metric.combine({column: np.asarray(total) for column, total in sums.items()}).get(HEADLINE)
    return None if value is None or np.isnan(value) else float(value)
