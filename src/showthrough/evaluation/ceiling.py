"""Annotators as systems: what people reach against each other, which a system's score should be read against.

What an annotator wants masked is an anonymization of the documents that others marked as well, and is scored by the
ordinary metrics against these others alone. Programs are no people, and their annotations are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from showthrough.axis.spans import Ints
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, TypedMask
from showthrough.errors import InputError
from showthrough.evaluation.chunks import Work, answered
from showthrough.evaluation.scoring import ALIKE, Uncertain, drawn_again, uncertain
from showthrough.evaluation.settings import settings_problems
from showthrough.metrics import HEADLINE, Array, Metric, Rows, metric_text, metrics_of
from showthrough.metrics.base import failure_of, sound_parts
from showthrough.metrics.chunk import Chunk
from showthrough.resources import Resources
from showthrough.run.records import Ceiling, Human
from showthrough.run.settings import Recorded
from showthrough.run.units import units

USUAL = ("er_di", "er_qi", "recall", "precision", "f1")
_MOST = 50  # annotators with numbers of their own; of more, those who share most documents with others
_ALONE = "no document was marked by several people, so nobody can be scored against others"
_MORE = "it asks for more than what annotators marked"
_NO_NUMBER = "it has no single number"


def ceiling(
    corpus: Corpus,
    metrics: Sequence[Metric | str] | None = None,
    *,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
    resources: Resources | None = None,
) -> Ceiling:
    """Scores each annotator against the others, on the documents that several people marked.

    >>> from showthrough import Annotation, Corpus, Document, Mention
    >>> ole, oslo = Mention(0, 3, "PERSON", "DIRECT"), Mention(7, 11, "LOC", "QUASI")
    >>> layers = (Annotation("ann", (ole, oslo)), Annotation("bob", (ole,)))
    >>> found = ceiling(Corpus([Document("d", "Ole of Oslo", layers)]), ["recall", "precision"])
    >>> found.annotators["ann"]["recall"].value, found.annotators["ann"]["precision"].value  # 1 of 1, 1 of 2
    (1.0, 0.5)
    >>> found.annotators["bob"]["recall"].value, found.people["recall"].value  # 1 of 2; 2 of 3 in all
    (0.5, 0.6666666666666666)
    """
    settings = Recorded(seed=seed, resamples=resamples, confidence=confidence)
    if problems := settings_problems(settings):
        raise InputError(problems)
    chosen = {metric_text(metric): metric for metric in metrics_of(USUAL if metrics is None else metrics)}
    if not corpus.survey.shared:
        return Ceiling({}, {}, 0, _ALONE)
    scored = {text: metric for text, metric in chosen.items() if has_ceiling(metric)}
    documents = len(corpus.survey.shared)
    none = {text: Human(None, None, None, documents, _MORE) for text in chosen if text not in scored}
    readings = _Readings(corpus, scored, resources or Resources())
    named = sorted(readings.shares, key=lambda name: (-readings.shares[name], name))
    reached = _humans(
        [readings.of_all(settings), *(readings.of_one(name, settings) for name in named[:_MOST])], settings
    )
    people, *each = ({text: none.get(text) or numbers[text] for text in chosen} for numbers in reached)
    return Ceiling(dict(zip(named, each, strict=False)), people, documents, readers=len(named))


def has_ceiling(metric: Metric) -> bool:
    """Whether people can be scored by it: it compares masks with annotations, and asks for nothing else."""
    of_documents = metric.scope == "document" and metric.apart and not metric.slow
    return of_documents and metric.needs == {"gold"} and not metric.models


class _Turn(NamedTuple):
    """Of each document one annotator as a system, or nobody, and the annotations of the others."""

    annotators: list[str | None]
    documents: list[Document]
    masked: Anonymization


def _turns(documents: Sequence[Document]) -> Iterator[_Turn]:
    """As many as the most annotators that a document has: each of its annotators has a turn."""
    for turn in range(max(len(document.readers) for document in documents)):
        annotators = [next(iter(document.readers[turn:]), None) for document in documents]
        pairs = list(zip(documents, annotators, strict=True))
        masks = {document.id: _wanted(document, name) for document, name in pairs}
        yield _Turn(annotators, [_without(*pair) for pair in pairs], Anonymization(masks, "people"))


def _wanted(document: Document, annotator: str | None) -> tuple[TypedMask, ...]:
    """What an annotator wants masked, with nothing in its place."""
    marks = (mark for one in document.annotations if one.annotator == annotator for mark in one.mentions)
    return tuple(TypedMask(one.start, one.end, None, one.entity_type) for one in marks if one.identifier != "NO_MASK")


def _without(document: Document, annotator: str | None) -> Document:
    """A document with the annotations of the other people alone; with none where nobody is scored."""
    others = {*document.readers} - {annotator} if annotator is not None else set()
    return replace(document, annotations=tuple(one for one in document.annotations if one.annotator in others))


class _Readings:
    """Every annotator's row on every document that others marked as well."""

    def __init__(self, corpus: Corpus, metrics: Mapping[str, Metric], resources: Resources) -> None:
        self._corpus = corpus
        self._metrics = metrics
        self._failures: dict[str, str] = {}
        self.shares: Counter[str] = Counter()  # documents that each annotator shares with others
        numbered: dict[str, int] = {}
        annotators: list[int] = []
        documents: list[int] = []
        rows: dict[str, list[Rows]] = {text: [] for text in metrics}
        for numbers in _stretches(corpus):
            part = corpus.part(range(numbers[0], numbers[-1] + 1)).documents
            for turn in _turns([part[number - numbers[0]] for number in numbers]):
                chunk = Chunk(Corpus(turn.documents), resources, corpus.survey.types)
                answer = answered(chunk, Work(metrics, [turn.masked]))
                self._failures.update(answer.failures)
                here = [place for place, name in enumerate(turn.annotators) if name is not None]
                names = [name for name in turn.annotators if name is not None]
                self.shares.update(names)
                annotators += [numbered.setdefault(name, len(numbered)) for name in names]
                documents += [numbers[place] for place in here]
                for (text, _), counted in answer.rows.items():
                    rows[text].append(Rows(counted.columns, counted.values[here]))
        self._numbered, self._annotators = numbered, np.array(annotators, dtype=np.int64)
        self._documents = np.array(documents, dtype=np.int64)
        self._rows = {text: Rows.joined(rows[text]) for text in metrics if text not in self._failures}

    def of_one(self, annotator: str, settings: Recorded) -> dict[str, _Number]:
        """What one annotator reaches against the others."""
        return self._reached(np.flatnonzero(self._annotators == self._numbered[annotator]), settings)

    def of_all(self, settings: Recorded) -> dict[str, _Number]:
        """What all of them reach, their rows summed document by document."""
        return self._reached(np.arange(len(self._annotators)), settings)

    def _reached(self, readings: Ints, settings: Recorded) -> dict[str, _Number]:
        groups = self._corpus.survey.groups
        documents, place = np.unique(self._documents[readings], return_inverse=True)
        ids = [self._corpus.ids[number] for number in documents.tolist()]
        grouped = [groups[number] for number in documents.tolist()] if groups else []
        tables = {}
        for text, rows in self._rows.items():
            values = np.zeros((len(ids), len(rows.columns)))
            np.add.at(values, place, rows.values[readings])
            tables[text] = units(Rows(rows.columns, values), ids, grouped)
        found = {
            text: _number(self._metrics[text], table, again, len(ids), settings)
            for (text, table), again in zip(tables.items(), drawn_again([*tables.values()], settings), strict=True)
        }
        return found | {text: _Number(None, len(ids), why) for text, why in self._failures.items()}


