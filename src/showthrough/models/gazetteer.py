"""Where places lie: well-known cities and countries, and nothing that two of them are called."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

from showthrough.core.patterns import lazy_pattern

_ARTICLE = lazy_pattern(r"^the\s+", re.IGNORECASE)
_DIGIT = lazy_pattern(r"\d")


def lies_in(text: str) -> tuple[str, ...]:
    """What a place lies in, the nearest first: of a city and its country both; where a name is unknown, nothing.

    >>> lies_in("Oslo"), lies_in("12 High Street, Oslo, Norway"), lies_in("Oslo, Rome"), lies_in("Springfield, Oslo")
    (('Norway', 'Europe'), ('Europe',), ('Europe',), ())
    """
    *parts, last = text.split(",")
    names = [*(part for part in parts if not _DIGIT.search(part)), last]  # what has a number is an address
    region_lists = [_table().get(_fold(name), ()) for name in names]
    return tuple(region for region in region_lists[-1] if all(region in regions for regions in region_lists))


def country_named(name: str) -> str | None:
    """The country of a name, as one of its names; `None` for what is no country.

    >>> country_named("the USA"), country_named("Oslo")
    ('United States', None)
    """
    return _countries().get(_fold(name))


def _fold(name: str) -> str:
    return _ARTICLE.sub("", " ".join(name.split()).strip(" .()")).casefold()


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """By every name: of a city its country and continent, of a country its continent."""
    table: dict[str, tuple[str, ...]] = {}
    for country, continent, names, cities in _lines():
        table |= dict.fromkeys(map(_fold, (country, *_split_names(names))), (continent,))
        for city in _split_names(cities):
            table.setdefault(_fold(city), (country, continent))
    return table


@cache
def _countries() -> dict[str, str]:
    return {_fold(name): country for country, _, names, _ in _lines() for name in (country, *_split_names(names))}


def _lines() -> list[list[str]]:
    lines = files(__package__).joinpath("places.tsv").read_text(encoding="utf-8").splitlines()
    return list(csv.reader(lines, delimiter="\t"))


def _split_names(names: str) -> list[str]:
    return [name for name in names.split(", ") if name]
