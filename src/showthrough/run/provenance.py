"""What a run file says of how it was made: the metrics as they were asked for, the programs, the attacker's texts."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec

from showthrough.core.installed import version_of
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.metrics import Metric, metric_name, metric_text
from showthrough.run.records import Input, MetricRecord
from showthrough.run.settings import RecordedSettings
from showthrough.version import __version__

_PACKAGES = (
    "numpy", "msgspec", "spacy", "wordfreq", "nltk", "scikit-learn", "torch", "transformers", "sentence-transformers",
)  # fmt: skip


class Times(msgspec.Struct):
    """Seconds that attacks took: to learn the background, and on each anonymization."""

    learning: dict[str, float] = {}
    attacking: dict[str, dict[str, float]] = {}


class RunProvenance(msgspec.Struct):
    """What is known of how a run was made, as far as anybody asks; a run may say more, and may lack any of it."""

    showthrough: str = ""
    python: str = ""
    platform: str = ""
    packages: dict[str, str] = {}
    models: dict[str, str] = {}
    time: str = ""
    seconds: float = 0.0
    attacks: Times | None = None


def metric_record(metric: Metric) -> MetricRecord:
    """A metric as a run file keeps it."""
    values: dict[str, Any] = {"text": metric_text(metric), "name": metric_name(metric)}
    names = [field for field in MetricRecord.__struct_fields__ if field not in (*values, "counts")]
    return MetricRecord(**values, **{field: getattr(metric, field) for field in names}, counts=dict(metric.counts))


def provenance() -> dict[str, Any]:
    """With what and when a run is made."""
    return {
        "showthrough": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: version for name in _PACKAGES if (version := version_of(name))},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def corpus_input(corpus: Corpus) -> Input:
    survey = corpus.survey
    people = survey.annotators - sum(survey.silver.values())
    marked_by = " and ".join([*survey.silver, *(["others"] if people and survey.silver else [])])
    doubtful = corpus.units.doubtful
    return Input(
        corpus.name, corpus.digest, len(corpus), corpus.source, marked_by, doubtful=doubtful,
        annotated=survey.annotated, left_out=survey.left_out, lowered=survey.lowered,
    )  # fmt: skip


def anonymization_input(anonymization: Anonymization, unlike: int = 0) -> Input:
    source = anonymization
    return Input(source.name, source.digest, len(source), source.source, made=source.provenance, unlike=unlike)


def signature(
    metric: MetricRecord,
    fixed: Iterable[tuple[str, str]],
    corpus: Input,
    anonymization: Input,
    settings: RecordedSettings,
    version: str,
) -> str:
    """Metric, version, parameters and what is `fixed` beside them, digests, and the version of the program."""
    fixed = list(fixed)
    keys = {key for key, _ in fixed}  # a background's name and digest tell more than the parameter that chose it
    pairs = [
        ("corpus", f"{corpus.name}@{corpus.digest[:8]}"),
        *([("gold", corpus.silver)] if corpus.silver else []),
        ("anonymization", f"{anonymization.name}@{anonymization.digest[:8]}"),
        *((key, _short(value)) for key, value in metric.parameters.items() if key not in keys),
        *fixed,
        *([("missing", settings.missing)] if settings.missing != "error" else []),
        *([("types", settings.types)] if settings.types else []),
        ("confidence", f"{settings.confidence:g}"),
        ("resamples", str(settings.resamples)),
        ("resampling_seed", str(settings.seed)),
        ("showthrough", version),
    ]
    fields = [f"{metric.name}.v{metric.version}", *(f"{key}:{value}" for key, value in pairs)]
    return "|".join(entry.replace("|", "¦") for entry in fields)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
