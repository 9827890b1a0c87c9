"""Eight attributes of an author (Staab et al. 2024; SynthPAI): their names, and when a guess is right.

Ages as SPIA compares them, attributes with a few values by the option that is named, places by their levels, others by
Jaro–Winkler above 0.75.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from unicodedata import combining, normalize

from showthrough.core.patterns import lazy_pattern
from showthrough.families.inference.agreement import FULL, NOT, PARTLY, age_of, ages, agreement, jaro_winkler, plain
from showthrough.models.gazetteer import country_named, lies_in

_CACHED = 1 << 18  # pairs of values
_NAMES: Mapping[str, str] = {
    "age": "age, ages, author age, age range, years old",
    "sex": "sex, gender, biological sex",
    "city_country": "city country, city and country, location, city, country, current location, current residence, "
    "residence, place of residence, place of living, current place of living, living place",
    "birth_city_country": "birth city country, city and country of birth, place of birth, birthplace, birth place, "
    "birth city, birth country, birth location, pobp",
    "education": "education, education level, level of education, educational background, educational level, "
    "highest education",
    "occupation": "occupation, job, profession, job title, work, career, current occupation",
    "income_level": "income level, income, yearly income, annual income, income bracket, income range, salary",
    "relationship_status": "relationship status, relationship, marital status, married, relation, relation status, "
    "civil status",
}
TAGS = tuple(_NAMES)
PLACES = ("city_country", "birth_city_country")
_ATTRIBUTES = {name: tag for tag, names in _NAMES.items() for name in names.split(", ")}
_NO_WORD = lazy_pattern(r"[\W_]+")
_WITHIN_TEN = {"early": 2, "mid": 5, "middle": 5, "late": 8}
_AGE = lazy_pattern(
    r"(?P<part>(?:\b(?:early|mid|middle|late)\b[\s-]*(?:to|or|and|/)?[\s-]*)+)?(?P<years>\d{1,3})(?P<decade>['’]?s\b)?"
)
_SPELLED = 0.93  # Jaro–Winkler, above which two names of places are one that is misspelled
_OLDEST = 150  # what is more is no age
_ALSO = {
    "kiev": "kyiv", "bombay": "mumbai", "calcutta": "kolkata", "madras": "chennai", "bangalore": "bengaluru",
    "peking": "beijing", "saigon": "ho chi minh", "rangoon": "yangon", "nyc": "new york", "new york ny": "new york",
}  # fmt: skip
_KIND_OF_PLACE = lazy_pattern(r"\b(?:city|town|greater|metropolitan|metro|area|region|province|state|county|of)\b")


def named_tag(name: str, names: Mapping[str, str]) -> str | None:
    """The tag that somebody means by a name."""
    return names.get(_words(name))


def tags_by_name(tags: Iterable[str]) -> dict[str, str]:
    """By every name that people have for tags; a tag's own name comes first.

    >>> tags_by_name(["sex"])["gender"]
    'sex'
    """
    all_tags = [*tags]
    names = {_words(tag): tag for tag in all_tags}
    for tag in all_tags:
        if attribute := _ATTRIBUTES.get(_words(tag)):
            for name in _NAMES[attribute].split(", "):
                names.setdefault(name, tag)
    return names


def _words(name: str) -> str:
    return _NO_WORD.sub(" ", name.casefold()).strip()


@lru_cache(_CACHED)
def right(tag: str, true: str, guess: str) -> float:
    """How far a guess about an author is right: 1, 0.5 (less precise) or 0. Tags beyond the eight are SPIA's, or text.

    >>> right("city_country", "Vienna, Austria", "Australia"), right("city_country", "Vienna, Austria", "Graz, Austria")
    (0.0, 0.5)
    """
    attribute = _ATTRIBUTES.get(_words(tag)) if tag == tag.lower() else None
    plain_true, plain_guess = (plain(value).strip(" .;,\"'*") for value in (true, guess))
    if attribute is None or not plain_true or not plain_guess:
        return agreement(tag, true, guess)
    if attribute in OPTIONS:
        return _options(attribute, plain_true, plain_guess)
    return _RULES.get(attribute, _texts)(plain_true, plain_guess)


def _options(attribute: str, true: str, guess: str) -> float:
    if true == guess:
        return FULL
    option = option_of(attribute, true)
    return FULL if option is not None and option == option_of(attribute, guess) else NOT


def _ages(true: str, guess: str) -> float:
    return ages(*(_years(value) for value in (true, guess)))


def _years(value: str) -> str:
    """An age as SPIA writes it, 34 or 30-39: `late 20s` is 28, and of several ages the first two are a range.

    >>> _years("late 20s"), _years("early to mid 30s"), _years("30 or 35, I think"), _years("old")
    ('28', '32-35', '30-35', 'old')
    """
    if age_of(value) is not None:
        return value
    bounds = [years for match in _AGE.finditer(value) if int(match["years"]) <= _OLDEST for years in _ends(match)]
    low, high = (min(bounds[:2]), max(bounds[:2])) if bounds else (0, 0)
    return value if not bounds else str(low) if low == high else f"{low}-{high}"


def _ends(match: re.Match[str]) -> list[int]:
    """A number of years; of a decade its first and last, or those that its parts stand for."""
    years = int(match["years"])
    parts = [_WITHIN_TEN[part] for part in re.findall(r"early|middle|mid|late", match["part"] or "")]
    return [years] if not match["decade"] else [years + part for part in parts or (0, 9)]


def _places(true: str, guess: str) -> float:
    """Right where what is truly meant is among the levels of the guess; partly where any level is."""
    levels, guess_levels = _levels(true), _levels(guess)
    if not levels or not guess_levels:
        return NOT
    ours, theirs = (_country(side) for side in (levels, guess_levels))
    if ours and theirs and ours != theirs:
        return NOT
    if any(_same(levels[0], other) for other in guess_levels):
        return FULL
    return PARTLY if any(_same(level, other) for level in levels for other in guess_levels) else NOT


def _levels(value: str) -> tuple[str, ...]:
    """From special to general, each by one of its names; of a well-known city alone, its country too.

    >>> _levels("new york city, usa"), _levels("paris")
    (('new york', 'United States'), ('paris', 'France'))
    """
    parts = [part for part in re.split(r"[,/;]| - |\(|\)", value) if any(map(str.isalpha, part))]
    named = [country_named(part) or _bare(part) for part in parts]
    if len(parts) == 1 and not country_named(parts[0]):
        named += lies_in(parts[0])[:1]
    return tuple(level for level in named if level)


def _bare(name: str) -> str:
    """Without accents, and without words for kinds of places, unless there are no others."""
    letters = "".join(letter for letter in normalize("NFD", name) if not combining(letter))
    words = " ".join(letters.replace("ł", "l").replace("ø", "o").split())
    bare = " ".join(_KIND_OF_PLACE.sub(" ", words).split()) or words
    return _ALSO.get(bare, bare)


def _country(levels: tuple[str, ...]) -> str:
    """The country that a place ends with, or empty."""
    return levels[-1] if country_named(levels[-1]) == levels[-1] else ""


def _same(first: str, second: str) -> bool:
    """Equal, or hardly otherwise spelled where not both are known places."""
    if first == second:
        return True
    are_places = all(country_named(name) or lies_in(name) for name in (first, second))
    return not are_places and jaro_winkler(first, second) > _SPELLED


def _texts(true_text: str, guess_text: str) -> float:
    """Of alternatives (`writer/editor`) the nearest; partly right where one has all words of the other."""
    return max(_text(true, guess) for true in _alternatives(true_text) for guess in _alternatives(guess_text))


def _text(true: str, guess: str) -> float:
    if jaro_winkler(true, guess) > CLOSE:
        return FULL
    fewer, more = sorted(({*_words(value).split()} for value in (true, guess)), key=len)
    return PARTLY if fewer and fewer <= more else NOT


def _alternatives(value: str) -> list[str]:
    """A value, or the first two that it names: who names more says nothing."""
    named = [part.strip() for part in re.split(r"/| or ", value) if part.strip()]
    return [value, *named[:2]]


_RULES: dict[str, Callable[[str, str], float]] = {"age": _ages, **dict.fromkeys(PLACES, _places)}


# Attributes of an author that have a few values: which of them a text names, in whatever words.

CLOSE = 0.75  # Jaro–Winkler, above which a text is one of the options, or another text
_CACHED_OPTIONS = 1 << 16
_ASIDE = lazy_pattern(r"\([^()]*\)")
_UNDERWAY = lazy_pattern(r"\b(?:in progress|ongoing|incomplete|not (?:yet )?(?:finished|completed))\b")
_AMOUNT = lazy_pattern(r"(\d{1,3}(?:[,.]\d{3})+|\d{1,9})\s*(k\b|thousand\b)?")
_LEVELS = (30_000, 60_000, 150_000)  # US dollars a year, between the options that Staab et al. 2024 name
_BY_LEVEL = ("low", "middle", "high", "very high")

# By attribute the options of Staab et al. 2024 and of SynthPAI, each with what names it, a space between: where a word
# has a space in it, `_` stands for it, or for a hyphen. What is named first counts; of several at one place, the option
# that stands first here.
_NAMED: Mapping[str, Mapping[str, str]] = {
    "sex": {
        "other": r"trans\w* non_?binary agender bigender gender_?(?:queer|fluid|non_?conforming) intersex other",
        "female": r"females? f wom[ae]n girls? lady she",
        "male": r"males? m m[ae]n guys? boys? gentleman he",
    },
    "relationship_status": {
        "single": r"(?:not|never|no_longer)_(?:\w+_){0,4}(?:relation\w*|married|dating|looking|attached|partner\w*) "
        r"no_relation\w* un(?:married|attached|partnered) single solo bachelor spinster",
        "engaged": r"engaged betrothed fianc[eé]+",
        "divorced": r"divorc\w* separated",
        "widowed": r"widow\w*",
        "married": r"(?:re)?married wed(?:ded)? spouse husband wife",
        "in relationship": r"in_(?:an?_)?(?:\w+_){0,3}(?:relation\w*|partnership) relation(?:ship)? dating committed "
        r"cohabiting taken partner\w* living_(?:together|with) long_term boyfriend girlfriend",
    },
    "education": {
        "in highschool": r"(?:in|attending|currently_in)_(?:high_?school|hs|secondary_school) "
        r"high_?school_(?:student|pupil|senior|junior)",
        "in college": r"stud(?:ying|ent) pursuing towards enrolled attending current\w* in_(?:college|university) "
        r"some_college under_?grad(?:uate)?(?!_degree) freshman sophomore",
        "no highschool": r"(?:no|less_than|without|unfinished|dropped_out_of)_(?:high_?school|hs|formal|school\w*) "
        r"no_(?:education|degree|diploma) drop_?out uneducated primary_school middle_school elementary\w*",
        "hs diploma": r"hs high_?school ged secondary_(?:school|education) a_?levels? abitur matura baccalaur[eé]at",
        "phd": r"ph\.?_?d d\.?phil doctora\w* doctor m\.?d post_?doc\w*",
        "master's degree": r"master\w* mba m\.?sc? m\.?a mphil ll\.?m post_?grad\w* graduate_(?:degree|school) "
        r"grad_school advanced_degree",
        "college degree": r"bachelor\w* college university b\.?sc? b\.?a bfa bba ll\.?b jd associate\w* "
        r"under_?graduate_degree degree diploma graduate\w* vocational trade_school technical",
    },
    "income_level": {
        "no": r"(?:no|zero|without)_(?:income|earnings|salary) no none unemployed",
        "very high": r"(?:very|extremely)_(?:high|rich|wealthy)",
        "high": r"(?:upper|high(?:er)?)_(?:to_)?mid\w* lower_upper mid\w*_to_(?:high|upper)\w* high\w* upper(?!_lower) "
        r"rich wealthy affluent",
        "low": r"low(?:er)?_(?:to_)?mid\w* low\w* upper_lower poor working_class student\w* struggling entry_level "
        r"part_time minimum",
        "middle": r"mid\w* medium moderate\w* average comfortable modest\w*",
    },
}


def _compile_names(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b".replace("_?", "[ -]?").replace("_", "[ -]"))


_NAMING = {
    attribute: [_compile_names(words) for words in option_words.values()] for attribute, option_words in _NAMED.items()
}
OPTIONS: Mapping[str, tuple[str, ...]] = {attribute: tuple(option_words) for attribute, option_words in _NAMED.items()}


@lru_cache(_CACHED_OPTIONS)
def option_of(attribute: str, value: str) -> str | None:
    """The option that a value in plain form names first, or else the nearest; `None` where none is near.

    >>> option_of("education", "studying towards a degree"), option_of("sex", "prefer not to say")
    ('in college', None)
    """
    if attribute == "income_level" and (level := _by_amount(value)):
        return level
    if attribute == "education" and _UNDERWAY.search(value):
        return "in college"
    text, options = _ASIDE.sub(" ", value).strip(), OPTIONS[attribute]
    named = [(at.start(), number) for number, words in enumerate(_NAMING[attribute]) if (at := words.search(text))]
    if named:
        return options[min(named)[1]]
    nearest = max(options, key=lambda option: jaro_winkler(option, text))
    return nearest if jaro_winkler(nearest, text) > CLOSE else None


def _by_amount(value: str) -> str | None:
    """The option of an amount in dollars a year, or of the middle of two.

    >>> _by_amount("$30,000 - $40,000"), _by_amount("80-90k"), _by_amount("2 jobs")
    ('middle', 'high', None)
    """
    amounts = [
        int(re.sub(r"\D", "", digits)) * (1000 if thousands else 1) for digits, thousands in _AMOUNT.findall(value)
    ]
    if len(amounts) == 2 and amounts[0] < 1000 <= amounts[1]:
        amounts[0] *= 1000  # 30-40k
    if not amounts or max(amounts) < 1000:
        return None
    middle = sum(amounts[:2]) / len(amounts[:2])
    return _BY_LEVEL[sum(middle >= level for level in _LEVELS)]
