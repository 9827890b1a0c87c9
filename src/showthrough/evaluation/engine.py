"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from typing import Any

import msgspec

from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES, references_of
from showthrough.errors import ChangedError, Interrupted, PlanError, ResourceError, quoted
from showthrough.evaluation.notices import notices
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.scoring import reference_scores, scored
from showthrough.evaluation.settings import Settings, called_with
from showthrough.evaluation.workers import WorkerKilledError, Workers
from showthrough.metrics import Metric, Rows, metric_text, metrics_of, preset, with_parameters
from showthrough.metrics.base import bound as bind
from showthrough.metrics.language import words_of
from showthrough.resources import Resources
from showthrough.resources.settings import ModelSettings, Watch
from showthrough.run.documents import RANKING, Texts, riskiest, texts_of, too_many
from showthrough.run.provenance import background_input, metric_record, provenance
from showthrough.run.run import WITHOUT_TEXT, Evidence, Failure, Input, Run, columns_of

Progress = Callable[[int, int], None]  # documents done, documents in all
Found = dict[tuple[str, str], list[Rows]]  # (metric, anonymization) -> rows of consecutive chunks
Revisions = dict[str, dict[str, str]]  # metric -> model -> revision

_NO_MEMORY = "memory ran out; shorter documents or fewer metrics at a time need less"
_FEWER = "fewer --jobs need less (in Python, jobs=1)"
_BEFORE = " (in the part that was done before; start afresh to try again)"


@dataclass(frozen=True, kw_only=True)
class Call(Settings):
    """What `evaluate` takes: inputs, who is told how far it is, and every setting."""

    corpus: Corpus = field(kw_only=False)
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization] = field(kw_only=False)
    metrics: str | Metric | Iterable[str | Metric] | None = field(default=None, kw_only=False)
    background: Background | Mapping[str, str] | Sequence[Background] | None = None
    progress: Progress | None = None
    resume: Run | None = None
    texts: bool = True
    watch: Watch | None = None


@called_with(Call)
def evaluate(call: Call) -> Run:
    """Scores anonymizations of a corpus.

    `anonymizations` are one, several, or several by name. `metrics` are names, text forms such as
    `recall(unit="mention")`, `preset:tab`, or metric values; by default the preset `default`. `background` is what an
    attacker knows, individual id to text; `trir` needs it. Of several, a metric names its own:
    `trir(background="web")`. `progress` is told how many documents are done, and of how many; `watch` what models are
    doing, and how far they are. `resume` takes an incomplete run of the same plan and completes it. With `texts` the
    run keeps the documents (of many, those at most risk), which a report needs to show them.

    Settings, as on the command line and in plans:
    """
    corpus = call.corpus
    if not isinstance(corpus, Corpus):
        # Only a path is shown: what is in anything else may be the very text that must not leak.
        found = quoted(str(corpus)) if isinstance(corpus, str | PathLike) else f"a value of type {_kind(corpus)}"
        raise PlanError(f"found {found}; expected a Corpus: read a file with read_corpus", "corpus")
    named = _named(call.anonymizations)
    settings = call.part(Settings)
    metrics = metrics_of(call.metrics if call.metrics is not None else preset("default"))
    chosen = tuple(dict.fromkeys(map(settings.applied_to, metrics)))
    plan = Plan(corpus, tuple(named), chosen, settings, texts=call.texts, **_backgrounds(call.background))
    return evaluate_plan(plan, progress=call.progress, resume=call.resume, watch=call.watch)


def _named(
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization],
) -> list[Anonymization]:
    """All of them under their names. Raises PlanError for what is none."""
    if isinstance(anonymizations, Anonymization):
        return [anonymizations]
    names = list(anonymizations) if isinstance(anonymizations, Mapping) else None
    given = list(anonymizations.values() if isinstance(anonymizations, Mapping) else anonymizations)
    for one in given:
        if not isinstance(one, Anonymization):
            expected = "expected an Anonymization: read a file with read_anonymization"
            raise PlanError(f"found a value of type {_kind(one)}; {expected}", "anonymizations")
    if names is None:
        return given
    return [Anonymization(one.masks, name, one.source) for name, one in zip(names, given, strict=True)]


