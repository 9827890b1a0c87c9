"""The line that pins a score down, in the manner of sacreBLEU."""

from __future__ import annotations

from collections.abc import Iterable

from showthrough.run.records import Input, MetricRecord
from showthrough.run.settings import RecordedSettings


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
