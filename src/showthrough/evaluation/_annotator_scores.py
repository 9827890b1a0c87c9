"""What each annotator reaches on each document that others marked too: counted by workers, kept column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints, Ints32, distinct
from showthrough.data.documents import CHUNK_CHARACTERS, Corpus, Document, chunk_ranges, documents_at, window
from showthrough.evaluation._chunks import ReadingCounts, count_readings
from showthrough.metrics import Metric, Rows
from showthrough.metrics.chunk import Chunk
from showthrough.metrics.derived import DerivedRows
from showthrough.models import Resources
from showthrough.run.units import number_sorted_groups
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.ranges import RangeSet
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


def _count_shared(resources: Resources, task: _ReadingTask, batch: _SharedDocuments) -> ReadingCounts:
    """The readings of documents that no chunk counted."""
    chunk = Chunk(Corpus(documents_at(batch.documents, batch.places)), resources, task.types)
    counted = count_readings(chunk, task.metrics)
    chunk.forget()
    if counted is None:
        raise LookupError  # the survey says that several people marked them
    return counted._replace(documents=batch.numbers[counted.documents])


class _Piece(NamedTuple):
    """The readings of some documents; of each metric the names of its columns, which lie one after the other."""

    documents: Ints32  # of each reading, the number of its document
    annotators: Ints32  # and of its annotator
    rows: dict[str, tuple[tuple[str, ...], SpilledColumn]]


class Readings:
    """Every annotator's row on every document that others marked as well."""

    def __init__(self) -> None:
        self._spilled = SpilledColumns()
        self.failures: dict[str, str] = {}
        self._numbered: dict[str, int] = {}
        self._looked = RangeSet()  # the documents of chunks that were counted
        self._pieces: list[_Piece] = []
        self._alike: dict[tuple[str, ...], tuple[str, ...]] = {}  # names that come again and again are kept once

    def take(self, numbers: range, counted: ReadingCounts | None) -> None:
        """What came of the documents of a chunk."""
        self._looked.add(numbers)
        if counted is not None:
            self._take(counted._replace(documents=numbers.start + counted.documents))

    def _take(self, counted: ReadingCounts) -> None:
        self.failures |= counted.failures
        number = [self._numbered.setdefault(name, len(self._numbered)) for name in counted.names]
        self._pieces.append(
            _Piece(
                counted.documents.astype(np.int32),
                np.array(number, dtype=np.int32)[counted.annotators],
                {
                    text: (self._alike.setdefault(rows.columns, rows.columns), self._spilled.put(rows.values.T.ravel()))
                    for text, rows in counted.rows.items()
                },
            )
        )

    def complete(self, corpus: Corpus, metrics: Mapping[str, Metric], resources: Resources, most: int) -> None:
        """Counts what no chunk did. `most` annotators, those who share most, can be asked for one by one."""
        task = _ReadingTask(metrics, corpus.survey.types)
        for counted in resources.map_items(_count_shared, task, _find_shared(corpus, self._looked)):
            self._take(counted)
        pieces = sorted(self._pieces, key=lambda piece: int(piece.documents[0]))  # chunks are done in any order
        annotator_numbers = np.concatenate([piece.annotators for piece in pieces])
        shares = np.bincount(annotator_numbers)
        self.shares = {name: int(shares[number]) for name, number in self._numbered.items()}
        self.named = sorted(self.shares, key=lambda name: (-self.shares[name], name))
        self._lay_out(
            corpus, np.concatenate([piece.documents for piece in pieces]), annotator_numbers, self.named[:most]
        )
        self._tables = {text: self._sum_columns(text, pieces) for text in metrics if text not in self.failures}

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

    def _sum_columns(self, text: str, pieces: Sequence[_Piece]) -> tuple[tuple[str, ...], list[SpilledColumn]]:
        """One column after the other, of all readings, summed by document and by group; one that a piece lacks is 0."""
        columns = tuple(dict.fromkeys(column for piece in pieces for column in piece.rows[text][0]))
        sums = []
        for column in columns:
            values, start = np.zeros(sum(len(piece.documents) for piece in pieces)), 0
            for piece in pieces:
                (names, content), size = piece.rows[text], len(piece.documents)
                if column in names:
                    at = names.index(column) * size
                    values[start : start + size] = self._spilled.get(content, at, at + size)
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


def _find_shared(corpus: Corpus, looked: RangeSet) -> Iterator[_SharedDocuments]:
    """The documents that several people marked and that no chunk counted, some at a time."""
    shared = np.asarray(corpus.survey.shared, dtype=np.int64)
    for done in looked.ranges:
        shared = shared[(shared < done.start) | (shared >= done.stop)]
    for part in chunk_ranges(corpus.survey.lengths[shared], _CHARACTERS):
        numbers = shared[part.start : part.stop]
        first, last = int(numbers[0]), int(numbers[-1])
        if hasattr(corpus.documents, "window"):
            yield _SharedDocuments(window(corpus.documents, range(first, last + 1)), numbers - first, numbers)
        else:  # in memory: no other travels
            yield _SharedDocuments(
                [corpus.documents[number] for number in numbers.tolist()], np.arange(len(numbers)), numbers
            )
