"""Annotators as systems: what people reach against each other, which a system's score should be read against.

What an annotator wants masked is an anonymization of the documents that others marked as well, and is scored by the
ordinary metrics against these others alone. Programs are no people, and their annotations are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import InputError
from showthrough.core.expected import expects
from showthrough.core.families import families
from showthrough.core.plugins import is_plugin
from showthrough.data.documents import Corpus
from showthrough.evaluation._annotator_scores import Readings
from showthrough.evaluation._scoring import Uncertain, drawn_again, uncertain
from showthrough.evaluation.settings import settings_problems
from showthrough.metrics import HEADLINE, Metric, Rows, metric_text, metrics_of
from showthrough.metrics.base import failure_of, sound_parts
from showthrough.models import Resources
from showthrough.run.records import Ceiling, Human
from showthrough.run.settings import RecordedSettings
from showthrough.statistics import ALIKE

_MOST = 50  # annotators with numbers of their own; of more, those who share most documents with others
_ALONE = "no document was marked by several people, so nobody can be scored against others"
_MORE = "it needs more than what annotators marked"
_NO_NUMBER = "it has no single number"


@expects(corpus=Corpus)
def ceiling(
    corpus: Corpus,
    metrics: Sequence[Metric | str] | None = None,
    *,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
    resources: Resources | None = None,
) -> Ceiling:
    """Scores each annotator against the others, on the documents that several people marked.

    >>> from showthrough import Annotation, Corpus, Document, Mention
    >>> ole, oslo = Mention(0, 3, "PERSON", "DIRECT"), Mention(7, 11, "LOC", "QUASI")
    >>> layers = (Annotation("ann", (ole, oslo)), Annotation("bob", (ole,)))
    >>> ceilings = ceiling(Corpus([Document("d", "Ole of Oslo", layers)]), ["recall", "precision"])
    >>> ceilings.annotators["ann"]["recall"].value, ceilings.annotators["ann"]["precision"].value  # 1 of 1, 1 of 2
    (1.0, 0.5)
    >>> ceilings.annotators["bob"]["recall"].value, ceilings.people["recall"].value  # 1 of 2; 2 of 3 in all
    (0.5, 0.6666666666666666)
    """
    settings = RecordedSettings(seed=seed, resamples=resamples, confidence=confidence)
    if problems := settings_problems(settings):
        raise InputError(problems)
    chosen = metrics_of(usual() if metrics is None else metrics)
    return ceiling_of(corpus, chosen, settings, resources or Resources(), Readings())


def ceiling_of(
    corpus: Corpus,
    metrics: Sequence[Metric],
    settings: RecordedSettings,
    resources: Resources,
    readings: Readings,
) -> Ceiling:
    """The same, with what is known already of what annotators reach; it can be used once."""
    chosen = {metric_text(metric): metric for metric in metrics}
    if not corpus.survey.shared:
        return Ceiling({}, {}, 0, _ALONE)
    scored = {text: metric for text, metric in chosen.items() if has_ceiling(metric)}
    documents = len(corpus.survey.shared)
    none = {text: Human(None, None, None, documents, _MORE) for text in chosen if text not in scored}
    with closing(readings):
        readings.complete(corpus, scored, resources, _MOST)
        named, failed = readings.named, readings.failures
        numbers = [_compute_numbers(readings.of_all(), scored, documents, failed, settings)]
        for name in named[:_MOST]:
            numbers.append(
                _compute_numbers(readings.of_annotator(name), scored, readings.shares[name], failed, settings)
            )
    people, *annotators = (
        {text: none.get(text) or humans[text] for text in chosen} for humans in _humans(numbers, settings)
    )
    return Ceiling(dict(zip(named, annotators, strict=False)), people, documents, readers=len(named))


def usual() -> list[str]:
    """The metrics by which people are scored where nobody says which."""
    return [name for family in families() for name in family.ceiling]


def has_ceiling(metric: Metric) -> bool:
    """Whether people can be scored by it: it compares masks with annotations, and asks for nothing else."""
    of_documents = metric.scope == "document" and metric.apart and not metric.slow
    return of_documents and metric.needs == {"gold"} and not metric.models


def _compute_numbers(
    tables: Mapping[str, Rows],
    metrics: Mapping[str, Metric],
    documents: int,
    failures: Mapping[str, str],
    settings: RecordedSettings,
) -> dict[str, _Number]:
    """What some rows come to, by metric."""
    numbers = {
        text: _number(metrics[text], table, again, documents, settings)
        for (text, table), again in zip(tables.items(), drawn_again([*tables.values()], settings), strict=True)
    }
    return numbers | {text: _Number(None, documents, why) for text, why in failures.items()}


class _Number(NamedTuple):
    """A number whose interval is still to be found, or why there is none."""

    value: float | None
    documents: int
    reason: str = ""
    uncertain: Uncertain | None = None


def _number(
    metric: Metric, table: Rows, again: dict[str, Floats], documents: int, settings: RecordedSettings
) -> _Number:
    if is_plugin(metric):
        try:
            sound_parts(metric, table)
        except Exception as error:  # of a plugin, anything
            return _Number(None, documents, failure_of(metric, error))
    value = metric.combine(table.totals()).get(HEADLINE)
    if value is None or np.isnan(value):
        return _Number(None, documents, _NO_NUMBER if value is None else metric.undefined)
    if not settings.resamples:
        return _Number(float(value), documents)
    fault = metric.interval_fault(HEADLINE) or ALIKE
    uncertainties = [numbers for _, numbers in uncertain(metric, table, again, [HEADLINE])]
    return _Number(float(value), documents, fault, next(iter(uncertainties), None))


def _humans(reached: Sequence[dict[str, _Number]], settings: RecordedSettings) -> Iterator[dict[str, Human]]:
    """The same numbers with their intervals, which are found together."""
    uncertainties = [
        number.uncertain for numbers in reached for number in numbers.values() if number.uncertain is not None
    ]
    ends = iter(Uncertain.concatenate(uncertainties).ends(settings.confidence) if uncertainties else [])
    for numbers in reached:
        humans = {}
        for text, result in numbers.items():
            low, high = (result.uncertain and next(ends)) or (None, None)
            humans[text] = Human(result.value, low, high, result.documents, result.reason if low is None else "")
        yield humans
