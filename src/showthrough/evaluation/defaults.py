"""What is scored where nobody says which metrics: what can be computed from what was given."""

from __future__ import annotations

from collections.abc import Collection

from showthrough.data.documents import Corpus
from showthrough.metrics import METRICS, Metric, metrics_of, preset, with_parameters

_ATTACK = "trir"


def default_metrics(corpus: Corpus, systems: int, backgrounds: Collection[str] = ()) -> tuple[Metric, ...]:
    """The preset `default`; of a corpus that nobody annotated `unannotated`; and attacks by what an attacker knows.

    `backgrounds` are the names under which metrics ask for them; the only one of its kind has none.

    >>> from showthrough.data.documents import Document
    >>> [type(metric).__name__ for metric in default_metrics(Corpus([Document("a", "Mr Doe")]), 1, [""])][-2:]
    ['ClusteringAgreement', 'ReIdentification']
    """
    metrics = metrics_of(preset("default" if corpus.survey.annotated else "unannotated"))
    metrics += [with_parameters(METRICS[_ATTACK], background=name) for name in backgrounds]
    return tuple(metric for metric in metrics if systems > 1 or "systems" not in metric.needs)
