"""Values that stand in a text: names, places, codes, ages, and whatever is said in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from showthrough.core.patterns import lazy_pattern
from showthrough.families.inference.reading.page import Page, Span
from showthrough.models.countries import names_of, words_of

Read = tuple[str, Span]  # a value as it can be answered, and where it stands

# SPIA's ages are those of people in this year: of somebody born in 1970 it says 54-55.
AGES_OF = 2025
TITLES = frozenset(words_of("mr mrs ms miss mister madam dr doctor prof professor sir dame lord lady st jr sr phd"))
_JOINING = frozenset(words_of("a al and at by de del der di el for from in la le of on or the to und van von with"))
# Words that are places, countries and adjectives with a capital alone.
_CAPITAL_ALONE = frozenset(
    words_of(
        "bath battle chad china cork deal essen finn guinea hove hull jordan kiwi lens march mobile nice niger orange "
        "pole poles polish reading split swede swedes tours turkey turk us"
    )
)
_NUMBERS = lazy_pattern(r"\s*(\d{1,3})\s*(?:[-–—]\s*(\d{1,3})\s*)?")
_STATED = lazy_pattern(
    r"(?<!\w)(?:aged?|turned|turning|i['’]?m|i am)[\s:=]{1,3}(?P<after>\d{1,3})(?![\w%]|[.,:/]\d)"
    r"|(?<![\w.,])(?P<before>\d{1,3})[\s-]{0,2}(?:years?[\s-]old|years? of age|yrs?[\s-]old|yo(?!\w)|y/o|y\.o\.)",
    re.IGNORECASE,
)
_BORN = lazy_pattern(r"(?<!\w)(?:born|birth|d\.?o\.?b)(?!\w)", re.IGNORECASE)
_YEAR = lazy_pattern(r"(?<!\w)(?:1[89]|20)\d\d(?!\w)")
_UNSPACED = lazy_pattern("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")  # Thai to Han
_SEPARATED = r"[ \t.()/+_–-]{0,3}"
_FEW = 3  # letters that may be missing at the front of a code: +91, 0
_LEAST, _MOST = 6, 80  # letters and digits that tell a code from another number, and that one can have


def name(page: Page, value: str, shared: frozenset[str]) -> list[Read]:
    """The name where the whole of it or the surname stands there; else each other part of it, as it stands.

    `shared` are parts that somebody else in the document has as well: alone they name nobody, but for surnames.
    """
    parts = name_parts(value)
    whole = [part for part in words_of(value) if part not in TITLES]
    if not parts:  # initials alone, which are capitals
        initials = _initials(page, whole)
        return [(value, initials)] if initials else []
    if len(whole) > 1 or value.islower():  # one word alone may be any word
        for first, last in page.phrases(whole):
            return [(value, page.span(first, last))]
    for spelled in (parts[-1], "".join(whole), "".join([*whole[1:], whole[0]])):  # the last two as accounts are named
        if (number := _find_part(page, spelled)) is not None:
            return [(value, page.spans[number])]
    alone = (_find_part(page, part) for part in parts[:-1] if part not in shared)
    return [(page.word_text(number), page.spans[number]) for number in alone if number is not None]


@lru_cache(maxsize=1 << 14)
def name_parts(value: str) -> tuple[str, ...]:
    """The words of a name that are neither titles nor initials, the surname last.

    >>> name_parts("Dr. K. van Lewis")
    ('lewis',)
    """
    left_out = TITLES | _JOINING
    return tuple(part for part in words_of(value) if len(part) > 1 and part not in left_out)


def _find_part(page: Page, part: str) -> int | None:
    """A part of a name: with a capital, or in an address, an account or a tag, where nobody writes any."""
    for number in page.places.get(part, ()):
        start, end = page.spans[number]
        around = page.text[max(0, start - 1) : start] + page.text[end : end + 1]
        if page.capital(number) or any(sign in "@_#" or sign.isdigit() for sign in around):
            return number
    return None


def _initials(page: Page, letters: Sequence[str]) -> Span | None:
    spans = (page.span(*ends) for ends in page.phrases(letters) if len(letters) > 1)
    return next((span for span in spans if page.text[slice(*span)].isupper()), None)


def place(page: Page, value: str) -> list[Read]:
    """From the most special level that stands there on: whoever reads the town knows the country."""
    sign = "/" if "/" in value else ","
    levels = value.split(sign)
    for number, level in enumerate(levels):
        if span := _place_named(page, level):
            return [(sign.join(levels[number:]).strip(), span)]
    return []


def _place_named(page: Page, level: str) -> Span | None:
    for variant in names_of(level):
        words = words_of(variant)
        for first, last in page.phrases(words):
            span = page.span(first, last)
            sure = len(words) > 1 or words[0] not in _CAPITAL_ALONE or page.capital(first)
            if sure and (len(words[0]) > 3 or not variant.isupper() or page.text[slice(*span)].isupper()):
                return span
    return None


def in_words(page: Page, value: str) -> list[Read]:
    """The words that matter, all of them close together: occupations, affiliations, positions, whatever else."""
    span = page.near(_content(value))
    return [(value, span)] if span else []


def unspaced(page: Page, value: str) -> list[Read]:
    """A value in a script that has no spaces between words, as it stands."""
    start = page.text.find(value) if _UNSPACED.search(value) else -1
    return [(value, (start, start + len(value)))] if start >= 0 else []


@lru_cache(maxsize=1 << 14)
def _content(value: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(words_of(value)))
    return tuple(word for word in words if word not in _JOINING) or words


def code(page: Page, value: str) -> list[Read]:
    """Its letters and digits in their order, whatever stands between them; the first few may be missing."""
    signs = "".join(sign for sign in value if sign.isalnum())
    for missing in range(_FEW + 1):
        signs_left = signs[missing:]
        if len(signs_left) > _MOST or (missing and len(signs_left) < _LEAST):
            break
        pattern = _SEPARATED.join(map(re.escape, signs_left))
        if signs_left and (match := re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", page.text, re.IGNORECASE)):
            return [(signs_left if missing else value, match.span())]
    return []


def address(page: Page, value: str) -> list[Read]:
    """An e-mail address, but for case."""
    sought = value.strip()
    match = re.search(rf"(?<![\w.@+-]){re.escape(sought)}(?![\w@-])", page.text, re.IGNORECASE) if sought else None
    return [(value, match.span())] if match else []


def age(page: Page, value: str) -> list[Read]:
    """An age that is stated and is this one, or a year of birth that makes it."""
    ends = _NUMBERS.fullmatch(value)
    if not ends:
        return []
    low, high = sorted((int(ends[1]), int(ends[2] or ends[1])))
    for match in page.matches(_STATED):
        number = match["after"] or match["before"]
        if low <= int(number) <= high:
            return [(number, match.span())]
    for year, span in _births(page):
        reached = AGES_OF - year  # in the course of that year
        if low == high and low in (reached - 1, reached):
            return [(value, span)]
        if low <= reached - 1 < reached <= high:
            return [(f"{reached - 1}-{reached}", span)]
    return []


def _births(page: Page) -> Iterator[tuple[int, Span]]:
    """Years that stand in a sentence behind the word for being born."""
    cues = {page.sentence_at(cue.start()): cue.start() for cue in reversed(page.matches(_BORN))}
    for year in page.matches(_YEAR) if cues else ():
        if year.start() > cues.get(page.sentence_at(year.start()), year.start()):
            yield int(year.group()), year.span()
