"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import msgspec

from showthrough.axis.spans import Ints
from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES, references_of
from showthrough.errors import ChangedError, Interrupted, PlanError, ResourceError, quoted
from showthrough.evaluation.chunks import Answer, Cell, Work, answered, answered_there
from showthrough.evaluation.defaults import default_metrics
from showthrough.evaluation.mask_notices import MaskCounts, mask_notices, words_aside
from showthrough.evaluation.notices import nobody_marked, notices
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.resuming import check_models, failed_before, rows_before
from showthrough.evaluation.scoring import reference_scores, scored
from showthrough.evaluation.settings import Settings, called_with
from showthrough.evaluation.workers import WorkerKilledError, Workers
from showthrough.gate.asking import asked_in, settled
from showthrough.metrics import Metric, Rows, metric_text, metrics_of
from showthrough.metrics.base import failure_of, sound_parts
from showthrough.metrics.chunk import Chunk, Hiding
from showthrough.metrics.language import words_of
from showthrough.metrics.masking import risks
from showthrough.resources import Resources
from showthrough.resources.settings import ModelSettings, Watch
from showthrough.run.documents import Spans, Texts, riskiest, texts_of, too_many
from showthrough.run.provenance import background_input, corpus_input, metric_record, provenance
from showthrough.run.records import Evidence, Failure, Input, columns_of
from showthrough.run.run import Run
from showthrough.tables import is_guest

Progress = Callable[[int, int], None]  # documents done, documents in all

_NO_MEMORY = "memory ran out; shorter documents or fewer metrics at a time need less"
_FEWER = "fewer --jobs need less (in Python, jobs=1)"


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
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@called_with(Call)
def evaluate(call: Call) -> Run:
    """Scores anonymizations of a corpus.

    `anonymizations` are one, several, or several by name. `metrics` are names, text forms such as
    `recall(unit="mention")`, `preset:tab`, or metric values; by default the preset `default`, or `unannotated` where no
    document has annotations, and `trir` with a background. `background` is what an attacker knows, individual id to
    text; `trir` needs it. Of several, a metric names its own:
    `trir(background="web")`. `progress` is told how many documents are done, and of how many; `watch` what models are
    doing, and how far they are. `resume` takes an incomplete run of the same plan and completes it. With `texts` the
    run keeps the documents (of many, those at most risk), which a report needs to show them. `thresholds` are what
    numbers have to reach, `{"min": {"er_di": 0.95}, "max": {"trir": 0.09}}`: the run keeps them, for reports and gates.

    Settings, as on the command line and in plans:
    """
    corpus = call.corpus
    if not isinstance(corpus, Corpus):
        # Only a path is shown: what is in anything else may be the very text that must not leak.
        found = quoted(str(corpus)) if isinstance(corpus, str | PathLike) else f"a value of type {_kind(corpus)}"
        raise PlanError(f"found {found}; expected a Corpus: read a file with read_corpus", "corpus")
    if call.resume is not None and not isinstance(call.resume, Run):
        raise PlanError(f"found a value of type {_kind(call.resume)}; expected a Run: Run.load reads one", "resume")
    if not isinstance(call.texts, bool):
        raise PlanError(f"found {quoted(call.texts)}; expected True or False", "texts")
    named = _named(call.anonymizations)
    settings = call.part(Settings)
    known = _backgrounds(call.background)
    if call.metrics is None:
        names = [one.name for one in known.get("backgrounds", ())] + ([""] if known.get("background") else [])
        metrics: Sequence[Metric] = default_metrics(corpus, len(named), names)
    else:
        metrics = metrics_of(call.metrics)
    chosen = tuple(dict.fromkeys(map(settings.applied_to, metrics)))
    asked = settled(asked_in(call.thresholds), map(metric_record, chosen), settings.applied_to)
    plan = Plan(corpus, tuple(named), chosen, settings, texts=call.texts, thresholds=asked, **known)
    return evaluate_plan(plan, progress=call.progress, resume=call.resume, watch=call.watch)


