"""Something wider in place of what is masked: the year of a date, the decade of an age, the country of a city.

What cannot be read in one way only is replaced by its label: a wrong generalization would be a false statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from showthrough.data.documents import Document
from showthrough.models.gazetteer import lies_in
from showthrough.systems.replacing._amounts import magnitude
from showthrough.systems.replacing._context import WORD, MaskedSpan
from showthrough.systems.surrogates.dates import WEEKDAYS, WrittenDate, find_dates
from showthrough.systems.surrogates.numbers import OLD
from showthrough.systems.surrogates.wordlists import FUNCTION

# Only a text that says dates and nothing else is generalized as a date.

_AROUND_DATES = """
    the on in dated date day year end beginning middle early late mid spring summer autumn fall winter fecha día año
    primavera verano otoño invierno i den året
"""
_AROUND = (FUNCTION - {"by", "for", "no", "sin"}) | {*_AROUND_DATES.split(), *chain(*WEEKDAYS)}
_TIME = re.compile(r"\bT?\d{1,2}[:.h]\d{2}(?::\d{2})?\s?(?:(?:[ap]\.?m|hrs|hours|h|Z)\b)?", re.IGNORECASE)


def says_only(text: str, dates: Sequence[WrittenDate]) -> bool:
    """Whether there are dates, and besides them and times of the day nothing of any weight.

    `before 2019` says something else: it is no day of that year.
    """
    for field in sorted((field for date in dates for field in date.fields), key=lambda field: -field.start):
        text = f"{text[: field.start]} {text[field.end :]}"
    return bool(dates) and all(word.casefold() in _AROUND for word in WORD.findall(_TIME.sub(" ", text)))


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOREIGN = re.compile(r"\d{1,2}(?:\.|º|er)?\s+[^\W\d_]{3,}\.?\s+(?P<year>(?:1[89]|20)\d{2})")  # 12. marts 2019
_SURELY_LAST_CENTURY = 31  # of years in two digits: 12 may be a day, a month, 1912 or 2012, and 97 is 1997
_YEARS_OLD = _word_set("""
    a age aged ages alder alt an anni ano anos ans at año años de edad gammel gamle in jahre jahren jährig las los of
    old the y year years yo yr yrs år åringen årig årige
""")
_SURELY_AGES = _YEARS_OLD - FUNCTION - {"in", "las", "los"}
_OLDEST = 125
# What is counted where a number alone is masked: the 18 of an 18-month-old is no age of eighteen years.
_NO_YEARS = re.compile(
    r"\W{0,2}(?:(?:month|week|day|hour|minute)s?|mos?|mths?|wks?|hrs?|d|h|m|w|mes(?:es)?|semanas?|d[ií]as?|horas?|mdr|"
    r"måned(?:er)?s?|uger?s?|dage?s?|timers?)(?![^\W_])",
    re.IGNORECASE,
)


def generalize(document: Document, spans: Sequence[MaskedSpan]) -> list[str | None]:
    """The wider text of each mask, or its label."""
    return [_wider(span) or span.label for span in spans]


def _wider(span: MaskedSpan) -> str:
    if "DATETIME" in span.path:
        return _date(span)
    if "LOCATION" in span.path:
        return next((region for region in lies_in(span.text) if not span.repeats(region)), "")
    if "AGE" in span.path or span.path[-1:] == ("DEM",):
        new = _age(span.text, bare="AGE" in span.path) if not _NO_YEARS.match(span.behind) else ""
    elif "QUANTITY" in span.path and "PERCENT" not in span.path:
        new = magnitude(span.text)
    else:
        return ""
    return "" if span.repeats(new) else new


def _date(span: MaskedSpan) -> str:
    """The year of a day or a month, the month of a day without a year, the decade of a year.

    Years and months are words of the date, and metrics count them as read: where masks overlap, another may hide them.
    """
    if span.alone and (foreign := _FOREIGN.fullmatch(span.text.strip())):
        return foreign["year"]
    dates = [date for date in find_dates(span.text, day_first=True) if date.weekday is None]
    if not says_only(span.text, dates):
        return ""
    years = sorted({date.year for date in dates if date.year is not None and _century_is_sure(date)})
    if all(date.year is None for date in dates):
        months = {field.text for date in dates for field in date.fields if field.name == "name"}
        by_day = all(date.unit == "day" and date.by_name for date in dates)
        return months.pop() if by_day and len(months) == 1 and span.alone else ""
    if not all(date.year in years for date in dates):
        return ""
    ends = years[0], years[-1]
    if all(date.month is not None for date in dates) and span.alone:
        return _range(map(str, ends))
    decades = _range(f"{year // 10}0s" for year in ends)
    return "" if span.repeats(decades) else decades


def _range(ends: Iterable[str]) -> str:
    return "-".join(dict.fromkeys(ends))


def _century_is_sure(date: WrittenDate) -> bool:
    years = [field.text for field in (date.lender or date).fields if field.name == "year"]
    return all(len(year) > 2 or int(year) > _SURELY_LAST_CENTURY for year in years)


def _age(text: str, bare: bool) -> str:
    """`40s` for `aged 45`; over 89 all are one, as in 45 CFR 164.514(b)(2)(i)(C). `bare`: a number alone is an age."""
    numbers = re.findall(r"\d+(?:[.,]\d+)?", text)
    words = {word.casefold() for word in WORD.findall(re.sub(r"\d+", " ", text))}
    if len(numbers) != 1 or not numbers[0].isdecimal() or not words <= _YEARS_OLD:
        return ""
    years = int(numbers[0])
    if years > _OLDEST or not (bare or words & _SURELY_AGES):
        return ""
    return f">{OLD - 1}" if years >= OLD else f"{years // 10}0s" if years >= 10 else "<10"
