"""The regular expressions that the rules anonymizer hides by, one table row each; the detector knows more.

What rules hides must not change unseen, so these rows stay as they are, and wider ones are in `_more_expressions`.

Every repetition is bounded or starts behind a character that it cannot itself match, so that the time taken
grows with the length of the text and not with its square. Where a pattern has a group called `span`, only
that group is hidden: the words around it are the cue.
"""

from __future__ import annotations

import re
from functools import cache

# A character class of capital letters (Latin, Greek, Cyrillic, Armenian): `re` has no name for them beyond ASCII.
UP = "".join(char for char in map(chr, range(0x2000)) if char.isupper() or char.istitle())

# A possessive s stays outside a name, an apostrophe or hyphen within it does not: O'Dell-Rask’s.
NAME = rf"[{UP}](?:[\w\u0300-\u036f]|[-'’](?!s\b)(?=\w)){{0,40}}+"
_PARTICLE = r"(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|af|av|al|bin|ben|ibn|ter|ten|zu|zum)[ \u00a0]"

# Capitalised only because a sentence or a clause begins with them.
_OPENERS = (
    "A|About|According|After|All|Although|An|And|Another|Any|As|At|Because|Before|Being|Both|But|By|Dear|During|Each|"
    "Even|Every|Finally|First|For|Friday|From|Had|Has|He|Her|Here|His|How|However|I|If|In|Instead|It|Its|Later|Many|"
    "Meanwhile|Monday|More|Most|Much|My|Neither|No|Nobody|Nor|Not|Now|Of|Old|On|Once|One|Only|Or|Others|Our|Patient|"
    "Saturday|She|Since|So|Some|Still|Such|Sunday|Ten|That|The|Their|Then|There|These|They|This|Those|Though|Three|"
    "Through|Thursday|Thus|To|Today|Tuesday|Two|Under|Until|Upon|We|Wednesday|Were|What|When|Where|Whereas|Which|"
    "While|Who|Why|With|Without|Yesterday|Yet|You|Young"
)
NOT_NAMES = frozenset(_OPENERS.split("|"))
_NOT_NAME = rf"(?!(?:{_OPENERS})(?![\w'’-]))"
_UNIT = rf"(?:[{UP}]\.|(?:{_PARTICLE}){{0,2}}{_NOT_NAME}{NAME})"
_NAMES = rf"{_UNIT}(?:[ \u00a0]{_UNIT}|(?<=\.){_UNIT}){{0,4}}"

_TITLE = (
    r"(?:Mrs?|Ms|Mx|Miss|Messrs|Drs?|Prof|Professor|Sir|Dame|Lord|Lady|Madam|Judge|Justice|Rev|Reverend|"
    r"Father|Sister|Nurse|Capt|Captain|Sgt|Sergeant|Inspector|Lt|Lieutenant|Col|Colonel|Herr|Frau|"
    r"Monsieur|Madame|Mme|Mlle|Señora?)\b\.?"
)
_FIELD = (
    r"(?i:patient(?:[ ]name)?|(?:full[ ]|sur)?name|applicant|claimant|defendant|client|next[ ]of[ ]kin|"
    r"consultant|physician|GP|signed)"
)

TITLED = re.compile(rf"(?<!\w)(?:{_TITLE}\s{{1,3}}(?:(?:and|&)\s{{1,3}})?){{1,3}}(?P<names>{_NAMES})(?!\w)")
FIELD = re.compile(
    rf"(?<!\w){_FIELD}[ ]?:[ ]{{1,3}}(?:{_TITLE}[ ])?(?P<names>{_NAMES}(?P<inverted>,[ ]{_NAMES})?)(?!\w)"
)
WORD = re.compile(rf"(?<![\w'’-]){NAME}(?!\w)")

_MONTH = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_DAY_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[5-9]|20)\d\d"
_WEEKDAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
_DASH = r"[ ]?[-–—][ ]?"
_YEAR_CUE = (
    r"(?i:in|since|until|till|from|by|before|after|during|circa|of|to|year|early|late|mid|"
    r"spring|summer|autumn|winter|fall|born|b\.|d\.)"
)
_CLOCK = r"(?:[01]?\d|2[0-3])"
_HALF_DAY = r"(?:[ap]\.m\.|[ap]m\b|[AP]M\b)"

