"""Sums that agreement is made of, kept apart for the documents that intervals are drawn from.

Where there are many documents, several are drawn together: so what is kept does not grow with a corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.data.layout.spans import expand_ranges
from showthrough.studies.agreement.items import Items
from showthrough.studies.agreement.values import Attribute

_WAITING_LIMIT = 1 << 16  # entries that wait to be summed up
_DENSE = 8  # so many places for each entry may be empty


def _sum_by_index(index: Ints, value: Floats, size: int) -> Floats:
    return np.bincount(index, value, minlength=size).astype(np.float64)


class Margins:
    """How often each category was chosen, by series and block; only what occurs is kept."""

    def __init__(self, series: int, blocks: int) -> None:
        self._shape = series, blocks
        self._keys: list[Ints] = []
        self._values: list[Floats] = []
        self._waiting = 0

    def add(self, series: Ints, block: Ints, category: Ints, value: Floats) -> None:
        number, blocks = self._shape
        self._keys.append((category * number + series) * blocks + block)
        self._values.append(value)
        self._waiting += len(category)
        if self._waiting > _WAITING_LIMIT:
            self._sum_up()

    def _sum_up(self) -> None:
        keys = np.concatenate([np.zeros(0, dtype=np.int64), *self._keys])
        values = np.concatenate([np.zeros(0), *self._values])
        if keys.max(initial=0) < _DENSE * len(keys):  # counting is quicker than sorting
            sums = _sum_by_index(keys, values, 0)
            keys = np.flatnonzero(sums)
            values = sums[keys]
        else:
            keys, index = np.unique(keys, return_inverse=True)
            values = _sum_by_index(index, values, len(keys))
        self._keys, self._values, self._waiting = [keys], [values], 0

    def tables(self) -> list[tuple[Ints, Ints, Floats]]:
        """Of each series: blocks, categories and sums, category after category."""
        self._sum_up()
        number, blocks = self._shape
        keys, values = self._keys[0], self._values[0]
        series = keys // blocks % number
        order = np.argsort(series, kind="stable")
        ends = np.searchsorted(series[order], np.arange(number + 1))
        parts = [order[low:high] for low, high in pairwise(ends.tolist())]
        return [(keys[rows] % blocks, keys[rows] // blocks // number, values[rows]) for rows in parts]


@dataclass(frozen=True)
class AgreementTally:
    """Of each series and block: how much was compared, how much of it agreed, and what either side chose."""

    whole: Floats  # series × blocks
    agreeing: Floats
    first: Margins
    second: Margins  # the same as the first where raters are not told apart

    @classmethod
    def empty(cls, blocks: int, series: int = 1, *, sides: int = 1) -> AgreementTally:
        first = Margins(series, blocks)
        second = Margins(series, blocks) if sides > 1 else first
        return cls(np.zeros((series, blocks)), np.zeros((series, blocks)), first, second)

    def add(self, block: Ints, whole: Floats, agreeing: Floats, series: Ints | None = None) -> None:
        shape = self.whole.shape
        key = block if series is None else series * shape[1] + block
        for sums, value in ((self.whole, whole), (self.agreeing, agreeing)):
            sums += _sum_by_index(key, value, sums.size).reshape(shape)


@dataclass(frozen=True)
class RaterChoices:
    """Which categories raters chose of each item, and how many of them did; a row for each item and category."""

    item: Ints
    category: Ints
    raters: Ints

    @classmethod
    def of(cls, items: Items, choices: Ints) -> RaterChoices:
        width = int(choices.max(initial=0)) + 1
        keys, raters = np.unique(items.cells[0] * width + choices, return_counts=True)
        return cls(keys // width, keys % width, raters)

    def agreement(self, items: Items) -> Floats:
        """Of each item, the share of pairs of raters who agree."""
        pairs = _sum_by_index(self.item, self.raters * (self.raters - 1.0), len(items))
        return np.asarray(pairs / (items.raters * (items.raters - 1)))

    def meetings(self, items: Items) -> tuple[Ints, Ints, Floats]:
        """Pairs of categories, the smaller first, and how many pairs of raters chose them, by weight."""
        last = np.searchsorted(self.item, self.item, side="right")
        first, second = expand_ranges(np.arange(len(self.item)), last)
        pairs = np.where(
            first == second, self.raters[first] * (self.raters[first] - 1) / 2, self.raters[first] * self.raters[second]
        )
        width = int(self.category.max(initial=0)) + 1
        keys, index = np.unique(self.category[first] * width + self.category[second], return_inverse=True)
        sums = _sum_by_index(index, pairs * items.weight[self.item[first]], len(keys))
        return keys // width, keys % width, sums


class AllRaters:
    """What Fleiss' κ and Krippendorff's α of one attribute in one unit need.

    κ counts an item once, α as often as it was rated.
    """

    def __init__(self, blocks: int) -> None:
        self.items = AgreementTally.empty(blocks)
        self.ratings = AgreementTally.empty(blocks)

    def add(self, items: Items, chosen: RaterChoices, block: Ints) -> None:
        """`block` is that of each document."""
        raters, agreeing, of_item = items.raters, chosen.agreement(items), block[items.document]
        none = np.zeros(len(chosen.item), dtype=np.int64)
        for tally, times in ((self.items, items.weight), (self.ratings, items.weight * raters)):
            tally.add(of_item, times, times * agreeing)
            value = (times / raters)[chosen.item] * chosen.raters
            tally.first.add(none, of_item[chosen.item], chosen.category, value)


@dataclass(frozen=True)
class LayerPairs:
    """The layers of each two annotators who are compared, wherever both read a document."""

    pair: Ints
    first: Ints
    second: Ints

    @classmethod
    def of(cls, items: Items, numbers: dict[tuple[str, str], int]) -> LayerPairs:
        """Of pairs of names, sorted, with their numbers."""
        marks = items.marks
        names = [annotation.annotator for document in marks.documents for annotation in document.annotations]
        layers = marks.layers
        end = np.cumsum(layers.count)[layers.document]
        first, second = expand_ranges(np.arange(len(names)) + 1, end)
        rows = []
        for left_layer, two in zip(first.tolist(), second.tolist(), strict=True):
            low, high = (left_layer, two) if names[left_layer] < names[two] else (two, left_layer)
            number = numbers.get((names[low], names[high]))
            if number is not None:
                rows.append((number, low, high))
        pair, left, right = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(pair, left, right)

    def add(self, tallies: dict[Attribute, AgreementTally], items: Items, block: Ints) -> None:
        """Adds what each two said of all items of the documents that both read."""
        document = items.marks.layers.document
        size = np.bincount(items.document, minlength=len(items.marks.documents))[document[self.first]]
        row, offset = expand_ranges(np.zeros_like(size), size)
        first_cell, second_cell = items.base[self.first][row] + offset, items.base[self.second][row] + offset
        documents = document[self.first][row]
        pair, of_cell, weight = self.pair[row], block[documents], items.weight[items.first[documents] + offset]
        for attribute, tally in tallies.items():
            choices = items.categories(attribute)
            tally.add(of_cell, weight, weight * (choices[first_cell] == choices[second_cell]), pair)
            tally.first.add(pair, of_cell, choices[first_cell], weight)
            tally.second.add(pair, of_cell, choices[second_cell], weight)
