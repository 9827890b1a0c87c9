"""What is told of a person without a value: by a title, a pronoun, a word for a relative, a degree.

Such a cue counts only where it is about that person: it stands beside their name, or in a sentence with it, or the
document has no other person, or they speak of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from showthrough.inference.reading.page import Page, Span
from showthrough.inference.reading.values import Read, name_parts

_MALE = "mr mister sir lord king prince husband brother father son uncle nephew grandfather widower"
_FEMALE = "mrs ms miss madam dame lady queen princess wife sister mother daughter aunt niece grandmother widow"
_BESIDE = {"male": frozenset(_MALE.split()), "female": frozenset(_FEMALE.split())}  # before a name
_TITLES = {"male": "mr mister", "female": "mrs ms miss"}
_PRONOUNS = {"male": "he him his himself", "female": "she her hers herself"}
_SELF = {"male": r"man|guy|dude|dad|father|husband|son|boy|male|gentleman|grandpa|grandfather",
         "female": r"woman|girl|gal|lady|mom|mum|mother|wife|daughter|female|grandma|grandmother"}  # fmt: skip
_SEXES = {"m": "male", "man": "male", "f": "female", "woman": "female", "male": "male", "female": "female"}
_I_AM = r"(?<!\w)(?:i am|i['’]?m|as|being)(?: also| just)? an? (?:[\w-]+ )?"

# Words by which somebody's bonds are known; of those who speak of themselves, what they say of whom they have.
_BONDS = {
    "widowed": r"widow(?:ed|er|ers|s)?|late (?:husband|wife)",
    "divorced": r"divorced?|ex[- ](?:husband|wife)|separated",
    "married": r"married|wife|husband|spouses?|wedding anniversary|marriedlife",
    "engaged": r"engaged|fianc[eé]e?",
    "relation": r"girlfriend|boyfriend|dating|in a relationship|my partner",
    "single": r"single|unmarried|bachelor",
}
_OF_BOND = {
    "widow": "widowed", "divorc": "divorced", "separat": "divorced", "married": "married", "wed": "married",
    "engaged": "engaged", "relationship": "relation", "in relation": "relation", "dating": "relation",
    "no relation": "single", "single": "single", "unmarried": "single",
}  # fmt: skip
_MINE = r"(?<!\w)(?:my|i am|i['’]?m|i was|i got|we got|being)(?: [\w-]+)? (?:{})(?!\w)"

_INCOMES = ("low", "middle", "high")
_PAID = r"(?:\w+[- ])?(?:incomes?|paid|pay|salary|salaries|wages?|earners?|earning)"

# Degrees, and the words of a text that tell of one; the first that a value names is what it is.
_DEGREES = {
    "doctor": r"ph\.? ?d|doctorates?|doctoral|professor|prof|dr",
    "master": r"master['’]?s|m\.?sc|mba|master of \w+",
    "bachelor": r"bachelor['’]?s?|b\.?sc|bachelor of \w+|undergrad\w*",
    "college": r"college|universit(?:y|ies)|degree|graduated?|ph\.? ?d|master['’]?s|bachelor['’]?s",
    "school": r"high ?school|secondary school|grammar school",
}
_OF_DEGREE = (
    ("phd", "doctor"), ("doctor", "doctor"), ("master", "master"), ("bachelor", "bachelor"),
    ("college", "college"), ("university", "college"), ("school", "school"), ("degree", "college"),
)  # fmt: skip


class Whose:
    """Which words of a page are about one person."""

    def __init__(self, page: Page, names: Iterable[str], alone: bool, author: bool) -> None:
        parts = {part for name in names for part in name_parts(name)}
        self.page, self.alone, self.author = page, alone, author
        self.named = sorted(n for part in parts for n in page.places.get(part, ()) if page.capital(n))
        self._sentences = {page.sentence_at(page.spans[number][0]) for number in self.named}

    def find(self, words: str) -> Span | None:
        """Words that are about this person: anywhere if there is nobody else, else in a sentence with the name."""
        if not (self.alone or self._sentences):
            return None
        for found in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", self.page.text, re.IGNORECASE):
            if self.alone or self.page.sentence_at(found.start()) in self._sentences:
                return found.span()
        return None

    def said(self, pattern: str) -> Span | None:
        found = re.search(pattern, self.page.text, re.IGNORECASE)
        return found.span() if found else None


def sex(whose: Whose, value: str) -> list[Read]:
    """By a title or a word for a relative before the name; by pronouns where nobody else is meant."""
    kind = _SEXES.get(value.strip().lower())
    if kind is None:
        return []
    page = whose.page
    span = None
    if whose.author:
        span = whose.said(rf"{_I_AM}(?:{_SELF[kind]})(?!\w)")
    elif whose.alone:
        span = whose.said(rf"(?<!\w)(?:{'|'.join(f'{_PRONOUNS[kind]} {_TITLES[kind]}'.split())})(?!\w)")
    own = {page.words[number] for number in whose.named}
    for number in () if span else whose.named:
        before = number - 1
        while before >= 0 and page.joined(before, number) and (page.words[before] in own or _initial(page, before)):
            before -= 1
        if before >= 0 and page.joined(before, number) and page.words[before] in _BESIDE[kind]:
            span = page.span(before, number)
            break
    return [(value, span)] if span else []


def _initial(page: Page, number: int) -> bool:
    written = page.written(number)
    return len(written) == 1 and written.isupper()


def relationship(whose: Whose, value: str) -> list[Read]:
    """By words such as wife, divorced, widower; of those who speak of themselves: my wife, I am divorced."""
    plain = value.strip().lower()
    kind = next((kind for start, kind in _OF_BOND.items() if plain.startswith(start)), None)
    if kind is None:
        return []
    span = whose.said(_MINE.format(_BONDS[kind])) if whose.author else whose.find(_BONDS[kind])
    return [(value, span)] if span else []


def education(whose: Whose, value: str) -> list[Read]:
    """By the words for a degree of that kind."""
    plain = value.lower().replace(".", "").replace(" ", "")
    kind = next((kind for part, kind in _OF_DEGREE if part in plain), None)
    span = whose.find(_DEGREES[kind]) if kind else None
    return [(value, span)] if span else []


def income(whose: Whose, value: str) -> list[Read]:
    """By its level beside a word for being paid."""
    kind = next((level for level in _INCOMES if level in value.lower()), None)
    span = whose.find(rf"{kind}[- ]{_PAID}") if kind else None
    return [(value, span)] if span else []
