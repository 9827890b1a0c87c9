"""Metrics by their names alone, where all that is written behind these came from the language of the documents."""

from __future__ import annotations

from collections.abc import Mapping

from showthrough.core.errors import PlanError, ResourceError
from showthrough.metrics import METRICS, metric_text
from showthrough.metrics.language import in_language
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run


def short_names(run: Run) -> dict[str, str]:
    """`removed_di(function_words="lexicon-es.1")` to `removed_di`, where no other metric of the run has that name."""
    names = [record.name for record in run.metrics]
    return {
        record.text: record.name
        for record in run.metrics
        if record.text != record.name and names.count(record.name) == 1 and _is_of_language(record)
    }


def _is_of_language(record: MetricRecord) -> bool:
    """Whether `--language` makes it of the metric that has this name."""
    for language in CLOSED_CLASSES:
        try:
            if metric_text(in_language([METRICS[record.name]], language)[0]) == record.text:
                return True
        except (PlanError, ResourceError):
            continue
    return False


def shortened(text: str, names: Mapping[str, str]) -> str:
    """A sentence with short names in it."""
    for full, short in names.items():
        text = text.replace(full, short)
    return text


def legend(names: Mapping[str, str]) -> list[str]:
    """What short names stand for, a line each."""
    return [f"{short} is {full}" for full, short in names.items()]
