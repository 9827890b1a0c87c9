"""Runs a plan over all documents, chunk after chunk, whoever computes them, and chooses how long chunks are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from showthrough.core.errors import ResourceError, join_names
from showthrough.core.plugins import is_plugin
from showthrough.data.documents import CHUNK_CHARACTERS, Corpus
from showthrough.data.masks import Anonymization
from showthrough.engines.base import Engine, InProcess, LostError, SharedValue
from showthrough.evaluation._annotator_scores import Readings
from showthrough.evaluation._chunks import ChunkResult, Work, process_chunk, process_remote_chunk
from showthrough.evaluation._progress import EvaluationProgress
from showthrough.evaluation._work_spec import WorkSpec
from showthrough.metrics import Metric
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.run.documents import DocumentKeeper

# The pace decides how long chunks are, so that each takes some seconds, whatever is done with it.

_SECONDS = 10.0  # that a chunk is meant to take
_FIRST = 20_000  # characters, where nobody knows how long it will take
_GROWTH = 4  # times the last: that may have been an easy one


class Pace:
    """The length of the next chunk, in characters."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        slow = any(metric.models or metric.slow or is_plugin(metric) for metric in metrics)
        self.characters = _FIRST if slow else CHUNK_CHARACTERS

    def took(self, characters: int, seconds: float) -> None:
        """A chunk of so many characters took so long."""
        fitting = int(characters * _SECONDS / max(seconds, 1e-3))
        if seconds > _SECONDS:
            self.characters = max(fitting, 1)
        elif fitting > self.characters:  # never fewer after a chunk that was quick: it may have been a short one
            self.characters = min(fitting, _GROWTH * self.characters, CHUNK_CHARACTERS)

    def next_chunk(self, corpus: Corpus, start: int) -> range:
        """The next documents, one at least."""
        usual = next(corpus.chunks(start=start))
        if self.characters >= CHUNK_CHARACTERS:
            return usual
        ends = np.cumsum(corpus.survey.lengths[usual.start : usual.stop])
        return usual[: max(1, int(np.searchsorted(ends, self.characters, side="right")))]


Progress = Callable[[int, int], None]  # documents done, documents in all

_GIVEN_UP = 80  # characters of ids of documents that nobody could work on


