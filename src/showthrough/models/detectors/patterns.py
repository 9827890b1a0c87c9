"""A detector made of regular expressions and checks: no model, no dictionary, any text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from showthrough.models.check_digits import is_iban, luhn
from showthrough.models.detectors._more_expressions import wider_expressions
from showthrough.models.detectors._titles import find_titled
from showthrough.models.detectors.base import Detector, Find, is_placeholder, is_written
from showthrough.models.detectors.expressions import expressions

# Telephone numbers of many countries are groups of digits that are written as such numbers are.

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


# What the types of the rules are called here.
_TYPES = {"DATETIME": "DATE", "QUANTITY": "MONEY", "LOC": "ADDRESS"}
_TIME = re.compile(r"\d{1,2}(?:[:.]\d\d){0,2}\s?\D*\Z")
_IP = re.compile(r"[\d.]+\.\d+\.[\d.]*\d\Z|[0-9A-Fa-f:]*::?[0-9A-Fa-f:]*\Z")
_POSTCODE = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\Z")
_CITED = re.compile(r".*\b(?i:nos?|nr)\b\.?\s\d{4}/\d\d\Z", re.DOTALL)  # of cases, not the years 1998/99
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}\Z")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?!\w)")
_CARD = re.compile(r"(?<![\w.,/-])[2-6](?:[ -]?\d){12,18}(?![\w-]|[.,/]\d)")
# Of two finds of one length the first is taken.
TYPES = (
    "EMAIL", "URL", "IBAN", "CARD", "SSN", "IP", "DATE", "PHONE", "CODE", "PERSON", "ADDRESS", "POSTCODE", "MONEY",
    "AGE", "TIME",
)  # fmt: skip
_PRIORITY = {kind: number for number, kind in enumerate(TYPES)}


@dataclass(frozen=True)
class Patterns(Detector):
    """Titled names, dates, telephone numbers, e-mail addresses, case numbers and all else that has a form of its own.

    It reads no context and knows no list of names or places: a name without a title, a town, an employer or a rare
    event is not found. What anonymizers write (PERSON, [DATE_1], ***, XXXX) is no find.
    """

    @property
    def types(self) -> tuple[str, ...]:
        return TYPES

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        return [_apart(text, _candidates(text)) for text in texts]


def _candidates(text: str) -> Iterator[Find]:
    for label, pattern in expressions():
        group = "span" if "span" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            start, end = match.span(group)
            cited = label == "DATETIME" and _CITED.match(text[max(0, start - 8) : end])
            yield Find(start, end, "CODE" if cited else _type(label, text[start:end]))
    for label, pattern in wider_expressions():
        group = "span" if "span" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield Find(*match.span(group), label)
    for match in _IBAN.finditer(text):
        if is_iban(match[0]):
            yield Find(*match.span(), "IBAN")
    for match in _CARD.finditer(text):
        if luhn(match[0]):
            yield Find(*match.span(), "CARD")
    for start, end in phones(text):
        yield Find(start, end, "PHONE")
    yield from find_titled(text)


def _type(label: str, text: str) -> str:
    """The type of what a row of the rules finds, which are coarser."""
    if label == "DATETIME" and (":" in text[:3] or _TIME.match(text)) and not re.match(r"\d{4}\b", text):
        return "TIME"
    if label == "LOC" and _POSTCODE.match(text):
        return "POSTCODE"
    if label == "CODE":
        if _SSN.match(text):
            return "SSN"
        if ("." in text or ":" in text) and _IP.match(text):
            return "IP"
    return _TYPES.get(label, label)


def _apart(text: str, candidates: Iterator[Find]) -> list[Find]:
    """Finds that do not overlap, in order: of those that do the longest, then by type."""
    coverage = bytearray(len(text))
    separate = []
    for find in sorted(
        candidates,
        key=lambda candidate: (candidate.start - candidate.end, _PRIORITY[candidate.entity_type], candidate.start),
    ):
        start, end = find.start, find.end
        if find.entity_type == "CODE" and _LAW.search(text, max(0, start - 30), start):
            continue
        if coverage.find(1, start, end) >= 0 or is_written(text[start:end]) or _in_label(text, start, end):
            continue
        coverage[start:end] = b"\1" * (end - start)
        separate.append(find)
    return sorted(separate)


# Laws have numbers too, which are nobody's.
_LAW = re.compile(
    r"(?:Law|Act|Protocol|Decree|Directive|Regulation|Convention|Resolution|Recommendation|Ordinance|Order|Article|"
    r"Section|Rule)s?[ \u00a0](?i:nos?|nr)\.?[ \u00a0]\Z"
)
_BRACKETS = {"[": "]", "<": ">", "{": "}"}


def _in_label(text: str, start: int, end: int) -> bool:
    """Whether it is all or part of what stands in brackets for something else: [CASE 12], <DATE_2>."""
    opening = max((text.rfind(sign, max(0, start - 30), start + 1), sign) for sign in _BRACKETS)
    if opening[0] < 0:
        return False
    closing = text.find(_BRACKETS[opening[1]], opening[0], end + 30)
    inside = text[opening[0] + 1 : closing]
    return closing >= end - 1 and is_placeholder(re.sub(r"[\s:#]+", "_", inside.strip("([{< ")))
