"""What is told of a person without a value: by a title, a pronoun, a word for a relative, a degree.

Such a cue counts only where it is about that person: it stands beside their name, or in a sentence with it or with the
part that they alone have in the document, or there is no other person, or they speak of themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from showthrough.families.inference.reading.page import Page, Span
from showthrough.families.inference.reading.values import TITLES, Read, name_parts
from showthrough.models.countries import words_of

_MALE = "mr mister sir lord king prince husband brother father son uncle nephew grandfather widower"
_FEMALE = "mrs ms miss madam dame lady queen princess wife sister mother daughter aunt niece grandmother widow"
_BESIDE = {"male": frozenset(_MALE.split()), "female": frozenset(_FEMALE.split())}  # before a name
_RELATIVES = _BESIDE["male"] | _BESIDE["female"]
_TITLES = {"male": "mr mister", "female": "mrs ms miss"}
_PRONOUNS = {"male": "he him his himself", "female": "she her hers herself"}
_SELF = {"male": r"man|guy|dude|dad|father|husband|son|boy|male|gentleman|grandpa|grandfather",
         "female": r"woman|girl|gal|lady|mom|mum|mother|wife|daughter|female|grandma|grandmother"}  # fmt: skip
_SEXES = {"m": "male", "man": "male", "f": "female", "woman": "female", "male": "male", "female": "female"}
_ROLE_ENDS = frozenset(words_of("and as at born by for from in of on that to was who whose with"))
_ONE = r"(?-i:[a-z-]+)"  # a word, and never what stands in for one
_I_AM = rf"(?<!\w)(?:i am|i['’]?m|as|being)(?: also| just)? an? (?:{_ONE} )?"

# Words by which somebody's bonds are known; of those who speak of themselves, what they say of whom they have.
_BONDS = {
    "widowed": r"widow(?:ed|er|ers|s)?|late (?:husband|wife)",
    "divorced": r"divorced?|ex[- ](?:husband|wife)|separated",
    "married": r"married|wife|husband|spouses?|wedding anniversary|marriedlife",
    "engaged": r"engaged|fianc[eé]e?",
    "relation": r"girlfriend|boyfriend|dating|in a relationship|my partner",
    # A single word is not a single person.
    "single": r"unmarried|single (?:man|woman|mother|father|mom|mum|dad|parent|life)|(?<=is )single|(?<=am )single"
    r"|(?<=['’]m )single|(?<=being )single|(?<=ly )single",
}
_OF_BOND = {
    "widow": "widowed", "divorc": "divorced", "separat": "divorced", "married": "married", "wed": "married",
    "engaged": "engaged", "relationship": "relation", "in relation": "relation", "dating": "relation",
    "no relation": "single", "single": "single", "unmarried": "single",
}  # fmt: skip
_MINE = rf"(?<!\w)(?:my|i am|i['’]?m|i was|i got|we got|being)(?: {_ONE})? (?:{{}})(?!\w)"

_INCOMES = ("low", "middle", "high")
_PAID = rf"(?:{_ONE}[- ])?(?:incomes?|paid|pay|salary|salaries|wages?|earners?|earning)"

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


class PersonView:
    """Which words of a page are about one person: by their name, or by their part in it where nobody shares that."""

    def __init__(self, page: Page, names: Iterable[str], role: str, alone: bool, author: bool) -> None:
        parts = {part for name in names for part in name_parts(name)}
        self.page, self.role, self.alone, self.author = page, role, alone, author
        self.named = sorted(n for part in parts for n in page.places.get(part, ()) if page.capital(n))
        self.meant = [page.spans[number] for number in page.places.get(role, ())]
        spans = [page.spans[number] for number in self.named] + self.meant
        self._sentences = {page.sentence_at(start) for start, _ in spans}

    def find(self, words: str) -> Span | None:
        """Words that are about this person: anywhere if there is nobody else, else in a sentence about them."""
        if not (self.alone or self._sentences):
            return None
        for match in self.page.matches(_among(words)):
            if self.alone or self.page.sentence_at(match.start()) in self._sentences:
                return match.span()
        return None

    def follows(self, words: str) -> Span | None:
        """Words behind the person's part, in the same sentence."""
        firsts: dict[int, int] = {}
        for _, end in reversed(self.meant):
            firsts[self.page.sentence_at(end)] = end
        for match in self.page.matches(_among(words)) if firsts else ():
            if match.start() > firsts.get(self.page.sentence_at(match.start()), match.start()):
                return match.span()
        return None

    def search(self, pattern: str) -> Span | None:
        match = re.search(pattern, self.page.text, re.IGNORECASE)
        return match.span() if match else None


