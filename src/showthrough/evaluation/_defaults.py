"""What is scored where nobody says which metrics: what can be computed from what was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from showthrough.core.families import InputType
from showthrough.data.documents import Corpus
from showthrough.metrics import Metric, metrics_of, usual_metrics


def default_metrics(corpus: Corpus, systems: int) -> tuple[Metric, ...]:
    """Those of the presets that fit a corpus.

    >>> from showthrough.data.documents import Document
    >>> [type(metric).__name__ for metric in default_metrics(Corpus([Document("a", "Mr Doe")]), 1)][-1:]
    ['ClusteringAgreement']
    """
    metrics = metrics_of(usual_metrics(asked=bool(corpus.survey.asked), annotated=bool(corpus.survey.annotated)))
    return tuple(metric for metric in metrics if systems > 1 or "systems" not in metric.needs)


def with_inputs(
    named: Sequence[Metric] | None, corpus: Corpus, systems: int, keys: Mapping[InputType, Sequence[str]]
) -> tuple[Metric, ...]:
    """The metrics that were named, or the default ones, and those that belong to inputs of which there are keys."""
    metrics = default_metrics(corpus, systems) if named is None else tuple(named)
    for kind, input_keys in keys.items():
        metrics += kind.metrics(input_keys, metrics, by_default=named is None)
    return metrics
