"""Something wider in place of what is masked: the year of a date, the decade of an age, the country of a city.

What cannot be read in one way only is replaced by its label: a wrong generalization would be a false statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from showthrough.data.documents import Document
from showthrough.models.gazetteer import lies_in
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


# Amounts and counts by the powers of ten on both sides of them.

_SIGNS = {"€": _word_set("€ eur euro euros"), "£": _word_set("£ gbp sterling"), "$": _word_set("$ usd us")}
_CURRENCIES = frozenset().union(*_SIGNS.values()) | _word_set("""
    ¥ aud azn bam bef bgn cad chf cny czk dem dkk dollar dollars esp fim forint francs frank frf grd grivnas hrk huf
    hryvnia ils inr isk itl jpy koruna kr krone kroner krona kronor leu lei lev levs lira liras lire ltl marks mdl mxn
    nlg nok pesetas pesos pln pounds pound ron rubles roubles rsd rub rupees sek skk sit try trl tl uah yen yuan zloty
    zlotys
""")
_SCALES = {
    **dict.fromkeys(("thousand", "tusind", "k"), 1_000),
    **dict.fromkeys(("million", "millions", "millón", "millones", "millioner", "mio"), 1_000_000),
    **dict.fromkeys(("milliard", "milliarder"), 1_000_000_000),
}
# What is counted is left out, and known: an unknown word may be a scale, as the lakh of `25 lakh`.
_COUNTED = _word_set("""
    adults cases cattle centimetres children cm companies days employees families grams ha hectares houses inhabitants
    kg kilograms kilometres km litres m2 men meters metres miles mm patients people persons prisoners pupils sheep
    square students tonnes trees witnesses women workers personas niños hombres mujeres habitantes metros kilómetros
    hectáreas personer børn mænd kvinder meter kilometer
""")
_AROUND_AMOUNTS = _word_set("a de el en i in la of only the")
_NUMBER = re.compile(
    r"\d{1,3}(?:(?P<sign>[.,'’ \u00a0\u202f])\d{3}(?:(?P=sign)\d{3})*)(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?"
)
_MINUS = re.compile(r"[-\u2212–]\s*$")  # a debt is no sum
_PARTS = re.compile(r"[€£$¥]|[^\W\d_]+2?|[^\s().,-]")
_HIGHEST = 10**12
_POWERS = {10**3: "k", 10**6: "M", 10**9: "bn"}


def magnitude(text: str) -> str:
    """What lies between two powers of ten; empty where a text says more than one number, or anything unknown.

    >>> magnitude("EUR 12,450"), magnitude("25 persons"), magnitude("25 lakh")
    ('€10k-100k', '10-100', '')
    """
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1 or _MINUS.search(text[: numbers[0].start()]):
        return ""
    (number,) = numbers
    words = {part.casefold() for part in _PARTS.findall(f"{text[: number.start()]} {text[number.end() :]}")}
    money = words & _CURRENCIES
    scales = [_SCALES[word] for word in words if word in _SCALES]
    value = _value(number, whole=bool(money) and not scales) * (scales[0] if scales else 1)
    if (
        not words <= _AROUND_AMOUNTS | set(_SCALES) | (money or _COUNTED)
        or len(scales) > 1
        or not 0 <= value < _HIGHEST
    ):
        return ""
    signs = [sign for sign, names in _SIGNS.items() if money & names]
    sign = signs[0] if len(signs) == 1 else ""
    low = 10 ** (len(str(int(value))) - 1)
    return f"{sign}{_short(low)}-{_short(low * 10)}" if value >= 10 else f"<{sign}10"


def _value(number: re.Match[str], whole: bool) -> float:
    """What a number says; -1 for 1.234, which is one thousand or one and a bit, unless it is a sum that is written out.

    `EUR 1.234 million` may be 1.2 million or 1.2 milliard, by who wrote it.
    """
    text, sign = number[0], number["sign"]
    if sign is None:
        return float(text.replace(",", "."))
    if sign in ".," and len(re.split("[.,]", text)) == 2 and not whole:
        return -1
    return float(re.sub(r"\D", "", re.sub(r"[.,]\d{1,2}$", "", text)))


def _short(power: int) -> str:
    base = max((candidate for candidate in _POWERS if candidate <= power), default=1)
    return f"{power // base}{_POWERS.get(base, '')}"
