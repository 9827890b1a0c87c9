"""Amounts and counts by the powers of ten on both sides of them."""

from __future__ import annotations

import re


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
_AROUND = _word_set("a de el en i in la of only the")
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
    if not words <= _AROUND | set(_SCALES) | (money or _COUNTED) or len(scales) > 1 or not 0 <= value < _HIGHEST:
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
