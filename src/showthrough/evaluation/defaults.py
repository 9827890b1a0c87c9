"""What is scored where nobody says which metrics: what can be computed from what was given."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from showthrough.data.documents import Corpus
from showthrough.metrics import METRICS, Metric, metrics_of, preset, with_parameters

_ATTACK = "trir"
_RATED = "sensibleness"


def default_metrics(corpus: Corpus, systems: int, backgrounds: Collection[str] = ()) -> tuple[Metric, ...]:
    """The preset `default`; of a corpus that nobody annotated `unannotated`; and attacks by what an attacker knows.

    Documents that ask who wrote them have `pan`, and the default one beside it where somebody annotated them.

    `backgrounds` are the names under which metrics ask for them; the only one of its kind has none.

    >>> from showthrough.data.documents import Document
    >>> [type(metric).__name__ for metric in default_metrics(Corpus([Document("a", "Mr Doe")]), 1, [""])][-2:]
    ['ClusteringAgreement', 'ReIdentification']
    """
    asked = preset("pan") if corpus.survey.asked else ()
    annotated = preset("default") if corpus.survey.annotated else () if asked else preset("unannotated")
    metrics = metrics_of([*asked, *annotated])
    metrics += [with_parameters(METRICS[_ATTACK], background=name) for name in backgrounds]
    return tuple(metric for metric in metrics if systems > 1 or "systems" not in metric.needs)


def with_ratings(metrics: Sequence[Metric], rated: bool) -> tuple[Metric, ...]:
    """The same, and where people rated passages a metric that tells what they say, unless one does already."""
    if not rated or any("ratings" in metric.needs for metric in metrics):
        return tuple(metrics)
    return (*metrics, METRICS[_RATED])
