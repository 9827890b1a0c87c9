"""Pairs of true and predicted spans, and which of them match: by nervaluate's rules, and by our own.

All documents are one axis of numbers. A Python loop sees only spans that overlap several others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """The spans of all documents, in the order of the lists, and how many each document has."""

    counts: Numbers
    labels: list[str]
    start: Numbers
    end: Numbers

    @staticmethod
    def of(counts: list[int], labels: list[str], starts: list[int], ends: list[int]) -> Columns:
        integers = (np.array(column, dtype=np.int64) for column in (starts, ends))
        return Columns(np.array(counts, dtype=np.int64), labels, *integers)


@dataclass(frozen=True)
class Spans:
    """The spans that have one of the tags; `label` numbers the tags, and `end` is inclusive."""

    document: Numbers
    label: Numbers
    start: Numbers
    end: Numbers

    def __len__(self) -> int:
        return len(self.document)

    @staticmethod
    def of(columns: Columns, number: dict[str, int], beyond: int) -> Spans:
        """The spans whose tag has a number; `beyond` is what their ends have too much."""
        label = np.array(list(map(number.get, columns.labels, repeat(-1))), dtype=np.int64)
        document = np.repeat(np.arange(len(columns.counts)), columns.counts)
        real = label >= 0
        return Spans(document[real], label[real], columns.start[real], columns.end[real] - beyond)

    def ranks(self, by_tag: bool) -> Numbers:
        """The place of each span in its document, or among those of its tag there."""
        key = self.document * (self.label.max(initial=0) + 1) + self.label if by_tag else self.document
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        places = np.empty(len(self), dtype=np.int64)
        places[order] = np.arange(len(self)) - np.searchsorted(ordered, ordered)
        return places


@dataclass(frozen=True)
class Pairs:
    """Pairs of a true span and a predicted one of a document that overlap enough, or that are the same."""

    true: Numbers
    pred: Numbers
    enough: Flags
    same: Flags
    alike: Flags  # of one label
    distance: Numbers  # of both borders together
    overlap: Numbers

    @staticmethod
    def of(true: Spans, pred: Spans, percentage: float) -> Pairs:
        rows, columns = neighbours(true, pred)
        true_start, true_end, start, end = true.start[rows], true.end[rows], pred.start[columns], pred.end[columns]
        overlap = np.minimum(true_end, end) - np.maximum(true_start, start) + 1
        meets = (start <= true_end) & (end >= true_start)
        length = true_end - true_start + 1
        if (meets & (length == 0)).any():
            raise ZeroDivisionError("a true entity has an end before its start; expected an inclusive end")
        share = np.where(meets, overlap / np.where(length == 0, 1, length) * 100.0, 0.0)
        enough = share >= percentage
        same = (true_start == start) & (true_end == end)
        alike = true.label[rows] == pred.label[columns]
        distance = np.abs(true_start - start) + np.abs(true_end - end)
        return Pairs(rows, columns, enough, same, alike, distance, overlap).only(enough | same)

    def of_one_tag(self) -> Pairs:
        return self.only(self.alike)

    def only(self, chosen_pairs: Flags) -> Pairs:
        return Pairs(
            self.true[chosen_pairs],
            self.pred[chosen_pairs],
            self.enough[chosen_pairs],
            self.same[chosen_pairs],
            self.alike[chosen_pairs],
            self.distance[chosen_pairs],
            self.overlap[chosen_pairs],
        )

    def matched(self, scenario: str, best: bool) -> tuple[Numbers, Numbers, Flags]:
        """True and predicted span of each match, and whether it is right.

        As in nervaluate, each prediction in turn takes a free entity: a right one, else the first that overlaps it
        enough. With `best`, right pairs come first, then those that share most.
        """
        right = {
            "strict": self.same & self.alike,
            "exact": self.same,
            "partial": self.same & self.enough,
            "ent_type": self.enough & self.alike,
        }[scenario]
        chosen_pairs = right | self.enough
        rest = np.flatnonzero(chosen_pairs & ~self.alone)
        true, pred, wrong = self.true[rest], self.pred[rest], ~right[rest]
        if best:
            order = np.lexsort((true, pred, self.distance[rest], -self.overlap[rest], wrong))
        elif scenario == "ent_type":
            order = np.lexsort((true, np.where(wrong, 0, self.distance[rest]), wrong, pred))
        else:
            order = np.lexsort((true, wrong, pred))
        taken = rest[order[first_free(true[order], pred[order])]]
        chosen = np.concatenate((np.flatnonzero(chosen_pairs & self.alone), taken))
        return self.true[chosen], self.pred[chosen], right[chosen]

    @cached_property
    def alone(self) -> Flags:
        """Pairs whose two spans are in no other pair."""
        several = [np.bincount(column)[column] > 1 for column in (self.true, self.pred) if len(column)]
        return ~np.logical_or.reduce(several) if several else np.zeros(0, dtype=bool)


def first_free(true: Numbers, pred: Numbers) -> list[int]:
    """The pairs that are taken if each is taken in turn whose two spans are still free."""
    taken_true, taken_pred, places = set[int](), set[int](), list[int]()
    for number, (row, column) in enumerate(zip(true.tolist(), pred.tolist(), strict=True)):
        if row not in taken_true and column not in taken_pred:
            taken_true.add(row)
            taken_pred.add(column)
            places.append(number)
    return places


def neighbours(true: Spans, pred: Spans) -> tuple[Numbers, Numbers]:
    """All pairs of spans of a document that may overlap; the places of a span are those between its two ends."""
    if not len(true) or not len(pred):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    lows = [np.minimum(spans.start, spans.end) for spans in (true, pred)]
    highs = [np.maximum(spans.start, spans.end) for spans in (true, pred)]
    base = min(int(low.min()) for low in lows)
    stride = max(int(high.max()) for high in highs) - base + 1
    if stride * (int(max(true.document.max(), pred.document.max())) + 1) >= 2**62:
        raise ValueError("offsets are too large")
    low, high = lows[0] - base + true.document * stride, highs[0] - base + true.document * stride
    pred_low, pred_high = lows[1] - base + pred.document * stride, highs[1] - base + pred.document * stride
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    first = np.searchsorted(reach, pred_low)  # before it, no entity reaches the prediction
    count = np.maximum(np.searchsorted(low[order], pred_high, side="right") - first, 0)
    columns = np.repeat(np.arange(len(pred)), count)
    rows = order[np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)]
    return rows, columns
