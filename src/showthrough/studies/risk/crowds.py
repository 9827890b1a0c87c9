"""How many people of a population are like each of some: the k of k-anonymity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from showthrough.data.population import Population
from showthrough.studies.risk.learned import Array, ColumnReader, LearnedAttribute, reading_of


class Fate(NamedTuple):
    """What became of an attribute that was learned."""

    used: bool = False
    lacking: bool = False  # the population has no such column
    vague: bool = False  # it was learned too roughly to narrow anybody down
    strange: bool = False  # the column has no such value, so that nobody is left


class Crowds:
    """A population that is asked how many are left, by what was learned. Equal questions are answered once."""

    def __init__(self, population: Population) -> None:
        self.population = population
        self._readings: dict[str, ColumnReader] = {tag: reading_of(tag, population) for tag in population.columns}
        self._fitting: dict[LearnedAttribute, Array | None] = {}

    def sizes(self, people: Sequence[frozenset[LearnedAttribute]]) -> Array:
        """How many are like each of them. Part of a person is possible where a row's ages fit in part."""
        numbers = {attributes: number for number, attributes in enumerate(dict.fromkeys(people))}
        together: dict[tuple[str, ...], list[frozenset[LearnedAttribute]]] = defaultdict(list)
        for attributes in numbers:
            together[tuple(sorted(attribute.tag for attribute in attributes if self.fate(attribute).used))].append(
                attributes
            )
        sizes = np.zeros(len(numbers))
        for tags, group in together.items():
            seen = self.population.over(tags)
            for attributes in group:
                sizes[numbers[attributes]] = self._count_left(seen, attributes)
        return sizes[[numbers[attributes] for attributes in people]]

    def fate(self, attribute: LearnedAttribute) -> Fate:
        if attribute.tag not in self._readings:
            return Fate(lacking=True)
        if attribute not in self._fitting:
            self._fitting[attribute] = self._readings[attribute.tag].fitting(attribute)
        fitting = self._fitting[attribute]
        if fitting is None:
            return Fate(vague=True)
        return Fate(used=True, strange=not fitting.any())

    def _count_left(self, seen: Population, attributes: frozenset[LearnedAttribute]) -> float:
        """Of those rows alone that the most telling attribute leaves, the people that fit in all others too."""
        columns = [
            (seen.columns[attribute.tag], self._fitting[attribute])
            for attribute in attributes
            if self.fate(attribute).used
        ]
        pairs = [(column, fitting) for column, fitting in columns if fitting is not None]
        if not pairs:
            return float(seen.people)
        first, shares = min(pairs, key=lambda pair: int(pair[0].sizes()[pair[1] > 0].sum()))
        rows = first.rows(np.flatnonzero(shares > 0))
        left = seen.counts[rows].astype(np.float64)
        for column, fitting in pairs:
            left *= fitting[column.codes[rows]]
        return float(left.sum())
