"""Forms by which dates, phones, ids and the like are known, in whichever language."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from showthrough.models.everyday import CALENDAR
from showthrough.systems.taggers.tokens import Tokens

_NAMES = sorted({word for words in CALENDAR.values() for word in words}, key=lambda entry: (-len(entry), entry))
_MONTH = rf"(?:{'|'.join(_NAMES)})\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th|º|er|\.)?[ ](?:de[ ]|of[ ])?"
_YEAR = r"(?:1[5-9]|20)\d\d"

# Repetitions are bounded, or begin behind a character that they cannot match: time grows with the length of the text.
_PATTERNS = {
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
    "url": r"(?<!\w)(?:(?:https?|ftp)://|www\.)[^\s<>\"]{1,2000}",
    "date": r"(?<![\w.,/-])\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?![\w/-])",
    "date-in-words": rf"(?<!\w)(?:(?:{_DAY})?{_MONTH}\.?,?"
    rf"(?:(?:[ ]del?|[ ]of)?[ ]{_YEAR}|[ ]\d{{1,2}}(?:,?[ ]{_YEAR})?)|"
    rf"{_DAY}{_MONTH})(?!\w)",
    "year": rf"(?<![\w.,/-]){_YEAR}(?![\w/]|[.,-]\d)",
    "time": r"(?<![\w:.,])(?:[01]?\d|2[0-3])[:.h][0-5]\d(?!\d|[:.,]\d)",
    "age": r"(?<![\w.,/-])\d{1,3}[ -]?"
    r"(?:años?|years?|yrs?|y/?o|meses|months?|días|days|jahren?|ans|anni|anos|jaar|år)\b",
    "phone": r"(?<![\w+.,/-])(?:\+|\(|00)?\d{2,4}\)?(?:[ .-]?\d{2,4}){2,5}(?![\w/-])",
    "fraction": r"(?<![\w/])\d{3,8}/\d{2,4}(?![\w/])",
    "code": r"(?<![\w/.-])(?=[\w/.-]{0,30}\d)(?=[\w/.-]{0,30}[A-Z])[A-Z0-9][A-Z0-9/.-]{2,30}(?!\w)",
    "number-of": r"(?<!\w)(?:no|nos|nr|núm|n[º°])[.:]?[ ]?(?P<span>\d[\w/.-]{0,30})",
    "long-number": r"(?<![\w.,/-])\d{6,30}(?!\w)",
    "five-digits": r"(?<![\w.,/-])\d{5}(?![\w/-]|[.,]\d)",
    "decimal": r"(?<![\w/])\d{1,12}[.,]\d{1,3}(?!\d|[.,/]\d)",
    "money": r"[€£$¥]\s?\d[\d.,]{0,20}|(?<!\w)[A-Z]{3}[ \u00a0]\d[\d.,]{0,20}|"
    r"\d[\d., ]{0,20}(?:[€£$]|euros?\b|million\b)",
    "percent": r"\d[\d.,]{0,12}\s?%",
}  # fmt: skip
_TABLE = {
    name: re.compile(pattern, re.IGNORECASE if name in {"date-in-words", "age", "number-of", "url"} else 0)
    for name, pattern in _PATTERNS.items()
}


def templates_of(tokens: Tokens) -> list[tuple[str, ...]]:
    """The templates that each token is a part of, and whether it is the first one."""
    templates: list[list[str]] = [[] for _ in tokens.words]
    for name, pattern in _TABLE.items():
        group = "span" if "span" in pattern.groupindex else 0
        for match in pattern.finditer(tokens.text):
            start, end = match.span(group)
            first, last = bisect_right(tokens.ends, start), bisect_left(tokens.starts, end)
            for number in range(first, last):
                templates[number].append(f"t={name}" if number > first else f"t={name}^")
    return [tuple(names) for names in templates]
