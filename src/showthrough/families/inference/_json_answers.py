"""Guesses in an answer that is JSON, or has JSON in it, whatever its objects are called."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from showthrough.core.patterns import lazy_pattern
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference._listing import ListedGuess, parse_guesses
from showthrough.families.inference.profiles import named_tag

_BEGINS = lazy_pattern(r"^[ \t]*(?:json)?\s*(?=[{\[])|```(?:json)?\s*(?=[{\[])", re.MULTILINE | re.IGNORECASE)
_TYPES = ("type", "attribute", "feature", "tag", "name", "category")
_VALUES = (
    "guesses",
    "guess",
    "top_3_guesses",
    "top_3",
    "top3",
    "predictions",
    "prediction",
    "values",
    "value",
    "answer",
    "keyword",
)
_SURE = ("certainty", "certainties", "confidence")
_TRIES, _DEPTH = 8, 6  # places where JSON may begin, and objects in objects


def guesses_in_json(answer: str, names: Mapping[str, str]) -> dict[str, list[ListedGuess]]:
    """By tag; nothing where the answer is no JSON.

    >>> guesses_in_json('{"Sex": ["Male", "Female"]}', {"sex": "sex"})["sex"][0].value
    'Male'
    """
    guesses: dict[str, list[ListedGuess]] = {}
    for _, begin in zip(range(_TRIES), _BEGINS.finditer(answer), strict=False):
        try:
            value, _ = json.JSONDecoder().raw_decode(answer, begin.end())
        except (ValueError, RecursionError):
            continue
        _walk(value, names, guesses, _DEPTH)
        if guesses:
            return guesses
    return guesses


def _walk(value: object, names: Mapping[str, str], guesses: dict[str, list[ListedGuess]], depth: int) -> None:
    """Looks for guesses in an object and those below it."""
    if not depth:
        return
    if isinstance(value, list):
        for item in value:
            _walk(item, names, guesses, depth - 1)
    elif isinstance(value, dict):
        named = next((tag for key in _TYPES if (tag := named_tag(str(_get(value, key)), names))), None)
        if named is not None:
            _add(guesses, named, _values(value, named))
            return
        for key, item in value.items():
            tag = named_tag(key, names)
            if tag is None:
                _walk(item, names, guesses, depth - 1)
            else:
                _add(guesses, tag, _values(item, tag))


def _add(guesses: dict[str, list[ListedGuess]], tag: str, values: list[ListedGuess]) -> None:
    if values:
        guesses.setdefault(tag, []).extend(values)


def _get(value: Mapping[str, object], name: str) -> object:
    """What stands under a key, however it is written."""
    return next((item for key, item in value.items() if key.casefold().replace(" ", "_") == name), None)


def _values(value: object, tag: str, many: bool = False) -> list[ListedGuess]:
    """The guesses of one tag: a text, a number, a list of these, or an object that has them."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, str | int | float):
        return parse_guesses(str(value), tag, single=many)
    if isinstance(value, list):
        return [guess for item in value if not isinstance(item, list) for guess in _values(item, tag, many=True)]
    if not isinstance(value, dict):
        return []
    inside = next((item for key in _VALUES if (item := _get(value, key)) is not None), None)
    if inside is None:
        inside = [item for key, item in value.items() if re.fullmatch(r"guess[\s_]*\d", key, re.IGNORECASE)]
    guesses = [] if isinstance(inside, dict) else _values(inside, tag, many)
    sure = next((item for key in _SURE if (item := _get(value, key)) is not None), None)
    levels = sure if isinstance(sure, list) else [sure] * len(guesses)
    paired = zip(guesses, [*levels, *[None] * len(guesses)], strict=False)
    return [ListedGuess(guess.value, _level(level, guess.certainty)) for guess, level in paired]


def _level(level: object, otherwise: int) -> int:
    """A certainty from 0 to 5, where one was said."""
    if isinstance(level, str) and level.strip().isascii() and level.strip().isdigit():
        level = int(level.strip()[:3])
    whole = isinstance(level, int) and not isinstance(level, bool)
    return int(level) if whole and 0 <= level <= CERTAIN else otherwise  # type: ignore[call-overload, operator]
