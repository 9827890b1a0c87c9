"""What each annotator reaches on each document that others marked too: counted by workers, kept column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from showthrough.core.arrays import Ints, Ints32, distinct
from showthrough.data.documents import CHUNK_CHARACTERS, Corpus, Document, chunk_ranges, documents_at, window
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.data.masks import Anonymization, TypedMask
from showthrough.evaluation._chunks import Work, process_chunk
from showthrough.metrics import Metric, Rows
from showthrough.metrics.chunk import Chunk
from showthrough.metrics.derived import DerivedRows
from showthrough.models import Resources
from showthrough.run.units import number_sorted_groups
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.spill import SpilledColumn, SpilledColumns
from showthrough.storage.columns.strings import Strings

_CHARACTERS = CHUNK_CHARACTERS  # of the documents that are read together
_ALL = -1  # in place of an annotator's number


class _SharedDocuments(NamedTuple):
    """Documents that several people marked; they may still have to be made, and travel."""

    documents: Sequence[Document]  # these, or more
    places: Ints  # of these among them
    numbers: Ints  # of these in the corpus


class _ReadingTask(NamedTuple):
    """What is the same for all documents."""

    metrics: Mapping[str, Metric]  # by text
    types: tuple[str, ...]  # of the whole corpus


class _ReadingCounts(NamedTuple):
    """The readings of some documents: by document, and of each in the order of its annotators."""

    documents: Ints  # of each reading, the number of its document
    names: list[str]
    annotators: Ints  # of each reading, the place of its annotator among the names
    rows: dict[str, Rows]  # by a metric's text
    failures: dict[str, str]


def _count_readings(resources: Resources, task: _ReadingTask, batch: _SharedDocuments) -> _ReadingCounts:
    """As many turns as the most annotators that a document has: each of its annotators is a system in one of them."""
    documents = documents_at(batch.documents, batch.places)
    readers = [document.readers for document in documents]
    positions: list[int] = []
    names: list[str] = []
    rows: dict[str, list[Rows]] = {text: [] for text in task.metrics}
    failures: dict[str, str] = {}
    gold = SpanLayout(Corpus(documents)).gold  # of all layers: a turn has some of them
    before = np.cumsum(gold.layers.count) - gold.layers.count
    axis: SpanLayout | None = None
    for turn in range(max(map(len, readers))):
        turn_numbers = [number for number, reader_names in enumerate(readers) if turn < len(reader_names)]
        pairs = [(documents[number], readers[number][turn]) for number in turn_numbers]
        masked = Anonymization({document.id: _masks_of(document, name) for document, name in pairs}, "people")
        layers = [_layers_without(*pair) for pair in pairs]
        corpus = Corpus([_with_layers(document, chosen) for (document, _), chosen in zip(pairs, layers, strict=True)])
        if axis is not None and len(turn_numbers) == len(axis.documents):  # all of the turn before
            axis = axis.with_annotations_of(corpus)
        else:
            axis = SpanLayout(corpus)
        starts = before[turn_numbers].tolist()
        chosen_layers = [start + layer for start, chosen in zip(starts, layers, strict=True) for layer in chosen]
        axis.gold = gold.part(np.array(chosen_layers, dtype=np.int64), axis)
        chunk = Chunk(corpus, resources, task.types)
        chunk.axis = axis
        answer = process_chunk(chunk, Work(task.metrics, [masked]))
        chunk.forget()
        failures |= answer.failures
        positions += turn_numbers
        names += [name for _, name in pairs]
        for (text, _), counted in answer.rows.items():
            rows[text].append(counted)
    order = np.argsort(np.array(positions), kind="stable")
    joined = {text: Rows.concatenate(parts) for text, parts in rows.items() if text not in failures}
    annotator_names, annotators = np.unique(np.array(names, dtype=object), return_inverse=True)
    return _ReadingCounts(
        batch.numbers[np.array(positions)[order]],
        annotator_names.tolist(),
        annotators[order],
        {text: Rows(table.columns, table.values[order]) for text, table in joined.items()},
        failures,
    )


def _masks_of(document: Document, annotator: str) -> tuple[TypedMask, ...]:
    """What an annotator wants masked, with nothing in its place."""
    marks = (
        mark for annotation in document.annotations if annotation.annotator == annotator for mark in annotation.mentions
    )
    return tuple(
        TypedMask(mention.start, mention.end, None, mention.entity_type) for mention in marks if mention.must_mask
    )


def _layers_without(document: Document, annotator: str) -> list[int]:
    """The numbers of the layers of the other people alone."""
    other_readers = {*document.readers} - {annotator}
    return [number for number, layer in enumerate(document.annotations) if layer.annotator in other_readers]


def _with_layers(document: Document, numbers: Sequence[int]) -> Document:
    return replace(document, annotations=tuple(document.annotations[number] for number in numbers))


class Readings:
    """Every annotator's row on every document that others marked as well."""

    def __init__(self, corpus: Corpus, metrics: Mapping[str, Metric], resources: Resources, most: int) -> None:
        """Reads all of them; `most` annotators, those who share most, can be asked for one by one."""
        self._spilled = SpilledColumns()
        self.failures: dict[str, str] = {}
        self._numbered: dict[str, int] = {}
        pieces: dict[str, list[SpilledColumn]] = {text: [] for text in metrics}  # column after column of some readings
        columns: dict[str, list[tuple[str, ...]]] = {text: [] for text in metrics}
        alike: dict[tuple[str, ...], tuple[str, ...]] = {}  # names that come again and again are kept once
        documents: list[Ints32] = []
        annotators: list[Ints32] = []
        for counted in resources.map_items(
            _count_readings, _ReadingTask(metrics, corpus.survey.types), _find_shared(corpus)
        ):
            self.failures |= counted.failures
            number = [self._numbered.setdefault(name, len(self._numbered)) for name in counted.names]
            documents.append(counted.documents.astype(np.int32))
            annotators.append(np.array(number, dtype=np.int32)[counted.annotators])
            for text, rows in counted.rows.items():
                columns[text].append(alike.setdefault(rows.columns, rows.columns))
                pieces[text].append(self._spilled.put(rows.values.T.ravel()))
        annotator_numbers = np.concatenate(annotators)
        shares = np.bincount(annotator_numbers)
        self.shares = {name: int(shares[number]) for name, number in self._numbered.items()}
        self.named = sorted(self.shares, key=lambda name: (-self.shares[name], name))
        self._lay_out(corpus, np.concatenate(documents), annotator_numbers, self.named[:most])
        sizes = [len(part) for part in documents]
        self._tables = {
            text: self._sum_columns(columns[text], pieces[text], sizes) for text in metrics if text not in self.failures
        }

    def close(self) -> None:
        self._spilled.close()

    def of_annotator(self, annotator: str) -> dict[str, Rows]:
        """By metric, what one annotator's documents count, or groups of them, in the order of their ids."""
        return self._rows_of(self._numbered[annotator])

    def of_all(self) -> dict[str, Rows]:
        """The same of all of them, their rows summed document by document."""
        return self._rows_of(_ALL)

    def _rows_of(self, annotator: int) -> dict[str, Rows]:
        span = self._spans[annotator]
        return {
            text: DerivedRows(names, len(span), partial(self._spilled.blocks, columns, span, BLOCK))
            for text, (names, columns) in self._tables.items()
        }

    def _lay_out(self, corpus: Corpus, documents: Ints32, annotator_numbers: Ints32, named: Sequence[str]) -> None:
        """Where the units of everybody stand in a column: those of all together first, then of each that is named."""
        shared = distinct(documents)
        self._document = np.searchsorted(shared, documents).astype(np.int32)
        order, unit = _units(corpus, shared.astype(np.int64))
        self._order = order.astype(np.int32)
        of_document = np.empty(len(shared), dtype=np.int64)
        of_document[order] = unit
        self._unit = unit.astype(np.int32)
        self._units = int(unit[-1]) + 1
        # In the order of units, of one annotator after the other; others than the named have no part in it.
        rank = np.empty(len(shared), dtype=np.int64)
        rank[order] = np.arange(len(shared))
        turn = np.full(len(self._numbered), len(named), dtype=np.int64)
        turn[[self._numbered[name] for name in named]] = np.arange(len(named))
        by_annotator = np.lexsort((rank[self._document], turn[annotator_numbers]))
        self._each = by_annotator[turn[annotator_numbers[by_annotator]] < len(named)].astype(np.int32)
        key = turn[annotator_numbers[self._each]] * self._units + of_document[self._document[self._each]]
        new = np.concatenate([[True], np.diff(key) != 0]) if len(key) else np.zeros(0, dtype=bool)
        self._each_unit = (np.cumsum(new) - 1).astype(np.int32)
        bounds = self._units + np.searchsorted(key[new] // self._units, np.arange(len(named) + 1))
        self._spans = {_ALL: range(self._units)}
        for number, name in enumerate(named):
            self._spans[self._numbered[name]] = range(int(bounds[number]), int(bounds[number + 1]))

    def _sum_columns(
        self, names: Sequence[tuple[str, ...]], pieces: Sequence[SpilledColumn], sizes: Sequence[int]
    ) -> tuple[tuple[str, ...], list[SpilledColumn]]:
        """One column after the other, of all readings, summed by document and by group; one that a piece lacks is 0."""
        columns = tuple(dict.fromkeys(column for piece_columns in names for column in piece_columns))
        sums = []
        for column in columns:
            values, start = np.zeros(sum(sizes)), 0
            for piece_columns, piece, size in zip(names, pieces, sizes, strict=True):
                if column in piece_columns:
                    at = piece_columns.index(column) * size
                    values[start : start + size] = self._spilled.get(piece, at, at + size)
                start += size
            # Document by document first, in the order of annotators: the last digit of a sum hangs on the order.
            by_document = np.bincount(self._document, values)
            together = np.bincount(self._unit, by_document[self._order])
            one_by_one = np.bincount(self._each_unit, values[self._each])
            sums.append(self._spilled.put(np.concatenate([together, one_by_one])))
        return columns, sums


def _units(corpus: Corpus, numbers: Ints) -> tuple[Ints, Ints]:
    """Documents in the order of their ids, or of their groups and ids, and the number of the unit that each is in."""
    order = _select(corpus.ids, numbers).order()
    if not len(corpus.units.labels):
        return order, np.arange(len(numbers))
    groups = _select(corpus.units.labels, numbers).taken(order)
    by_group = groups.order()  # stable
    return order[by_group], number_sorted_groups(groups.taken(by_group))


def _select(strings: Sequence[str], numbers: Ints) -> Strings:
    if isinstance(strings, Strings):
        return strings.taken(numbers)
    return Strings.of(strings[number] for number in numbers.tolist())


def _find_shared(corpus: Corpus) -> Iterator[_SharedDocuments]:
    """The documents that several people marked, some at a time."""
    shared = np.asarray(corpus.survey.shared, dtype=np.int64)
    for part in chunk_ranges(corpus.survey.lengths[shared], _CHARACTERS):
        numbers = shared[part.start : part.stop]
        first, last = int(numbers[0]), int(numbers[-1])
        if hasattr(corpus.documents, "window"):
            yield _SharedDocuments(window(corpus.documents, range(first, last + 1)), numbers - first, numbers)
        else:  # in memory: no other travels
            yield _SharedDocuments(
                [corpus.documents[number] for number in numbers.tolist()], np.arange(len(numbers)), numbers
            )