def _backgrounds(given: Background | Mapping[str, str] | Sequence[Background] | None) -> dict[str, Any]:
    if given is None or isinstance(given, Background):
        return {"background": given}
    if isinstance(given, Mapping):
        return {"background": Background(given)}
    return {"backgrounds": tuple(given)}  # by name, also where there is one


def _kind(value: object) -> str:
    return type(value).__name__


def evaluate_plan(
    plan: Plan, *, progress: Progress | None = None, resume: Run | None = None, watch: Watch | None = None
) -> Run:
    """Carries a plan out.

    Raises Interrupted, with what was finished, when the user stops it, memory runs out, a worker process is killed or a
    file changes meanwhile.
    """
    plan = plan.retyped()
    plan.check()
    resources = Resources(plan.settings.models, watch, plan.background, plan.anonymizations, plan.backgrounds)
    beside = references_of(plan.corpus) if plan.settings.references else ()
    run = _blank(plan, beside)
    started = time.perf_counter()
    found, done, failed_before = _resumed(run, resume, plan)
    # What looks at all documents at once is tried again; the rest would lack the documents that are done.
    failures = {
        text: failed_before[text].removesuffix(_BEFORE) + _BEFORE
        for text in map(metric_text, (metric for metric in plan.metrics if metric.scope == "document"))
        if text in failed_before
    }
    revisions = _revisions(plan, resources)
    if resume is not None:
        _same_models(revisions, resume)
    failures |= plan.unavailable
    live = [metric for metric in plan.metrics if metric_text(metric) not in failures]
    total = len(plan.corpus)
    local = [metric for metric in live if metric.scope == "document"]
    whole = [metric for metric in live if metric.scope == "corpus"]
    scored_too = [*plan.anonymizations, *beside]
    refused = frozenset(
        (metric_text(metric), one.name) for one in beside for metric in live if metric.problems(plan.corpus, one)
    )
    workers = Workers(plan.settings.jobs)

    def stopped(reason: str = "") -> Interrupted:
        _record(run, found, failures, done, revisions)
        run.scores, run.texts, run.complete = [], None, False
        return Interrupted(run, reason)

    try:
        if done < total:
            if progress:
                progress(done, total)
            for numbers, rows, failed in _walk(plan, local, done, resources, workers, scored_too, refused):
                failures |= failed
                for key, chunk in rows.items():
                    found.setdefault(key, []).append(chunk)
                done = numbers.stop
                if progress:
                    progress(done, total)
        for metric in whole:
            if all((metric_text(metric), one.name) in found for one in plan.anonymizations):
                continue
            rows, failed = _rows(plan.corpus, {metric_text(metric): metric}, scored_too, resources, refused)
            failures |= failed
            for key, chunk in rows.items():
                found[key] = [chunk]
        _record(run, found, failures, total, revisions)
        run.scores = [*scored(run, plan.metrics, plan.settings), *reference_scores(run, plan.metrics, plan.settings)]
        if plan.texts:
            run.texts = _texts(plan, run, resources, workers)
    except KeyboardInterrupt:
        raise stopped() from None
    except MemoryError as error:
        raise stopped(f"memory ran out; {_FEWER}" if plan.settings.jobs > 1 else _NO_MEMORY) from error
    except WorkerKilledError as error:
        raise stopped(f"{error}; {_FEWER}") from error
    except ChangedError as error:
        raise stopped(str(error)) from error
    finally:
        workers.close()
    run.provenance["seconds"] = round(time.perf_counter() - started, 3)
    return run


