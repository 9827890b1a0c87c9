"""Whether a text says dates and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.anonymizers.replacing.masked import WORD
from showthrough.anonymizers.surrogates.dates import WEEKDAYS, Written
from showthrough.anonymizers.surrogates.wordlists import FUNCTION

_AROUND = FUNCTION | frozenset("""
    the on in dated date day year end beginning middle early late mid spring summer autumn fall winter fecha día año
    primavera verano otoño invierno i den året
""".split()) | {day for days in WEEKDAYS for day in days}  # fmt: skip


def says_only(text: str, dates: Sequence[Written]) -> bool:
    """Whether there are dates, and besides nothing of any weight: `before 2019` is no day of that year."""
    for field in sorted((field for date in dates for field in date.fields), key=lambda field: -field.start):
        text = f"{text[: field.start]} {text[field.end :]}"
    return bool(dates) and all(word.casefold() in _AROUND for word in WORD.findall(text))