class _Number(NamedTuple):
    """A number whose interval is still to be found, or why there is none."""

    value: float | None
    documents: int
    reason: str = ""
    uncertain: Uncertain | None = None


def _number(metric: Metric, table: Rows, again: dict[str, Array], documents: int, settings: Recorded) -> _Number:
    try:
        sound_parts(metric, table)
    except Exception as error:  # of a guest, anything
        return _Number(None, documents, failure_of(metric, error))
    value = metric.combine(table.totals()).get(HEADLINE)
    if value is None or np.isnan(value):
        return _Number(None, documents, _NO_NUMBER if value is None else metric.undefined)
    if not settings.resamples:
        return _Number(float(value), documents)
    fault = metric.interval_fault(HEADLINE) or ALIKE
    found = [numbers for _, numbers in uncertain(metric, table, again, [HEADLINE])]
    return _Number(float(value), documents, fault, next(iter(found), None))


def _humans(reached: Sequence[dict[str, _Number]], settings: Recorded) -> Iterator[dict[str, Human]]:
    """The same numbers with their intervals, which are found together."""
    some = [one.uncertain for numbers in reached for one in numbers.values() if one.uncertain is not None]
    ends = iter(Uncertain.joined(some).ends(settings.confidence) if some else [])
    for numbers in reached:
        found = {}
        for text, one in numbers.items():
            low, high = (one.uncertain and next(ends)) or (None, None)
            found[text] = Human(one.value, low, high, one.documents, one.reason if low is None else "")
        yield found


def _stretches(corpus: Corpus) -> Iterator[list[int]]:
    """Numbers of the documents that several people marked, as many at a time as a chunk has."""
    shared = np.array(corpus.survey.shared, dtype=np.int64)
    for numbers in corpus.chunks():
        first, last = np.searchsorted(shared, (numbers.start, numbers.stop))
        if first < last:
            yield shared[first:last].tolist()
