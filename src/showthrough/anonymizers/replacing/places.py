"""Where places lie: well-known cities and countries, and nothing that two of them are called."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)


def lies_in(text: str) -> tuple[str, ...]:
    """What a place lies in, the nearest first; of several, what all that are known lie in; of an unknown one, nothing.

    >>> lies_in("Oslo"), lies_in("12 High Street, Oslo, Norway"), lies_in("Oslo, Rome"), lies_in("Springfield")
    (('Norway', 'Europe'), ('Europe',), ('Europe',), ())
    """
    parts = [known for part in text.split(",") if (known := _table().get(_folded(part)))]
    last = _table().get(_folded(text.rpartition(",")[2]), ())
    return tuple(place for place in last if all(place in one for one in parts))


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
