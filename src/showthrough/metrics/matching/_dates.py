"""Complete dates in a reading form, in whichever way they are written there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache, lru_cache
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import find_word, reading_form

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
    jan feb mrz apr mai jun jul aug sep okt nov dez
    janv fevr mars avr mai juin juil aout sept oct nov dec
    gen feb mar apr mag giu lug ago sett ott nov dic
    jan fev mrt abr mei jun jul ago sep okt nov des
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia
    ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince
    ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
    ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta
    marraskuuta joulukuuta
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
    ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου
    يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر اكتوبر نوفمبر ديسمبر
    janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
"""
MONTHS: dict[str, int] = {name: index % 12 + 1 for index, name in enumerate(_MONTHS.split())}
_MONTH_NAMES = frozenset(MONTHS)
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
)  # fmt: skip
_DAYS_IN_WORDS: dict[str, int] = {
    word: day
    for day, word in enumerate(
        [*_ONES, *_TEENS, "twentieth", *(f"twenty {ordinal}" for ordinal in _ONES), "thirtieth", "thirty first"],
        start=1,
    )
}
_WORDED = "|".join(sorted(_DAYS_IN_WORDS, key=len, reverse=True))
_DAY = rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|o|er)?|(?P<word>{_WORDED}))"
_OF = r"(?:day )?(?:of |de |del |the |i )?"
_BETWEEN = frozenset(["day", "of", "de", "del", "the", "i"])
_WORDS_BETWEEN = 2  # of them, at most
_LAST_OF_DAYS = frozenset(day.rpartition(" ")[2] for day in _DAYS_IN_WORDS)
_TENS = ("ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEN_TO_NINETEEN = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip


def _in_words(number: int) -> list[str]:
    """The last two digits of a year, as people say them."""
    tens, ones = divmod(number, 10)
    if not number:
        return ["hundred"]
    if not tens:
        return [f"oh {_UNITS[ones - 1]}", f"hundred and {_UNITS[ones - 1]}"]
    if tens == 1:
        return [_TEN_TO_NINETEEN[ones]]
    return [f"{_TENS[tens - 1]} {_UNITS[ones - 1]}" if ones else _TENS[tens - 1]]


_YEARS_IN_WORDS: dict[str, int] = {
    f"{century} {rest}": first + number
    for century, first in (("nineteen", 1900), ("twenty", 2000))
    for number in range(100)
    for rest in _in_words(number)
} | {
    f"two thousand{joint}{rest.removeprefix('hundred and ')}": 2000 + number
    for number in range(100)
    for rest in (_in_words(number)[-1] if number else "",)
    for joint in ((" and ", " ") if number else ("",))
}
_WORDED_YEARS = "|".join(sorted(_YEARS_IN_WORDS, key=len, reverse=True))
# A year of four digits may have letters glued behind it (1997XXX).
_YEAR = rf"(?P<year>\d{{4}}(?=\D)|\d{{2}}(?= |t\d\d )|(?:{_WORDED_YEARS})(?= ))"
# What stands around the name of a month: a day before it or behind it, and a year. Letters may be glued to a day.
_DAY_BEFORE = lazy_pattern(rf" {_DAY} {_OF}$")
_GLUED_DAY = lazy_pattern(rf"(?<=[^\W\d_])(?=\d){_DAY} {_OF}$")
_YEAR_BEFORE = lazy_pattern(r" (?P<year>\d{4}) $")
_YEAR_FIRST = lazy_pattern(r" (?P<year>\d{4}) (?:the )?$")
_YEAR_BEHIND = lazy_pattern(rf" {_OF}{_YEAR}")
_DAY_BEHIND = lazy_pattern(rf" (?:the )?{_DAY} {_OF}{_YEAR}")
_DAY_LAST = lazy_pattern(rf" {_DAY}(?:t\d\d)? ")
_REACH, _GLUED_REACH = 40, 16  # characters around the name of a month, and before it for a day after a letter
# One date may begin inside another that is none, so that each is tried wherever a number begins.
_NUMBERS = [
    lazy_pattern(pattern)
    for pattern in (
        r"(?P<year>\d{4}) (?P<one>\d{1,2}) (?P<two>\d{1,2})(?!\d)",
        r"(?P<one>\d{1,2}) (?P<two>\d{1,2}) (?P<year>\d{4}(?!\d)|\d{2}(?= ))",
        r"(?P<year>(?:19|20)\d\d)(?P<two>0[1-9]|1[0-2])(?P<one>[0-2]\d|3[01])(?!\d)",
        r"(?P<one>[0-3]\d)(?P<two>[0-3]\d)(?P<year>(?:19|20)\d\d)(?!\d)",
    )
]
_SHAPES = bytes(ord("0") if chr(code).isdigit() else ord(" ") if code == 32 else ord("a") for code in range(256))
# Where a date in numbers may begin, in a form whose letters are a and whose digits are 0.
_THREE_NUMBERS = lazy_pattern(rb"0(?<!00)(?=0{0,3} 0{1,2} 0|0{7}(?!0))")
_NEIGHBOURS, _EIGHT = b"0 0", b"00000000"
_IDEOGRAPHIC = lazy_pattern(r"(?P<year>\d{4}) ?[年년] ?(?P<one>\d{1,2}) ?[月월] ?(?P<two>\d{1,2}) ?[日일]")
_PIVOT = 30  # of two digits: 30 is 2030, 31 is 1931, as the reader of dates has it that makes surrogates


class DateMatch(NamedTuple):
    """A date in a reading form, and where it stands there."""

    date: date
    start: int
    end: int


def dates_in(form: str, words: frozenset[str] | None = None) -> Iterator[DateMatch]:
    """All complete dates of a reading form, which has a space before and after it; 03/04/2010 is two.

    `words` are those of the form, or more, where somebody has them.

    >>> sorted({str(match.date) for match in dates_in(" 3 of may 1997 and 03 04 10 ")})
    ['1997-05-03', '2010-03-04', '2010-04-03']
    """
    for name in sorted(_MONTH_NAMES.intersection(form.split() if words is None else words)):
        for at in find_word(form, name):
            yield from _around(form, at, at + len(name))
    if not form.isascii():
        for match in _IDEOGRAPHIC.finditer(form):
            if day := _date_of(int(match["year"]), int(match["one"]), int(match["two"])):
                yield DateMatch(day, *match.span())
    shape = form.encode("latin-1", "replace").translate(_SHAPES)
    if _NEIGHBOURS not in shape and _EIGHT not in shape:
        return
    for candidate in _THREE_NUMBERS.finditer(shape):
        for pattern in _NUMBERS:
            if numbers := pattern.match(form, candidate.start()):
                year, first, second = _full_year(numbers["year"]), int(numbers["one"]), int(numbers["two"])
                for day in (_date_of(year, first, second), _date_of(year, second, first)):
                    if day is not None:
                        yield DateMatch(day, *numbers.span())


def _around(form: str, start: int, end: int) -> Iterator[DateMatch]:
    """The dates whose month is the name that stands there."""
    month = MONTHS[form[start:end]]
    low = max(0, start - _REACH)
    before, behind = form[low:start], form[end : end + _REACH]
    if _may_end_with_day(form, start) and (
        day := _DAY_BEFORE.search(before) or _GLUED_DAY.search(before, max(0, len(before) - _GLUED_REACH))
    ):
        year = _YEAR_BEHIND.match(behind)
        complete = year and _date_of(_full_year(year["year"]), month, _day_of(day))
        first = low + (day.start("day") if day["day"] else day.start("word"))
        if year and complete:
            yield DateMatch(complete, first, end + year.end("year"))
        elif year := _YEAR_FIRST.search(before, 0, first - low):
            complete = _date_of(int(year["year"]), month, _day_of(day))
            if complete:
                yield DateMatch(complete, low + year.start("year"), end)
    if day := _DAY_BEHIND.match(behind):
        complete = _date_of(_full_year(day["year"]), month, _day_of(day))
        if complete:
            yield DateMatch(complete, start, end + day.end("year"))
    if before[-2:-1].isdigit() and (year := _YEAR_BEFORE.search(before)) and (day := _DAY_LAST.match(behind)):
        complete = _date_of(int(year["year"]), month, _day_of(day))
        if complete:
            yield DateMatch(complete, low + year.start("year"), end + max(day.end("day"), day.end("word")))


def _may_end_with_day(form: str, start: int) -> bool:
    """Whether the word before is a number or the last one of a day in words, `day of` aside."""
    word = ""
    for _ in range(_WORDS_BETWEEN + 1):
        low = form.rfind(" ", 0, max(start - 1, 0)) + 1
        word, start = form[low : max(start - 1, 0)], low
        if word not in _BETWEEN:
            break
    return not word.isalpha() or word in _LAST_OF_DAYS


def _day_of(match: re.Match[str]) -> int:
    return _DAYS_IN_WORDS[match["word"]] if match["word"] else int(match["day"])


def _date_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def complete_dates(text: str) -> frozenset[date]:
    """The complete dates of a mention.

    >>> sorted(map(str, complete_dates("29 de octubre de 1997"))), complete_dates("October 1997")
    (['1997-10-29'], frozenset())
    """
    return frozenset(location.date for location in dates_in(f" {reading_form(text)} "))


@lru_cache(maxsize=65536)
def lost_its_day(left: str, dates: frozenset[date]) -> bool:
    """Whether what is left of a date says its month or its year, and not its day.

    >>> day = complete_dates("29 October 1997")
    >>> [lost_its_day(left, day) for left in ("October 1997", "in 1997", "29 October", "[DATE]")]
    [True, True, False, False]
    """
    words = frozenset(_PART.findall(reading_form(left)))
    if any(not words.isdisjoint(_day_words(original.day)) for original in dates):
        return False
    return any(str(original.year) in words or not words.isdisjoint(_month_words(original.month)) for original in dates)


_PART = lazy_pattern(r"\d+|[^\W\d_]+")


@cache
def _day_words(day: int) -> frozenset[str]:
    worded = {name.rpartition(" ")[2] for name, number in _DAYS_IN_WORDS.items() if number == day}
    return frozenset({str(day), f"{day:02d}", *worded})


@cache
def _month_words(month: int) -> frozenset[str]:
    return frozenset({str(month), f"{month:02d}", *(name for name, number in MONTHS.items() if number == month)})


def _full_year(text: str) -> int:
    if text in _YEARS_IN_WORDS:
        return _YEARS_IN_WORDS[text]
    value = int(text)
    return value if len(text) == 4 else value + (2000 if value <= _PIVOT else 1900)
