"""Which metric of a run a sentence is about: asked by what its record says it is, never by how it is called."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.data.silver import same_detector
from showthrough.metrics import HEADLINE, Count, Role, parse_metric
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run
from showthrough.statistics import as_many_alike, forms
from showthrough.storage.columns.stored_strings import StoredStrings

# Roles whose names are names of metrics or families as well: who asks for the role says so by these.
RECALL: Role = "recall"
PRECISION: Role = "precision"
INFORMATION: Role = "information"
MEANING: Role = "meaning"
RESIDUAL: Role = "residual"
ATTACKS: tuple[Role, ...] = ("attack", "inference", "attributes")  # somebody tries to find out what is hidden
_RELEASE: Role = "release"


def find_metrics(run: Run, role: Role) -> list[MetricRecord]:
    """The metrics that were computed and have a role, in the order of the run."""
    records = [record for record in run.metrics if role in record.roles and record.text in run.rows]
    return [record for record in records if role != "direct identifiers" or _tells_leaks(run, record)]


def _tells_leaks(run: Run, record: MetricRecord) -> bool:
    """Whether it can be told from the rows what leaks: without counts nothing would, and that must not be said."""
    columns = [column for column, kind in record.counts.items() if kind != "wrong"]
    complete = all(column in run.rows[record.text].get(name, ()) for name in run.names for column in columns)
    return complete and {"right", "all"} <= set(record.counts.values())


def choose_metric(run: Run, *roles: Role) -> MetricRecord | None:
    """The one metric that sentences about all anonymizations are about, so that like is compared with like.

    Of several, one that reads all of the release goes before others, one that has a number for every anonymization
    before one that has not, the first role before the next, the metric without parameters of its own before others, and
    then the order of the run decides.
    """
    every = [(rank, record) for rank, role in enumerate(roles) for record in find_metrics(run, role)]
    lacking = [not all(headline(run, name, record) for name in run.names) for _, record in every]
    ranked = [
        ((not goes_first(record), lacks, rank, record.text != record.name), record)
        for (rank, record), lacks in zip(every, lacking, strict=True)
    ]
    return min(ranked, key=lambda pair: pair[0], default=(None, None))[1]


def goes_first(record: MetricRecord) -> bool:
    """Whether a metric reads all of a release: what was marked can be hidden there and appear elsewhere."""
    return _RELEASE in record.roles


def own_detector(run: Run, name: str, record: MetricRecord) -> str:
    """The detector of a metric, where it is of one family with a system: it finds nothing that this one looked for."""
    detector = str(record.parameters.get("detector", "")) if RESIDUAL in record.roles else ""
    made_by = next((system for system in run.anonymizations if system.name == name), None)
    if not detector or made_by is None:
        return ""
    anonymizer = made_by.made.anonymizer if made_by.made else ""
    return detector if same_detector(detector, [made_by.name, made_by.source], anonymizer) else ""


def headline(run: Run, name: str, record: MetricRecord | None) -> Score | None:
    """The number that a metric is known by; `None` where it has none for this anonymization."""
    score = None if record is None else run.parts(name, record.text).get(HEADLINE)
    return None if score is None or score.value is None else score


def as_many_even(run: Run, name: str, text: str, part: str = HEADLINE) -> float | None:
    """As many documents, or groups of them, that weigh alike as carry a number: (Σw)² / Σw² of what each counts.

    `None` where it is no share of what documents have. Of a metric that is not installed here, its counts tell.
    """
    if text not in run.rows or name not in run.rows[text]:
        return None
    rows = run.units(run.rows_of(text, name))
    if run.incomparable(text):
        counting = [
            column for column, kind in run.record(text).counts.items() if kind == "all" and column in rows.columns
        ]
        weights = sum(rows.column(column) for column in counting)
        squares = float(np.sum(weights**2))
        return float(np.sum(weights)) ** 2 / squares if squares else None
    metric = parse_metric(text)
    form = next(iter(forms(metric.combine, rows.columns, [part])), None) if metric.apart else None
    return as_many_alike(form, rows)


class DocumentCounts(Mapping[str, int]):
    """How many there are of something, by document; documents that have none are not in it."""

    def __init__(self, documents: Sequence[str], counts: Sequence[float] | Floats) -> None:
        self._documents = documents
        every = np.asarray(counts)
        self._numbers = np.flatnonzero(every > 0)
        self._counts = every[self._numbers]

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return dict(self.items())

    def __getitem__(self, document: str) -> int:
        return self._by_id[document]

    def __iter__(self) -> Iterator[str]:
        return (self._documents[number] for number in self._numbers.tolist())

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def total(self) -> int:
        return int(np.trunc(self._counts).sum())

    def items(self) -> ItemsView[str, int]:
        return _Items(self)

    def most(self, count: int) -> list[tuple[str, int]]:
        """Those that have most, the first few of them; of equal ones those whose ids come first."""
        chosen = first(self._documents, [self._counts], count, self._numbers)[:count]
        indices = np.searchsorted(self._numbers, chosen)
        return [(self._documents[number], int(self._counts[at])) for number, at in zip(chosen, indices, strict=True)]

    def every(self, documents: int) -> Floats:
        """How many there are in each of so many documents."""
        counts = np.zeros(documents)
        counts[self._numbers] = self._counts
        return counts


def first(documents: Sequence[str], counts: Sequence[Floats], most: int, numbers: Ints | None = None) -> list[int]:
    """Numbers of the documents that have most, by the first of some counts, then by the next, then by their ids."""
    numbers = np.arange(len(documents)) if numbers is None else numbers
    order = np.lexsort([-count for count in reversed(counts)])  # the last key first; stable
    if not isinstance(documents, StoredStrings) and len(order) > most:  # which are in the order of ids
        tied = np.all([count[order] == count[order[most - 1]] for count in counts], axis=0)
        most = max(most, int(np.flatnonzero(tied)[-1]) + 1)
    chosen = order[:most]
    if not isinstance(documents, StoredStrings):
        keys = [(*(-float(count[index]) for count in counts), documents[numbers[index]]) for index in chosen.tolist()]
        chosen = chosen[sorted(range(len(chosen)), key=keys.__getitem__)]
    return list(map(int, numbers[chosen]))


class _Items(ItemsView[str, int]):
    """As of any mapping, without looking for each document."""

    _mapping: DocumentCounts

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self._mapping, map(int, self._mapping._counts.tolist()), strict=True)


def in_all(values: Sequence[float] | Floats) -> float:
    """The sum of a column, in memory or from a file."""
    return float(values.sum()) if isinstance(values, np.ndarray) else sum(values)


def count_by_kind(run: Run, record: MetricRecord, name: str, kind: Count) -> Sequence[float] | Floats:
    """How many things a metric counts in each document: what is `right`, what is `wrong`, or `all`."""
    columns = run.rows[record.text][name]
    return _sum_columns(run, [columns[column] for column, is_ in record.counts.items() if is_ == kind])


def _sum_columns(run: Run, columns: Sequence[Sequence[float]]) -> Sequence[float] | Floats:
    """Columns one upon the other."""
    if run.in_files:
        return sum(map(_float, columns), np.zeros(len(run.documents)))
    return columns[0] if len(columns) == 1 else list(map(sum, zip(*columns, strict=True)))


def _float(column: Sequence[float]) -> Floats:
    return np.asarray(column, dtype=np.float64)


def leaks(run: Run, record: MetricRecord, name: str) -> DocumentCounts:
    """Documents in which a marked identifier can still be read, and how many (as annotators count them)."""
    return DocumentCounts(run.documents, wrongs(run, record, name))


def wrongs(run: Run, record: MetricRecord, name: str) -> Sequence[float] | Floats:
    """How many of the things that a metric counts are wrong in each document; 0 where it does not tell."""
    kinds = set(record.counts.values())
    if {"right", "all"} <= kinds:
        right, every = (np.asarray(count_by_kind(run, record, name, kind)) for kind in ("right", "all"))
        wrong: Floats = every - right
        return wrong if run.in_files else list(wrong.tolist())
    columns = run.rows[record.text][name]
    wrong_columns = [columns[column] for column, kind in record.counts.items() if kind == "wrong" and column in columns]
    added = _sum_columns(run, wrong_columns)
    return added if len(added) else [0.0] * len(run.documents)
