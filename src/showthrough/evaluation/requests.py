"""What a user asks to be evaluated, by path and name, and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from showthrough.data.authorship import Ratings
from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.retyping import listed
from showthrough.engines.base import Engine, Watch
from showthrough.errors import InputError, PlanError, Problem, quoted, shown
from showthrough.evaluation.defaults import default_metrics, with_ratings
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.settings import FileSettings, each_of
from showthrough.files.heads import Head
from showthrough.files.places import Remote, place_of
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background
from showthrough.formats.choice import shared_format
from showthrough.formats.ratings import read_ratings
from showthrough.gate.asking import Asked, settled
from showthrough.inference.answer_files import files_behind
from showthrough.metrics import Metric, metric_text
from showthrough.run.provenance import metric_record
from showthrough.run.thresholds import Threshold
from showthrough.verifiers.asking import asked_verifiers
from showthrough.verifiers.base import Verifier
from showthrough.verifiers.given import GivenAnswers, read_given


@dataclass(frozen=True)
class Source:
    """Where a corpus or an anonymization is, and which columns hold it if it is a table."""

    path: Path | Head
    columns: Mapping[str, str | None] = field(default_factory=dict)


def path_of(given: str, file: Path, place: str) -> Path:
    """A path that a file names."""
    if not given or "\0" in given:
        raise InputError(Problem(str(file), place, f"found {quoted(given)}; expected the path of a file"))
    return place_of(given)


def beside(file: Path, path: Path) -> Path:
    """What a file names, seen from where it lies; a URL is the same from everywhere."""
    return path if isinstance(path, Remote) else file.parent / path


@dataclass(frozen=True)
class Request:
    """What a user asked for; nothing has been read yet."""

    corpus: Source
    anonymizations: Mapping[str, Source]
    metrics: tuple[Metric, ...] | None  # as they were named; None: what is given decides
    settings: FileSettings = field(default_factory=FileSettings)
    output: Path | None = None
    background: Path | None = None
    backgrounds: Mapping[str, Path] = field(default_factory=dict)  # where there are several, by name
    asked: tuple[Asked, ...] = ()  # what numbers have to reach
    systems: int = 0  # that are still to be put to work, and scored beside the anonymizations
    # Of a TAE configuration: its metrics by their names, what it names that is not there, its table.
    labels: Mapping[str, Metric] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)
    results_file: Path | None = None

    @property
    def chosen(self) -> tuple[Metric, ...]:
        """The metrics that were named, each once, with the function words and the language that are set."""
        return self._set(self.metrics or ())

    def _set(self, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
        return tuple(dict.fromkeys(map(self.settings.applied_to, metrics)))

    @property
    def beside(self) -> list[Path]:
        """What is read beside the corpus and the anonymizations, in files and folders."""
        settings = self.settings
        told = [*each_of(settings.verifier), *each_of(settings.answers), *each_of(settings.ratings)]
        named = [Path(path) for text in told for path in dict.fromkeys((text, text.partition("=")[2] or text))]
        named += files_behind(name for metric in self.chosen for name in metric.asks)
        return [*filter(None, [self.background]), *self.backgrounds.values(), *named]

    @property
    def labelled(self) -> dict[str, str]:
        """The text forms of the metrics that are scored, by TAE's names for them."""
        return {label: metric_text(self.settings.applied_to(metric)) for label, metric in self.labels.items()}

    @property
    def sources(self) -> dict[str, Source]:
        """Where the anonymizations are: in files of their own, or in columns beside the originals.

        Raises PlanError for a name that both have, and for the originals' own column.
        """
        beside = listed(self.settings.released)
        original = self.corpus.columns.get("text_column") or "text"
        if original in beside:
            raise PlanError(
                "is the column of the originals; expected one of released texts", f"released {shown(original)}"
            )
        if twice := [column for column in beside if column in self.anonymizations]:
            raise PlanError(
                "is a column of released texts and an anonymization; expected unique names", shown(twice[0])
            )
        columns = {name: Source(self.corpus.path, {**self.corpus.columns, "text_column": name}) for name in beside}
        return {**self.anonymizations, **columns}

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
        sources, released = self.sources, listed(settings.released)
        corpus = read_corpus(
            self.corpus.path,
            format=named,
            group_by=settings.group_by,
            released=released,
            offsets=settings.offsets,
            engine=engine,
            watch=watch,
            **self.corpus.columns,
        )
        for name, source in sources.items():
            try:
                chosen = shared_format(named, source.path)
                one = read_anonymization(
                    source.path,
                    corpus,
                    name=name,
                    format=chosen,
                    offsets=settings.offsets,
                    engine=engine,
                    watch=watch,
                    **source.columns,
                )
                anonymizations.append(one)
            except InputError as error:
                problems += error.problems
        background = None
        backgrounds: list[Background] = []
        try:
            background = read_background(self.background) if self.background else None
            backgrounds = [read_background(path, name=name) for name, path in self.backgrounds.items()]
        except InputError as error:
            problems += error.problems
        verifiers, ratings = self._verifiers(problems), self._ratings(problems)
        metrics = self._metrics(corpus)
        thresholds: tuple[Threshold, ...] = ()
        try:
            thresholds = settled(self.asked, map(metric_record, metrics), settings.applied_to)
        except InputError as error:
            problems += error.problems
        plan = Plan(
            corpus,
            tuple(anonymizations),
            metrics,
            settings,
            self.unavailable,
            background=background,
            backgrounds=tuple(backgrounds),
            thresholds=thresholds,
            verifiers=verifiers,
            ratings=ratings,
        )
        return plan, problems

    def _metrics(self, corpus: Corpus) -> tuple[Metric, ...]:
        """Those that were named, or what can be computed of what is given; and what people say of it."""
        named = self.metrics
        if named is None:
            known = [*([""] if self.background else []), *self.backgrounds]
            named = default_metrics(corpus, len(self.anonymizations) + self.systems, known)
        return self._set(with_ratings(named, bool(each_of(self.settings.ratings))))

    def _verifiers(self, problems: list[Problem]) -> tuple[Verifier | GivenAnswers, ...]:
        """Those that are loaded, then answers of others; what is wrong with them is added to the problems."""
        found: list[Verifier | GivenAnswers] = []
        try:
            found += asked_verifiers(each_of(self.settings.verifier))
        except InputError as error:
            problems += error.problems
        try:
            found += read_given(each_of(self.settings.answers), self.sources)
        except InputError as error:
            problems += error.problems
        return tuple(found)

    def _ratings(self, problems: list[Problem]) -> Ratings | None:
        given = each_of(self.settings.ratings)
        try:
            return read_ratings(given, list(self.sources)) if given else None
        except InputError as error:
            problems += error.problems
            return None
