"""Guesses that stand in one line: `a; b; c`, `a, b, c`, `1. a 2. b`, `["a", "b"]`, with certainties where given."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.subjects import CERTAIN
from showthrough.families.inference.profiles import PLACES
from showthrough.models.gazetteer import country_named

_EMPHASIS = lazy_pattern(r"(\*\*|__|\*|`|\"|“|”|')(?=\S)(.+?)(?<=\S)(\1|”)")
_HALF = lazy_pattern(r"^\*\*(?=[^\s*])|(?<=[^\s*])\*\*$")
_OPENING = lazy_pattern(
    r"^(?:my |the )?(?:top |best )?(?:3 |three )?guess(?:es)?(?: are| is| would be)*\s*:\s*", re.IGNORECASE
)
_NUMBERED = lazy_pattern(r"(?:^|(?<=[\s;,|]))(?:guess\s*)?[(#]?[1-9][.):](?=\s)", re.IGNORECASE)
_IN_BRACKETS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_QUOTED = lazy_pattern(r"\s*(?P<quote>[\"'])(?P<value>.+?)(?P=quote)\s*(?:,|$)")
_SLASH = lazy_pattern(" / ")
_COMMA = lazy_pattern(r",(?!\d{3}\b)")
_SURE = lazy_pattern(
    r"""[\s,(\[–:-]*(?:
        (?:certainty|confidence)(?:\s+(?:level|score))?(?:\s+of)?\s*[:=]?\s*(?P<level>[0-5])(?:\s*/\s*5)?(?![\d%])
        | (?P<of>[0-5])\s*/\s*5
        | (?:(?:certainty|confidence|probability)\s*[:=]?\s*)?(?P<percent>\d{1,3})\s*%(?:\s+\w+)?
    )[)\]\s.]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_REFUSED = lazy_pattern(
    r"""(?:i\ (?:can|could|am|do|don|would|have|will)
        | i[’']m\b | it(?:[’']s|\ is)\ (?:not|im|un) | there(?:[’']s|\ is|\ are)\ no
        | (?:cannot|can[’']t|unable)\b | (?:no|not\ enough|insufficient)\ (?:information|evidence|clear|explicit|data)
        | n/?a$ | not\ (?:applicable|provided|answered)$
    )""",
    re.IGNORECASE | re.VERBOSE,
)


class ListedGuess(NamedTuple):
    """A guess, and how certain it is where that is said."""

    value: str
    certainty: int = CERTAIN


def parse_guesses(text: str, tag: str, single: bool = False) -> list[ListedGuess]:
    """The guesses of a line, as they are written; of one that is an item of a list, commas belong to it (`single`).

    >>> [guess.value for guess in parse_guesses("1. Teacher (e.g., of music) 2. Nurse", "occupation")]
    ['Teacher (e.g., of music)', 'Nurse']
    >>> [guess.value for guess in parse_guesses("Oslo, Norway, Bergen, Norway", "city_country")]
    ['Oslo, Norway', 'Bergen, Norway']
    """
    whole = _OPENING.sub("", strip_marks(text))
    return [guess for part in _parts(whole, tag, single) if (guess := _parse_item(part))]


def strip_marks(text: str) -> str:
    """Without emphasis, quotes or brackets around it."""
    text = text.strip().strip("`").strip()
    while (match := _EMPHASIS.fullmatch(text)) and match[1] not in match[2]:
        text = match[2].strip()
    if text.count("**") == 1:  # the other half stands elsewhere; `***` is a word that was masked
        text = _HALF.sub("", text)
    return (text.removesuffix("]") if "[" not in text else text).strip()


def _parts(whole: str, tag: str, single: bool) -> list[str]:
    if whole.startswith("[") and whole.endswith("]"):
        values = _list_of(whole)
        if values is not None:
            return [str(value) for value in values if isinstance(value, str | int | float)]
        whole = whole[1:-1]
    covered = _IN_BRACKETS.sub(lambda match: " " * len(match[0]), whole)  # what is in brackets separates nothing
    numbers = list(_NUMBERED.finditer(covered))
    if len(numbers) > 1 or (numbers and not numbers[0].start()):
        ends = [*(number.start() for number in numbers[1:]), len(whole)]
        return [whole[number.end() : end].strip(" ;,|") for number, end in zip(numbers, ends, strict=True)]
    for separator in (";", "|", "\n"):
        if separator in covered:
            return _split_at(whole, [position for position, sign in enumerate(covered) if sign == separator])
    if single:
        return [whole]
    slashed = _split_at(whole, [match.start() + 1 for match in _SLASH.finditer(covered)])
    if len(slashed) > 2 and (tag not in PLACES or all("," in part for part in slashed)):  # of one place, its levels
        return slashed
    commas = [match.start() for match in _COMMA.finditer(covered)]
    return _split_places(whole, commas) if tag in PLACES else _split_at(whole, commas)


def _list_of(text: str) -> list[object] | None:
    """A list as JSON has it, or one with either quotes."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        items = list(_QUOTED.finditer(text, 1, len(text) - 1))
        together = sum(item.end() - item.start() for item in items) == len(text) - 2
        return [item["value"] for item in items] if items and together else None
    return values if isinstance(values, list) else None


def _split_at(text: str, positions: list[int]) -> list[str]:
    starts, ends = [0, *(position + 1 for position in positions)], [*positions, len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _split_places(whole: str, commas: list[int]) -> list[str]:
    """Places with commas between and in them: each ends with its country, or all is one place."""
    parts = _split_at(whole, commas)
    countries = [country_named(part) is not None for part in parts]
    if not countries[-1]:
        return [whole]
    return _split_at(whole, [comma for comma, country in zip(commas, countries, strict=False) if country])


def _parse_item(part: str) -> ListedGuess | None:
    value = strip_marks(part)
    certainty = CERTAIN
    if match := _SURE.search(value):
        value = strip_marks(value[: match.start()])
        share = match["percent"]
        certainty = min(-(-int(share) * CERTAIN // 100), CERTAIN) if share else int(match["level"] or match["of"])
    if not any(map(str.isalnum, value)) or _REFUSED.match(value):
        return None
    return ListedGuess(value, certainty)