def _walk(
    plan: Plan,
    metrics: list[Metric],
    done: int,
    resources: Resources,
    workers: Workers,
    anonymizations: Sequence[Anonymization],
    refused: frozenset[tuple[str, str]] = frozenset(),
) -> Iterator[tuple[range, dict[tuple[str, str], Rows], dict[str, str]]]:
    """Chunk after chunk, in order, whoever computes them. A metric that failed is not tried again."""
    chunks = list(plan.corpus.chunks(start=done))
    failures: set[str] = set()

    def live() -> dict[str, Metric]:
        return {text: metric for metric in metrics if (text := metric_text(metric)) not in failures}

    if plan.settings.jobs == 1 or len(chunks) == 1:
        for numbers in chunks:
            rows, failed = _rows(plan.corpus.part(numbers), live(), anonymizations, resources, refused)
            failures |= failed.keys()
            yield numbers, rows, failed
        return
    tasks = (
        (
            plan.corpus.part(numbers, lazy=True),
            live(),
            [one.part(plan.corpus.ids[numbers.start : numbers.stop]) for one in anonymizations],
            plan.settings.models,
            refused,
        )
        for numbers in chunks
    )
    for numbers, (rows, failed) in zip(chunks, workers.map(_rows, tasks), strict=True):
        failures |= failed.keys()
        yield numbers, rows, failed


def _rows(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    anonymizations: Iterable[Anonymization],
    resources: Resources | ModelSettings,
    refused: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[dict[tuple[str, str], Rows], dict[str, str]]:
    """All rows of one chunk, and the metrics that failed with their reasons.

    A reference that a metric cannot score has no rows: the metric fails only where an anonymization under test does.
    """
    if isinstance(resources, ModelSettings):
        resources = _of_process(resources)
    failed: dict[str, str] = {}
    bound = {}
    for text, metric in metrics.items():
        try:
            bound[text] = bind(metric, corpus, resources)
        except ResourceError as error:
            failed[text] = str(error)
    rows = {}
    # Anonymizations outside, metrics inside: an anonymization is painted once and all metrics look at it.
    for one in anonymizations:
        for text, rows_of in bound.items():
            if (text, one.name) in refused:
                continue
            try:
                rows[text, one.name] = rows_of(one)
            except ResourceError as error:
                if one.name not in REFERENCES:
                    failed[text] = str(error)
    return rows, failed


@lru_cache(maxsize=1)
def _of_process(models: ModelSettings) -> Resources:
    """The resources of a worker process: its models stay loaded from chunk to chunk."""
    return Resources(models)


def _record(run: Run, found: Found, failures: dict[str, str], done: int, revisions: Revisions) -> None:
    run.failures = [Failure(text, reason) for text, reason in failures.items()]
    run.documents, run.groups = run.documents[:done], run.groups[:done]
    run.rows, run.evidence = {}, {}
    for (text, name), chunks in found.items():
        if text not in failures:
            rows = Rows.joined(chunks)
            if name in REFERENCES and len(rows.values) < done:
                continue  # one chunk could not be scored, and the others alone would not be the same documents
            run.rows.setdefault(text, {})[name] = columns_of(rows)
            if rows.evidence and name not in REFERENCES:
                run.evidence.setdefault(text, {})[name] = msgspec.convert(dict(rows.evidence), dict[str, Evidence])
    used = [models for text, models in revisions.items() if text in run.rows]
    run.provenance["models"] = {name: revision for models in used for name, revision in models.items()}


def _resumed(run: Run, earlier: Run | None, plan: Plan) -> tuple[Found, int, dict[str, str]]:
    """Rows, documents done and failures of an earlier run, after checking that it is the same evaluation.

    Where texts are asked for and the earlier run was kept without, what an attack read in them is found again.
    """
    if earlier is None or not earlier.documents:
        return {}, 0, {}
    for what, here, there in (
        ("corpus", run.corpus.digest, earlier.corpus.digest),
        ("document order", run.documents[: len(earlier.documents)], earlier.documents),
        (
            "anonymizations",
            [(i.name, i.digest) for i in run.anonymizations],
            [(i.name, i.digest) for i in earlier.anonymizations],
        ),
        ("references", [i.digest for i in run.references], [i.digest for i in earlier.references]),
        ("metrics", [m.text for m in run.metrics], [m.text for m in earlier.metrics]),
        ("settings", run.settings, earlier.settings),
        ("background", run.background and run.background.digest, earlier.background and earlier.background.digest),
        ("backgrounds", _digests(run.backgrounds), _digests(earlier.backgrounds)),
        ("showthrough version", run.provenance["showthrough"], earlier.provenance.get("showthrough")),
    ):
        if here != there:
            raise PlanError("not the same as in the run to resume; start afresh without --resume", what)
    wordless = plan.texts and earlier.provenance.get(WITHOUT_TEXT)
    lost = {metric_text(metric) for metric in plan.metrics if wordless and metric.scope == "corpus"} & {
        *earlier.evidence
    }
    found = {
        (text, name): [earlier.rows_of(text, name)]
        for text, names in earlier.rows.items()
        if text not in lost
        for name in names
    }
    for (text, name), (rows,) in found.items():
        evidence = earlier.evidence.get(text, {}).get(name, {})
        found[text, name] = [Rows(rows.columns, rows.values, msgspec.to_builtins(evidence))]
    return found, len(earlier.documents), {failure.metric: failure.reason for failure in earlier.failures}


def _digests(inputs: Mapping[str, Input]) -> dict[str, str]:
    return {name: one.digest for name, one in inputs.items()}


def _blank(plan: Plan, references: Sequence[Anonymization]) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=Input(corpus.name, corpus.digest, len(corpus), corpus.source),
        anonymizations=[Input(one.name, one.digest, len(one), one.source) for one in plan.anonymizations],
        metrics=[metric_record(metric) for metric in plan.metrics],
        settings=plan.settings.recorded,
        documents=list(corpus.ids),
        scores=[],
        rows={},
        failures=[],
        provenance=provenance(),
        background=None if plan.background is None else background_input(plan.background),
        notes=notices(corpus, plan.anonymizations, plan.metrics),
        groups=list(corpus.survey.groups),
        several_annotators=corpus.survey.annotators > corpus.survey.annotated,
        references=[Input(one.name, one.digest, len(one)) for one in references],
        backgrounds={one.name: background_input(one) for one in plan.backgrounds},
    )


