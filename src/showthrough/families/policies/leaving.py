"""What a rule may let be read of something that must be masked: a year, the first digits of a postcode, and the like.

Each answers two questions. Does a mention say no more than that from the start? And does what a release shows in its
place say no more? Where that cannot be told, it says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import date
from functools import cache
from typing import NamedTuple

from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import reading_form
from showthrough.families.policies.policy import Leave
from showthrough.metrics.matching._dates import MONTHS, complete_dates
from showthrough.models.countries import fold_name, names_of_countries

_PART = lazy_pattern(r"\d+|[^\W\d_]+")
_YEAR = lazy_pattern(r"1\d{3}|20\d\d")
_AROUND = (
    "in the year years of s from to and between since until or on onward onwards at about approximately a an this that "
    "del de el en im i"
)
_AROUND_YEARS = frozenset(_AROUND.split())
_OLD = 89  # the last year of age that may be read (45 CFR 164.514(b)(2)(i)(C))
_OLDEST = lazy_pattern(
    r"(?:>|over|above|more than|older than)\s*89|(?:≥|>=|at least)\s*90"
    r"|90\s*(?:\+|(?:years?\s*)?(?:of age\s*)?(?:or|and)\s*(?:older|over|above|more))"
)
_NUMBERS_TO_80 = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty"
)
_LARGE_NUMBERS = frozenset(["ninety", "hundred", "nineties", "nonagenarian", "centenarian"])
_LABELS = lazy_pattern(r"[\[<{(][A-Z][A-Z_ -]*\d*[\]>})]|[*#_\u2022\u2588\u2026]+")
_PIECE = lazy_pattern(r"([^\W_]*)(?:[*#\u2022\u2588]+|(?<=\d)[xX]{2,})([^\W_]*)")
_LETTERS, _MOST = 3, 0.7  # of a word, which tell it
_ZIP = lazy_pattern(r"\d{5}(?:-?\d{4})?")
_MASKS = r"[*xX#_\u2022\u2588\u2026.\s-]*"
_ZIP3 = re.compile(rf"(\d{{3}}){_MASKS}")
# Three-digit ZIP codes of at most 20,000 people by the 2000 Census (HHS, Guidance Regarding Methods for
# De-identification of Protected Health Information in Accordance with the HIPAA Privacy Rule, 26 November 2012).
FEW_PEOPLE = frozenset(
    [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
)
# What 45 CFR 160.103 means by a State, by name and by the abbreviation of its Postal Service.
_STATES = """
Alabama AL, Alaska AK, Arizona AZ, Arkansas AR, California CA, Colorado CO, Connecticut CT, Delaware DE, Florida FL,
Georgia GA, Hawaii HI, Idaho ID, Illinois IL, Indiana IN, Iowa IA, Kansas KS, Kentucky KY, Louisiana LA, Maine ME,
Maryland MD, Massachusetts MA, Michigan MI, Minnesota MN, Mississippi MS, Missouri MO, Montana MT, Nebraska NE,
Nevada NV, New Hampshire NH, New Jersey NJ, New Mexico NM, New York NY, North Carolina NC, North Dakota ND, Ohio OH,
Oklahoma OK, Oregon OR, Pennsylvania PA, Rhode Island RI, South Carolina SC, South Dakota SD, Tennessee TN, Texas TX,
Utah UT, Vermont VT, Virginia VA, Washington WA, West Virginia WV, Wisconsin WI, Wyoming WY, District of Columbia DC,
Puerto Rico PR, Virgin Islands VI, Guam GU, American Samoa AS, Northern Mariana Islands MP
"""


_ALSO_CITIES = frozenset({"new york", "washington"})  # which a text may mean by the name


class Leaving(NamedTuple):
    """`alone`: whether a mention says no more. `within`: whether a release says no more of it.

    `within` has the mention, all that is shown in its place, and what of that stood in the original there.
    """

    alone: Callable[[str], bool]
    within: Callable[[str, str, str], bool]


def without_labels(shown: str) -> str:
    """What a release shows, without labels and mask characters.

    >>> without_labels("[CITY_12], MA"), without_labels("<DATE> 2019"), without_labels("021**")
    (' , MA', '  2019', '021 ')
    """
    return _LABELS.sub(" ", shown)


def shows_piece(original: str, shown: str) -> bool:
    """Whether a release shows digits of a number, or most letters of a word: cut off, or beside mask characters.

    >>> [shows_piece("078-05-11204", text) for text in ("***-**-1120*", "*******204", "204", "***", "[SSN_1]")]
    [True, True, True, False, False]
    >>> [shows_piece("Kowalska", text) for text in ("Kowals**", "K*******")]
    [True, False]
    """
    words = {*_words(original), "".join(_words(original))}
    digits = [word for word in _words(without_labels(shown)) if word.isdigit() and len(word) >= _LETTERS]
    cut = any(word != piece and (word.startswith(piece) or word.endswith(piece)) for piece in digits for word in words)
    return cut or _has_piece(words, shown)


def _has_piece(words: Collection[str], shown: str) -> bool:
    pieces = ((fold_name(match[1]), fold_name(match[2])) for match in _PIECE.finditer(shown))
    return any(
        (before and word.startswith(before) and _tells(before, word))
        or (behind and word.endswith(behind) and _tells(behind, word))
        for before, behind in pieces
        for word in words
    )


def _tells(piece: str, word: str) -> bool:
    return piece.isdigit() or len(piece) >= max(_LETTERS, _MOST * len(word))


def _words(text: str) -> list[str]:
    return _PART.findall(reading_form(text))


def _is_year(text: str) -> bool:
    """
    >>> [_is_year(text) for text in ("2019", "in the 1990s", "March 2019", "12/03/2019", "early 2019", "Monday")]
    [True, True, False, False, False, False]
    """
    words = _words(text)
    years = [word for word in words if _YEAR.fullmatch(word)]
    return bool(years) and all(word in years or word in _AROUND_YEARS for word in words)


def _shows_year(original: str, shown: str, left: str = "") -> bool:
    """Whether a release shows no day and no month of a date, but its year.

    Another date in place of the whole shows nothing, unless two of day, month and year are the true ones.

    >>> shown = ("2019", "March 2019", "*** 2019", "03/2019", "[DATE_12] 2019", "5 March 2020", "5 March 2019")
    >>> [_shows_year("12 March 2019", text) for text in shown]
    [True, False, True, False, True, True, False]
    >>> [_shows_year("12 March 2019", "1* 2019", left) for left in ("1 2019", "")]  # a piece of the day is left
    [False, False]
    """
    others = complete_dates(shown)
    if others and complete_dates(original) and not _words(left):
        return not any(_alike(day, other) for day in complete_dates(original) for other in others)
    finer = {word for word in _words(original) if not _YEAR.fullmatch(word) and word not in _AROUND_YEARS}
    for day in complete_dates(original):
        finer |= {str(day.day), f"{day.day:02d}", str(day.month), f"{day.month:02d}", *_month_names(day.month)}
    for month in [MONTHS[word] for word in finer if word in MONTHS]:
        finer |= {str(month), f"{month:02d}", *_month_names(month)}
    if _has_piece(finer, shown):
        return False
    whole = all(_YEAR.fullmatch(word) or word in _AROUND_YEARS for word in _words(left))
    return whole and finer.isdisjoint(_words(without_labels(shown)))


def _alike(day: date, other: date) -> bool:
    """Whether two of day, month and year are the same."""
    return (day.day == other.day) + (day.month == other.month) + (day.year == other.year) > 1


@cache
def _month_names(number: int) -> frozenset[str]:
    return frozenset(name for name, month in MONTHS.items() if month == number)


def _is_young(text: str) -> bool:
    """
    >>> [_is_young(text) for text in ("45", "89 years old", "90", "forty-five", "ninety-two", "90 or older", "aged")]
    [True, True, False, True, False, True, False]
    """
    if _shows_oldest(text, text):
        return True
    words = _words(text)
    numbers = [int(word) for word in words if word.isdigit()]
    spelled = {*_NUMBERS_TO_80.split()}.intersection(words)
    return all(number <= _OLD for number in numbers) and bool(numbers or spelled) and _LARGE_NUMBERS.isdisjoint(words)


def _shows_oldest(original: str, shown: str, left: str = "") -> bool:
    """Whether a release tells an age as 90 or older, and no other number.

    >>> [_shows_oldest("93", text) for text in ("90+", "over 89", "93 (90+)", "9*")]
    [True, True, False, False]
    """
    return _OLDEST.search(shown.casefold()) is not None and {"89", "90"}.issuperset(re.findall(r"\d+", shown))


def _is_zip3(text: str) -> bool:
    """
    >>> [_is_zip3(text) for text in ("021", "021**", "000", "036**", "02139")]
    [True, True, True, False, False]
    """
    match = _ZIP3.fullmatch(text.strip())
    return match is not None and match[1] not in FEW_PEOPLE


def _shows_zip3(original: str, shown: str, left: str = "") -> bool:
    """
    >>> [_shows_zip3("02139", text) for text in ("021**", "021", "0213*", "")]
    [True, True, False, False]
    """
    return _ZIP.fullmatch(original.strip()) is not None and _is_zip3(shown)


@cache
def _wide_places() -> frozenset[str]:
    names = [entry.split() for entry in _STATES.replace("\n", " ").split(",")]
    states = {fold_name(" ".join(words[:-1])) for words in names} | {words[-1] for words in names}
    countries = names_of_countries()
    return frozenset(states.union(countries, map(fold_name, countries)) - _ALSO_CITIES)


def _is_state(text: str) -> bool:
    """
    >>> [_is_state(text) for text in ("Texas", "TX", "the United States", "US", "Boston, MA", "in", "New York")]
    [True, True, True, True, False, False, False]
    """
    bare = text.strip(" .,;()[]*#_")
    return bare in _wide_places() or _folded(bare) in _wide_places()


def _folded(text: str) -> str:
    folded = fold_name(text).removeprefix("the ")
    return folded if len(folded) > len("us") else ""


def _shows_state(original: str, shown: str, left: str = "") -> bool:
    """Whether a release shows of a place its state or country alone.

    >>> [_shows_state("Boston, MA", text) for text in ("***, MA", "a city in MA", "Boston", "B*****, MA")]
    [True, True, False, False]
    """
    words = {*_words(without_labels(shown))}
    words_left = [word for word in re.findall(r"\w+", original) if words.issuperset(_words(word))]
    return not re.search(r"\w[*#\u2588\u2022]|[*#\u2588\u2022]\w", shown) and _is_state(" ".join(words_left))


LEAVES: dict[Leave, Leaving] = {
    "year": Leaving(_is_year, _shows_year),
    "age-89": Leaving(_is_young, _shows_oldest),
    "zip-3": Leaving(_is_zip3, _shows_zip3),
    "state": Leaving(_is_state, _shows_state),
}
