"""A detector made of regular expressions and checks: no model, no dictionary, any text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from showthrough.models.detectors.base import Detector, Find
from showthrough.models.detectors.expressions import expressions
from showthrough.models.detectors.phones import phones
from showthrough.models.detectors.placeholders import is_placeholder, is_written
from showthrough.models.detectors.titles import find_titled
from showthrough.models.detectors.wider import wider_expressions

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
        if _is_iban(match[0]):
            yield Find(*match.span(), "IBAN")
    for match in _CARD.finditer(text):
        if _luhn(match[0]):
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


def _luhn(number: str) -> bool:
    """Whether the last digit of a card's number checks (ISO/IEC 7812-1).

    >>> _luhn("4539 1488 0343 6467"), _luhn("4539 1488 0343 6468")
    (True, False)
    """
    digits = [int(character) for character in reversed(number) if character.isdecimal()]
    doubled = (2 * digit - 9 * (digit > 4) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and any(digits)


def _is_iban(written: str) -> bool:
    """Whether an account number checks (ISO 13616, modulo 97).

    >>> _is_iban("DE89 3704 0044 0532 0130 00"), _is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    plain = re.sub(r"[ -]", "", written)
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1