def _named(
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization],
) -> list[Anonymization]:
    """All of them under their names. Raises PlanError for what is none."""
    if isinstance(anonymizations, Anonymization):
        return [anonymizations]
    expected = "expected an Anonymization: read a file with read_anonymization"
    if isinstance(anonymizations, str) or not isinstance(anonymizations, Iterable):
        raise PlanError(f"found a value of type {_kind(anonymizations)}; {expected}", "anonymizations")
    names = list(anonymizations) if isinstance(anonymizations, Mapping) else None
    given = list(anonymizations.values() if isinstance(anonymizations, Mapping) else anonymizations)
    for one in given:
        if not isinstance(one, Anonymization):
            raise PlanError(f"found a value of type {_kind(one)}; {expected}", "anonymizations")
    if names is None:
        return given
    return [Anonymization(one.masks, name, one.source, one.notes) for name, one in zip(names, given, strict=True)]


def _backgrounds(given: Background | Mapping[str, str] | Sequence[Background] | None) -> dict[str, Any]:
    if given is None or isinstance(given, Background):
        return {"background": given}
    if isinstance(given, Mapping):
        return {"background": Background(given)}
    if isinstance(given, str) or not all(isinstance(one, Background) for one in given):
        raise PlanError(f"found a value of type {_kind(given)}; expected a Background: read_background", "background")
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
    references = references_of(plan.corpus) if plan.settings.references else ()
    return Evaluation(plan, references, watch).carried_out(progress, resume)


