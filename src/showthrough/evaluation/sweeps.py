"""What anonymizations reach at other thresholds: masks with lower scores left out, counted by the run's metrics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.evaluation.ceiling import has_ceiling
from showthrough.evaluation.chunks import Work, answered
from showthrough.metrics import HEADLINE, Array, Metric
from showthrough.metrics.chunk import Chunk
from showthrough.run.records import Sweep

MOST = 30  # thresholds of an anonymization: a curve is smooth by then, and all of them cost less than the run
_ROLES = {"direct identifiers", "quasi-identifiers", "recall", "precision"}
_DIGITS = 16  # after the point; more are in no number


def is_swept(metric: Metric) -> bool:
    """Whether it is counted at every threshold: what tells recall or precision by masks and annotations alone."""
    return has_ceiling(metric) and not _ROLES.isdisjoint(metric.roles)


def sweeps(
    corpus: Corpus, anonymizations: Iterable[Anonymization], metrics: Mapping[str, Metric], chunks: Iterable[Chunk]
) -> dict[str, Sweep]:
    """By name, those of the anonymizations whose masks have different scores; `chunks` are all of the corpus."""
    swept = [one for one in (_Swept.of(each, corpus) for each in anonymizations) if one.thresholds]
    if not (swept and metrics):
        return {}
    for chunk in chunks:
        for one in swept:
            one.count(chunk, metrics)
    found = {one.anonymization.name: one.sweep(metrics) for one in swept}
    return {name: sweep for name, sweep in found.items() if sweep.values}


def thresholds_of(scores: Array) -> list[float]:
    """Where other masks are left out, ascending: 0, which leaves out none, then between one score and the next.

    Each is as short as it can be written. Of many, about as many masks lie between each and the next. None for one
    score alone, or for one that is no number from 0 to 1.

    >>> thresholds_of(np.array([0.85, 0.4, 0.85, 0.8612, 1.0]))
    [0.0, 0.8, 0.86, 1.0]
    """
    levels = np.unique(scores)
    if len(levels) < 2 or not (levels[0] >= 0 and levels[-1] <= 1):
        return []
    places: Sequence[int] = range(len(levels))
    if len(levels) > MOST:
        evenly = np.sort(scores)[np.linspace(0, len(scores) - 1, MOST).round().astype(np.int64)]
        places = np.unique(np.searchsorted(levels, evenly)).tolist()
    known = levels.tolist()
    # Of many scores, any of those half-way to the last that was taken would do: a short number matters more.
    return [0.0, *(_shortest(known[(last + place) // 2], known[place]) for last, place in pairwise(places))]


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
        masks = (mask for key in corpus.ids for mask in anonymization.of(key))
        scores = np.fromiter((mask.score for mask in masks if mask.score is not None), dtype=np.float64)
        return cls(anonymization, thresholds_of(scores), len(np.unique(scores)), len(scores))

    def count(self, chunk: Chunk, metrics: Mapping[str, Metric]) -> None:
        """Counts the masks of some documents. One without a score always stays, as in `anonymize --threshold`."""
        every = {document.id: self.anonymization.of(document.id) for document in chunk.corpus}
        left = [
            {key: [one for one in masks if one.score is None or one.score >= least] for key, masks in every.items()}
            for least in self.thresholds
        ]
        self.masks.update({number: sum(map(len, masks.values())) for number, masks in enumerate(left)})
        named = [Anonymization(masks, str(number)) for number, masks in enumerate(left)]
        answer = answered(chunk, Work(metrics, named))
        self.failed.update(answer.failures)
        for (text, name), rows in answer.rows.items():
            self.sums.setdefault((text, int(name)), Counter()).update(rows.totals())

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
