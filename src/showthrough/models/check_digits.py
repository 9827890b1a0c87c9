"""Numbers that check: identifiers whose digits follow from each other, so that an invented one is nearly never valid.

Sources: ISO/IEC 7812-1 (cards), ISO 13616 (IBAN), Real Decreto 1553/2005 and Orden INT/2058/2008 (Spanish NIF and
NIE), ISO 7064 modulo 11,10 (German tax number, § 139b AO), Code de la sécurité sociale R161-1 (French NIR), Decreto
ministeriale of 23 December 1976 (Italian codice fiscale), the Dutch elfproef (BSN), NHS Data Dictionary (NHS number).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern

_SIGNS = lazy_pattern(r"[ .\-\u00a0/]")
_NIF = "TRWAGMYFPDXBNJZSQVHLCKE"
# What a sign of an Italian code counts in an odd place: of 0 to 9 and of A to J the same, then of K to Z.
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def luhn(number: str) -> bool:
    """Whether the last digit of a card's number checks (ISO/IEC 7812-1).

    >>> luhn("4539 1488 0343 6467"), luhn("4539 1488 0343 6468")
    (True, False)
    """
    digits = [int(character) for character in reversed(number) if character.isdecimal()]
    doubled = (2 * digit - 9 * (digit > 4) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and any(digits)


def is_iban(written: str) -> bool:
    """Whether an account number checks (ISO 13616, modulo 97).

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    plain = re.sub(r"[ -]", "", written)
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _nif(plain: str) -> bool:
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return _NIF[int(number) % 23] == plain[-1]


def _german_tax(plain: str) -> bool:
    product = 10
    for digit in map(int, plain[:-1]):
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(plain[-1])


def _nir(plain: str) -> bool:
    """The departments of Corsica are 2A and 2B, which count as 19 and 18."""
    return 97 - int(plain[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(plain[13:])


def _fiscal_code(plain: str) -> bool:
    def value(sign: str) -> int:
        return int(sign) if sign.isdecimal() else ord(sign) - ord("A")

    total = sum(value(sign) if index % 2 else _ODD[value(sign)] for index, sign in enumerate(plain[:-1]))
    return total % 26 == value(plain[-1])


def _weighted(plain: str, last: int) -> bool:
    """Digits with weights that fall to 2, and the last one with a weight of its own: the sum is divisible by 11."""
    weights: tuple[int, ...] = (*range(len(plain), 1, -1), last)
    return sum(int(digit) * weight for digit, weight in zip(plain, weights, strict=True)) % 11 == 0


class Scheme(NamedTuple):
    """A kind of number that checks: its form without signs, and what must be said of it where the form says little."""

    name: str
    form: str
    check: Callable[[str], bool]
    cue: str = ""


_SCHEMES = (
    Scheme("IBAN", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", is_iban),
    Scheme("card", r"[2-6]\d{12,18}", luhn, r"card|credit|debit|tarjeta|karte|carte|carta|kaart|visa"),
    Scheme("NIF", r"[XYZ\d]\d{7}[A-Z]", _nif),
    Scheme("codice fiscale", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", _fiscal_code),
    Scheme("NIR", r"[12]\d{4}(?:\d{2}|2[AB])\d{8}", _nir),
    Scheme("Steuer-ID", r"[1-9]\d{10}", _german_tax, r"steuer|tax|idnr|tin\b"),
    Scheme("BSN", r"\d{9}", lambda plain: _weighted(plain, -1), r"bsn|burgerservice|sofi"),
    Scheme("NHS", r"\d{10}", lambda plain: _weighted(plain, 1), r"nhs"),
)


def scheme_of(written: str, stated: str) -> str:
    """The scheme by which a number checks, empty where it does by none; `said` is its type and what stands before it.

    A form that any number may have needs a word for it beside: one of eleven numbers checks by chance.

    >>> scheme_of("12345678Z", ""), scheme_of("123456782", ""), scheme_of("123456782", "BSN: ")
    ('NIF', '', 'BSN')
    """
    plain = _SIGNS.sub("", written).upper()
    for scheme in _SCHEMES:
        cued = not scheme.cue or re.search(scheme.cue, stated, re.IGNORECASE)
        if cued and plain.isascii() and re.fullmatch(scheme.form, plain) and scheme.check(plain):
            return scheme.name
    return ""
