"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import msgspec

from showthrough.axis.spans import Ints
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES, references_of
from showthrough.engines.base import Engine, Here, LostError, Shared
from showthrough.engines.opened import opened
from showthrough.errors import ChangedError, Interrupted, ResourceError, some
from showthrough.evaluation.authorship import authorship_notices
from showthrough.evaluation.ceiling import ceiling, has_ceiling
from showthrough.evaluation.checkpoints import Checkpoints, earlier_part
from showthrough.evaluation.chunks import Answer, Cell, Work, answered, answered_there
from showthrough.evaluation.estimating import check_asking
from showthrough.evaluation.gathered import Gathered
from showthrough.evaluation.mask_notices import mask_notices, words_aside
from showthrough.evaluation.notices import nobody_marked, notices
from showthrough.evaluation.pace import Pace
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.resuming import check_models, failed_before, rows_before
from showthrough.evaluation.scoring import reference_scores, scored
from showthrough.evaluation.sweeps import is_swept, sweeps
from showthrough.inference.asking import asked_of, unanswered
from showthrough.metrics import Metric, Rows, metric_text
from showthrough.metrics.base import failure_of, sound_parts
from showthrough.metrics.chunk import Chunk, Hiding
from showthrough.metrics.language import words_of
from showthrough.metrics.masking import risks
from showthrough.resources import Resources
from showthrough.resources.chat.settings import AskingSettings
from showthrough.resources.settings import Watch
from showthrough.run.documents import Texts, riskiest, texts_of, too_many
from showthrough.run.journal import Journal
from showthrough.run.provenance import (
    anonymization_input,
    background_input,
    corpus_input,
    metric_record,
    provenance,
    ratings_input,
    verifier_input,
)
from showthrough.run.records import Ceiling, Evidence, Failure, Input, Sweep, columns_of
from showthrough.run.run import Run
from showthrough.tables import is_guest

Progress = Callable[[int, int], None]  # documents done, documents in all

_NO_MEMORY = "memory ran out; shorter documents or fewer metrics at a time need less"
_FEWER = "fewer --jobs need less (in Python, jobs=1)"
_GIVEN_UP = 80  # characters of ids of documents that nobody could work on


def evaluate_plan(
    plan: Plan,
    *,
    progress: Progress | None = None,
    resume: Run | Journal | None = None,
    watch: Watch | None = None,
    checkpoints: Checkpoints | None = None,
    engine: Engine | None = None,
) -> Run:
    """Carries a plan out, and saves meanwhile what is done where there are checkpoints.

    The engine is whoever opened it's to close; without one, what the settings ask for is opened and closed here. Raises
    Interrupted, with what was finished, when the user stops it, memory runs out, workers are gone again and again or a
    file changes meanwhile.
    """
    plan = plan.retyped()
    plan.check()
    references = references_of(plan.corpus) if plan.settings.references else ()
    check_asking(plan, references)
    if engine is not None:
        return Evaluation(plan, references, watch, checkpoints, engine).carried_out(progress, resume)
    with opened(plan.settings.engine, plan.settings.jobs, plan.settings.address) as found:
        return Evaluation(plan, references, watch, checkpoints, found).carried_out(progress, resume)


