"""Something wider in place of what is masked: the year of a date, the decade of an age, the country of a city.

What cannot be read in one way only is replaced by its label: a wrong generalization would be a false statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from showthrough.anonymizers.replacing.masked import WORD, Masked
from showthrough.anonymizers.replacing.places import lies_in
from showthrough.anonymizers.replacing.said_dates import says_only
from showthrough.anonymizers.surrogates.dates import Written, written_dates
from showthrough.anonymizers.surrogates.numbers import OLD
from showthrough.anonymizers.surrogates.wordlists import FUNCTION
from showthrough.data.documents import Document


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FOREIGN = re.compile(r"\d{1,2}(?:\.|º|er)?\s+[^\W\d_]{3,}\.?\s+(?P<year>(?:1[89]|20)\d{2})")  # 12. marts 2019
_SURELY_LAST_CENTURY = 31  # of years in two digits: 12 may be a day, a month, 1912 or 2012, and 97 is 1997
_YEARS_OLD = _set("""
    a age aged ages alder alt an anni ano anos ans at año años de edad gammel gamle in jahre jahren jährig las los of
    old the y year years yo yr yrs år åringen årig årige
""")
_SURELY_AGES = _YEARS_OLD - FUNCTION - {"in", "las", "los"}
_OLDEST = 125

_SIGNS = {"€": _set("€ eur euro euros"), "£": _set("£ gbp sterling"), "$": _set("$ usd")}
_CURRENCIES = frozenset().union(*_SIGNS.values()) | _set("""
    ¥ aud azn bam bef bgn cad chf cny czk dem dkk dollar dollars esp fim forint francs frank frf grd grivnas hrk hryvnia huf
    ils inr isk itl jpy koruna kr krone kroner krona kronor leu lei lev levs lira liras lire ltl marks mdl mxn nlg nok pesetas
    pesos pln pounds pound ron rubles roubles rsd rub rupees sek skk sit try trl tl uah yen yuan zloty zlotys
""")
_SCALES = {
    **dict.fromkeys(("thousand", "tusind", "mil", "k"), 1_000),
    **dict.fromkeys(("million", "millions", "millón", "millones", "millioner", "mio", "mio."), 1_000_000),
    **dict.fromkeys(("milliard", "milliarder"), 1_000_000_000),
}
_COUNTED = _set("""
    adults cases cattle centimetres children cm companies days employees families g grams ha hectares houses inhabitants kg
    kilograms kilometres km l litres m m2 men meters metres miles mm patients people persons prisoners pupils sheep
    square students tonnes trees women workers personas niños hombres mujeres habitantes metros kilómetros hectáreas
    personer børn mænd kvinder meter kilometer
""")  # fmt: skip
_AROUND_NUMBERS = FUNCTION | _set("about approximately around the some over only")
_NUMBER = re.compile(r"\d{1,3}(?:(?P<sign>[.,'’ \u00a0\u202f])\d{3}(?:(?P=sign)\d{3})*)(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?")
_HIGHEST = 10**12
_NAMES = {10**3: "k", 10**6: "M", 10**9: "bn"}


def generalized(document: Document, found: Sequence[Masked]) -> list[str | None]:
    """The wider text of each mask, or its label."""
    return [_wider(one) or one.label for one in found]


def _wider(one: Masked) -> str:
    if "DATETIME" in one.path:
        return _date(one)
    if "LOCATION" in one.path:
        return next((place for place in lies_in(one.text) if not one.repeats(place)), "")
    if "AGE" in one.path or one.path[-1:] == ("DEM",):
        new = _age(one.text, bare="AGE" in one.path)
    elif "QUANTITY" in one.path and "PERCENT" not in one.path:
        new = _magnitude(one.text)
    else:
        return ""
    return "" if one.repeats(new) else new


def _date(one: Masked) -> str:
    """The year of a day or a month, the month of a day without a year, the decade of a year.

    Years and months are words of the date, and metrics count them as read.
    """
    if foreign := _FOREIGN.fullmatch(one.text.strip()):
        return foreign["year"]
    dates = [date for date in written_dates(one.text, day_first=True) if date.weekday is None]
    if not says_only(one.text, dates):
        return ""
    years = sorted({date.year for date in dates if date.year is not None and _century_is_sure(date)})
    if all(date.year is None for date in dates):
        months = {field.text for date in dates for field in date.fields if field.name == "name"}
        by_day = all(date.unit == "day" and date.by_name for date in dates)
        return months.pop() if by_day and len(months) == 1 else ""
    if not all(date.year in years for date in dates):
        return ""
    if all(date.month is not None for date in dates):
        return "-".join(dict.fromkeys(str(year) for year in (years[0], years[-1])))
    decades = "-".join(dict.fromkeys(f"{year // 10}0s" for year in (years[0], years[-1])))
    return "" if one.repeats(decades) else decades


def _century_is_sure(date: Written) -> bool:
    years = [field.text for field in (date.lender or date).fields if field.name == "year"]
    return all(len(year) > 2 or int(year) > _SURELY_LAST_CENTURY for year in years)


def _age(text: str, bare: bool) -> str:
    """`40s` for `aged 45`; over 89 all are one, as in 45 CFR 164.514(b)(2)(i)(C). A number alone is an age if it is bare."""
    numbers = re.findall(r"\d+(?:[.,]\d+)?", text)
    others = {word.casefold() for word in WORD.findall(re.sub(r"\d+", " ", text))}
    if len(numbers) != 1 or not numbers[0].isdecimal() or not others <= _YEARS_OLD:
        return ""
    years = int(numbers[0])
    if years > _OLDEST or not (bare or others & _SURELY_AGES):
        return ""
    return f">{OLD - 1}" if years >= OLD else f"{years // 10}0s" if years >= 10 else "<10"


def _magnitude(text: str) -> str:
    """`€10k-100k` for `EUR 12,450`: the powers of ten on both sides."""
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1:
        return ""
    rest = text[: numbers[0].start()] + " " + text[numbers[0].end() :]
    others = {word.casefold() for word in re.findall(r"[€£$¥]|[^\W\d_]+2?|\S", rest)} - set("().,-")
    money = others & _CURRENCIES
    if not others <= _CURRENCIES | _AROUND_NUMBERS | set(_SCALES) | (frozenset() if money else _COUNTED):
        return ""
    value = _value(numbers[0], bool(money))
    scales = {_SCALES[word] for word in others & set(_SCALES)}
    if value is None or len(scales) > 1:
        return ""
    value *= max(scales, default=1)
    if value >= _HIGHEST:
        return ""
    signs = [sign for sign, names in _SIGNS.items() if money & names]
    sign = signs[0] if len(signs) == 1 else ""
    low = 10 ** (len(str(int(value))) - 1)
    return f"{sign}{_short(low)}-{_short(low * 10)}" if value >= 10 else f"<{sign}10"


def _value(number: re.Match[str], money: bool) -> float | None:
    """What a number says; `None` for 1.234, which is one thousand or one and a bit, unless it is money."""
    text, sign = number[0], number["sign"]
    if sign is None:
        return float(text.replace(",", "."))
    if sign in ".," and text.count(sign) == 1 and len(re.split(r"[.,]", text)) == 2 and not money:
        return None
    return float(re.sub(r"\D", "", re.sub(r"[.,]\d{1,2}$", "", text)))


def _short(power: int) -> str:
    base = max((one for one in _NAMES if one <= power), default=1)
    return f"{power // base}{_NAMES.get(base, '')}"
