"""What a user asks to be evaluated, by path and name, and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, quote_value, shorten
from showthrough.core.families import InputType, families, input_types
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import split_names
from showthrough.data.slicing import NO_TABLE, keys_of, parse_slices
from showthrough.engines.base import Engine, Watch
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.settings import FileSettings, Names
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.registry import shared_format
from showthrough.metrics import Metric, metric_text, metrics_of, usual_metrics
from showthrough.run.gate.parsing import ThresholdRequest, resolve_thresholds
from showthrough.run.provenance import metric_record
from showthrough.run.thresholds import Threshold
from showthrough.storage.file_heads import Head
from showthrough.storage.paths import Remote, as_path


class Source(msgspec.Struct, frozen=True):
    """Where a corpus or an anonymization is, and which columns hold it if it is a table."""

    path: Path | Head
    columns: Mapping[str, str | None] = msgspec.field(default_factory=dict)


def path_of(value: str, file: Path, location: str) -> Path:
    """A path that a file names."""
    if not value or "\0" in value:
        raise InputError(Problem(str(file), location, f"found {quote_value(value)}; expected the path of a file"))
    return as_path(value)


def resolve_path(file: Path, path: Path) -> Path:
    """What a file names, seen from where it lies; a URL is the same from everywhere."""
    return path if isinstance(path, Remote) else file.parent / path


def seen_from(file: Path, value: str, location: str) -> str:
    """The same for a path that stays text until it is read."""
    path = path_of(value, file, location)
    return value if isinstance(path, Remote) else str(resolve_path(file, path))


def with_released(corpus: Source, anonymizations: Mapping[str, Source], released: Names) -> dict[str, Source]:
    """Anonymizations in files of their own, and those in columns beside the originals.

    Raises PlanError for a name that both have, and for the originals' own column.
    """
    beside = split_names(released)
    original = corpus.columns.get("text_column") or "text"
    if original in beside:
        raise PlanError(
            "is the column of the originals; expected one of released texts", f"released {shorten(original)}"
        )
    if twice := [column for column in beside if column in anonymizations]:
        raise PlanError("is a column of released texts and an anonymization; expected unique names", shorten(twice[0]))
    columns = {name: Source(corpus.path, {**corpus.columns, "text_column": name}) for name in beside}
    return {**anonymizations, **columns}


@dataclass(frozen=True)
class EvaluationRequest:
    """What a user asked for; nothing has been read yet."""

    corpus: Source
    anonymizations: Mapping[str, Source]
    metrics: tuple[Metric, ...] | None  # as they were named; None: what is given decides
    settings: FileSettings = field(default_factory=FileSettings)
    output: Path | None = None
    thresholds: tuple[ThresholdRequest, ...] = ()  # what numbers have to reach
    systems: int = 0  # that are still to be put to work, and scored beside the anonymizations
    # Of a TAE configuration: its metrics by their names, what it names that is not there, its table.
    labels: Mapping[str, Metric] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)
    results_file: Path | None = None

    @property
    def chosen(self) -> tuple[Metric, ...]:
        """The metrics that were named, each once, with the function words and the language that are set."""
        return self._apply_settings(self.metrics or ())

    def _apply_settings(self, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
        return tuple(dict.fromkeys(map(self.settings.applied_to, metrics)))

    @property
    def extra_paths(self) -> list[Path]:
        """What is read beside the corpus and the anonymizations, in files and folders."""
        chosen, names = self.chosen, self.settings.names
        paths = (path for family in families() for path in family.files(self.settings, chosen))
        return [*([as_path(names)] if names else []), *paths]

    @property
    def metric_labels(self) -> dict[str, str]:
        """The text forms of the metrics that are scored, by TAE's names for them."""
        return {label: metric_text(self.settings.applied_to(metric)) for label, metric in self.labels.items()}

    @property
    def sources(self) -> dict[str, Source]:
        """Where the anonymizations are: in files of their own, or in columns beside the originals."""
        return with_released(self.corpus, self.anonymizations, self.settings.released)

    def plan(self, engine: Engine | None = None, watch: Watch | None = None) -> Plan:
        """Reads everything; raises InputError with all that is wrong. Evaluating it checks it together."""
        plan, problems = self.read(engine, watch)
        if problems:
            raise InputError(problems)
        return plan

    def read(self, engine: Engine | None = None, watch: Watch | None = None) -> tuple[Plan, list[Problem]]:
        """What can be read, and what is wrong with the rest; an engine's workers share the reading."""
        problems: list[Problem] = []
        anonymizations: list[Anonymization] = []
        settings, named = self.settings, self.settings.format
        sources, released = self.sources, split_names(settings.released)
        corpus = read_corpus(
            self.corpus.path,
            format=named,
            group_by=settings.group_by,
            released=released,
            fields=keys_of(
                (*parse_slices(settings.slices), *(name for metric in self.chosen for name in metric.fields))
            ),
            offsets=settings.offsets,
            engine=engine,
            watch=watch,
            **self.corpus.columns,
        )
        for name, source in sources.items():
            try:
                chosen = shared_format(named, source.path)
                anonymization = read_anonymization(
                    source.path,
                    corpus,
                    name=name,
                    format=chosen,
                    offsets=settings.offsets,
                    extra=settings.extra,
                    engine=engine,
                    watch=watch,
                    **source.columns,
                )
                anonymizations.append(anonymization)
            except InputError as error:
                problems += error.problems
        names = NO_TABLE
        try:
            if settings.names:
                from showthrough.formats.people.names import read_names  # here: few evaluations have a table

                names = read_names(settings.names, corpus)
        except InputError as error:
            problems += error.problems
        inputs: dict[str, Any] = {}
        for kind in input_types():
            try:
                if (value := kind.read(settings, list(sources))) is not None:
                    inputs[kind.name] = value
            except InputError as error:
                problems += error.problems
        metrics = self._metrics(corpus)
        thresholds: tuple[Threshold, ...] = ()
        try:
            slices = parse_slices(settings.slices)
            records = map(metric_record, metrics)
            thresholds = resolve_thresholds(self.thresholds, records, settings.applied_to, slices)
        except InputError as error:
            problems += error.problems
        plan = Plan(
            corpus,
            tuple(anonymizations),
            metrics,
            settings,
            self.unavailable,
            inputs=inputs,
            thresholds=thresholds,
            names=names,
        )
        return plan, problems

    def _metrics(self, corpus: Corpus) -> tuple[Metric, ...]:
        """Those that were named, or what can be computed of what is given; and what belongs to the inputs."""
        keys = {kind: kind.keys(self.settings) for kind in input_types()}
        return self._apply_settings(with_inputs(self.metrics, corpus, len(self.anonymizations) + self.systems, keys))


def default_metrics(corpus: Corpus, systems: int) -> tuple[Metric, ...]:
    """Those of the presets that fit a corpus.

    >>> from showthrough.data.documents import Document
    >>> [type(metric).__name__ for metric in default_metrics(Corpus([Document("a", "Mr Doe")]), 1)][-1:]
    ['ClusteringAgreement']
    """
    metrics = metrics_of(
        usual_metrics(questions=bool(corpus.survey.questions), annotated=bool(corpus.survey.annotated))
    )
    return tuple(metric for metric in metrics if systems > 1 or "systems" not in metric.needs)


def with_inputs(
    named: Sequence[Metric] | None, corpus: Corpus, systems: int, keys: Mapping[InputType, Sequence[str]]
) -> tuple[Metric, ...]:
    """The metrics that were named, or the default ones, and those that belong to inputs of which there are keys."""
    metrics = default_metrics(corpus, systems) if named is None else tuple(named)
    for kind, input_keys in keys.items():
        metrics += kind.metrics(input_keys, metrics, by_default=named is None)
    return metrics
