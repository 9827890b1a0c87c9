"""A run for trackers of experiments: its numbers by name, what they depend on, and no word of a document."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import OutputError, PlanError, ResourceError, quote_value
from showthrough.run.run import Run
from showthrough.storage.writing import refuse_elsewhere
from showthrough.version import __version__

TRACKERS = ("json", "mlflow")
_REFUSED = re.compile(r"[^\w./ :-]+", re.ASCII)  # by MLflow, in names
_LONGEST = 250  # characters of a name there


def log_run(run: Run, tracker: str, target: str | os.PathLike[str] | None = None) -> None:
    """Adds a run to a file of JSON lines, or to MLflow. Raises PlanError, OutputError or ResourceError."""
    if tracker not in TRACKERS:
        raise PlanError(f"found {quote_value(tracker)}; expected {' or '.join(TRACKERS)}", "tracker")
    if not run.complete:
        raise PlanError("the run was interrupted; complete it with resume before it is logged", "run")
    record = tracking_record(run.without_text())
    if tracker == "mlflow":
        _log_to_mlflow(record, None if target is None else os.fspath(target))
    elif target is None:
        raise PlanError('found no file; expected one, as in run.log_to("json", "runs.jsonl")', "target")
    else:
        _append(record, os.fspath(target))


def tracking_record(run: Run) -> dict[str, Any]:
    """Names such as `rules/er_di`, `rules/er_di.low` and `rules/recall_per_type[CODE]`, with what pins them down."""
    metrics: dict[str, float | None] = {}
    undefined, signatures = {}, {}
    for score in run.scores:
        name = f"{score.anonymization}/{score.metric}" + (f"[{score.part}]" if score.part else "")
        metrics[name], signatures[name] = score.value, score.signature
        ends = {"low": score.low, "high": score.high}
        metrics |= {f"{name}.{end}": value for end, value in ends.items() if value is not None}
        if score.value is None:
            undefined[name] = score.reason
    return {
        "showthrough": __version__,
        "corpus": run.corpus.name,
        "digest": run.corpus.digest,
        "documents": len(run.documents),
        "anonymizations": {system.name: system.digest for system in run.anonymizations},
        "settings": msgspec.to_builtins(run.settings),
        "metrics": metrics,
        "undefined": undefined,
        "failures": {failure.metric: failure.reason for failure in run.failures},
        "notes": run.notes,
        "signatures": signatures,
    }


def _append(record: dict[str, Any], file: str) -> None:
    """One line at the end, in one write; a new file is for its owner alone."""
    refuse_elsewhere(Path(file))
    try:
        place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(place, msgspec.json.encode(record) + b"\n")
        finally:
            os.close(place)
    except (OSError, ValueError) as error:
        raise OutputError(f"{file}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _log_to_mlflow(record: dict[str, Any], experiment: str | None) -> None:
    """Into the active run of MLflow, else into a new one of an experiment."""
    try:
        import mlflow
    except ImportError as error:
        raise ResourceError("log_to needs mlflow: pip install 'showthrough[mlflow]'") from error
    names = _names(list(record["metrics"]))
    if experiment is not None:
        if mlflow.active_run() is not None:
            raise PlanError("found a run of MLflow that is active; expected no name of an experiment", "target")
        mlflow.set_experiment(experiment)
    active = mlflow.active_run()
    with nullcontext() if active else mlflow.start_run(run_name=record["corpus"]):  # which ends it, as failed if it did
        pinned = {key: record[key] for key in ("showthrough", "corpus", "digest", "documents")}
        mlflow.log_params({f"showthrough.{key}": value for key, value in {**pinned, **record["settings"]}.items()})
        mlflow.log_metrics({names[name]: value for name, value in record["metrics"].items() if value is not None})
        mlflow.log_dict(record, "showthrough.json")  # with what is undefined, and why


def _names(names: list[str]) -> dict[str, str]:
    """Names that MLflow takes, each another.

    >>> list(_names(['a/recall(unit="mention")', "a/recall(unit=mention)"]).values())
    ['a/recall_unit_mention_', 'a/recall_unit_mention_-2']
    """
    taken: dict[str, str] = {}
    used: Counter[str] = Counter()
    for name in names:
        plain = _REFUSED.sub("_", name)[: _LONGEST - 10]
        used[plain] += 1
        taken[name] = plain if used[plain] == 1 else f"{plain}-{used[plain]}"
    return taken
