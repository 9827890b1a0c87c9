"""The table of all metrics, their text form, and the sets that are known by a name.

A metric's text form is its identity: a name from the table and whatever differs from that entry, such as
`recall(unit="mention")`. It is what users type, what run files hold and what reports print.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from showthrough.errors import PlanError, kind_of, printable, quoted, shown
from showthrough.metrics.base import HEADLINE, Array, Group, Metric, Rows, Totals
from showthrough.metrics.clinical import PhiToken
from showthrough.metrics.clinical_instance import PhiInstance
from showthrough.metrics.clinical_span import PhiLeak, PhiSpan
from showthrough.metrics.clinical_vocabulary import PhiHardToken
from showthrough.metrics.clustering import ClusteringAgreement
from showthrough.metrics.information import TextPreservedInformation, TextPreservedSimilarity, WeightedPrecision
from showthrough.metrics.masking import EntityRecall, FScore, Precision, Recall, RecallPerType
from showthrough.metrics.reidentification import ReIdentification

METRICS: dict[str, Metric] = {
    "er_di": EntityRecall("direct"),
    "er_qi": EntityRecall("quasi"),
    "er": EntityRecall(),
    "recall": Recall(),
    "recall_per_type": RecallPerType(),
    "precision": Precision(),
    "wp": WeightedPrecision(),
    "f1": FScore(1.0),
    "f2": FScore(2.0),
    "tpi": TextPreservedInformation(),
    "tps": TextPreservedSimilarity(),
    "nmi": ClusteringAgreement(),
    "trir": ReIdentification(),
    "phi_token": PhiToken(),
    "phi_instance": PhiInstance(),
    "phi_strict": PhiSpan(),
    "phi_span": PhiSpan(types=False),
    "phi_merged": PhiSpan(types=False, merged=True),
    "phi_leak": PhiLeak(),
    "phi_oov": PhiHardToken(hard="oov"),
    "phi_ambiguous": PhiHardToken(hard="ambiguous", dictionary=""),
    "phi_ambiguous_non_phi": PhiHardToken(hard="ambiguous_non_phi", dictionary=""),
}

PRESETS: dict[str, tuple[str, ...]] = {
    "default": ("er_di", "er_qi", "recall", "precision", "f1", "recall_per_type"),
    # The columns of Table 8 in Pilán et al. 2022, in its order; F1, which is not there, last.
    "tab": ("recall", "er_di", "er_qi", "precision", "wp", "f1"),
    # What the Text Anonymization Evaluator computes by default.
    "tae": ("precision", "wp", "tpi", "tps", "nmi", "recall", "recall_per_type"),
    # Nothing that needs a model: these say in their names what stands in for it.
    "light": (
        *("er_di", "er_qi", "recall", "precision", "f1"),
        'wp(ic="wordfreq")',
        'tpi(ic="wordfreq", chunking="none")',
        'tps(ic="wordfreq", chunking="none", similarity="ngrams")',
        'nmi(embedding="lsa")',
    ),
    # Both levels of the i2b2 challenge of 2006 (Uzuner et al. 2007), whose Figure 8 asks for instances and no category,
    # and its tables for both; and the views of MEDDOCAN (Marimon et al. 2019).
    "i2b2": ("phi_token", "phi_instance", "phi_instance(types=False)"),
    "meddocan": ("phi_strict", "phi_span", "phi_merged", "phi_leak"),
}


_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what neither a path nor a run file can hold


def metric_name(metric: Metric) -> str:
    """The entry of the table that is nearest to a metric: the one from which fewest parameters differ."""
    candidates = [name for name, entry in METRICS.items() if type(entry) is type(metric)]
    if not candidates:
        return type(metric).__name__
    return min(candidates, key=lambda name: len(_difference(metric, METRICS[name])))


def metric_text(metric: Metric) -> str:
    """
    >>> metric_text(Recall(unit="mention")), metric_text(EntityRecall("direct"))
    ('recall(unit="mention")', 'er_di')
    """
    name = metric_name(metric)
    entry = METRICS.get(name)
    changed = _difference(metric, entry) if entry else metric.parameters
    if not changed:
        return name
    inside = ", ".join(f"{key}={_literal(value)}" for key, value in changed.items())
    return f"{name}({inside})"


def parse_metric(text: str) -> Metric:
    """
    >>> parse_metric('precision(unit="mention")')
    Precision(unit='mention', overlaps='joined')
    """
    name, given = _parsed(text)
    if name not in METRICS:
        from difflib import get_close_matches

        near = get_close_matches(shown(name), METRICS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise PlanError(f"unknown metric; {hint}there are {', '.join(METRICS)}", f"metric {shown(name)}")
    entry = METRICS[name]
    known = list(entry.parameters)
    for key in given:
        if key not in known:
            raise PlanError(f"unknown parameter; expected one of {', '.join(known)}", f"metric {name}: {shown(key)}")
    _check_kinds(name, entry, given)
    try:
        return replace(entry, **given)
    except PlanError as error:
        fault = error.problems[0]  # a PlanError has one
        classes = {type(metric).__name__ for metric in METRICS.values()}
        # Who typed `f1(unit="x")` knows neither FScore nor the Recall inside it.
        place = f"metric {name}" if not fault.place or fault.place in classes else f"metric {name}: {fault.place}"
        raise PlanError(fault.message, place, fault.file) from None


def metrics_of(items: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    """Metrics from text forms, presets (`preset:tab`) and metric values, each once, in order; or from a single one."""
    chosen: list[Metric] = []
    if isinstance(items, str | Metric):
        items = [items]
    for item in items:
        if isinstance(item, Metric):
            if (name := metric_name(item)) in METRICS:
                _check_kinds(name, METRICS[name], item.parameters)
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


def _check_kinds(name: str, entry: Metric, given: Mapping[str, object]) -> None:
    """Raises PlanError when a value is of another kind than its parameter takes."""
    types = {field.name: str(field.type).split(" | ") for field in fields(entry)}
    for key, value in given.items():
        usual = getattr(entry, key)
        if isinstance(value, str) and _NO_TEXT.search(value):
            raise PlanError(
                f"found {value!r}; expected text without zero bytes and halves of characters", f"metric {name}: {key}"
            )
        fits = isinstance(value, type(usual)) or (isinstance(usual, float) and type(value) is int)
        fits = fits or type(value).__name__ in types[key]  # one that takes numbers and words
        if not fits or (isinstance(value, bool) and not isinstance(usual, bool)):
            also = " or text" if "str" in types[key] and not isinstance(usual, str) else ""
            raise PlanError(
                f"found {quoted(value)}; expected {kind_of(usual)}{also}, such as {_literal(usual)}",
                f"metric {name}: {key}",
            )


def _difference(metric: Metric, entry: Metric) -> dict[str, object]:
    return {key: value for key, value in metric.parameters.items() if value != getattr(entry, key)}


def _literal(value: object) -> str:
    if isinstance(value, str):
        return printable('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"')  # read back, the same
    return repr(value)


def _parsed(text: str) -> tuple[str, dict[str, object]]:
    shape = PlanError(
        'found something else; expected a name, or a call such as recall(unit="mention")', f"metric {text}"
    )
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if isinstance(tree, ast.Name):
            return tree.id, {}
        if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)) or tree.args:
            raise shape
        given = {word.arg: _value(word.value) for word in tree.keywords if word.arg}
        if len(given) != len(tree.keywords):
            raise shape
        return tree.func.id, given
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise shape from None


def _value(node: ast.expr) -> object:
    """A literal; a bare word is taken as text, since shells eat quotes."""
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


__all__ = [
    "HEADLINE", "METRICS", "PRESETS", "Array", "ClusteringAgreement", "EntityRecall", "FScore", "Group", "Metric",
    "PhiHardToken", "PhiInstance", "PhiLeak", "PhiSpan", "PhiToken", "Precision", "ReIdentification", "Recall",
    "RecallPerType", "Rows", "TextPreservedInformation", "TextPreservedSimilarity", "Totals", "WeightedPrecision",
    "metric_name", "metric_text", "metrics_of", "parse_metric", "preset", "with_parameters",
]  # fmt: skip
