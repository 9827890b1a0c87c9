"""Anonymizing a corpus: in batches, in one process or several, checked, with what it cost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from showthrough.anonymizers.asking import asked
from showthrough.anonymizers.base import Anonymizer, Training, parameters_of, told, written
from showthrough.anonymizers.checked import found_by
from showthrough.anonymizers.outside.function import Function
from showthrough.anonymizers.replacing import Way, replacing
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.provenance import Cost, Provenance, text_digest, texts_digest
from showthrough.errors import PlanError, shown
from showthrough.evaluation.workers import Workers
from showthrough.version import __version__

Progress = Callable[[int, int], None]  # documents that are done, and all of them
_BATCH = 100_000  # characters; a model fills its own batches with them


@dataclass(frozen=True)
class Batch:
    """What came of some documents."""

    masks: list[list[Mask]]
    seconds: float
    loading: float = 0.0
    peak_bytes: int | None = None


def anonymize(
    corpus: Corpus,
    anonymizer: Anonymizer | Function | str,
    *,
    name: str | None = None,
    replacement: Way = "label",
    threshold: float | None = None,
    jobs: int | None = None,
    seen: bool = False,
    progress: Progress | None = None,
) -> Anonymization:
    """What the anonymizer makes of every document of the corpus. Raises InputError for masks that cannot be.

    It is written as on the command line (`presidio+crf/`), or is a value, or a function: of a text or a Document, that
    gives spans, results of Presidio, a spaCy Doc, or the anonymized text.

    With `jobs` the work is done in so many processes of its own, whose memory is then told. Documents that a model was
    trained on are refused unless they may be `seen`.

    >>> from showthrough.anonymizers.rules import Rules
    >>> hidden = anonymize(Corpus([Document("a", "Seen by Dr Ona Rask.")]), Rules())
    >>> hidden.of("a")
    [TypedMask(start=8, end=19, replacement='PERSON', entity_type='PERSON')]
    """
    label, anonymizer = asked(anonymizer)
    again = refuse_seen(corpus, anonymizer, seen)
    parts = list(corpus.chunks(_BATCH))
    tasks = ((anonymizer, corpus.part(part, lazy=True), replacement, threshold) for part in parts)
    ends = list(accumulate(len(part) for part in parts))
    batches: list[Batch] = []
    try:
        for batch, end in zip(_made(tasks, jobs), ends, strict=True):
            batches.append(batch)
            if progress:
                progress(end, len(corpus))
    finally:
        told(anonymizer, "finish", lambda: None)()
    masks = dict(zip(corpus.ids, (one for batch in batches for one in batch.masks), strict=True))
    provenance = _provenance(
        corpus, anonymizer, replacement, threshold, again, _cost(corpus, anonymizer, batches, jobs)
    )
    return Anonymization(masks, name=name or label, provenance=provenance)


def refuse_seen(corpus: Corpus, anonymizer: Anonymizer, allowed: bool = False) -> int:
    """How many documents it was trained on; raises PlanError for one, unless that is allowed."""
    training: Training | None = told(anonymizer, "training", None)
    if training is None:
        return 0
    known = frozenset(training.documents)
    seen = sum(text_digest(document.text) in known for document in corpus)
    if seen and not allowed:
        what = f"was trained on {seen} of these {len(corpus)} documents ({training.corpus})"
        fault = f"{what}, so its numbers would be too good; expected others, or --seen to have them all the same"
        raise PlanError(fault, f"anonymizer {shown(anonymizer.name)}")
    return seen


def _made(tasks: Iterator[tuple[Any, ...]], jobs: int | None) -> Iterator[Batch]:
    if jobs is None:
        yield from (batch_of(*task) for task in tasks)
        return
    workers = Workers(jobs)
    try:
        yield from workers.map(batch_apart, tasks)
    finally:
        workers.close()


def batch_apart(anonymizer: Anonymizer, part: Corpus, way: Way, threshold: float | None) -> Batch:
    """The same in a process of its own, so that its memory can be told."""
    import resource

    batch = batch_of(anonymizer, part, way, threshold)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return Batch(batch.masks, batch.seconds, batch.loading, peak)


def batch_of(anonymizer: Anonymizer, part: Corpus, way: Way, threshold: float | None) -> Batch:
    """The masks of some documents, which come without their annotations."""
    documents = [Document(one.id, one.text, group=one.group) for one in part]
    started = time.perf_counter()
    told(anonymizer, "prepare", lambda: None)()
    ready = time.perf_counter()
    found = found_by(anonymizer, documents)
    replace = replacing(way)
    masks = [
        replace(document, [mask for mask in each if threshold is None or mask.score is None or mask.score >= threshold])
        for document, each in zip(documents, found, strict=True)
    ]
    return Batch(masks, time.perf_counter() - ready, ready - started)


def _cost(corpus: Corpus, anonymizer: Anonymizer, batches: Sequence[Batch], jobs: int | None) -> Cost:
    return Cost(
        seconds=sum(batch.seconds for batch in batches),
        documents=len(corpus),
        characters=int(corpus.survey.lengths.sum()),
        loading=max((batch.loading for batch in batches), default=0.0),
        peak_bytes=max((batch.peak_bytes for batch in batches if batch.peak_bytes is not None), default=None),
        model_bytes=told(anonymizer, "model_bytes", None),
        processes=jobs or 1,
        device=told(anonymizer, "device", "cpu"),
    )


def _provenance(
    corpus: Corpus, anonymizer: Anonymizer, way: Way, threshold: float | None, seen: int, cost: Cost
) -> Provenance:
    training: Training | None = told(anonymizer, "training", None)
    return Provenance(
        anonymizer=written(anonymizer),
        version=anonymizer.version,
        parameters=parameters_of(anonymizer),
        pinned=dict(told(anonymizer, "pinned", {})),
        replacement=way,
        threshold=threshold,
        texts=texts_digest(corpus),
        trained_on="" if training is None else f"{training.corpus}@{training.digest}",
        seen=seen,
        showthrough=__version__,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        cost=cost,
    )