@lru_cache(maxsize=64)
def _among(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def role_of(description: str, named: bool) -> str:
    """The part that somebody has in a document, as one word: the applicant. Of "name - part", where one has a name.

    >>> role_of("Mr Lewis - Polish national applicant, born in 1970", named=True)
    'applicant'
    """
    name, _, part = description.partition(" - ")
    role = ""
    for word in words_of(re.split(r"[,;:(]", part if named else name)[0]):
        if word in _ROLE_ENDS or (role and word.endswith("ing")):
            break
        if len(word) > 2 and word not in TITLES:
            role = word
    return role


def sex(view: PersonView, value: str) -> list[Read]:
    """By a title or a word for a relative before the name; by pronouns where it is clear who is meant."""
    kind = _SEXES.get(value.strip().lower())
    if kind is None:
        return []
    if view.author:
        span = view.search(rf"{_I_AM}(?:{_SELF[kind]})(?!\w)")
    elif view.alone:
        span = view.find("|".join(f"{_PRONOUNS[kind]} {_TITLES[kind]}".split()))
    elif view.role in _RELATIVES:  # his wife is no man
        span = view.meant[0] if view.role in _BESIDE[kind] and view.meant else _find_title(view, kind)
    else:
        span = _find_title(view, kind) or view.follows("|".join(_PRONOUNS[kind].split()))
    return [(value, span)] if span else []


def _find_title(view: PersonView, kind: str) -> Span | None:
    """Where such a title or word stands before the name, or a title behind the part: their Agent, Mr …"""
    page = view.page
    own = {page.words[number] for number in view.named}
    for number in view.named:
        before = number - 1
        while (
            before >= 0 and page.is_connected(before, number) and (page.words[before] in own or _initial(page, before))
        ):
            before -= 1
        if before >= 0 and page.is_connected(before, number) and page.words[before] in _BESIDE[kind]:
            return page.span(before, number)
    for number in page.places.get(view.role, ()):
        behind = number + 1
        if (
            behind < len(page.words)
            and page.is_connected(number, behind)
            and page.words[behind] in _TITLES[kind].split()
        ):
            return page.span(number, behind)
    return None


def _initial(page: Page, number: int) -> bool:
    written = page.word_text(number)
    return len(written) == 1 and written.isupper()


def relationship(view: PersonView, value: str) -> list[Read]:
    """By words such as wife, divorced, widower; of those who speak of themselves: my wife, I am divorced."""
    plain = value.strip().lower()
    kind = next((kind for start, kind in _OF_BOND.items() if plain.startswith(start)), None)
    if kind is None:
        return []
    span = view.search(_MINE.format(_BONDS[kind])) if view.author else view.find(_BONDS[kind])
    return [(value, span)] if span else []


def education(view: PersonView, value: str) -> list[Read]:
    """By the words for a degree of that kind."""
    plain = value.lower().replace(".", "").replace(" ", "")
    kind = None if plain.startswith("no") else next((kind for part, kind in _OF_DEGREE if part in plain), None)
    span = view.find(_DEGREES[kind]) if kind else None
    return [(value, span)] if span else []


def income(view: PersonView, value: str) -> list[Read]:
    """By its level beside a word for being paid."""
    kind = next((level for level in _INCOMES if level in value.lower()), None)
    span = view.find(rf"{kind}[- ]{_PAID}") if kind else None
    return [(value, span)] if span else []