class Runner:
    """The way over the documents that are still to be done; answers are gathered as they come."""

    def __init__(self, questions: WorkSpec, engine: Engine, resources: Resources, gathered: EvaluationProgress) -> None:
        self._questions, self._engine, self._resources, self._gathered = questions, engine, resources, gathered
        self._plan, self._corpus = questions.plan, questions.plan.corpus
        self._pace = Pace(questions.of_scope("document").values())
        self._told: SharedValue[Work] | None = None
        self.readings = Readings()  # what annotators reach in these documents
        self.keeper: DocumentKeeper | None = None  # where they are too many to be kept all, and one process has them

    def through(self, progress: Progress, on_answer: Callable[[], None]) -> None:
        """Chunk after chunk; `on_answer` is called for every answer.

        What was given up is told when all the rest is done. Raises LostError then: no number is made of some of the
        documents.
        """
        gathered, total = self._gathered, len(self._corpus)
        progress(gathered.done_count, total)
        lost: dict[range, LostError] = {}
        failing: dict[str, int] = {}  # metrics, and where each failed first: that tells, whoever is done first
        for numbers, answer in self._answers(lost):
            before = gathered.done_count
            for text, why in answer.failures.items():
                # What only ranks documents may fail: then nobody is told.
                if text in self._questions.metrics and numbers.start < failing.get(text, total):
                    failing[text], gathered.failures[text] = numbers.start, why
            if not gathered.has_rows(numbers):
                self.readings.take(numbers, answer.readings)
                answer.readings = None
            gathered.take(answer, numbers)
            self._pace.took(int(self._corpus.survey.lengths[numbers.start : numbers.stop].sum()), answer.seconds)
            on_answer()
            if gathered.done_count > before:
                progress(gathered.done_count, total)
        if lost:
            raise self._lost_error(lost)

    @cached_property
    def whole(self) -> Chunk:
        """All documents at once: the one chunk that there is, or what metrics ask for that look at all of them."""
        return self._chunk(self._corpus)

    def _chunk(self, corpus: Corpus) -> Chunk:
        plan = self._plan
        return Chunk(corpus, self._resources, self._corpus.survey.types, plan.anonymizations, plan.entity_groups)

    def _lost_error(self, lost: Mapping[range, LostError]) -> LostError:
        """Which documents nobody could work on, and why."""
        ids = [self._corpus.ids[number] for numbers in lost for number in numbers]
        count = f"{len(ids):,} document{'' if len(ids) == 1 else 's'}"
        return LostError(f"{next(iter(lost.values()))}; {count} given up: {join_names(ids, _GIVEN_UP)}")

    def _chunks(self) -> Iterator[range]:
        """The documents still to be done, some at a time. Those of an earlier run are looked at for what it lacks."""
        for left in self._gathered.iter_remaining(len(self._corpus)):
            at = left.start
            while at < left.stop:
                chunk = range(at, min(self._pace.next_chunk(self._corpus, at).stop, left.stop))
                yield chunk
                at = chunk.stop

    def _answers(self, lost: dict[range, LostError]) -> Iterator[tuple[range, ChunkResult]]:
        """What comes of all chunks, in the order in which it comes; and what does not come."""
        corpus, under_way = self._corpus, {}
        alone = isinstance(self._engine, InProcess) or self._pace.next_chunk(corpus, 0) == range(len(corpus))
        engine = InProcess() if alone else self._engine

        def tasks() -> Iterator[tuple[Any, ...]]:
            for number, numbers in enumerate(self._chunks()):
                under_way[number] = numbers
                yield (numbers,) if alone else self._task_arguments(numbers, engine)

        for number, answer, fault in engine.map(self._process_local if alone else process_remote_chunk, tasks()):
            numbers = under_way.pop(number)
            if fault is None:
                yield numbers, answer
            else:
                lost[numbers] = fault

    def _process_local(self, numbers: range) -> ChunkResult:
        if len(numbers) == len(self._corpus):
            work = self._work(numbers, self._questions.anonymizations)
            answer = process_chunk(self.whole, work)
            self._keep_riskiest(numbers, self.whole, work, answer)
            return answer
        chunk, work = self._chunk(self._corpus.part(numbers)), self._work(numbers, self._masks(numbers))
        answer = process_chunk(chunk, work)
        self._keep_riskiest(numbers, chunk, work, answer)
        chunk.forget()
        return answer

    def _keep_riskiest(self, numbers: range, chunk: Chunk, work: Work, answer: ChunkResult) -> None:
        """Has the documents kept that a reader of the run may see. What cannot be had now is read again at the end."""
        ranking = self._questions.all_ranking
        names = [anonymization.name for anonymization in work.systems]
        if not ranking or any((text, name) not in answer.rows for text in ranking for name in names):
            return
        if self.keeper is None:
            self.keeper = DocumentKeeper(self._questions.hiding, self._corpus.survey.lengths)
        leaks = [[metric.leaks(answer.rows[text, name]) for name in names] for text, metric in ranking.items()]
        with suppress(ResourceError):  # of words that may stay readable
            self.keeper.take(numbers, leaks, chunk, work.systems)

    def _task_arguments(self, numbers: range, engine: Engine) -> tuple[Any, ...]:
        """What travels to a worker: documents and masks still to be made, and what is the same for all chunks."""
        shared, models = self._share_work(numbers, engine), self._plan.settings.models
        return self._corpus.part(numbers, lazy=True), self._masks(numbers), shared, models

    def _masks(self, numbers: range) -> list[Anonymization]:
        """Those of some documents, still to be made: all at once, when one is asked for."""
        ids = self._corpus.ids[numbers.start : numbers.stop]
        return [anonymization.part(ids, lazy=True) for anonymization in self._questions.anonymizations]

    def _share_work(self, numbers: range, engine: Engine) -> SharedValue[Work]:
        """What is asked of a chunk, but for its masks: workers are told when it changes, as when a metric fails."""
        work = self._work(numbers)
        if self._told is None or list(self._told.value.metrics) != list(work.metrics):
            self._told = engine.share(work)
        return self._told

    def _work(self, numbers: range, anonymizations: Sequence[Anonymization] = ()) -> Work:
        return self._questions.of_chunk(anonymizations, counted=self._gathered.has_rows(numbers))
