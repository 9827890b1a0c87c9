"""Whether a text says dates and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from showthrough.systems.replacing.masked import WORD
from showthrough.systems.surrogates.dates import WEEKDAYS, WrittenDate
from showthrough.systems.surrogates.wordlists import FUNCTION

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
