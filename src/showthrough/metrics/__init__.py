"""The table of all metrics, their text form, and the sets that are known by a name.

A metric's text form is its identity: a name from the table and whatever differs from that entry, such as
`recall(unit="mention")`. It is what users type, what run files hold and what reports print.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

from showthrough.core.call_syntax import UNREADABLE, apply_overrides, call_text, check_kinds, difference, parsed_call
from showthrough.core.errors import PlanError, quote_value, shorten, suggest_name
from showthrough.core.families import FAMILIES
from showthrough.core.plugins import Registry, is_plugin, value_of
from showthrough.metrics.base import HEADLINE, ROLES, Count, Group, Metric, Role
from showthrough.statistics.rows import Array, Rows, Totals

if TYPE_CHECKING:
    from showthrough.families.authorship.safety import Safety
    from showthrough.families.authorship.sensibleness import Sensibleness
    from showthrough.families.authorship.soundness import Soundness
    from showthrough.families.clinical.by_hard_token import PhiHardToken
    from showthrough.families.clinical.by_instance import PhiInstance
    from showthrough.families.clinical.by_span import PhiLeak, PhiSpan
    from showthrough.families.clinical.by_token import PhiToken
    from showthrough.families.inference.attributes import AuthorAttributes
    from showthrough.families.inference.protection import CollectiveProtection, IndividualProtection
    from showthrough.families.information.clustering import ClusteringAgreement
    from showthrough.families.information.preserved import (
        TextPreservedInformation,
        TextPreservedSimilarity,
        WeightedPrecision,
    )
    from showthrough.families.masking.precision import Precision
    from showthrough.families.masking.recall import EntityRecall, FScore, Recall, RecallPerType
    from showthrough.families.masking.removed import Clean, Removed
    from showthrough.families.reidentification.metric import ReIdentification
    from showthrough.families.unannotated.residual import Residual

_BUILT_IN: dict[str, tuple[str, Mapping[str, Any]]] = {
    name: (f"showthrough.families.{family}.{class_path}", parameters)
    for family, declared in FAMILIES.built_in.items()
    for name, (class_path, parameters) in declared.metrics.items()
}
_PLACES = {name: class_path for name, (class_path, _) in _BUILT_IN.items()}
_CLASSES = dict(class_path.split(":")[::-1] for class_path in _PLACES.values())

# What each metric must state: some text, or one of these words.
_TRAITS: dict[str, tuple[str, ...]] = {
    "title": (), "undefined": (), "group": get_args(Group),
    "better": ("higher", "lower"), "scope": ("document", "corpus"),
}  # fmt: skip


def _check_metric(name: str, brought: Any) -> Metric:
    """A metric of ours, or one that a plugin brings, with all that reports ask of it."""
    if name in _BUILT_IN:
        brought = partial(brought, **_BUILT_IN[name][1])
    metric: Metric = value_of(Metric, "metric", name, brought)
    for trait, allowed in _TRAITS.items():
        value = getattr(metric, trait, None)
        if value not in allowed if allowed else not isinstance(value, str):
            expected = " or ".join(map(repr, allowed)) or "text"
            raise PlanError(f"{trait} is {value!r}; expected {expected}", f"metric {shorten(name)}")
    if not isinstance(metric.version, int):
        raise PlanError(f"version is {metric.version!r}; expected a whole number", f"metric {shorten(name)}")
    roles: object = metric.roles
    strange: list[object] = [role for role in roles if role not in ROLES] if isinstance(roles, tuple) else [roles]
    strange += [kind for pair in metric.counts for kind in pair[1:] if kind not in get_args(Count)]
    if strange:
        expected = f"roles among {', '.join(ROLES)}, and columns that count {', '.join(get_args(Count))}"
        raise PlanError(f"found {quote_value(strange[0])}; expected {expected}", f"metric {shorten(name)}")
    return metric


METRICS: Registry[Metric] = Registry("metrics", {}, _check_metric, lazy=_PLACES, called=True)
_NAMES: dict[str, str] = {}  # of our own metrics: whatever plugins come and go, their names stay
_TEXTS: dict[str, str] = {}
# Names that run files and plans of before may have. They are read, and never written again.
_FORMER = {"readable": "known_words"}

_WITHOUT_MODELS = (
    'tpi(ic="wordfreq", chunking="none")',
    'tps(ic="wordfreq", chunking="none", similarity="ngrams")',
    'nmi(embedding="lsa")',
)

PRESETS: dict[str, tuple[str, ...]] = {
    "default": ("removed_di", "removed_qi", "clean", "er_di", "er_qi", "recall", "precision", "f1", "recall_per_type"),
    # The columns of Table 8 in Pilán et al. 2022, in its order; F1, which is not there, last.
    "tab": ("recall", "er_di", "er_qi", "precision", "wp", "f1"),
    # What the Text Anonymization Evaluator computes by default.
    "tae": ("precision", "wp", "tpi", "tps", "nmi", "recall", "recall_per_type"),
    # Nothing that needs a model: these say in their names what stands in for it.
    "light": (
        *("removed_di", "removed_qi", "clean", "er_di", "er_qi", "recall", "precision", "f1"),
        'wp(ic="wordfreq")',
        *_WITHOUT_MODELS,
    ),
    # What can be told where nobody marked anything, without a model.
    "unannotated": (
        *("inconsistent", "residual", "disagreement"),
        *_WITHOUT_MODELS,
    ),
    # Both levels of the i2b2 challenge of 2006 (Uzuner et al. 2007), whose Figure 8 asks for instances and no category,
    # and its tables for both; and the views of MEDDOCAN (Marimon et al. 2019).
    "i2b2": ("phi_token", "phi_instance", "phi_instance(types=False)"),
    "meddocan": ("phi_strict", "phi_span", "phi_merged", "phi_leak"),
    # Strict, exact, partial and type (Segura-Bedmar, Martínez and Herrero-Zazo 2013).
    "semeval": ("phi_strict", "phi_span", 'phi_span(match="partial")', 'phi_strict(match="overlap")'),
    # What PAN's author masking asks of a machine (Potthast, Hagen and Stein 2016); people are asked about sense.
    "pan": ("safety", "soundness"),
}

# The metric that messages send people to who ask whether what is covered can be read elsewhere in the release.
READS_RELEASE = "removed_di"


def metric_name(metric: Metric) -> str:
    """The entry of the table that is nearest to a metric: the one from which fewest parameters differ.

    A built-in class has built-in names, so that plugins change no name in a result.
    """
    key = repr(metric)
    if key in _NAMES:
        return _NAMES[key]
    kind = type(metric)
    ours = [name for name, class_path in _PLACES.items() if class_path == f"{kind.__module__}:{kind.__qualname__}"]
    entries = {name: METRICS[name] for name in ours} or METRICS.sound()
    alike = [name for name, entry in entries.items() if type(entry) is kind]
    nearest = min(alike, key=lambda name: len(difference(metric, entries[name])), default=kind.__name__)
    if ours:
        _NAMES[key] = nearest
    return nearest


def metric_text(metric: Metric) -> str:
    """
    >>> from showthrough.metrics import EntityRecall, Recall
    >>> metric_text(Recall(unit="mention")), metric_text(EntityRecall("direct"))
    ('recall(unit="mention")', 'er_di')
    """
    key = repr(metric)
    if key in _TEXTS:
        return _TEXTS[key]
    name = metric_name(metric)
    text = call_text(name, metric, METRICS.get(name))
    if not is_plugin(metric):
        _TEXTS[key] = text
    return text


def parse_metric(text: str) -> Metric:
    """The metric that is written so. Raises PlanError.

    >>> parse_metric('precision(unit="mention")')
    Precision(unit='mention', overlaps='joined')
    """
    try:
        name, arguments = parsed_call(ast.parse(text.strip(), mode="eval").body)
    except UNREADABLE:
        expected = 'expected a name, or a call such as recall(unit="mention")'
        raise PlanError(f"found something else; {expected}", f"metric {text}") from None
    if name not in METRICS:
        name = _FORMER.get(name, name)
    if name not in METRICS:
        listed = ", ".join(METRICS)
        raise PlanError(f"unknown metric; {suggest_name(name, METRICS)}there are {listed}", f"metric {shorten(name)}")
    return apply_overrides(f"metric {name}", METRICS[name], arguments)


def metrics_of(items: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    """Metrics from text forms, presets (`preset:tab`) and metric values, each once, in order; or from a single one."""
    chosen: list[Metric] = []
    if isinstance(items, str | Metric):
        items = [items]
    for item in items:
        if isinstance(item, Metric):
            if (name := metric_name(item)) in METRICS:
                check_kinds(f"metric {name}", METRICS[name], item.parameters)
            chosen.append(item)
        elif not isinstance(item, str):
            raise PlanError(f"found {item!r:.80}; expected metrics, or their names", "metrics")
        elif item.startswith("preset:"):
            chosen += metrics_of(preset(item.removeprefix("preset:")))
        else:
            chosen.append(parse_metric(item))
    return list(dict.fromkeys(chosen))


def with_parameters(metric: Metric, **values: Any) -> Metric:
    """The same metric with other values of those parameters that it has."""
    return replace(metric, **{key: value for key, value in values.items() if key in metric.parameters})


def preset(name: str) -> tuple[str, ...]:
    if name not in PRESETS:
        raise PlanError(f"unknown preset; there are {', '.join(PRESETS)}", f"preset {name}")
    return PRESETS[name]


def usual_metrics(*, questions: bool, annotated: bool) -> tuple[str, ...]:
    """What is scored where nobody says which: the preset `default`; of documents that nobody annotated `unannotated`.

    Documents that ask who wrote them have `pan`, and the default one beside it where somebody annotated them.
    """
    if questions:
        return (*preset("pan"), *(preset("default") if annotated else ()))
    return preset("default" if annotated else "unannotated")


def __getattr__(name: str) -> Any:
    """A class of the table, which is imported when it is first asked for."""
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(_CLASSES[name]), name)
    return globals()[name]


__all__ = [
    "HEADLINE", "METRICS", "PRESETS", "READS_RELEASE", "ROLES", "Array", "AuthorAttributes", "Clean",
    "ClusteringAgreement", "CollectiveProtection", "Count", "EntityRecall", "FScore", "Group", "IndividualProtection",
    "Metric", "PhiHardToken", "PhiInstance", "PhiLeak", "PhiSpan", "PhiToken", "Precision", "ReIdentification",
    "Recall", "RecallPerType", "Removed", "Residual", "Role", "Rows", "Safety", "Sensibleness", "Soundness",
    "TextPreservedInformation", "TextPreservedSimilarity", "Totals", "WeightedPrecision", "metric_name",
    "metric_text", "metrics_of", "parse_metric", "preset", "usual_metrics", "with_parameters",
]  # fmt: skip
