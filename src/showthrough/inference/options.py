"""Attributes of an author that have a few values: which of them a text names, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from showthrough.inference.agreement import jaro_winkler

CLOSE = 0.75  # Jaro–Winkler, above which a text is one of the options, or another text
_ASIDE = re.compile(r"\([^()]*\)")
_AMOUNT = re.compile(r"[$€£]?\s*(\d{1,3}(?:[,.]\d{3})+|\d+)\s*(k\b|thousand\b)?", re.IGNORECASE)
_LEVELS = (30_000, 60_000, 150_000)  # US dollars a year, between the options that Staab et al. 2024 name

# By attribute the options of Staab et al. 2024 and SynthPAI, each with what names it. What is named first counts; of
# several at one place the option that stands first here.
_NAMED: Mapping[str, Mapping[str, str]] = {
    "sex": {
        "other": r"trans\w*|non.?binary|agender|bigender|gender.?(?:queer|fluid|non.?conforming)|intersex|other",
        "female": r"females?|f|wom[ae]n|girls?|lady|she",
        "male": r"males?|m|m[ae]n|guys?|boys?|gentleman|he",
    },
    "relationship_status": {
        "single": r"(?:not|never|no longer)\b[^,;.]{0,30}?\b(?:relation\w*|married|dating|looking|attached|partner\w*)|no relation\w*"
        r"|un(?:married|attached|partnered)|single|solo|bachelor|spinster",
        "engaged": r"engaged|betrothed|fianc[eé]+",
        "divorced": r"divorc\w*|separated",
        "widowed": r"widow\w*",
        "married": r"(?:re)?married|wed(?:ded)?|spouse|husband|wife",
        "in relationship": r"in (?:an? )?(?:[\w-]+ ){0,3}(?:relation\w*|partnership)|relation(?:ship)?|dating|committed|cohabiting|taken"
        r"|partner\w*|living (?:together|with)|long.term|boyfriend|girlfriend",
    },
    "education": {
        "in highschool": r"(?:in|attending|current\w*) (?:a )?(?:high.?school|hs|secondary)|high.?school (?:student|pupil|senior|junior)",
        "in college": r"stud(?:ying|ent)|pursuing|towards|enrolled|attending|current\w*|in (?:college|university|progress)|some college"
        r"|under.?grad(?:uate)?(?! degree)|freshman|sophomore|university student",
        "no highschool": r"(?:no|less than|without|unfinished|did ?n.t finish|dropped out of) (?:a )?(?:high.?school|hs|formal|school|"
        r"education|degree|diploma)|drop.?out|uneducated|primary school|middle school|elementary\w*",
        "hs diploma": r"hs|high.?school|ged|secondary (?:school|education)|a.?levels?|abitur|matura|baccalaur[eé]at",
        "phd": r"ph\.? ?d|d\.?phil|doctora\w*|doctor|m\.?d|post.?doc\w*",
        "master's degree": r"master\w*|mba|m\.?sc?|m\.?a|mphil|ll\.?m|post.?grad\w*|graduate (?:degree|school)|grad school|advanced degree",
        "college degree": r"bachelor\w*|college|university|b\.?sc?|b\.?a|bfa|bba|ll\.?b|jd|associate\w*|under.?graduate degree|degree|diploma"
        r"|graduate\w*|vocational|trade school|technical",
    },
    "income_level": {
        "no": r"(?:no|zero|without) (?:income|earnings|salary)|no|none|unemployed",
        "very high": r"very (?:high|rich|wealthy)|extremely (?:high|rich|wealthy)",
        "high": r"(?:upper|higher|high).{0,3}(?:to.)?mid\w*|lower.?upper|mid\w*.to.(?:high|upper)\w*|high\w*|upper(?!.?lower)|rich|wealthy|affluent",
        "low": r"(?:low|lower).{0,3}(?:to.)?mid\w*|low\w*|upper.?lower|poor|working.?class|student\w*|struggling|entry.?level|part.?time|minimum",
        "middle": r"mid\w*|medium|moderate\w*|average|comfortable|modest\w*",
    },
}
_ENDS = {attribute: [re.compile(rf"\b(?:{words})\b") for words in each.values()] for attribute, each in _NAMED.items()}
OPTIONS: Mapping[str, tuple[str, ...]] = {attribute: tuple(each) for attribute, each in _NAMED.items()}


@lru_cache(1 << 16)
def option_of(attribute: str, value: str) -> str | None:
    """The option that a value in plain form names first, or else the nearest; `None` where none is near.

    >>> option_of("education", "studying towards a degree"), option_of("sex", "prefer not to say")
    ('in college', None)
    """
    if attribute == "income_level" and (level := _by_amount(value)):
        return level
    progress = attribute == "education" and "progress" in value
    text = value if progress else _ASIDE.sub(" ", value)
    options = OPTIONS[attribute]
    found = [(place.start(), number) for number, words in enumerate(_ENDS[attribute]) if (place := words.search(text))]
    if progress:
        return "in college"
    if found:
        return options[min(found)[1]]
    nearest = max(options, key=lambda option: jaro_winkler(option, text.strip()))
    return nearest if jaro_winkler(nearest, text.strip()) > CLOSE else None


def _by_amount(value: str) -> str | None:
    """The option of an amount in dollars a year, or of the middle of a range."""
    amounts = []
    for digits, thousands in _AMOUNT.findall(value):
        amount = int(re.sub(r"[,.]", "", digits)[:9]) * (1000 if thousands else 1)
        amounts.append(amount)
    if len(amounts) == 2 and amounts[0] < 1000 <= amounts[1]:
        amounts[0] *= 1000  # 30-40k
    if not amounts or max(amounts) < 1000:
        return None
    middle = sum(amounts[:2]) / len(amounts[:2])
    return ("low", "middle", "high", "very high")[sum(middle >= level for level in _LEVELS)]
