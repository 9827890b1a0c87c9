"""Complete dates in a reading form, in whichever way they are written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain
from typing import NamedTuple

from showthrough.data.reading import reading_form

# January to December, in reading form: whole and short names.
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr may jun jul aug sep oct nov dec
    jan feb mar apr may jun jul aug sept oct nov dec
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    ene feb mar abr may jun jul ago setiembre oct nov dic
    januar februar marz april mai juni juli august september oktober november dezember
    janner februar marts april maj juni juli august september oktober november december
    janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
    januari februari maart april mei juni juli augustus september oktober november december
    januari februari mars april maj juni juli augusti september oktober november desember
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
"""
MONTHS: dict[str, int] = {name: place % 12 + 1 for place, name in enumerate(_MONTHS.split())}
_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
_DAYS_IN_WORDS: dict[str, int] = {
    word: day
    for day, word in enumerate(
        [*_ONES, *_TEENS, "twentieth", *(f"twenty {one}" for one in _ONES), "thirtieth", "thirty first"], start=1
    )
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WORDED = "|".join(sorted(_DAYS_IN_WORDS, key=len, reverse=True))
_DAY = rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|o|er)?|(?P<word>{_WORDED}))"
_OF = r"(?:day )?(?:of |de |del |the |i )?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
# Each begins at a space, and looks ahead: one date may begin inside another that is none.
_FORMS = [
    re.compile(pattern)
    for pattern in (
        rf" (?={_DAY} {_OF}(?P<name>{_MONTH}) {_OF}{_YEAR}(?:t\d\d)? )",
        rf" (?=(?P<name>{_MONTH}) (?:the )?{_DAY} {_OF}{_YEAR} )",
        rf" (?=(?P<year>\d{{4}}) (?P<name>{_MONTH}) {_DAY} )",
        r" (?=(?P<year>\d{4}) (?P<one>\d{1,2}) (?P<two>\d{1,2})(?:t\d\d)? )",
        r" (?=(?P<one>\d{1,2}) (?P<two>\d{1,2}) (?P<year>\d{4}|\d{2}) )",
        r" (?=(?P<year>(?:19|20)\d\d)(?P<two>0[1-9]|1[0-2])(?P<one>[0-2]\d|3[01])(?:t\d+z?)? )",
    )
]
_BY_NAME = 3  # the first so many need the name of a month
_PIVOT = 30  # of two digits: 30 is 2030, 31 is 1931, as the reader of dates has it that makes surrogates


class Found(NamedTuple):
    """A date in a reading form, and where it stands there."""

    date: date
    start: int
    end: int


def dates_in(form: str) -> Iterator[Found]:
    """All complete dates of a reading form, which has a space before and after it; 03/04/2010 is two.

    >>> sorted({str(found.date) for found in dates_in(" 3 of may 1997 and 03 04 10 ")})
    ['1997-05-03', '2010-03-04', '2010-04-03']
    """
    forms = _FORMS if not MONTHS.keys().isdisjoint(form.split()) else _FORMS[_BY_NAME:]
    for match in chain.from_iterable(pattern.finditer(form) for pattern in forms):
        groups = match.groupdict()
        year = _full_year(groups["year"])
        if "name" in groups:
            day = _DAYS_IN_WORDS[groups["word"]] if groups["word"] else int(groups["day"])
            orders = [(MONTHS[groups["name"]], day)]
        else:
            one, two = int(groups["one"]), int(groups["two"])
            orders = [(one, two), (two, one)]
        spans = [match.span(name) for name, text in groups.items() if text]
        for month, day in orders:
            try:
                found = date(year, month, day)
            except ValueError:
                continue
            yield Found(found, min(start for start, _ in spans), max(end for _, end in spans))


def complete_dates(text: str) -> frozenset[date]:
    """The complete dates of a mention.

    >>> sorted(map(str, complete_dates("29 de octubre de 1997"))), complete_dates("October 1997")
    (['1997-10-29'], frozenset())
    """
    return frozenset(found.date for found in dates_in(f" {reading_form(text)} "))


def says_day(text: str, dates: frozenset[date]) -> bool:
    """Whether a text still says the day of the month of one of some dates."""
    words = frozenset(re.findall(r"\d+|[^\W\d_]+", reading_form(text)))
    days = {str(each.day) for each in dates} | {f"{each.day:02d}" for each in dates}
    worded = {name for name, day in _DAYS_IN_WORDS.items() if day in {each.day for each in dates}}
    return not words.isdisjoint(days) or any(set(name.split()) <= words for name in worded)


def says_month_or_year(text: str, dates: frozenset[date]) -> bool:
    """Whether a text still says the month or the year of one of some dates."""
    words = frozenset(reading_form(text).split())
    years = {str(each.year) for each in dates}
    months = {each.month for each in dates}
    return (
        not words.isdisjoint(years)
        or any(MONTHS.get(word) in months for word in words)
        or bool(words & _numbers(months))
    )


def _numbers(months: set[int]) -> set[str]:
    return {str(month) for month in months} | {f"{month:02d}" for month in months}


def _full_year(text: str) -> int:
    value = int(text)
    return value if len(text) == 4 else value + (2000 if value <= _PIVOT else 1900)
