"""Dates in all their written forms, and the same dates some days later.

Numbers (10/29/1997, 29.10.97, 1997-10-29, 10/29, 10/1997), months by name in English and Spanish, whole or short (Oct
29, 29 October 1997, 29 de octubre de 1997, octubre-97), years, days of the week.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from calendar import isleap
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from showthrough.systems.surrogates.invention import match_capitals

MONTHS: tuple[tuple[str, ...], ...] = (  # each line a way to write them
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
     "december"),
    ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
     "diciembre"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sept", "oct", "nov", "dec"),
)  # fmt: skip
SPANISH_MONTHS, SHORT_MONTHS = (MONTHS[1], MONTHS[3]), MONTHS[2:]
WEEKDAYS: tuple[tuple[str, ...], ...] = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
)
Unit = Literal["day", "month", "year", "weekday", "bare day"]
Span = tuple[int, int]

PLAIN_YEAR = 2001  # where nothing tells the year: one without a 29 February, so that no date becomes one by chance
LEAP_YEAR = 2000
DAYS_OF_YEAR = 365.2425
SAFE_DAYS = 28  # that every month has
_PIVOT = 30  # of two digits: 30 is 2030, 31 is 1931
_SHORT_BOUNDS = (1931, 1969, 2031)  # and for other readers 68 is 2068, 69 is 1969
_BOUNDS = (1800, 1900, 2100, 2201)  # years alone are read in 1800 to 2099, dates without signs from 1900 on

_MONTH = "|".join(sorted({*chain(*MONTHS)}, key=len, reverse=True))
_WEEKDAY = "|".join(sorted({*chain(*WEEKDAYS)}, key=len, reverse=True))
_OF = r"(?:\s*(?:de|del|of)\s+|\s*,\s*|[-/.]\s?|\s+|)"  # no dash with spaces: that is a range
_DAY = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|º)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_FORMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<one>\d{1,2})(?P<sign>\s*[-/.]\s*)(?P<two>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})(?!\d)",
        r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])(?!\d)",
        rf"(?<!\d){_DAY}{_OF}\b(?P<name>{_MONTH})\b\.?(?:{_OF}'?{_YEAR}(?!\d))?",
        rf"\b(?P<name>{_MONTH})\b\.?\s*{_DAY}(?![\d/])(?:[\s,.]+'?(?P<year>\d{{4}}|(?<=')\d{{2}})(?!\d))?",
        rf"\b(?P<name>{_MONTH})\b\.?{_OF}'?{_YEAR}(?!\d)",
        rf"\b(?P<name>{_MONTH})\b",
        r"(?<![\d/.])(?P<month>\d{1,2})(?P<sign>\s*[-/.]\s*)(?P<year>\d{4})(?!\d)",
        r"(?<!\d)(?P<one>\d{1,2})(?P<sign>\s*[-/]\s*)(?P<two>\d{1,2})(?!\d)",
        r"(?<![\d/.])(?P<year>(?:1[89]|20)\d{2})(?!\d|[-/.]\d{1,2}(?!\d))",
        rf"\b(?P<weekday>{_WEEKDAY})\b",
    )
]
_BY_NAME = {form for form in _FORMS if form.pattern.startswith(r"\b")}  # these begin with the name of a month or a day
_WORD = re.compile(r"\w+")
_NAMED = {*chain(*MONTHS, *WEEKDAYS)}


@dataclass(frozen=True)
class DateField:
    """One part of a written date: where it stands and what it says."""

    name: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Shift:
    """How far the dates of a record move.

    Where a day is said, by days; where only a month or a year is, by whole ones, so that two months or two years stay
    as far apart as they were.
    """

    days: int
    months: int
    years: int

    @classmethod
    def nearest(cls, days: int) -> Shift:
        """The whole months and years that come nearest to so many days, and at least one of each."""
        lengths = DAYS_OF_YEAR / 12, DAYS_OF_YEAR
        return cls(days, *(round(days / length) or (days > 0) - (days < 0) for length in lengths))


class MovedDate(NamedTuple):
    """What a date says after a shift. What it does not say has the value that it is read with."""

    year: int
    month: int
    day: int


@dataclass(frozen=True)
class WrittenDate:
    """A date as it is written. What it does not say is `None`."""

    fields: tuple[DateField, ...]
    year: int | None
    month: int | None
    day: int | None
    weekday: int | None = None
    by_name: bool = False  # the month is, and so a day is filled up with a zero only where it was
    fixed: frozenset[str] = frozenset()  # of year, month and day, what stands there and is not to be replaced
    beside: tuple[DateField, ...] = ()  # the year that is so kept
    names: tuple[str, ...] = ()  # the months as this record writes them
    lender: WrittenDate | None = None  # the `5 May` that the 3 of `3 to 5 May` has its month from

    @cached_property
    def unit(self) -> Unit:
        """The smallest part that it says."""
        if self.weekday is not None:
            return "weekday"
        if self.month is None:
            return "year" if self.day is None else "bare day"
        return "month" if self.day is None else "day"

    def at(self, offset: int) -> WrittenDate:
        """The same in a text that has so much before it."""
        fields = tuple(replace(field, start=field.start + offset, end=field.end + offset) for field in self.fields)
        return replace(self, fields=fields, lender=self.lender and self.lender.at(offset))

    def free_year(self) -> WrittenDate:
        """The same with the year beside it replaced as well."""
        if "year" not in self.fixed:
            return self
        fields = tuple(sorted((*self.fields, *self.beside), key=lambda field: field.start))
        lender = self.lender and self.lender.free_year()
        return replace(self, fields=fields, beside=(), fixed=self.fixed - {"year"}, lender=lender)

    def leap_day(self) -> bool:
        return (self.month, self.day) == (2, 29)

    def on(self, year: int) -> date:
        """The day that it stands for, in a year where it does not say one; the first of what it leaves open."""
        return _day(self.year or year, self.month or 1, self.day or 1)

    def move(self, shift: Shift, year: int) -> MovedDate:
        """What it says after a shift, when it is read in a year where it does not say one."""
        unit = self.unit
        if unit == "bare day" and self.day is not None:
            later = self.day + shift.days
            # Of no month, it has to be a day of any.
            return MovedDate(year, 1, later if 1 <= later <= max(SAFE_DAYS, self.day) else (later - 1) % SAFE_DAYS + 1)
        start = self.on(year)
        if unit == "year":
            return MovedDate(start.year + shift.years, start.month, start.day)
        if unit == "month":
            months = start.year * 12 + start.month - 1 + shift.months
            return MovedDate(months // 12, months % 12 + 1, start.day)
        return _later(start, shift.days)

    @cached_property
    def writing(self) -> Hashable:
        """The same for dates that say the same and are written alike, wherever they stand."""
        parts = tuple((field.name, field.text) for field in self.fields)
        return self.year, self.month, self.day, self.weekday, self.by_name, self.names, parts

    @cached_property
    def meaning(self) -> Hashable:
        """The same for dates that say the same, whose years have as many digits and of which the same is kept."""
        lent = self.lender and (self.lender.year, self.lender.month, self.lender.day, self.lender.weekday)
        return self.year, self.month, self.day, self.weekday, self._is_short, self.fixed, lent

    def shift_fields(self, shift: Shift, year: int) -> Iterator[tuple[DateField, str]]:
        """Each part and what it says after a shift, written in the same way."""
        if self.weekday is not None:
            only = self.fields[0]
            yield only, _format_name(WEEKDAYS, only.text, (self.weekday + shift.days) % 7)
            return
        later = self.move(shift, year)
        for field in self.fields:
            yield field, self._format_field(field, later)

    def _format_field(self, field: DateField, later: MovedDate) -> str:
        if field.name == "name":
            return _format_name((self.names,) if self.names else MONTHS, field.text, later.month - 1)
        if field.name == "ordinal":
            return field.text if field.text == "º" else match_capitals(_ordinal(later.day), field.text)
        value: int = getattr(later, field.name)
        width = len(field.text)
        if field.name == "year" and width == 2:
            value %= 100
        if field.name == "day" and self.by_name and not field.text.startswith("0"):
            width = 1
        return f"{value:0{width}d}"

    def can_say(self, year: int) -> bool:
        """Whether a year, written in the same way, is read as that year: 1930 in two digits is not."""
        if self.year is None:
            return True
        bounds = _SHORT_BOUNDS if self._is_short else _BOUNDS
        return bisect_right(bounds, year) == bisect_right(bounds, self.year)

    @cached_property
    def _is_short(self) -> bool:
        """Whether its year has two digits."""
        return any(field.name == "year" and len(field.text) == 2 for field in self.fields)


def span_of(written: WrittenDate) -> Span:
    return written.fields[0].start, written.fields[-1].end


@lru_cache(maxsize=65536)
def _day(year: int, month: int, day: int) -> date:
    if (month, day) == (2, 29):
        year = leap_year_near(year)  # it is written, so there was one
    return date(year, month, day)


@lru_cache(maxsize=65536)
def _later(day: date, days: int) -> MovedDate:
    end = day + timedelta(days=days)
    return MovedDate(end.year, end.month, end.day)


def leap_year_near(year: int) -> int:
    """The year itself, or the last leap year before it."""
    return year if isleap(year) else leap_year_near(year - 1)


def _ordinal(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _number(table: tuple[tuple[str, ...], ...], text: str) -> int | None:
    """Which month or day of the week this is; none, though the pattern took it, is `ſep` or `frİ`."""
    return next((names.index(text.lower()) for names in table if text.lower() in names), None)


def _format_name(table: tuple[tuple[str, ...], ...], text: str, number: int) -> str:
    """Another month or day of the week in the language, length and capitals of this one."""
    names = next(names for names in table if text.lower() in names)
    return match_capitals(names[number], text)


def find_dates(text: str, day_first: bool) -> list[WrittenDate]:
    """All dates in a text, by place. What is no day of any calendar (31/02/1997) is no date.

    >>> [(date.year, date.month, date.day) for date in find_dates("from 10/29 to Nov 3, 1997", day_first=False)]
    [(None, 10, 29), (1997, 11, 3)]
    """
    coverage = bytearray(len(text))
    dates: list[WrittenDate] = []
    words = named_words(text)
    for form in _FORMS:
        for match in form.finditer(text) if form not in _BY_NAME else _match_at(form, text, words):
            written = _read(match, day_first) if 1 not in coverage[match.start() : match.end()] else None
            if written is not None:
                cover(coverage, [match.span()])
                dates.append(written)
    for written_date in list(dates):
        dates += _days_before(text, written_date, coverage)
    return sorted(dates, key=span_of)


def cover(covered: bytearray, spans: Iterable[Span]) -> bytearray:
    """The same bytes, with those of spans set to one."""
    for start, end in spans:
        covered[start:end] = b"\1" * (end - start)
    return covered


def named_words(text: str) -> list[int]:
    """Where words begin that may be months or days of the week."""
    return [match.start() for match in _WORD.finditer(text) if fold_case(match[0]) in _NAMED]


@lru_cache(maxsize=65536)
def fold_case(word: str) -> str:
    """The same for words that a pattern takes for the same whatever their capitals: to it, İ and ı are an i."""
    return word.replace("İ", "i").replace("ı", "i").casefold()


def _match_at(form: re.Pattern[str], text: str, offsets: Sequence[int]) -> Iterator[re.Match[str]]:
    """What `finditer` finds of a pattern that begins with one of some words: it is tried nowhere else."""
    end = 0
    for offset in offsets:
        match = form.match(text, offset) if offset >= end else None
        if match is not None:
            end = match.end()
            yield match


def _days_before(text: str, written_date: WrittenDate, coverage: bytearray) -> Iterator[WrittenDate]:
    """The 3 of `3 to 5 May 1997`, which has its month and year from what follows."""
    start = written_date.fields[0].start
    while written_date.day is not None and written_date.month is not None:
        match = _BEFORE.search(text, max(0, start - _REACH), start)
        if match is None or 1 in coverage[match.start() : match.end()]:
            return
        day = int(match["day"])
        if not is_day(written_date.year, written_date.month, day):
            return
        start = match.start()
        cover(coverage, [match.span("day")])
        yield WrittenDate(
            fields_of(match),
            written_date.year,
            written_date.month,
            day,
            by_name=written_date.by_name,
            lender=written_date,
        )


_REACH = 16  # characters between the start of one day and the start of the next
_BEFORE = re.compile(r"(?<![\d/.-])(?P<day>\d{1,2})(?:\s*[-–,]\s*|\s+(?:al|a|y|e|o|and|to|or)\s+)$")


def fields_of(match: re.Match[str], **names: str) -> tuple[DateField, ...]:
    """The parts of a date that the groups of a pattern are; `names` tells what groups of other names are."""
    groups = {group: text for group, text in match.groupdict().items() if text is not None and group != "sign"}
    return tuple(DateField(names.get(group, group), *match.span(group), text) for group, text in groups.items())


def _read(match: re.Match[str], day_first: bool) -> WrittenDate | None:
    if "weekday" in match.re.groupindex:
        number = _number(WEEKDAYS, match[0])
        return None if number is None else WrittenDate(fields_of(match), None, None, None, number)
    for names in _orders(match, day_first or "." in match[0]):
        fields = fields_of(match, **names)
        texts = {field.name: field.text for field in fields}
        month = int(texts["month"]) if "month" in texts else None
        if "name" in texts:
            number = _number(MONTHS, texts["name"])
            if number is None:
                return None
            month = number + 1
        day = int(texts["day"]) if "day" in texts else None
        year = read_year(texts["year"]) if "year" in texts else None
        if is_day(year, month, day):
            return WrittenDate(fields, year, month, day, by_name="name" in texts)
    return None


def _orders(match: re.Match[str], day_first: bool) -> list[dict[str, str]]:
    """What the two numbers of 10/29 may be, the likelier first."""
    if "one" not in match.re.groupindex:
        return [{}]
    orders = [{"one": "day", "two": "month"}, {"one": "month", "two": "day"}]
    if not day_first:
        orders.reverse()
    if "year" not in match.re.groupindex and int(match["two"]) > 31 and len(match["two"]) == 2:
        orders.append({"one": "month", "two": "year"})  # 3/97
    return orders


def read_year(text: str) -> int:
    value = int(text)
    return value if len(text) == 4 else value + (2000 if value <= _PIVOT else 1900)


def is_day(year: int | None, month: int | None, day: int | None) -> bool:
    """Whether there is such a day, in some year and month where they are not said."""
    if year is not None and not 1800 <= year <= 2200:
        return False
    try:
        date(LEAP_YEAR if year is None else year, 1 if month is None else month, 1 if day is None else day)
    except ValueError:
        return False
    return True


def day_comes_first(texts: Iterable[str]) -> bool | None:
    """Whether people write 29/10 or 10/29, told by what can be read in one way only; `None`: there is no telling.

    Dates without a year are asked only when those with one do not tell.
    """
    texts = list(texts)
    for form in (_FORMS[1], _PAIR):
        numbers = [(int(match["one"]), int(match["two"])) for text in texts for match in form.finditer(text)]
        votes = sum((first > 12 >= two) - (two > 12 >= first) for first, two in numbers)
        if votes:
            return votes > 0
    return None


_PAIR = re.compile(r"(?<![\d/.-])(?P<one>\d{1,2})\s*[-/]\s*(?P<two>\d{1,2})(?![\d/.-])")