_DATES = (
    rf"(?<![\w.,/-])(?:{_WEEKDAY},?[ ])?(?:the[ ])?{_DAY}(?:{_DASH}{_DAY})?(?:[ ]of)?[ ]"
    rf"{_MONTH}(?:,?[ ]{_YEAR})?(?!\w)",
    rf"(?<!\w)(?:{_WEEKDAY},?[ ])?{_MONTH}[ ]{_DAY}(?:{_DASH}{_DAY})?(?:,?[ ]{_YEAR})?(?![\w%])",
    rf"(?<!\w){_MONTH}(?:[ ]of)?,?[ ]{_YEAR}(?!\w)",
    rf"(?<!\w)(?i:in|since|until|by|during|last|next|early|late|mid)[ -](?P<span>{_MONTH})(?!\w)",
    rf"(?<![\w/-]){_YEAR}([-/.]){_MONTH_NUMBER}\1{_DAY_NUMBER}"
    r"(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w/-])",
    rf"(?<![\w./-]){_DAY_NUMBER}([./-]){_DAY_NUMBER}\1{_YEAR}(?![\w/-]|\.\d)",
    rf"(?<![\w./-]){_DAY_NUMBER}([/-]){_DAY_NUMBER}\1\d\d(?![\w/-]|\.\d)",
    r"(?<![\w./-])(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.\d\d(?![\w/-]|\.\d)",
    rf"(?<![\w./-]){_DAY_NUMBER}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-(?:{_YEAR}|\d\d)(?!\w)",
    rf"(?<![\w./,-])(?:{_YEAR_CUE})[ -](?:the[ ])?(?P<span>{_YEAR})(?!\w|[.,/]\d)",
    rf"(?<![\w./,-]){_YEAR}(?:{_DASH}|[ ](?:to|and|until)[ ]){_YEAR}(?![\w/]|[.,]\d)",
    rf"(?<![\w./,-]){_YEAR}[-–/]\d\d(?![\w/-]|[.,]\d)",
    rf"\((?P<span>{_YEAR})\)",
    r"(?<![\w./,-])(?:(?:1[5-9]|20)\d|['’]\d)0s(?!\w)",
)
_TIMES = (
    rf"(?<![\w:.]){_CLOCK}[:.][0-5]\d(?::[0-5]\d)?[ ]?(?:{_HALF_DAY}|hours\b|hrs\b|h\b|o['’]clock)",
    r"(?<![\w:.])(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:])",
    rf"(?<![\w:.,]){_CLOCK}[ ]?(?:{_HALF_DAY}|o['’]clock)",
)

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBER = (
    rf"(?:1[01]\d|\d{{1,2}}|(?:{_TENS})(?:[- ](?:{_ONES}))?|ten|eleven|twelve|"
    rf"(?:thir|four|fif|six|seven|eigh|nine)teen|{_ONES})"
)
_AGES = (
    rf"(?<![\w.,/-])(?i:{_NUMBER})(?:[ -](?:years?|yrs?|months?|weeks?)[ -]old|"
    r"[ ]?y/o|[ ]?yo|[ ]years[ ]of[ ]age)(?!\w)",
    rf"(?<!\w)(?i:aged|age[ ]of|age[ ]?:|age)[ ](?:about[ ])?(?P<span>(?i:{_NUMBER}))(?![\w%]|[.,/]\d)",
    r"(?<!\w)in[ ](?:his|her|their)[ ](?:(?:early|mid|late)[ -])?"
    r"(?P<span>(?:twen|thir|for|fif|six|seven|eigh|nine)ties)\b",
)

_CODE = r"(?=[A-Z/.-]{0,20}\d)[A-Z0-9][A-Z0-9/.-]{2,30}[A-Z0-9](?!\w)"
_CODES = (
    r"(?<![\w/.-])\d{4,6}/\d{2}(?:\d\d)?(?![\w/-])",
    r"(?<!\w)(?i:application|case|file|record|patient|hospital|policy|passport|licen[cs]e|account|reference|ref|"
    r"docket|invoice|insurance|registration|member|customer|card|MRN|NHS|SSN|ID|nos?|nr|number)"
    r"\b[ .:#]{1,4}(?:(?i:nos?|nr|number|id)\b[ .:#]{1,4}){0,2}"
    rf"(?P<span>{_CODE})",
    r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?!\w)",  # IBAN
    r"(?<![\w/-])[A-Z]{1,2}\d{6,9}(?![\w/-])",  # passports and identity cards of many states
    r"(?<![\w/-])[A-Z]{2,5}-\d{3,12}(?:[-/][A-Z0-9]{1,8}){0,3}(?![\w/-])",
    r"(?<![\w/-])\d{3}-\d{2}-\d{4}(?![\w/-])",
    r"(?<![\w./,-])\d{7,}+(?![\w/,-]|\.\d)",
    r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w]|\.\d)",
    r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![\w:])",
    r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?![\w:])",
)

