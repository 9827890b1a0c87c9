"""A population: how many people there are of each combination of attributes, such as age, sex and place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Ints
from showthrough.core.patterns import lazy_pattern

_BETWEEN = lazy_pattern(r"[\s_-]+")
_SAME = {"CITY_COUNTRY": "LOCATION", "RELATIONSHIP_STATUS": "RELATIONSHIP"}  # of profiles, and of documents
_WIDEST = 2**62  # numbers of rows that can be told apart by one product of columns
_SMALL = 1_000_000  # of which a list is shorter than sorting them


def tag_of(name: str) -> str:
    """What an attribute is called in a population, whoever called it so.

    >>> tag_of("age"), tag_of("Birth city-country"), tag_of("relationship_status")
    ('AGE', 'BIRTH_CITY_COUNTRY', 'RELATIONSHIP')
    """
    tag = _BETWEEN.sub("_", name.strip()).upper()
    return _SAME.get(tag, tag)


@dataclass(frozen=True, eq=False)
class PopulationColumn:
    """An attribute of every row: the different values, and by number which of them a row has. Empty: not known."""

    values: tuple[str, ...]
    codes: Ints

    @classmethod
    def of(cls, cells: Sequence[str]) -> PopulationColumn:
        """
        >>> PopulationColumn.of(["Oslo", "", "Oslo"]).codes.tolist()
        [0, 1, 0]
        """
        numbers: dict[str, int] = {}
        codes = np.fromiter((numbers.setdefault(cell, len(numbers)) for cell in cells), np.int64, len(cells))
        return cls(tuple(numbers), codes)

    @cached_property
    def value_order(self) -> tuple[Ints, Ints]:
        """The rows in the order of their values, and where in it those of each value begin, and the last end."""
        sizes = np.bincount(self.codes, minlength=len(self.values))
        return np.argsort(self.codes, kind="stable"), np.concatenate(([0], np.cumsum(sizes)))

    def rows(self, codes: Ints) -> Ints:
        """The rows that have one of these values."""
        order, ends = self.value_order
        slices = [order[ends[code] : ends[code + 1]] for code in codes.tolist()]
        return np.concatenate(slices) if slices else np.zeros(0, np.int64)

    def sizes(self) -> Ints:
        """How many rows have each value."""
        return np.diff(self.value_order[1])

    def at(self, rows: Ints) -> PopulationColumn:
        return replace(self, codes=self.codes[rows])


@dataclass(frozen=True, eq=False)
class Population:
    """Rows of attributes by tag, each with how many people have them; no two rows are alike."""

    columns: Mapping[str, PopulationColumn]
    counts: Ints
    name: str = "population"
    source: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Mapping[str, PopulationColumn | Sequence[str]],
        counts: ArrayLike,
        name: str = "population",
        source: str = "",
    ) -> Population:
        """Rows that are alike are added together; a note says so.

        >>> people = Population.of({"SEX": ["f", "m", "f"]}, [3, 4, 5])
        >>> people.counts.tolist(), people.people, people.notes
        ([8, 4], 12, ('population: 1 row repeats the attributes of another; their counts were added',))
        """
        tagged = {
            tag_of(tag): column if isinstance(column, PopulationColumn) else PopulationColumn.of(column)
            for tag, column in columns.items()
        }
        population = cls(tagged, np.asarray(counts, dtype=np.int64), name, source)
        merged = population.over(tagged)
        if not (more := len(population) - len(merged)):
            return population
        rows = "1 row repeats" if more == 1 else f"{more:,} rows repeat"
        return replace(merged, notes=(f"{name}: {rows} the attributes of another; their counts were added",))

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def people(self) -> int:
        return int(self.counts.sum())

    def over(self, tags: Collection[str]) -> Population:
        """The same people by some of their attributes alone."""
        columns = {tag: column for tag, column in self.columns.items() if tag in tags}
        first, number = _alike(list(columns.values()), len(self))
        counts = np.bincount(number, self.counts, len(first)).astype(np.int64)  # exact: nobody has 2⁵³ people
        return replace(
            self, columns={tag: kept_column.at(first) for tag, kept_column in columns.items()}, counts=counts
        )

    @property
    def uncertain(self) -> int:
        """People of whom some attribute is not known."""
        empty = np.zeros(len(self), dtype=bool)
        for column in self.columns.values():
            empty |= np.array([not value for value in column.values], dtype=bool)[column.codes]
        return int(self.counts[empty].sum())

    @cached_property
    def digest(self) -> str:
        """Of all that counts, in whatever order."""
        tags = sorted(self.columns)
        values = [sorted(self.columns[tag].values) for tag in tags]
        ranks = [np.argsort(np.argsort(np.array(self.columns[tag].values, dtype=object))) for tag in tags]
        codes = [rank[self.columns[tag].codes] for rank, tag in zip(ranks, tags, strict=True)]
        order = np.lexsort((self.counts, *reversed(codes)))
        hasher = sha256(msgspec.json.encode([tags, values]))
        for column in (*codes, self.counts):
            hasher.update(np.ascontiguousarray(column[order], dtype="<i8").tobytes())
        return hasher.hexdigest()


def _alike(columns: Sequence[PopulationColumn], rows: int) -> tuple[Ints, Ints]:
    """Of rows that are alike the first, and of each row the number of those that it belongs to."""
    key, span = np.zeros(rows, np.int64), 1
    for column in columns:
        if span * len(column.values) > _WIDEST:
            unique_keys, key = np.unique(key, return_inverse=True)
            span = len(unique_keys)
        key = key * len(column.values) + column.codes
        span *= len(column.values)
    if span > max(_SMALL, rows):
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return first, number
    first_row = np.full(span, rows, np.int64)
    np.minimum.at(first_row, key, np.arange(rows))
    occupied = np.flatnonzero(first_row < rows)
    number = np.zeros(span, np.int64)
    number[occupied] = np.arange(len(occupied))
    return first_row[occupied], number[key]
