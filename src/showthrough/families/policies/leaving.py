"""What a rule may let be read of something that must be masked: a year, the first digits of a postcode, and the like.

Each answers two questions. Does a mention say no more than that from the start? And does what a release shows in its
place say no more? Where that cannot be told, it says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
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
_FINER = (
    "spring summer autumn fall winter primavera verano otoño invierno frühling sommer herbst quarter q half week "
    "weekend early mid late beginning start end easter christmas "
    "monday tuesday wednesday thursday friday saturday sunday"
)
_FINER_THAN_YEARS = frozenset(map(fold_name, _FINER.split()))
_UNITS = (
    "year years month months week weeks day days hour hours minute minutes ano anos mes meses semana semanas dia dias "
    "hora horas and y of a half"
)
_LENGTHS = frozenset(_UNITS.split())
_WITH_AGES = "year years month months old of age aged y o yo yr yrs a an the ano anos edad de"
_AGE_WORDS = frozenset(_WITH_AGES.split())
_OLD = 89  # the last year of age that may be read (45 CFR 164.514(b)(2)(i)(C))
_OLDEST = lazy_pattern(
    r"(?:>|over|above|more than|older than)\s*89|(?:≥|>=|at least)\s*90"
    r"|90\s*(?:\+|(?:years?\s*)?(?:of age\s*)?(?:or|and)\s*(?:older|over|above|more))"
)
_TO_20 = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_TO_20.split(), 1)}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), 2)}
_LARGE_NUMBERS = frozenset(["ninety", "hundred", "nineties", "nonagenarian", "centenarian"])
_LABELS = lazy_pattern(r"[\[<{(][A-Z][A-Z_ -]*\d*[\]>})]|[*#_\u2022\u2588\u2026]+")
_CROSSED = lazy_pattern(r"(?<=\d)[xX]{2,}")
_MASKED = lazy_pattern(r"[*#\u2022\u2588]+")
_TOKEN = lazy_pattern(r"[^\W_]*[*#\u2022\u2588](?:[^\W_]|[*#\u2022\u2588])*")
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


# Places below LOCATION that have the name of a state or country by chance: Delaware in Ohio, Virginia Street.
_SMALL_PLACES = frozenset(["ADDRESS", "CITY", "COUNTY", "FACILITY", "ZIP", "COORDINATES"])


class Leaving(NamedTuple):
    """`about`: the type it is about. `alone`: whether a mention says no more. `within`: whether a release says no more
    of it. `decides`: whether no other search tells, since what it leaves is written in other words and digits.

    `alone` has the mention, and its type with those above it in the tree. `within` has the mention, all that is shown
    in its place, and what of that stood in the original there.
    """

    about: str
    alone: Callable[[str, Collection[str]], bool]
    within: Callable[[str, str, str], bool]
    decides: bool = False


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
    """
    >>> [_has_piece({"kowalska"}, text) for text in ("K*wal*ka", "Kowals**", "K*l*a", "****")]
    [True, True, False, False]
    """
    return any(
        piece.isdigit() or len(piece) >= max(_LETTERS, _MOST * len(word)) for word, piece in _pieces_left(words, shown)
    )


def is_half_masked(words: Collection[str], shown: str) -> bool:
    """Whether a text shows at least two letters or a digit of a word, beside mask characters.

    >>> [is_half_masked({"hiv"}, text) for text in ("H*V", "H**", "a*b")]
    [True, False, False]
    """
    return any(piece.isdigit() or len(piece) > 1 for _, piece in _pieces_left(words, shown))


def _pieces_left(words: Collection[str], shown: str) -> Iterator[tuple[str, str]]:
    """Words and what a text shows of each beside mask characters: its beginning, its end, or all that they leave."""
    for token in _TOKEN.findall(_CROSSED.sub("*", shown)):
        first, *_, last = pieces = [fold_name(piece) for piece in _MASKED.split(token)]
        pattern = re.compile(".*".join(map(re.escape, pieces)))
        for word in words:
            starts, ends = word.startswith(first) and first, word.endswith(last) and last
            whole = pattern.fullmatch(word) and "".join(pieces)
            yield from ((word, piece) for piece in (starts, ends, whole) if piece)


def _words(text: str) -> list[str]:
    return _PART.findall(reading_form(text))


def _numbers(text: str) -> set[int]:
    """
    >>> sorted(_numbers("92 years, ninety-two")), sorted(_numbers("one hundred and two"))
    ([92], [102])
    """
    words = _words(text)
    spelled = 0
    for word in words:
        spelled = (spelled or 1) * 100 if word == "hundred" else spelled + _VALUES.get(word, 0)
    digits = {int(word) for word in words if word.isdecimal() and len(word) <= _LETTERS + 1}
    return digits | ({spelled} if spelled else set())


def _is_year(text: str, path: Collection[str] = ()) -> bool:
    """Whether a date is a year, or a length of time that is no age over 89.

    >>> [_is_year(text) for text in ("2019", "in the 1990s", "March 2019", "12/03/2019", "early 2019", "Monday")]
    [True, True, False, False, False, False]
    >>> [_is_year(text) for text in ("12/03/19", "3/12", "the 12th", "three weeks", "92 years", "years")]
    [False, False, False, True, False, False]
    """
    words = _words(text)
    years = [word for word in words if _YEAR.fullmatch(word)]
    if years:
        return all(word in years or word in _AROUND_YEARS for word in words)
    rest = {word for word in words if not word.isdecimal() and word not in _VALUES}
    numbers = _numbers(text)
    return bool(rest and numbers) and _LENGTHS.issuperset(rest) and max(numbers) <= _OLD


def _shows_year(original: str, shown: str, left: str = "") -> bool:
    """Whether a release shows no day and no month of a date, but its year.

    Another date in place of the whole shows nothing, unless two of day, month and year are the true ones.

    >>> shown = ("2019", "March 2019", "*** 2019", "03/2019", "[DATE_12] 2019", "5 March 2020", "5 March 2019")
    >>> [_shows_year("12 March 2019", text) for text in shown]
    [True, False, True, False, True, True, False]
    >>> [_shows_year("12 March 2019", text) for text in ("spring 2019", "Q1 2019")], _shows_year("3/12", "March")
    ([False, False], False)
    >>> [_shows_year("12 March 2019", "1* 2019", left) for left in ("1 2019", "")]  # a piece of the day is left
    [False, False]
    """
    others = complete_dates(shown)
    if others and complete_dates(original) and not _words(left):
        return not any(_alike(day, other) for day in complete_dates(original) for other in others)
    finer = {word for word in _words(original) if not _YEAR.fullmatch(word) and word not in _AROUND_YEARS}
    if not complete_dates(original):
        finer |= {name for word in finer if word.isdecimal() for name in _month_names(int(word[-_LETTERS:]))}
    for day in complete_dates(original):
        finer |= {str(day.day), f"{day.day:02d}", str(day.month), f"{day.month:02d}", *_month_names(day.month)}
    for month in [MONTHS[word] for word in finer if word in MONTHS]:
        finer |= {str(month), f"{month:02d}", *_month_names(month)}
    if _has_piece(finer, shown):
        return False
    whole = all(_YEAR.fullmatch(word) or word in _AROUND_YEARS for word in _words(left))
    return whole and finer.union(_FINER_THAN_YEARS).isdisjoint(_words(without_labels(shown)))


def _alike(day: date, other: date) -> bool:
    """Whether two of day, month and year are the same."""
    return (day.day == other.day) + (day.month == other.month) + (day.year == other.year) > 1


@cache
def _month_names(number: int) -> frozenset[str]:
    return frozenset(name for name, month in MONTHS.items() if month == number)


def _is_young(text: str, path: Collection[str] = ()) -> bool:
    """
    >>> [_is_young(text) for text in ("45", "89 years old", "90", "forty-five", "ninety-two", "90 or older", "aged")]
    [True, True, False, True, False, True, False]
    """
    if _tells_oldest(text):
        return True
    numbers = _numbers(text)
    words = _words(text)
    long = any(word.isdecimal() and int(word[-_LETTERS - 2 :]) > _OLD for word in words)
    return bool(numbers) and max(numbers) <= _OLD and not long and _LARGE_NUMBERS.isdisjoint(words)


def _tells_oldest(shown: str) -> bool:
    """Whether a text tells an age as 90 or older, and no other number."""
    return _OLDEST.search(shown.casefold()) is not None and {"89", "90"}.issuperset(re.findall(r"\d+", shown))


def _shows_no_age(original: str, shown: str, left: str = "") -> bool:
    """Whether a release shows nothing of an age, or that it is 90 or older.

    >>> [_shows_no_age("93", text) for text in ("90+", "93 (90+)", "9*", "ninety-three", "her nineties", "47")]
    [True, False, False, False, False, True]
    >>> _shows_no_age("ninety-three", "93"), _shows_no_age("102-year-old", "***-year-old", "-year-old")
    (False, True)
    """
    if _tells_oldest(shown):
        return True
    said, bare = {*_words(original)} - _AGE_WORDS, without_labels(shown)
    return (
        _AGE_WORDS.issuperset(_words(left))
        and said.union(_LARGE_NUMBERS).isdisjoint(_words(bare))
        and _numbers(original).isdisjoint(_numbers(bare))
        and not _has_piece(said, shown)
    )


def _is_zip3(text: str, path: Collection[str] = ("ZIP",)) -> bool:
    """
    >>> [_is_zip3(text) for text in ("021", "021**", "000", "036**", "02139")], _is_zip3("221", ["ADDRESS", "STREET"])
    ([True, True, True, False, False], False)
    """
    match = _ZIP3.fullmatch(text.strip())
    return "ZIP" in path and match is not None and match[1] not in FEW_PEOPLE


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


def _is_state(text: str, path: Collection[str] = ()) -> bool:
    """
    >>> [_is_state(text) for text in ("Texas", "TX", "the United States", "US", "Boston, MA", "in", "New York")]
    [True, True, True, True, False, False, False]
    >>> _is_state("Delaware", ["LOCATION", "GPE", "CITY"])
    False
    """
    if not _SMALL_PLACES.isdisjoint(path):
        return False
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
    "year": Leaving("DATETIME", _is_year, _shows_year, decides=True),
    "age-89": Leaving("AGE", _is_young, _shows_no_age, decides=True),
    "zip-3": Leaving("LOCATION", _is_zip3, _shows_zip3),
    "state": Leaving("LOCATION", _is_state, _shows_state),
}
