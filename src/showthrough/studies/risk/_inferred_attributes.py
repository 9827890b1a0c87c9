"""What was learned of people, and whom of a population it leaves.

An attribute narrows a population down as far as it was learned, and no further: an age to the shortest range that has
both the guess and the truth in it, a place to the levels that are right. Where a table has rows that fit exactly, those
count alone; rows that fit by the rules of agreement, or are coarser, count where there are no others. So as few people
are left as an attacker could make sure of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import InputError, Problem, quote_value
from showthrough.data.population import Population, PopulationColumn
from showthrough.families.inference.agreement import FULL, age_of, agreement, plain
from showthrough.models.countries import names_of

AGE, NATIONALITY = "AGE", "NATIONALITY"
# What leads to one person by itself, however many others are like them.
DIRECT = frozenset({
    "NAME", "IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER", "EMAIL_ADDRESS",
})  # fmt: skip
_PLACES = frozenset({"LOCATION", "BIRTH_CITY_COUNTRY"})
_OLDEST = 120
_AND_UP = r"\+|(?:and|or) (?:over|older|above|more)"
_FROM = re.compile(rf"(?:over|above|older than|>(=)?|(≥))\s*(\d{{1,3}})|(\d{{1,3}})\s*(?:{_AND_UP})")
_UNDER = re.compile(r"(?:under|below|younger than|<(=)?|(≤))\s*(\d{1,3})")
_LEVELS = re.compile(r"[/,]")


class LearnedAttribute(NamedTuple):
    """An attribute that was inferred: wholly right (1), or right and less precise (0.5)."""

    tag: str  # as in a population
    true: str
    guess: str
    agreement: float


class ColumnReader(Protocol):
    """The values of a column as its tag has them compared."""

    def fitting(self, learned: LearnedAttribute) -> Floats | None:
        """What share of the people with each value fits; `None` where it was learned too roughly to leave some out."""
        ...


def reading_of(tag: str, population: Population) -> ColumnReader:
    """Raises InputError where ages are none."""
    column = population.columns[tag]
    if tag == AGE:
        return _AgeRanges(column, population.source or population.name)
    return _PlaceLevels(column) if tag in _PLACES else _Words(tag, column)


def ages_of(text: str) -> tuple[int, int] | None:
    """The ends of an age, of a range or of one that is open on a side.

    >>> ages_of("30-34"), ages_of("90+"), ages_of("over 89"), ages_of("under 5"), ages_of("lawyer")
    ((30, 34), (90, 120), (90, 120), (0, 4), None)
    """
    value = plain(text)
    if match := _FROM.fullmatch(value):
        least = int(match[4]) if match[4] else int(match[3]) + (not (match[1] or match[2]))
        return least, max(least, _OLDEST)
    if match := _UNDER.fullmatch(value):
        most = int(match[3]) - (not (match[1] or match[2]))
        return min(0, most), most
    return age_of(value)


class _AgeRanges:
    """Ranges of ages; of one that fits in part, so many as if its people were of all its ages alike."""

    def __init__(self, column: PopulationColumn, file: str) -> None:
        ends = [ages_of(value) if value else None for value in column.values]
        wrong = [value for value, age_range in zip(column.values, ends, strict=True) if value and not age_range]
        if wrong:
            expected = "expected an age or a range of ages, such as 34, 30-34 or 90+"
            raise InputError(Problem(file, f"column {AGE}", f"found {quote_value(text)}; {expected}") for text in wrong)
        self._empty = np.array([age_range is None for age_range in ends], dtype=bool)
        self._low, self._high = np.array([age_range or (0, 0) for age_range in ends], dtype=np.float64).T.reshape(2, -1)

    def fitting(self, learned: LearnedAttribute) -> Floats | None:
        ranges = [age_range for age_range in map(ages_of, (learned.true, learned.guess)) if age_range]
        if not ranges:
            return None
        low, high = min(age_range[0] for age_range in ranges), max(age_range[1] for age_range in ranges)
        inside = np.minimum(self._high, high) - np.maximum(self._low, low) + 1
        share = np.maximum(inside, 0) / (self._high - self._low + 1)
        return np.where(self._empty, 1.0, share)


class _PlaceLevels:
    """Levels from special to general. Rows of a place and of all that lies in it; else of what it lies in."""

    def __init__(self, column: PopulationColumn) -> None:
        self._size = len(column.values)
        self._empty = [code for code, value in enumerate(column.values) if not value]
        self._inside: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._named: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for code, levels in enumerate(map(_levels, column.values)):
            self._named[levels].append(code)
            for start in range(len(levels)):
                self._inside[levels[start:]].append(code)

    def fitting(self, learned: LearnedAttribute) -> Floats | None:
        levels = _levels(learned.true)
        if learned.agreement < FULL:
            levels = _common(levels, _levels(learned.guess))
        if not levels:
            return None
        wider = (self._named.get(levels[start:]) for start in range(1, len(levels)))
        return _ones(self._size, self._inside.get(levels) or next(filter(None, wider), ()), self._empty)


class _Words:
    """Any other values: those that read the same, else those that agree by the rules."""

    def __init__(self, tag: str, column: PopulationColumn) -> None:
        self._tag, self._values = tag, column.values
        self._empty = [code for code, value in enumerate(column.values) if not value]
        self._codes: dict[str, list[int]] = defaultdict(list)
        for code, value in enumerate(column.values):
            self._codes[self._normalize(value)].append(code)

    def fitting(self, learned: LearnedAttribute) -> Floats | None:
        values = (learned.true, learned.guess) if learned.agreement >= FULL else (learned.guess,)
        codes = next(filter(None, map(self._matching_codes, values)), None)
        if codes is None and learned.agreement < FULL:
            return None
        return _ones(len(self._values), codes or (), self._empty)

    def _matching_codes(self, value: str) -> list[int]:
        if exact := self._codes.get(self._normalize(value)):
            return exact
        candidates: Iterable[tuple[int, str]] = enumerate(self._values)
        if self._tag == NATIONALITY and _is_country(value):  # Austria is not nearly Australia
            candidates = ((code, other) for code, other in candidates if not _is_country(other))
        return [code for code, other in candidates if other and agreement(self._tag, other, value) == FULL]

    def _normalize(self, value: str) -> str:
        return _country(value) if self._tag == NATIONALITY else plain(value)


def _levels(location: str) -> tuple[str, ...]:
    """From the most special one on; of a country, whichever of its names stands there.

    >>> _levels("Ankara / Turkey") == _levels("Ankara, Türkiye")
    True
    """
    return tuple(map(_country, filter(None, map(str.strip, _LEVELS.split(location)))))


def _country(location: str) -> str:
    """A place as it is compared, a country by one name; also where its people or its adjective stand for it.

    >>> _country("Turkish") == _country("Türkiye"), _country("Oslo")
    (True, 'oslo')
    """
    return plain(names_of(location)[0])


def _is_country(location: str) -> bool:
    return len(names_of(location)) > 1


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The levels that two places share, from the most general on.

    >>> _common(("oslo", "norway"), ("bergen", "norway")), _common(("paris", "france"), ("paris", "texas"))
    (('norway',), ())
    """
    shared = 0
    while shared < min(len(first), len(second)) and first[-1 - shared] == second[-1 - shared]:
        shared += 1
    return first[len(first) - shared :]


def _ones(size: int, *codes: Iterable[int]) -> Floats:
    shares = np.zeros(size)
    for group in codes:
        shares[list(group)] = 1.0
    return shares