def _revisions(plan: Plan, resources: Resources) -> Revisions:
    """The models that metrics ask for, each with its revision: now, since files may change while they are at work."""
    found: Revisions = {}
    for metric in plan.metrics:
        with suppress(ResourceError):  # what is not there fails the metric when it is asked for
            found[metric_text(metric)] = resources.revisions(metric.models)
    return found


def _same_models(revisions: Revisions, earlier: Run) -> None:
    """Raises PlanError when a model is no longer what it was for the documents that are done."""
    before = earlier.provenance.get("models", {})
    for name, revision in (pair for text in earlier.rows for pair in revisions.get(text, {}).items()):
        if before.get(name, revision) != revision:
            raise PlanError("not the same as in the run to resume; start afresh without --resume", f"model {name}")


def _texts(plan: Plan, run: Run, resources: Resources, workers: Workers) -> Texts:
    """The documents for a reader; where there are too many, the rows mostly tell already which are at most risk."""
    order = None
    sources = [metric.parameters.get("function_words") for metric in plan.metrics if metric_text(metric) in run.rows]
    chosen = next(filter(None, sources), words_of(plan.settings.language))
    ranking = [with_parameters(metric, function_words=chosen) for metric in RANKING]
    if too_many(plan.corpus) and plan.corpus.survey.annotated:
        lacking = [metric for metric in ranking if metric_text(metric) not in run.rows]
        found: Found = {}
        for _, rows, _ in _walk(plan, lacking, 0, resources, workers, plan.anonymizations) if lacking else ():
            for key, chunk in rows.items():
                found.setdefault(key, []).append(chunk)
        order = riskiest(
            [
                [
                    Rows.joined(found[text, name]) if (text, name) in found else run.rows_of(text, name)
                    for name in run.names
                ]
                for text in map(metric_text, ranking)
            ]
        )
    scored = [*(metric for metric in plan.metrics if metric_text(metric) in run.rows), *ranking]
    # As the first metric took them that has a choice there.
    mentions, replacements = (
        next(metric.parameters[choice] for metric in scored if choice in metric.parameters)
        for choice in ("function_word_mentions", "replacements")
    )
    return texts_of(plan.corpus, plan.anonymizations, order, chosen, resources, mentions, replacements)
