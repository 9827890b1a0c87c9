"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, cast

import msgspec
import numpy as np

from showthrough.axis.spans import Ints
from showthrough.columns.strings import Strings
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES, references_of
from showthrough.engines.base import Engine, GoneError, Here, LostError, Shared
from showthrough.engines.opened import opened
from showthrough.errors import ChangedError, Interrupted, ResourceError, some
from showthrough.evaluation.authorship import authorship_notices
from showthrough.evaluation.ceiling import ceiling, has_ceiling
from showthrough.evaluation.checkpoints import Checkpoints
from showthrough.evaluation.chunks import Answer, Cell, Work, answered, answered_there
from showthrough.evaluation.estimating import check_asking
from showthrough.evaluation.gathered import Gathered
from showthrough.evaluation.mask_notices import mask_notices, words_aside
from showthrough.evaluation.notices import nobody_marked, notices
from showthrough.evaluation.pace import Pace
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.resuming import Earlier, evaluation_key
from showthrough.evaluation.scoring import reference_scores, scored
from showthrough.evaluation.storing import Store
from showthrough.evaluation.sweeps import is_swept, sweeps
from showthrough.inference.asking import asked_of, unanswered
from showthrough.metrics import Array, Metric, Rows, metric_text
from showthrough.metrics.base import BLOCK, failure_of, sound_parts
from showthrough.metrics.chunk import Chunk, Hiding
from showthrough.metrics.language import words_of
from showthrough.metrics.masking import EntityRecall, risks
from showthrough.resources import Resources
from showthrough.resources.chat.settings import AskingSettings
from showthrough.resources.settings import Watch
from showthrough.run import journal
from showthrough.run.documents import Texts, riskiest, texts_of, too_many
from showthrough.run.journal import Head, Journal, leave_unfinished, unfinished
from showthrough.run.provenance import (
    anonymization_input,
    background_input,
    corpus_input,
    metric_record,
    provenance,
    ratings_input,
    verifier_input,
)
from showthrough.run.records import Ceiling, Columns, Evidence, Failure, Input, Sweep, columns_of
from showthrough.run.run import Run
from showthrough.run.stored import StoredRows
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
        self._store: Store | None = None  # where these are, of very many documents
        self._faults: dict[str, Exception] = {}  # what guests show that nobody can write
        self._revisions: dict[str, dict[str, str]] = {}  # of the models of each metric
        self._notes = nobody_marked(plan.corpus, plan.metrics)
        self._notes += notices(plan.corpus, plan.anonymizations, plan.metrics, masks={})  # of masks later
        self._notes += authorship_notices(plan)
        self._pace = Pace(self._of_scope("document").values())
        self._checkpoints = checkpoints
        self._told: Shared[Work] | None = None

    def carried_out(self, progress: Progress | None = None, resume: Run | Journal | None = None) -> Run:
        started = time.perf_counter()
        self._revisions = self._read_revisions()
        self._begin_saving()
        if resume is not None:
            self._take_up(resume)
        self._failures.update(self.plan.unavailable)
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
        except GoneError as error:
            raise self._stopped(str(error)) from error
        except LostError as error:
            raise self._stopped(f"{error}; {_FEWER}") from error
        except ChangedError as error:
            raise self._stopped(str(error)) from error
        return self.run

    @property
    def _failures(self) -> dict[str, str]:
        return self._gathered.failures

    @property
    def _large(self) -> bool:
        """Whether rows are held in files."""
        return len(self.plan.corpus) > journal.LARGE

    @cached_property
    def _head(self) -> Head:
        """What is evaluated, as a journal has it."""
        models = {name: revision for by_name in self._revisions.values() for name, revision in by_name.items()}
        run = msgspec.structs.replace(self.run, provenance={**self.run.provenance, "models": models})
        order = journal.order_of(run.documents)
        if self._large:
            run = msgspec.structs.replace(run, documents=[], groups=[])
        return Head(run, len(self.plan.corpus), order, evaluation_key(run, order))

    def _begin_saving(self) -> None:
        if self._checkpoints is None and self._large:
            self._checkpoints = Checkpoints(None)
        if self._checkpoints is not None:
            self._checkpoints.start(self._head, self._kept_by, list(self._ranking), large=self._large)

    def _take_up(self, resume: Run | Journal) -> None:
        """Goes on from an earlier run. What looks at all documents at once is tried again where it failed."""
        head = msgspec.structs.replace(self._head, run=self.run)  # which has all ids
        resume = unfinished(resume) or resume
        earlier = Earlier(head, self.plan, resume, self._kept_by, list(self._ranking))
        earlier.check_models(self._revisions)
        self._failures.update(earlier.failed(self._of_scope("document")))
        for piece in earlier.pieces(self._large):
            self._gathered.take_earlier(piece)

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
        for numbers, answer in self._answers(lost):
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
        corpus = self.plan.corpus
        for left in self._gathered.left(len(corpus)):
            at = left.start
            while at < left.stop:
                chunk = range(at, min(self._pace.next_chunk(corpus, at).stop, left.stop))
                yield chunk
                at = chunk.stop

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
        planned = {} if self._gathered.has_rows(numbers) else self._of_scope("document")
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
        done, counted = self._gathered.done, self._gathered.rows
        for text in [text for text in self._metrics if text not in self._failures]:
            least = min(counted.get((text, name), 0) for name in self.run.names)
            if least < done:
                self._failures[text] = f"it gave rows for {least} of {done} documents; expected all"
        self._lay_out()
        self._faults |= {} if self._checkpoints is None else self._checkpoints.faults
        for (text, name), rows in self._tables.items():
            metric = self._metrics.get(text)
            if metric is not None and is_guest(metric) and text not in self._failures and name not in REFERENCES:
                try:
                    if text in self._faults:
                        raise self._faults[text]
                    sound_parts(metric, rows)
                    msgspec.convert(dict(rows.evidence), dict[str, Evidence])
                except Exception as error:  # of a guest, anything
                    self._failures[text] = failure_of(metric, error)
        self._tables = {cell: rows for cell, rows in self._tables.items() if cell[0] not in self._failures}
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
        """What is done, for whoever goes on: of very many documents their rows are where the answers were put."""
        if self._checkpoints is not None:
            self._checkpoints.save(self._gathered)
        if not self._large:
            self._lay_out()
        self._record()
        run, done = self.run, self._gathered.stretches
        run.documents, run.groups = _those(run.documents, done), _those(run.groups, done)
        if self._large and self._checkpoints is not None:
            leave_unfinished(run, self._checkpoints.unfinished)
        run.scores, run.texts, run.complete = [], None, False
        return Interrupted(run, reason)

    @property
    def _cells(self) -> Iterator[Cell]:
        """All that there may be rows of, in the order in which it is scored."""
        texts = sorted(self._metrics, key=lambda text: self._metrics[text].scope == "corpus")
        return ((text, one.name) for one in self._anonymizations for text in (*texts, *self._ranking))

    def _lay_out(self) -> None:
        """The rows of all documents that are done, one below the other: in memory, or of very many in files."""
        done = self._gathered.done
        # Of a reference one chunk could not be scored perhaps, and the others are not the same documents.
        counted = self._gathered.rows
        cells = [cell for cell in self._cells if counted.get(cell) == done and cell[0] not in self._failures]
        if not self._large:
            joined = self._gathered.joined()
            self._tables = {cell: joined[cell] for cell in cells}
            return
        home = None if self._checkpoints is None or not self._checkpoints.lasting else self._checkpoints.path.parent
        self._store = Store(self._gathered, cells, self.plan.corpus, home)
        self._faults |= self._store.faults
        self._tables = dict(self._store.rows)
        self.run.documents, self.run.groups = self._store.documents, self._store.groups or []

    def _record(self) -> None:
        """Writes down what is known of the documents that are done."""
        run, plan = self.run, self.plan
        run.failures = [Failure(text, self._failures[text]) for text in self._failures]
        masks = {name: self._gathered.masks(name) for name in run.names}
        run.rows, run.evidence = {}, {}
        for (text, name), rows in self._tables.items():
            if text not in self._metrics:
                continue
            if isinstance(rows, StoredRows):
                run.rows.setdefault(text, {})[name] = cast(Columns, rows.table)
                shown = self._store.evidence.get((text, name)) if self._store else None
                if shown is not None:
                    run.evidence.setdefault(text, {})[name] = shown
                continue
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
        return riskiest(self._leaks(asked))

    def _leaks(self, asked: Sequence[tuple[EntityRecall, str]]) -> Iterator[tuple[Ints, list[list[Array]]]]:
        """What is readable in documents, some at a time: their numbers, and by metric and anonymization how much."""
        cells = [(metric, self._tables[text, name]) for metric, text in asked for name in self.run.names]
        count = len(self.plan.corpus)
        starts = (np.arange(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK))
        numbers = starts if self._store is None else self._store.numbers(BLOCK)
        for each, *blocks in zip(numbers, *(rows.blocks() for _, rows in cells), strict=True):
            found = [
                metric.leaks(Rows(rows.columns, block)) for (metric, rows), block in zip(cells, blocks, strict=True)
            ]
            names = len(self.run.names)
            yield each, [found[place : place + names] for place in range(0, len(found), names)]


