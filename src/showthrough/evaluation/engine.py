"""Plan in, run out: the only orchestration. It never asks which metric it holds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from showthrough.core.errors import ChangedError, Interrupted
from showthrough.core.families import input_types
from showthrough.data.masks import Anonymization
from showthrough.data.references import references_of
from showthrough.engines.base import Engine, GoneError, InProcess, LostError, open_engine
from showthrough.evaluation._chunks import Work, process_chunk
from showthrough.evaluation._notes import Notes
from showthrough.evaluation._progress import EvaluationProgress
from showthrough.evaluation._resume import Earlier, evaluation_key
from showthrough.evaluation._work_spec import WorkSpec
from showthrough.evaluation.checkpoints import Checkpoints
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.runner import Progress, Runner
from showthrough.models import Resources
from showthrough.models.settings import AskingSettings, Watch
from showthrough.run import journal
from showthrough.run.journal import Journal, JournalHead, find_journal, leave_unfinished
from showthrough.run.provenance import (
    anonymization_input,
    corpus_input,
    metric_record,
    provenance,
)
from showthrough.run.records import Input
from showthrough.run.run import Run
from showthrough.run.slices import Slice
from showthrough.storage.columns.strings import Strings

_NO_MEMORY = "memory ran out; shorter documents or fewer metrics at a time need less"
_FEWER = "fewer --jobs need less (in Python, jobs=1)"


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

    The caller closes an engine that it opened. Without one, what the settings ask for is opened and closed here. Raises
    Interrupted, with what was finished, when the user stops it, memory runs out, workers are gone again and again or a
    file changes meanwhile.
    """
    plan = plan.retype()
    plan.check()
    references = references_of(plan.corpus) if plan.settings.references else ()
    if any(metric.asks for metric in plan.metrics):
        from showthrough.evaluation.estimate import check_asking  # here: few metrics ask anybody

        check_asking(plan, references)
    if engine is not None:
        return Evaluation(plan, references, watch, checkpoints, engine).carried_out(progress, resume)
    with open_engine(plan.settings.engine, plan.settings.jobs, plan.settings.address) as own_engine:
        return Evaluation(plan, references, watch, checkpoints, own_engine).carried_out(progress, resume)


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
        engine = engine or InProcess()
        self.engine = engine.for_models() if any(metric.models for metric in plan.metrics) else engine
        self.run = _blank(plan, references)
        self.resources = Resources(
            plan.settings.models,
            watch,
            plan.anonymizations,
            plan.inputs,
            asking=plan.settings.part(AskingSettings),
            engine=self.engine,
        )
        self._gathered = EvaluationProgress()
        self._questions = WorkSpec(plan, references, self._gathered.failures)
        self._walk = Runner(self._questions, self.engine, self.resources, self._gathered)
        self._findings = Notes(self.run, self._questions, self._gathered, self.resources)
        self._checkpoints = checkpoints

    def carried_out(self, progress: Progress | None = None, resume: Run | Journal | None = None) -> Run:
        started = time.perf_counter()
        self._questions.read_revisions(self.resources, resumed=resume is not None)
        self._begin_saving()
        if resume is not None:
            self._take_up(resume)
        self._gathered.failures.update(self.plan.unavailable)
        try:
            self._walk.through(progress or (lambda done, total: None), self._save_if_due)
            self._score_as_a_whole()
            self._finish()
            self.run.provenance["seconds"] = round(time.perf_counter() - started, 3)
        except KeyboardInterrupt:
            raise self._interrupt() from None
        except MemoryError as error:
            alone = isinstance(self.engine, InProcess)
            raise self._interrupt(_NO_MEMORY if alone else f"memory ran out; {_FEWER}") from error
        except GoneError as error:
            raise self._interrupt(str(error)) from error
        except LostError as error:
            raise self._interrupt(f"{error}; {_FEWER}") from error
        except ChangedError as error:
            raise self._interrupt(str(error)) from error
        return self.run

    @property
    def _large(self) -> bool:
        """Whether rows are held in files."""
        return len(self.plan.corpus) > journal.LARGE

    @cached_property
    def _head(self) -> JournalHead:
        """What is evaluated, as a journal has it."""
        revisions = self._questions.revisions.values()
        models = {name: revision for by_name in revisions for name, revision in by_name.items()}
        run = msgspec.structs.replace(self.run, provenance={**self.run.provenance, "models": models})
        order = journal.order_of(run.documents)
        if self._large:
            run = msgspec.structs.replace(run, documents=[], groups=[])
        return JournalHead(run, len(self.plan.corpus), order, evaluation_key(run, order))

    def _begin_saving(self) -> None:
        if self._checkpoints is None and self._large:
            self._checkpoints = Checkpoints(None)
        if self._checkpoints is not None:
            spec = self._questions
            self._checkpoints.start(self._head, spec.retention_key, list(spec.ranking), large=self._large)

    def _take_up(self, resume: Run | Journal) -> None:
        """Goes on from an earlier run. What looks at all documents at once is tried again where it failed."""
        head = msgspec.structs.replace(self._head, run=self.run)  # which has all ids
        resume = find_journal(resume) or resume
        spec = self._questions
        earlier = Earlier(head, self.plan, resume, spec.retention_key, list(spec.ranking))
        earlier.check_models(spec.revisions)
        self._gathered.failures.update(earlier.find_failures(spec.of_scope("document")))
        for piece in earlier.pieces(self._large):
            self._gathered.take_earlier(piece)

    def _save_if_due(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.save_if_due(self._gathered)

    def _score_as_a_whole(self) -> None:
        spec = self._questions
        for text, metric in spec.of_scope("corpus").items():
            if all((text, anonymization.name) in self._gathered.rows for anonymization in self.plan.anonymizations):
                continue
            self._save_before_long_work()
            answer = process_chunk(self._walk.whole, Work({text: metric}, spec.anonymizations, spec.refused_cells))
            self._gathered.failures.update(answer.failures)
            self._gathered.take_whole(answer)
        self._save_before_long_work()

    def _save_before_long_work(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.save_before_long_work(self._gathered)

    def _finish(self) -> None:
        self._findings.fail_what_lacks_rows()
        self._lay_out()
        self._findings.check_guests({} if self._checkpoints is None else self._checkpoints.faults)
        self._findings.record()
        self._findings.complete(self._walk)

    def _lay_out(self) -> None:
        saved = self._checkpoints
        home = None if saved is None or not saved.is_durable else saved.path.parent
        self._findings.lay_out(home, large=self._large)

    def _interrupt(self, reason: str = "") -> Interrupted:
        """What is done, for whoever goes on: of very many documents their rows are where the answers were put."""
        if self._checkpoints is not None:
            self._checkpoints.save(self._gathered)
        if not self._large:
            self._lay_out()
        self._findings.record()
        run, done = self.run, self._gathered.done_ranges
        run.documents, run.groups = _those(run.documents, done), _those(run.groups, done)
        if self._large and self._checkpoints is not None:
            leave_unfinished(run, self._checkpoints.journal_opener)
        run.scores, run.texts, run.complete = [], None, False
        return Interrupted(run, reason)


def _as_run_strings(strings: Sequence[str]) -> Any:
    """Strings of all documents as a run has them: of very many they stay as they are."""
    return strings if len(strings) > journal.LARGE else list(strings)


def _those(strings: Sequence[str], ranges: Sequence[range]) -> Any:
    """Strings of some documents, such as their ids; none where there are none."""
    if sum(map(len, ranges)) == len(strings):
        return strings
    if isinstance(strings, Strings):
        return Strings.concatenate(strings.part(numbers.start, numbers.stop) for numbers in ranges)
    return [string for numbers in ranges for string in strings[numbers.start : numbers.stop]]


def _empty_slices(plan: Plan) -> dict[str, Slice]:
    """The groups of entities that are asked for: rows hang on these."""
    if not plan.entity_groups:
        return {}
    from showthrough.evaluation._slices import empty_slice  # here: few evaluations have any

    return {cut.field: empty_slice(cut) for cut in plan.entity_groups}


def _blank(plan: Plan, references: Sequence[Anonymization]) -> Run:
    corpus = plan.corpus
    return Run(
        corpus=corpus_input(corpus),
        anonymizations=[
            anonymization_input(anonymization, len(plan.releases[anonymization.name].unlike))
            for anonymization in plan.anonymizations
        ],
        metrics=[metric_record(metric) for metric in plan.metrics],
        settings=plan.settings.recorded_settings,
        documents=_as_run_strings(corpus.ids),
        scores=[],
        rows={},
        failures=[],
        provenance=provenance(),
        groups=_as_run_strings(corpus.units.labels),
        joined=corpus.units.joined > 0,
        several_annotators=corpus.survey.annotators > corpus.survey.annotated,
        references=[Input(reference.name, reference.digest, len(reference)) for reference in references],
        thresholds=list(plan.thresholds),
        slices=_empty_slices(plan),
        inputs={
            kind.name: kind.record(plan.inputs[kind.name], corpus) for kind in input_types() if kind.name in plan.inputs
        },
    )
