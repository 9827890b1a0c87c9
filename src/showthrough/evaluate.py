"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from showthrough.errors import InputError, Interrupted, PlanError, Problem, ResourceError
from showthrough.masks import Anonymization
from showthrough.metrics import Metric, Rows, metric_name, metric_text, metrics_of, preset
from showthrough.pairing import Missing, pair
from showthrough.resources import Resources
from showthrough.run import Failure, Input, MetricRecord, Run, Score, Settings, columns_of, signature
from showthrough.statistics import percentile_interval, resampled_totals
from showthrough.text import Corpus
from showthrough.version import __version__

Progress = Callable[[int, int], None]  # documents done, documents in all
Found = dict[tuple[str, str], list[Rows]]  # (metric, anonymization) -> rows of consecutive chunks
_PACKAGES = ("numpy", "msgspec", "joblib", "spacy")


@dataclass(frozen=True)
class Plan:
    """What is to be evaluated and how; complete and checked before any work starts."""

    corpus: Corpus
    anonymizations: tuple[Anonymization, ...]
    metrics: tuple[Metric, ...]
    settings: Settings = field(default_factory=Settings)
    jobs: int = 1
    unavailable: Mapping[str, str] = field(default_factory=dict)  # asked for, but cannot be computed: name to reason

    def check(self) -> None:
        """Raises InputError with all that is wrong."""
        problems = []
        names = [anonymization.name for anonymization in self.anonymizations]
        if not names:
            problems.append(Problem("", "anonymizations", "none was given; expected at least one"))
        if not self.metrics and not self.unavailable:
            problems.append(Problem("", "metrics", "none was given; expected at least one"))
        problems += [
            Problem("", f"anonymization {name}", "this name is used twice; expected unique names")
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        for value, name, ok, expected in (
            (self.settings.resamples, "resamples", self.settings.resamples >= 0, "0 or more"),
            (self.settings.confidence, "confidence", 0 < self.settings.confidence < 1, "a number between 0 and 1"),
            (self.settings.seed, "seed", self.settings.seed >= 0, "0 or more"),
            (self.settings.missing, "missing", self.settings.missing in ("error", "unmasked"), "error or unmasked"),
            (self.jobs, "jobs", self.jobs >= 1, "1 or more"),
        ):
            if not ok:
                problems.append(Problem("", name, f"found {value!r}; expected {expected}"))
        if not self.corpus.survey.annotated:
            problems += [
                Problem(
                    self.corpus.source, "", f"no document has annotations, which the metric {metric_text(metric)} needs"
                )
                for metric in self.metrics
                if "gold" in metric.needs
            ]
        if problems:
            raise InputError(problems)
        missing: Missing = "unmasked" if self.settings.missing == "unmasked" else "error"
        pair(self.corpus, self.anonymizations, missing)


def evaluate(
    corpus: Corpus,
    anonymizations: Mapping[str, Anonymization] | Sequence[Anonymization],
    metrics: Iterable[str | Metric] | None = None,
    *,
    missing: Missing = "error",
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
    jobs: int = 1,
    progress: Progress | None = None,
    resume: Run | None = None,
) -> Run:
    """Scores anonymizations of a corpus.

    `metrics` are names, text forms such as `recall(unit="mention")`, `preset:tab`, or metric values; by default the
    preset `default`. Every score gets a bootstrap interval from `resamples` resamples of the documents. `jobs`
    processes share the work. `resume` takes an incomplete run of the same plan and completes it.
    """
    if isinstance(anonymizations, Mapping):
        named = [Anonymization(one.masks, name, one.source) for name, one in anonymizations.items()]
    else:
        named = list(anonymizations)
    chosen = metrics_of(metrics if metrics is not None else preset("default"))
    settings = Settings(seed=seed, resamples=resamples, confidence=confidence, missing=missing)
    return evaluate_plan(Plan(corpus, tuple(named), tuple(chosen), settings, jobs), progress=progress, resume=resume)


def evaluate_plan(plan: Plan, *, progress: Progress | None = None, resume: Run | None = None) -> Run:
    """Carries a plan out. Raises Interrupted, with what was finished, when the user stops it."""
    plan.check()
    run = _blank(plan)
    started = time.perf_counter()
    found, done, failures = _resumed(run, resume)
    failures |= plan.unavailable
    live = [metric for metric in plan.metrics if metric_text(metric) not in failures]
    total = len(plan.corpus)
    local = [metric for metric in live if metric.scope == "document"]
    whole = [metric for metric in live if metric.scope == "corpus"]
    try:
        if done < total:
            if progress:
                progress(done, total)
            for numbers, rows, failed in _walk(plan, local, done):
                failures |= failed
                for key, chunk in rows.items():
                    found.setdefault(key, []).append(chunk)
                done = numbers.stop
                if progress:
                    progress(done, total)
        for metric in whole:
            if all((metric_text(metric), one.name) in found for one in plan.anonymizations):
                continue
            rows, failed = _rows(plan.corpus, [metric], plan.anonymizations)
            failures |= failed
            for key, chunk in rows.items():
                found[key] = [chunk]
    except KeyboardInterrupt:
        _record(run, found, failures, done)
        run.complete = False
        raise Interrupted(run) from None
    _record(run, found, failures, total)
    run.scores = list(_scores(plan, run))
    run.provenance["seconds"] = round(time.perf_counter() - started, 3)
    return run


def _walk(
    plan: Plan, metrics: list[Metric], done: int
) -> Iterator[tuple[range, dict[tuple[str, str], Rows], dict[str, str]]]:
    """Chunk after chunk, in order, whoever computes them."""
    chunks = list(plan.corpus.chunks(start=done))
    if plan.jobs == 1 or len(chunks) == 1:
        resources = Resources()
        for numbers in chunks:
            yield numbers, *_rows(plan.corpus.part(numbers), metrics, plan.anonymizations, resources)
        return
    from joblib import Parallel, delayed

    tasks = (
        delayed(_rows)(
            plan.corpus.part(numbers, lazy=True),
            metrics,
            [one.part(plan.corpus.ids[numbers.start : numbers.stop]) for one in plan.anonymizations],
        )
        for numbers in chunks
    )
    parallel = Parallel(n_jobs=plan.jobs, return_as="generator", pre_dispatch="2*n_jobs")
    for numbers, (rows, failed) in zip(chunks, parallel(tasks), strict=True):
        yield numbers, rows, failed


def _rows(
    corpus: Corpus,
    metrics: Iterable[Metric],
    anonymizations: Iterable[Anonymization],
    resources: Resources | None = None,
) -> tuple[dict[tuple[str, str], Rows], dict[str, str]]:
    """All rows of one chunk, and the metrics that failed with their reasons."""
    resources = resources or Resources()
    failed: dict[str, str] = {}
    bound = {}
    for metric in metrics:
        try:
            bound[metric_text(metric)] = metric.bind(corpus, resources)
        except ResourceError as error:
            failed[metric_text(metric)] = str(error)
    rows = {}
    # Anonymizations outside, metrics inside: an anonymization is painted once and all metrics look at it.
    for one in anonymizations:
        for text, rows_of in bound.items():
            try:
                rows[text, one.name] = rows_of(one)
            except ResourceError as error:
                failed[text] = str(error)
    return rows, failed


def _record(run: Run, found: Found, failures: dict[str, str], done: int) -> None:
    run.failures = [Failure(text, reason) for text, reason in failures.items()]
    run.documents = run.documents[:done]
    run.rows = {}
    for (text, name), chunks in found.items():
        if text not in failures:
            run.rows.setdefault(text, {})[name] = columns_of(Rows.joined(chunks))


def _resumed(run: Run, earlier: Run | None) -> tuple[Found, int, dict[str, str]]:
    """Rows, documents done and failures of an earlier run, after checking that it is the same evaluation."""
    if earlier is None:
        return {}, 0, {}
    for what, here, there in (
        ("corpus", run.corpus.digest, earlier.corpus.digest),
        ("document order", run.documents[: len(earlier.documents)], earlier.documents),
        (
            "anonymizations",
            [(i.name, i.digest) for i in run.anonymizations],
            [(i.name, i.digest) for i in earlier.anonymizations],
        ),
        ("metrics", [m.text for m in run.metrics], [m.text for m in earlier.metrics]),
        ("settings", run.settings, earlier.settings),
        ("showthrough version", run.provenance["showthrough"], earlier.provenance.get("showthrough")),
    ):
        if here != there:
            raise PlanError(f"the {what} differ from the run to resume; start afresh without --resume")
    found = {(text, name): [earlier.rows_of(text, name)] for text, names in earlier.rows.items() for name in names}
    return found, len(earlier.documents), {failure.metric: failure.reason for failure in earlier.failures}


def _blank(plan: Plan) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=Input(corpus.name, corpus.digest, len(corpus), corpus.source),
        anonymizations=[Input(one.name, one.digest, len(one), one.source) for one in plan.anonymizations],
        metrics=[
            MetricRecord(
                metric_text(metric),
                metric_name(metric),
                metric.version,
                metric.title,
                metric.group,
                metric.better,
                metric.parameters,
            )
            for metric in plan.metrics
        ],
        settings=plan.settings,
        documents=list(corpus.ids),
        scores=[],
        rows={},
        failures=[],
        provenance={
            "showthrough": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    )


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and asked for once a run

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _scores(plan: Plan, run: Run) -> Iterator[Score]:
    """Combines rows into numbers; one set of resamples serves all of them."""
    keys = [(metric, one) for one in run.anonymizations for metric in plan.metrics if metric_text(metric) in run.rows]
    if not keys:
        return
    tables = [run.rows_of(metric_text(metric), one.name) for metric, one in keys]
    sums = resampled_totals(np.hstack([table.values for table in tables]), plan.settings.resamples, plan.settings.seed)
    records = {record.text: record for record in run.metrics}
    position = 0
    for (metric, one), table in zip(keys, tables, strict=True):
        width = len(table.columns)
        again = dict(zip(table.columns, sums[:, position : position + width].T, strict=True))
        position += width
        resampled = metric.combine(again)
        record = records[metric_text(metric)]
        line = signature(record, metric.fixed, run.corpus, one, plan.settings.missing, __version__)
        for part, value in metric.combine(table.totals()).items():
            defined = not np.isnan(value)
            interval = percentile_interval(resampled[part], plan.settings.confidence) if defined else None
            low, high = interval or (None, None)
            reason = "" if defined else metric.undefined
            yield Score(one.name, record.text, part, float(value) if defined else None, low, high, reason, line)