def _held(strings: Sequence[str]) -> Any:
    """Strings of all documents as a run has them: of very many they stay as they are."""
    return strings if len(strings) > journal.LARGE else list(strings)


def _those(strings: Sequence[str], stretches: Sequence[range]) -> Any:
    """Strings of some documents, such as their ids; none where there are none."""
    if isinstance(strings, Strings):
        return Strings.joined(strings.part(numbers.start, numbers.stop) for numbers in stretches)
    return [one for numbers in stretches for one in strings[numbers.start : numbers.stop]]


def _blank(plan: Plan, references: Sequence[Anonymization]) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=corpus_input(corpus),
        anonymizations=[anonymization_input(one) for one in plan.anonymizations],
        metrics=[metric_record(metric) for metric in plan.metrics],
        settings=plan.settings.recorded,
        documents=_held(corpus.ids),
        scores=[],
        rows={},
        failures=[],
        provenance=provenance(),
        background=None if plan.background is None else background_input(plan.background),
        groups=_held(corpus.survey.groups),
        several_annotators=corpus.survey.annotators > corpus.survey.annotated,
        references=[Input(one.name, one.digest, len(one)) for one in references],
        backgrounds={one.name: background_input(one) for one in plan.backgrounds},
        thresholds=list(plan.thresholds),
        verifiers=[verifier_input(one, plan.corpus) for one in plan.verifiers],
        ratings=None if plan.ratings is None else ratings_input(plan.ratings),
    )
