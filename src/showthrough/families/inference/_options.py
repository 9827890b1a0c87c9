"""Attributes of an author that have a few values: which of them a text names, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from showthrough.core.patterns import lazy_pattern
from showthrough.families.inference.agreement import jaro_winkler

CLOSE = 0.75  # Jaro–Winkler, above which a text is one of the options, or another text
_CACHED = 1 << 16
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


@lru_cache(_CACHED)
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
