"""Telephone numbers of many countries: groups of digits that are written as such numbers are.

The plan of the ITU (E.164) allows up to 15 digits and says nothing of how they are grouped. So a run of groups is a
number where it begins as one does (+, 00, a trunk 0, brackets), where a cue stands before it, or where its groups have
lengths that people write them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGNS = r"[-–‑./ \u00a0\u2009\u202f()]"
_RUN = re.compile(
    rf"(?<![\w+@=])(?<!\d[.,/-])[+(]{{0,2}}\d{{1,13}}(?:{_SIGNS}{{1,3}}\d{{1,13}}){{0,6}}(?:(?![\w@])|(?=x\d))"
)
_EXTENSION = re.compile(r",?[ ]?(?:(?i:ext|extension|x)\.?[ ]?|#)\d{1,6}(?!\w)")
_SHORT = re.compile(
    r"(?<!\w)(?i:ext|extension|bleep|pager|beeper)\b\.?(?:[ ](?:no|nr|number)\b\.?)?[:]?[ ](\d{3,6})(?!\w|[.,/]\d)"
)
_CUE = re.compile(
    r"(?i:\b(?:tel|telephones?|phones?|ph|mobile|mob|cell|fax|call(?:ed)?|dial(?:led)?|ring|rang|text(?:ed)?|"
    r"whatsapp|pager|beeper|bleep|ext|extension|telefon|tlf|mobil|handy|tél|téléphone|portable|teléfono|móvil|contact|hotline|"
    r"landline)\b\.?(?:[ ](?:no|nr|number)\b\.?)?(?:[ ](?:is|was|on|at|to))?[.:]?[ ]{0,2})\Z"
)
_GROUPS = frozenset({
    (3, 3, 4), (1, 3, 3, 4), (1, 3, 3, 2, 2), (3, 4, 4), (2, 4, 4), (4, 4), (5, 5), (5, 6), (4, 6), (4, 3, 3),
    (4, 3, 4), (3, 3, 3), (2, 2, 2, 2), (2, 2, 2, 2, 2), (3, 2, 2), (3, 2, 2, 2), (3, 2, 3), (2, 3, 2, 2),
    (2, 3, 3, 3), (3, 3, 2, 2), (2, 3, 4), (1, 4, 4), (2, 5, 4), (3, 5, 4), (5, 4), (1, 2, 3, 2, 2), (3, 6), (3, 7),
    (2, 7), (2, 8), (4, 7), (1, 2, 2, 2, 2), (1, 3, 3, 3), (4, 2, 2, 2), (3, 3, 3, 3), (2, 4, 3), (2, 3, 3),
    (4, 2, 2), (5, 3, 3), (4, 5), (3, 8),
})  # fmt: skip
_LEAST, _LEAST_CUED, _MOST, _MOST_DIALLED = 7, 5, 15, 17  # digits; from abroad, the trunk 0 may be written as well
_OPENING = re.compile(r"[+(]{1,2}\Z")
_LOOK = 30  # characters before a number in which a cue may stand
_CASE = re.compile(r"\d{1,6}/\d{2}(?:\d\d)?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_DIGITS = re.compile(r"\d+")


def phones(text: str) -> Iterator[tuple[int, int]]:
    """Where telephone numbers stand.

    >>> text = "Ring +44 (0)20 7946 0958 or 555-0142; paid 1 250 000 in 2004."
    >>> [text[start:end] for start, end in phones(text)]
    ['+44 (0)20 7946 0958', '555-0142']
    """
    for run in _RUN.finditer(text):
        groups = [match.span() for match in _DIGITS.finditer(text, *run.span())]
        span = _longest(text, run.start(), groups)
        if span is None:
            continue
        start, end = span
        if extension := _EXTENSION.match(text, end):
            end = extension.end()
        yield start, end
    for inside in _SHORT.finditer(text):  # numbers inside a house
        yield inside.span(1)


def _longest(text: str, start: int, groups: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The longest stretch of groups that is a number: a year or a sum may stand before or behind it."""
    lengths = tuple(end - begin for begin, end in groups)
    cued = _CUE.search(text, max(0, start - _LOOK), start) is not None
    count = len(groups)
    for size in range(count, 0, -1):
        for first in range(count - size + 1):
            digits = sum(lengths[first : first + size])
            if digits < (_LEAST_CUED if cued and not first else _LEAST):
                continue
            low, high = groups[first][0], groups[first + size - 1][1]
            before = groups[first - 1][1] if first else start
            if opening := _OPENING.search(text, before, low):
                low = opening.start()
            while text[low] == "(" and text.count("(", low, high) > text.count(")", low, high):
                low += 1  # that bracket is around the number
            if _is_phone(text[low:high], lengths[first : first + size], cued and not first):
                return low, high
    return None


def _is_phone(written: str, lengths: tuple[int, ...], cued: bool) -> bool:
    digits, number = sum(lengths), len(lengths)
    if written.startswith(("+", "(+")):
        return digits <= _MOST_DIALLED
    if digits > _MOST or _thousands(written, lengths):
        return False
    if cued:
        return not _CASE.fullmatch(written)
    if written.startswith("("):
        return digits <= 13 and number > 1
    if written.startswith("0"):
        return digits >= 9 and (digits <= 13 or written.startswith("00"))
    if number == 1:
        return 10 <= digits <= 11  # shorter ones may be anything
    if lengths == (3, 4):
        return re.search(r"[-‑]", written) is not None
    years = number == 2 and any(_YEAR.fullmatch(group) for group in _DIGITS.findall(written))
    return lengths in _GROUPS and not years


def _thousands(written: str, lengths: tuple[int, ...]) -> bool:
    """Whether it is a large number with signs between thousands: 1.250.000, or 1 250 000."""
    signs = {sign for sign in written if not sign.isdigit()}
    if len(signs) != 1 or len(lengths) < 2 or lengths[0] > 3 or any(length != 3 for length in lengths[1:]):
        return False
    return signs == {"."} or (lengths[0] < 3 and signs <= set(" \u00a0\u2009\u202f"))
