"""Where places lie: well-known cities and countries, and nothing that two of them are called."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


def lies_in(text: str) -> tuple[str, ...]:
    """What a place lies in, the nearest first: of a city and its country both; where a name is unknown, nothing.

    >>> lies_in("Oslo"), lies_in("12 High Street, Oslo, Norway"), lies_in("Oslo, Rome"), lies_in("Springfield, Oslo")
    (('Norway', 'Europe'), ('Europe',), ('Europe',), ())
    """
    *others, last = text.split(",")
    names = [*(one for one in others if not _DIGIT.search(one)), last]  # what has a number is an address
    known = [_table().get(_folded(name), ()) for name in names]
    return tuple(place for place in known[-1] if all(place in one for one in known))


def _folded(name: str) -> str:
    return _ARTICLE.sub("", " ".join(name.split()).strip(" .()")).casefold()


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """By every name: of a city its country and continent, of a country its continent."""
    table: dict[str, tuple[str, ...]] = {}
    lines = files(__package__).joinpath("places.tsv").read_text(encoding="utf-8").splitlines()
    for country, continent, names, cities in csv.reader(lines, delimiter="\t"):
        table |= dict.fromkeys(map(_folded, (country, *filter(None, names.split(", ")))), (continent,))
        for city in filter(None, cities.split(", ")):
            table.setdefault(_folded(city), (country, continent))
    return table
