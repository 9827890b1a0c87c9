"""Files that say what to evaluate, read into a plan that is checked completely before any work starts.

Two kinds: our own TOML, and the Text Anonymization Evaluator's JSON configuration, unchanged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from showthrough.errors import InputError, PlanError, Problem
from showthrough.evaluate import Plan
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.files import decoded, first_byte, object_entries, read_bytes, suffix, text_of
from showthrough.masks import Anonymization
from showthrough.metrics import (
    Metric,
    Precision,
    Recall,
    RecallPerType,
    metric_text,
    metrics_of,
    preset,
    with_parameters,
)
from showthrough.run import Settings


@dataclass(frozen=True)
class Source:
    """Where an anonymization is, and which columns hold it if it is a table."""

    path: Path
    id_column: str = "doc_id"
    text_column: str = "text"


@dataclass(frozen=True)
class Request:
    """What a user asked for, by path and name; nothing has been read yet."""

    corpus: Path
    anonymizations: Mapping[str, Source]
    metrics: tuple[Metric, ...]
    settings: Settings = field(default_factory=Settings)
    jobs: int = 1
    output: Path | None = None
    id_column: str = "doc_id"
    text_column: str = "text"
    # Of a TAE configuration: its metric names and what they stand for, what it names that is not there, its table.
    labels: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)
    results_file: Path | None = None

    def plan(self) -> Plan:
        """Reads everything and checks it together; raises InputError with all that is wrong."""
        problems: list[Problem] = []
        anonymizations: list[Anonymization] = []
        corpus = read_corpus(self.corpus, id_column=self.id_column, text_column=self.text_column)
        for name, source in self.anonymizations.items():
            try:
                found = read_anonymization(
                    source.path, corpus, name=name, id_column=source.id_column, text_column=source.text_column
                )
                anonymizations.append(found)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        plan = Plan(corpus, tuple(anonymizations), self.metrics, self.settings, self.jobs, self.unavailable)
        plan.check()
        return plan

    def with_function_words(self, name: str) -> Request:
        """The same with another source of function words in every metric that has one."""
        changed = {metric_text(metric): with_parameters(metric, function_words=name) for metric in self.metrics}
        labels = {label: metric_text(changed[text]) for label, text in self.labels.items()}
        return replace(self, metrics=tuple(changed.values()), labels=labels)


def is_request(path: Path) -> bool:
    """Whether a file is a plan or a TAE configuration rather than a corpus."""
    if suffix(path) == ".toml":
        return True
    if path.is_dir() or suffix(path) != ".json" or first_byte(path) != b"{":
        return False
    return {"corpus", "anonymizations", "metrics"} <= set(object_entries(path, read_bytes(path)))


def read_request(path: Path) -> Request:
    """What a plan (TOML) or a TAE configuration (JSON) asks for."""
    return _read_toml(path) if suffix(path) == ".toml" else _read_tae(path)


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    id_column: str = "doc_id"
    text_column: str = "text"


class _Toml(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str | _Table
    anonymizations: dict[str, str | _Table]
    metrics: list[str] = []
    preset: str | None = None
    missing: str = "error"
    seed: int = 0
    resamples: int = 1000
    confidence: float = 0.95
    jobs: int = 1
    output: str | None = None


def _read_toml(path: Path) -> Request:
    try:
        content = tomllib.loads(text_of(path, read_bytes(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(path), "", f"is not valid TOML: {error}")) from error
    # Through JSON and back: one decoder, one wording of errors.
    found = decoded(msgspec.json.encode(content, enc_hook=str), msgspec.json.Decoder(_Toml), path)
    home = path.parent

    def source(given: str | _Table) -> Source:
        table = _Table(given) if isinstance(given, str) else given
        return Source(home / table.path, table.id_column, table.text_column)

    try:
        metrics = metrics_of([*(preset(found.preset) if found.preset else ()), *found.metrics] or preset("default"))
    except PlanError as error:
        raise InputError([Problem(str(path), one.place, one.message) for one in error.problems]) from error
    corpus = source(found.corpus)
    return Request(
        corpus=corpus.path,
        anonymizations={name: source(given) for name, given in found.anonymizations.items()},
        metrics=tuple(metrics),
        settings=Settings(found.seed, found.resamples, found.confidence, found.missing),
        jobs=found.jobs,
        output=home / found.output if found.output else None,
        id_column=corpus.id_column,
        text_column=corpus.text_column,
    )


class _Tae(msgspec.Struct):
    corpus: str
    anonymizations: dict[str, str]
    metrics: dict[str, dict[str, Any]]
    results_file_path: str


_TAE_LATER = ("PrecisionWeighted", "TPI", "TPS", "NMI", "TRIR")


def _read_tae(path: Path) -> Request:
    found = decoded(read_bytes(path), msgspec.json.Decoder(_Tae), path)
    labels: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    metrics: list[Metric] = []
    problems: list[Problem] = []
    for label, parameters in found.metrics.items():
        key = label.split("_")[0]
        try:
            if key in _TAE_LATER or parameters.get("weighting_model_name"):
                unavailable[label] = "this version does not have it yet"
                continue
            metric = _tae_metric(key, parameters)
        except PlanError as error:
            problems += [Problem(str(path), f"metrics.{label}", one.message) for one in error.problems]
            continue
        metrics.append(metric)
        labels[label] = metric_text(metric)
    if problems:
        raise InputError(problems)
    # TAE takes paths relative to where it is started, not to its configuration.
    return Request(
        corpus=Path(found.corpus),
        anonymizations={name: Source(Path(given)) for name, given in found.anonymizations.items()},
        metrics=tuple(dict.fromkeys(metrics)),
        labels=labels,
        unavailable=unavailable,
        results_file=Path(found.results_file_path),
    )


_RECALL = {"token_level": True, "include_direct": True, "include_quasi": True}
_TAE_DEFAULTS: dict[str, dict[str, Any]] = {
    "Precision": {"token_level": True, "weighting_model_name": None, "weighting_max_segment_length": 100},
    "Recall": _RECALL,
    "RecallPerEntityType": _RECALL,
}


def _tae_metric(key: str, given: Mapping[str, Any]) -> Metric:
    if key not in _TAE_DEFAULTS:
        raise PlanError(
            f"found {key}; expected one of {', '.join([*_TAE_DEFAULTS, *_TAE_LATER])}, then anything after _"
        )
    defaults = _TAE_DEFAULTS[key]
    for name, value in given.items():
        if name not in defaults:
            raise PlanError(f"unknown parameter {name}; expected one of {', '.join(defaults)}")
        if isinstance(defaults[name], bool) and not isinstance(value, bool):
            raise PlanError(f"{name} is {value!r}; expected true or false")
    chosen = {**defaults, **given}
    unit = "token" if chosen["token_level"] else "mention"
    if key == "Precision":
        return Precision(unit=unit)  # type: ignore[arg-type]
    include = ",".join(kind for kind in ("direct", "quasi") if chosen[f"include_{kind}"])
    if not include:
        raise PlanError("include_direct and include_quasi are both false; expected at least one true")
    return (Recall if key == "Recall" else RecallPerType)(unit=unit, include=include)  # type: ignore[arg-type]