class Evaluation:
    """A plan, which was checked, on its way: what is known so far, and what is still to be done."""

    def __init__(self, plan: Plan, references: Sequence[Anonymization], watch: Watch | None = None) -> None:
        self.plan = plan
        self.run = _blank(plan, references)
        self.resources = Resources(plan.settings.models, watch, plan.background, plan.anonymizations, plan.backgrounds)
        self._anonymizations = [*plan.anonymizations, *references]
        self._metrics = {metric_text(metric): metric for metric in plan.metrics}
        self._rows: dict[Cell, list[Rows]] = {}  # of consecutive chunks
        self._tables: dict[Cell, Rows] = {}  # of all documents that are done
        self._failures: dict[str, str] = {}
        self._masks: dict[str, list[MaskCounts]] = {one.name: [] for one in plan.anonymizations}
        self._free: list[Spans] | None = []
        self._revisions: dict[str, dict[str, str]] = {}  # of the models of each metric
        self._notes = nobody_marked(plan.corpus, plan.metrics)
        self._notes += notices(plan.corpus, plan.anonymizations, plan.metrics, masks={})  # of masks later
        self._before = self._done = 0  # documents of the run that is resumed, and by now

    def carried_out(self, progress: Progress | None = None, resume: Run | None = None) -> Run:
        started = time.perf_counter()
        resume = None if resume is None else resume.with_folders_of(self.run)
        if resume is not None and resume.documents:
            self._take_up(resume)
        self._revisions = self._read_revisions()
        if resume is not None:
            check_models(self._revisions, resume)
        self._failures |= self.plan.unavailable
        try:
            with closing(Workers(self.plan.settings.jobs)) as workers:
                self._walk(workers, progress or (lambda done, total: None))
                self._score_as_a_whole()
                self._finish()
            self.run.provenance["seconds"] = round(time.perf_counter() - started, 3)
        except KeyboardInterrupt:
            raise self._stopped() from None
        except MemoryError as error:
            raise self._stopped(f"memory ran out; {_FEWER}" if self.plan.settings.jobs > 1 else _NO_MEMORY) from error
        except WorkerKilledError as error:
            raise self._stopped(f"{error}; {_FEWER}") from error
        except ChangedError as error:
            raise self._stopped(str(error)) from error
        return self.run

    def _take_up(self, earlier: Run) -> None:
        """Goes on from an earlier run. What looks at all documents at once is tried again where it failed."""
        self._rows, self._before = rows_before(self.run, earlier, self.plan), len(earlier.documents)
        self._done = self._before
        self._failures = failed_before(earlier, self._of_scope("document"))

    def _walk(self, workers: Workers, progress: Progress) -> None:
        """Chunk after chunk, in order, whoever computes them."""
        total = len(self.plan.corpus)
        if self._done < total:
            progress(self._done, total)
        for numbers, answer in self._answers(workers):
            self._failures |= {text: why for text, why in answer.failures.items() if text in self._metrics}
            for cell, rows in answer.rows.items():
                self._rows.setdefault(cell, []).append(rows)
            for name, counts in answer.masks.items():
                self._masks[name].append(counts)
            self._free = None if self._free is None or answer.free is None else self._free + answer.free
            if numbers.stop > self._done:
                self._done = numbers.stop
                progress(self._done, total)

    def _answers(self, workers: Workers) -> Iterator[tuple[range, Answer]]:
        """What comes of all chunks. Those of an earlier run are looked at for what a run does not keep."""
        corpus, before = self.plan.corpus, self._before
        chunks = [range(part.start, min(part.stop, before)) for part in corpus.chunks() if part.start < before]
        chunks += corpus.chunks(start=before)
        if self.plan.settings.jobs == 1 or len(chunks) == 1:
            for numbers in chunks:
                whole = len(numbers) == len(corpus)
                chunk = self._whole if whole else self._chunk(corpus.part(numbers))
                yield numbers, answered(chunk, self._work(numbers, self._anonymizations))
            return

        def task(numbers: range) -> tuple[Corpus, Work, ModelSettings]:
            ids = corpus.ids[numbers.start : numbers.stop]
            work = self._work(numbers, [one.part(ids) for one in self._anonymizations])
            return corpus.part(numbers, lazy=True), work, self.plan.settings.models

        yield from zip(chunks, workers.map(answered_there, map(task, chunks)), strict=True)

    def _work(self, numbers: range, anonymizations: Sequence[Anonymization]) -> Work:
        """What is asked of a chunk. A metric that failed is not tried again."""
        planned = self._of_scope("document") if numbers.stop > self._before else {}
        return Work(
            metrics={**planned, **self._ranking},
            anonymizations=anonymizations,
            refused=self._refused,
            noticed=words_aside(self.plan.metrics),
            kept=self._hiding if self.plan.texts and not too_many(self.plan.corpus) else None,
            types=self.plan.corpus.survey.types,
        )

    def _of_scope(self, scope: str) -> dict[str, Metric]:
        return {text: one for text, one in self._metrics.items() if one.scope == scope and text not in self._failures}

    @cached_property
    def _whole(self) -> Chunk:
        """All documents at once: the one chunk that there is, or what metrics ask for that look at all of them."""
        return self._chunk(self.plan.corpus)

    def _chunk(self, corpus: Corpus) -> Chunk:
        return Chunk(corpus, self.resources, self.plan.corpus.survey.types, self.plan.anonymizations)

    @cached_property
    def _refused(self) -> frozenset[Cell]:
        return frozenset(
            (text, one.name)
            for one in self._anonymizations[len(self.plan.anonymizations) :]
            for text, metric in self._metrics.items()
            if text not in self._failures and metric.problems(self.plan.corpus, one)
        )

    def _read_revisions(self) -> dict[str, dict[str, str]]:
        """The models of each metric with their revisions: now, since files may change while they are at work."""
        found: dict[str, dict[str, str]] = {}
        for text, metric in self._metrics.items():
            with suppress(ResourceError):  # what is not there fails the metric when it is asked for
                found[text] = self.resources.revisions(metric.models)
        return found

    @cached_property
    def _hiding(self) -> Hiding:
        """What documents are kept by, as far as can be told before metrics are at work."""
        return self._hiding_of(text for text in self._revisions if text not in self._failures)

    def _hiding_of(self, texts: Iterable[str]) -> Hiding:
        """When a mention is hidden, as the first of some metrics takes it that tells; else by the language's words."""
        chosen = (self._metrics[text].hiding for text in texts)
        return next(filter(None, chosen), Hiding(words_of(self.plan.settings.language)))

    @cached_property
    def _ranking(self) -> dict[str, Metric]:
        """What tells the documents at most risk, where not all can be kept and the plan does not ask for it anyway."""
        if not (self.plan.texts and self.plan.corpus.survey.annotated and too_many(self.plan.corpus)):
            return {}
        needed = {metric_text(metric): metric for metric in risks(self._hiding.function_words)}
        return {text: metric for text, metric in needed.items() if text not in self._metrics}

    def _score_as_a_whole(self) -> None:
        for text, metric in self._of_scope("corpus").items():
            if all((text, one.name) in self._rows for one in self.plan.anonymizations):
                continue
            answer = answered(self._whole, Work({text: metric}, self._anonymizations, self._refused))
            self._failures |= answer.failures
            self._rows |= {cell: [rows] for cell, rows in answer.rows.items()}

    def _finish(self) -> None:
        for text in [text for text in self._metrics if text not in self._failures]:
            counted = [sum(len(rows.values) for rows in self._rows.get((text, name), ())) for name in self.run.names]
            if min(counted) < self._done:
                self._failures[text] = f"it gave rows for {min(counted)} of {self._done} documents; expected all"
        for (text, name), chunks in self._rows.items():
            metric = self._metrics.get(text)
            if metric is not None and is_guest(metric) and text not in self._failures and name not in REFERENCES:
                try:
                    rows = Rows.joined(chunks)
                    sound_parts(metric, rows)
                    msgspec.convert(dict(rows.evidence), dict[str, Evidence])
                except Exception as error:  # of a guest, anything
                    self._failures[text] = failure_of(metric, error)
        self._record()
        run, plan = self.run, self.plan
        run.scores = [
            *scored(run, plan.metrics, plan.settings, self._tables),
            *reference_scores(run, plan.metrics, plan.settings, self._tables),
        ]
        if plan.texts:
            run.texts = self._texts()

    def _stopped(self, reason: str = "") -> Interrupted:
        self._record()
        self.run.scores, self.run.texts, self.run.complete = [], None, False
        return Interrupted(self.run, reason)

    def _record(self) -> None:
        """Writes down what is known of the documents that are done."""
        run, plan, done = self.run, self.plan, self._done
        run.failures = [Failure(text, self._failures[text]) for text in self._failures]
        run.documents, run.groups = run.documents[:done], run.groups[:done]
        masks = {name: MaskCounts.summed(parts) for name, parts in self._masks.items()}
        run.notes = list(dict.fromkeys([*self._notes, *mask_notices(masks, plan.metrics)]))
        run.rows, run.evidence = {}, {}
        for (text, name), chunks in self._rows.items():
            rows = Rows.joined(chunks)
            if text in self._failures or len(rows.values) < done:
                continue  # of a reference one chunk could not be scored, and the others are not the same documents
            self._tables[text, name] = rows
            if text in self._metrics:
                run.rows.setdefault(text, {})[name] = columns_of(rows)
                if rows.evidence and name not in REFERENCES:
                    run.evidence.setdefault(text, {})[name] = msgspec.convert(dict(rows.evidence), dict[str, Evidence])
        used = [models for text, models in self._revisions.items() if text in run.rows]
        run.provenance["models"] = {name: revision for models in used for name, revision in models.items()}

    def _texts(self) -> Texts:
        """The documents for a reader; where there are too many, those at most risk."""
        hiding = self._hiding_of(text for text in self._metrics if text in self.run.rows)
        free = self._free if hiding == self._hiding else None
        order = self._order(hiding) if too_many(self.plan.corpus) else None
        return texts_of(self.plan.corpus, self.plan.anonymizations, order, hiding, self.resources, free)

    def _order(self, hiding: Hiding) -> Ints | None:
        """Documents by their risk, where it can be told."""
        asked = [(metric, metric_text(metric)) for metric in risks(hiding.function_words)]
        if any((text, name) not in self._tables for _, text in asked for name in self.run.names):
            return None
        return riskiest([[metric.leaks(self._tables[text, name]) for name in self.run.names] for metric, text in asked])


def _blank(plan: Plan, references: Sequence[Anonymization]) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=corpus_input(corpus),
        anonymizations=[Input(one.name, one.digest, len(one), one.source) for one in plan.anonymizations],
        metrics=[metric_record(metric) for metric in plan.metrics],
        settings=plan.settings.recorded,
        documents=list(corpus.ids),
        scores=[],
        rows={},
        failures=[],
        provenance=provenance(),
        background=None if plan.background is None else background_input(plan.background),
        groups=list(corpus.survey.groups),
        several_annotators=corpus.survey.annotators > corpus.survey.annotated,
        references=[Input(one.name, one.digest, len(one)) for one in references],
        backgrounds={one.name: background_input(one) for one in plan.backgrounds},
        thresholds=list(plan.thresholds),
    )