_PHONES = (
    r"(?<![\w+])\+\d{1,3}(?:[ .-]?\(\d{1,5}\))?(?:[ .\u00a0-]?\d{2,5}){2,5}(?![\w-])",
    r"(?<!\w)\(\d{2,5}\)[ ]?\d{2,5}(?:[ .-]\d{2,5}){1,3}(?![\w-])",
    r"(?<![\w.,+/-])(?<!\d[ ])0\d{1,4}(?:[ .-]\d{3,8}){1,3}(?![\w-])",
    r"(?<![\w.,+/-])\d{3}[-.]\d{3}[-.]\d{4}(?![\w-])",
    r"(?<![\w.,+/-])\d{3}-\d{4}(?![\w-])",
    r"(?<!\w)(?i:tel|telephone|phone|mobile|cell|fax|call|ext)\b[.:]?[ ]"
    r"(?P<span>(?:\d{4,12}|\d{2,5}(?:[ .\u00a0-]\d{2,5}){1,4}))(?!\w)",
)
_EMAILS = (r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",)
_URLS = (
    r"(?<!\w)(?i:https?|ftp)://[^\s<>\"]{0,2000}[^\s<>\".,;:!?)\]}'’”]",
    r"(?<![\w@.])(?i:www)\.[^\s<>\"]{0,2000}[^\s<>\".,;:!?)\]}'’”]",
)

_STREET = (
    r"(?:Street|Str\.|St\.|Road|Rd\.?|Avenue|Ave\.?|Lane|Ln\.?|Drive|Row|Court|Close|Crescent|Square|Terrace|Quay|"
    r"Way|Place|Alley|Boulevard|Blvd\.?|Gardens?|Hill|Mews|Parade|Wharf|Embankment)"
)
_TOWN = rf"(?:,[ ](?:[A-Z]{{0,2}}-?\d{{3,6}}[ ])?{NAME}(?:[ ]{NAME}){{0,2}})?"
_ADDRESSES = (
    rf"(?<![\w.,/-])\d{{1,5}}[A-Za-z]?,?[ ](?:{NAME}[ ]){{1,4}}{_STREET}(?!\w){_TOWN}",
    rf"(?<!\w)[{UP}]\w{{2,30}}(?:straße|strasse|gatan|gata|gate|vej|veien|vegen|gade|laan|straat|katu|tie)"
    rf"[ ]\d{{1,5}}[A-Za-z]?(?!\w){_TOWN}",
    r"(?<!\w)(?i:p\.?[ ]?o\.?[ ]box)[ ]\d{1,6}(?!\w)",
    r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}(?!\w)",  # postcodes of the British form
)

_FIGURE = r"(?:\d{1,3}(?:[,. \u00a0]\d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)"
_SCALE = r"(?:[ ](?:thousand|million|billion|bn|k|m)\b)?"
_SIGN = r"(?:[€£$¥₤]|(?:EUR|GBP|USD|CHF|SEK|NOK|DKK|PLN|JPY|CAD|AUD)\b)"
_UNIT_OF_MONEY = r"(?:euros?|dollars?|pounds?|crowns?|kron(?:er|or|a)|francs?|marks?|guilders?|roubles?|zlotys?|cents?)"
_AMOUNTS = (
    rf"(?<![\w.,]){_SIGN}[ \u00a0]?{_FIGURE}{_SCALE}(?![\d])",
    rf"(?<![\w.,]){_FIGURE}{_SCALE}[ \u00a0]?(?:{_SIGN}|{_UNIT_OF_MONEY}\b)",
)

_PATTERNS = {
    "EMAIL": _EMAILS, "URL": _URLS, "AGE": _AGES, "DATETIME": _DATES + _TIMES, "QUANTITY": _AMOUNTS, "LOC": _ADDRESSES,
    "PHONE": _PHONES, "CODE": _CODES,
}  # fmt: skip


@cache
def expressions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The expressions with their labels; earlier ones win when two of them hide the same span.

    They are compiled when somebody first looks for something: that takes longer than most of the program's start.
    """
    return tuple((label, re.compile(pattern)) for label, patterns in _PATTERNS.items() for pattern in patterns)