class Evaluation:
    """A plan, which was checked, on its way: what is known so far, and what is still to be done."""

    def __init__(
        self,
        plan: Plan,
        references: Sequence[Anonymization],
        watch: Watch | None = None,
        checkpoints: Checkpoints | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.plan = plan
        engine = engine or Here()
        self.engine = engine.for_models() if any(metric.models for metric in plan.metrics) else engine
        self.run = _blank(plan, references)
        known = plan.background, plan.anonymizations, plan.backgrounds, plan.verifiers, plan.ratings
        asking = plan.settings.part(AskingSettings)
        self.resources = Resources(plan.settings.models, watch, *known, asking=asking, engine=self.engine)
        self._anonymizations = [*plan.anonymizations, *references]
        self._metrics = {metric_text(metric): metric for metric in plan.metrics}
        self._gathered = Gathered()
        self._tables: dict[Cell, Rows] = {}  # of all documents that are done
        self._revisions: dict[str, dict[str, str]] = {}  # of the models of each metric
        self._notes = nobody_marked(plan.corpus, plan.metrics)
        self._notes += notices(plan.corpus, plan.anonymizations, plan.metrics, masks={})  # of masks later
        self._notes += authorship_notices(plan)
        self._before = 0  # documents of the run that is resumed
        self._pace = Pace(self._of_scope("document").values())
        self._checkpoints = checkpoints
        self._told: Shared[Work] | None = None

    def carried_out(self, progress: Progress | None = None, resume: Run | Journal | None = None) -> Run:
        started = time.perf_counter()
        earlier = resume.run if isinstance(resume, Journal) else resume
        earlier = None if earlier is None else earlier.with_folders_of(self.run)
        rows = {} if earlier is None or not earlier.documents else rows_before(self.run, earlier, self.plan)
        self._revisions = self._read_revisions()
        if earlier is not None:
            check_models(self._revisions, earlier)
            self._take_up(earlier, rows, resume if isinstance(resume, Journal) else None)
        self._failures.update(self.plan.unavailable)
        self._begin_saving()
        try:
            self._walk(progress or (lambda done, total: None))
            self._score_as_a_whole()
            self._finish()
            self.run.provenance["seconds"] = round(time.perf_counter() - started, 3)
        except KeyboardInterrupt:
            raise self._stopped() from None
        except MemoryError as error:
            alone = isinstance(self.engine, Here)
            raise self._stopped(_NO_MEMORY if alone else f"memory ran out; {_FEWER}") from error
        except LostError as error:
            raise self._stopped(f"{error}; {_FEWER}") from error
        except ChangedError as error:
            raise self._stopped(str(error)) from error
        return self.run

    @property
    def _failures(self) -> dict[str, str]:
        return self._gathered.failures

    def _take_up(self, earlier: Run, rows: dict[Cell, Rows], journal: Journal | None) -> None:
        """Goes on from an earlier run. What looks at all documents at once is tried again where it failed."""
        self._before = len(earlier.documents)
        if self._before:
            self._failures.update(failed_before(earlier, self._of_scope("document")))
            looks = None if journal is None else journal.looks(self._kept_by)
            self._gathered.parts.append(earlier_part(rows, self._before, looks, list(self._ranking)))

    def _begin_saving(self) -> None:
        if self._checkpoints is not None:
            models = {name: revision for by_name in self._revisions.values() for name, revision in by_name.items()}
            run = msgspec.structs.replace(self.run, provenance={**self.run.provenance, "models": models})
            self._checkpoints.start(run, self._kept_by, list(self._ranking))

    @property
    def _kept_by(self) -> str:
        """Changes with what tells the words that may stay readable, and the documents at most risk."""
        told = repr((self.plan.texts, self._hiding, list(self._ranking)))
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def _walk(self, progress: Progress) -> None:
        """Chunk after chunk, whoever computes them. What was given up is told when all the rest is done.

        Raises LostError then: no number is made of some of the documents.
        """
        gathered, total = self._gathered, len(self.plan.corpus)
        progress(gathered.done, total)
        lost: dict[range, LostError] = {}
        for numbers, answer in _consecutive(self._answers(lost), gathered.looked):
            before = gathered.done
            # What only ranks documents may fail: then nobody is told.
            self._failures.update((text, why) for text, why in answer.failures.items() if text in self._metrics)
            gathered.take(answer, numbers)
            self._pace.took(int(self.plan.corpus.survey.lengths[numbers.start : numbers.stop].sum()), answer.seconds)
            if self._checkpoints is not None:
                self._checkpoints.save_if_due(gathered)
            if gathered.done > before:
                progress(gathered.done, total)
        if lost:
            raise self._given_up(lost)

    def _given_up(self, lost: Mapping[range, LostError]) -> LostError:
        """Which documents nobody could work on, and why."""
        ids = [self.plan.corpus.ids[number] for numbers in lost for number in numbers]
        count = f"{len(ids):,} document{'' if len(ids) == 1 else 's'}"
        return LostError(f"{next(iter(lost.values()))}; {count} given up: {some(ids, _GIVEN_UP)}")

    def _chunks(self) -> Iterator[range]:
        """The documents still to be done, some at a time. Those of an earlier run are looked at for what it lacks."""
        corpus, at = self.plan.corpus, self._gathered.looked
        while at < len(corpus):
            chunk = self._pace.next_chunk(corpus, at)
            stop = min(chunk.stop, self._before) if at < self._before else chunk.stop
            yield range(at, stop)
            at = stop

    def _answers(self, lost: dict[range, LostError]) -> Iterator[tuple[range, Answer]]:
        """What comes of all chunks, in the order in which it comes; and what does not come."""
        corpus, under_way = self.plan.corpus, {}
        alone = isinstance(self.engine, Here) or self._pace.next_chunk(corpus, 0) == range(len(corpus))
        engine = Here() if alone else self.engine

        def tasks() -> Iterator[tuple[Any, ...]]:
            for number, numbers in enumerate(self._chunks()):
                under_way[number] = numbers
                if alone:
                    yield (numbers,)
                    continue
                ids = corpus.ids[numbers.start : numbers.stop]
                parts = [one.part(ids, lazy=True) for one in self._anonymizations]
                yield corpus.part(numbers, lazy=True), parts, self._shared(numbers, engine), self.plan.settings.models

        for number, answer, fault in engine.map(self._answered_here if alone else answered_there, tasks()):
            numbers = under_way.pop(number)
            if fault is None:
                yield numbers, answer
            else:
                lost[numbers] = fault

    def _answered_here(self, numbers: range) -> Answer:
        corpus = self.plan.corpus
        chunk = self._whole if len(numbers) == len(corpus) else self._chunk(corpus.part(numbers))
        return answered(chunk, self._work(numbers, self._anonymizations))

    def _shared(self, numbers: range, engine: Engine) -> Shared[Work]:
        """What is asked of a chunk, but for its masks: workers are told when it changes, as when a metric fails."""
        work = self._work(numbers)
        if self._told is None or list(self._told.value.metrics) != list(work.metrics):
            self._told = engine.share(work)
        return self._told

    def _work(self, numbers: range, anonymizations: Sequence[Anonymization] = ()) -> Work:
        """What is asked of a chunk. A metric that failed is not tried again."""
        planned = self._of_scope("document") if numbers.stop > self._before else {}
        return Work(
            metrics={**planned, **self._ranking},
            anonymizations=anonymizations,
            refused=self._refused,
            noticed=words_aside(self.plan.metrics),
            kept=self._hiding if self.plan.texts and not too_many(self.plan.corpus) else None,
            types=self.plan.corpus.survey.types,
            ratings=self.plan.ratings,
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
            if all((text, one.name) in self._gathered.rows for one in self.plan.anonymizations):
                continue
            self._save_before_long_work()
            answer = answered(self._whole, Work({text: metric}, self._anonymizations, self._refused))
            self._failures.update(answer.failures)
            self._gathered.take_whole(answer)
        self._save_before_long_work()

    def _save_before_long_work(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.save_before_long_work(self._gathered)

    def _finish(self) -> None:
        found, done = self._gathered.rows, self._gathered.done
        for text in [text for text in self._metrics if text not in self._failures]:
            counted = [sum(len(rows.values) for rows in found.get((text, name), ())) for name in self.run.names]
            if min(counted) < done:
                self._failures[text] = f"it gave rows for {min(counted)} of {done} documents; expected all"
        for (text, name), chunks in found.items():
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
        run.ceiling = self._ceiling()
        run.sweeps = self._sweeps() if plan.settings.sweeps else {}
        if plan.texts:
            run.texts = self._texts()

    def _ceiling(self) -> Ceiling | None:
        """What people reach on the same metrics, where several marked a document and some metric can tell."""
        plan, settings = self.plan, self.plan.settings
        metrics = [metric for metric in plan.metrics if metric_text(metric) in self.run.rows and has_ceiling(metric)]
        if not (metrics and plan.corpus.survey.shared):
            return None
        return ceiling(
            plan.corpus,
            metrics,
            seed=settings.seed,
            resamples=settings.resamples,
            confidence=settings.confidence,
            resources=self.resources,
        )

    def _sweeps(self) -> dict[str, Sweep]:
        """What the surer masks of each anonymization reach on the same metrics, where masks have scores."""
        metrics = {text: one for text, one in self._metrics.items() if text in self.run.rows and is_swept(one)}
        return sweeps(self.plan.anonymizations, metrics, self._whole)

    def _stopped(self, reason: str = "") -> Interrupted:
        if self._checkpoints is not None:
            self._checkpoints.save(self._gathered)
        self._record()
        self.run.scores, self.run.texts, self.run.complete = [], None, False
        return Interrupted(self.run, reason)

    def _record(self) -> None:
        """Writes down what is known of the documents that are done."""
        run, plan, done = self.run, self.plan, self._gathered.done
        run.failures = [Failure(text, self._failures[text]) for text in self._failures]
        run.documents, run.groups = run.documents[:done], run.groups[:done]
        masks = {name: self._gathered.masks(name) for name in run.names}
        run.rows, run.evidence = {}, {}
        for (text, name), chunks in self._gathered.rows.items():
            rows = Rows.joined(chunks)
            if text in self._failures or len(rows.values) < done:
                continue  # of a reference one chunk could not be scored, and the others are not the same documents
            self._tables[text, name] = rows
            if text in self._metrics:
                run.rows.setdefault(text, {})[name] = columns_of(rows)
                if rows.evidence and name not in REFERENCES:
                    run.evidence.setdefault(text, {})[name] = msgspec.convert(dict(rows.evidence), dict[str, Evidence])
        run.asked = asked_of([name for text in run.rows for name in self._metrics[text].asks], self.resources)
        told = *mask_notices(masks, plan.metrics), *self._remarks(), *unanswered(run.asked)
        run.notes = list(dict.fromkeys([*self._notes, *told]))
        used = [models for text, models in self._revisions.items() if text in run.rows]
        run.provenance["models"] = {name: revision for models in used for name, revision in models.items()}

    def _remarks(self) -> list[str]:
        """What metrics say of their rows."""
        counted = [(self._metrics[text], text, list(names)) for text, names in self.run.rows.items()]
        tables = [(metric, {name: self._tables[text, name] for name in names}) for metric, text, names in counted]
        return [line for metric, each in tables for line in metric.remarks(each, self.resources)]

    def _texts(self) -> Texts:
        """The documents for a reader; where there are too many, those at most risk."""
        hiding = self._hiding_of(text for text in self._metrics if text in self.run.rows)
        free = self._gathered.free if hiding == self._hiding else None
        order = self._order(hiding) if too_many(self.plan.corpus) else None
        return texts_of(self.plan.corpus, self.plan.anonymizations, order, hiding, self.resources, free)

    def _order(self, hiding: Hiding) -> Ints | None:
        """Documents by their risk, where it can be told."""
        asked = [(metric, metric_text(metric)) for metric in risks(hiding.function_words)]
        if any((text, name) not in self._tables for _, text in asked for name in self.run.names):
            return None
        return riskiest([[metric.leaks(self._tables[text, name]) for name in self.run.names] for metric, text in asked])


def _consecutive(answers: Iterable[tuple[range, Answer]], start: int) -> Iterator[tuple[range, Answer]]:
    """Answers in the order of their documents, as far as there is no gap."""
    waiting: dict[int, tuple[range, Answer]] = {}
    for numbers, answer in answers:
        waiting[numbers.start] = numbers, answer
        while start in waiting:
            found = waiting.pop(start)
            start = found[0].stop
            yield found


def _blank(plan: Plan, references: Sequence[Anonymization]) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=corpus_input(corpus),
        anonymizations=[anonymization_input(one) for one in plan.anonymizations],
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
        verifiers=[verifier_input(one, plan.corpus) for one in plan.verifiers],
        ratings=None if plan.ratings is None else ratings_input(plan.ratings),
    )
