"""Perturbations of dates and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from showthrough.studies.stress.carrying import Edit, Page
from showthrough.systems.surrogates.dates import MONTHS, WrittenDate, day_comes_first, find_dates, span_of

_LONG = re.compile(r"(?<![\w.,/-])\d{5,}(?![\w/-])(?![.,]\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:(?P<sign>[,.'\u00a0 ])\d{3})(?:(?P=sign)\d{3})*(?![\w]|[.,]\d)")
_SIGNS = (" ", ".", ",", "'")
_DIGITS = re.compile(r"[0-9]+")
_TO_WIDE = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
_MONTHS = tuple(name.capitalize() for name in MONTHS[0])


def dates(page: Page, rate: float) -> Iterator[Edit]:
    """Dates with day, month and year, unless they can be read two ways or share words with another date."""
    day_first = day_comes_first([page.text])
    written = find_dates(page.text, bool(day_first))
    lenders = [date.lender for date in written if date.lender]
    for date in written:
        start, end = span_of(date)
        if date.lender or date in lenders or not page.is_drawn(page.text[start:end], rate):
            continue
        if date.year and date.month and date.day and (day_first is not None or not _is_ambiguous(date)):
            yield start, end, _another_format(page, date, date.year, date.month, date.day)


def _is_ambiguous(date: WrittenDate) -> bool:
    """Whether 3/4/2004 may be in March or in April."""
    first = date.fields[0].name
    return not date.by_name and first != "year" and max(date.month or 0, date.day or 0) <= 12


def _another_format(page: Page, date: WrittenDate, year: int, month: int, day: int) -> str:
    start, end = span_of(date)
    formats = [f"{year:04d}-{month:02d}-{day:02d}", f"{day:02d}.{month:02d}.{year:04d}"]
    name = _MONTHS[month - 1]
    if not date.by_name or name.casefold() in page.text[start:end].casefold():  # in the language of the document
        formats += [f"{name} {day}, {year:04d}", f"{day} {name} {year:04d}"]
    others = [written for written in formats if written.casefold() != page.text[start:end].casefold()]
    return page.random(f"{year}-{month}-{day}").choice(others)


def digits(page: Page, rate: float) -> Iterator[Edit]:
    for word in page.drawn_words(rate):
        for match in _DIGITS.finditer(word.text):
            yield word.start + match.start(), word.start + match.end(), match[0].translate(_TO_WIDE)


def separators(page: Page, rate: float) -> Iterator[Edit]:
    """Long numbers in groups of three digits; numbers in groups with another separator."""
    for pattern in (_LONG, _GROUPED):
        for match in pattern.finditer(page.text):
            number = re.sub(r"\D", "", match[0])
            if page.is_drawn(number, rate):
                signs = [sign for sign in _SIGNS if sign not in match[0]]
                sign = page.random(number).choice(signs)
                yield *match.span(), _grouped(number, sign)


def _grouped(number: str, sign: str) -> str:
    first = len(number) % 3 or 3
    return sign.join([number[:first], *(number[start : start + 3] for start in range(first, len(number), 3))])
