"""The attacker who only reads: knows what to look for, and says what still stands there. A floor for what leaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from showthrough.data.subjects import CERTAIN, Subject
from showthrough.inference.asking import READER
from showthrough.inference.base import Answer, Case, Guess, Person
from showthrough.inference.reading import values
from showthrough.inference.reading.cues import Whose, education, income, relationship, sex
from showthrough.inference.reading.page import Page
from showthrough.inference.reading.values import Read

_PAGES = 2048  # that are kept, since several metrics and controls read the same
NAME = "NAME"
_VALUES: dict[str, Callable[[Page, str], list[Read]]] = {
    "AGE": values.age,
    "EMAIL_ADDRESS": values.address,
    **dict.fromkeys(("LOCATION", "NATIONALITY", "CITY_COUNTRY", "BIRTH_CITY_COUNTRY"), values.place),
    **dict.fromkeys(("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER"), values.code),
}
_CUES: dict[str, Callable[[Whose, str], list[Read]]] = {
    "SEX": sex,
    "EDUCATION": education,
    "INCOME_LEVEL": income,
    **dict.fromkeys(("RELATIONSHIP", "RELATIONSHIP_STATUS"), relationship),
}


class Reader:
    """Finds what is true of people where the text still says it, with the place; guesses nothing, asks nobody."""

    name = READER

    def __init__(self) -> None:
        self._page = lru_cache(_PAGES)(Page)

    def infer(self, cases: Sequence[Case]) -> list[Answer | None]:
        return [self._read(case) for case in cases]

    def _read(self, case: Case) -> Answer:
        page = self._page(case.text)
        named = Counter(part for person in case.truth for part in {*_parts(person)})
        shared = frozenset(part for part, people in named.items() if people > 1)
        alone = len(case.truth) == 1
        return tuple(_person(page, person, case, shared, alone) for person in case.truth)


def _parts(person: Subject) -> list[str]:
    return [part for name in _names(person) for part in values.name_parts(name)]


def _names(person: Subject) -> list[str]:
    return [attribute.value for attribute in person.attributes if attribute.tag.upper() == NAME]


def _person(page: Page, person: Subject, case: Case, shared: frozenset[str], alone: bool) -> Person:
    whose = Whose(page, _names(person), alone, case.aim == "author")
    guesses = dict.fromkeys(
        Guess(attribute.tag, value, CERTAIN, span)
        for attribute in person.attributes
        if attribute.tag in case.tags and attribute.certainty
        for value, span in _found(page, whose, attribute.tag.upper(), attribute.value, shared)
    )
    return Person(tuple(guesses), person.id, person.id)


def _found(page: Page, whose: Whose, tag: str, value: str, shared: frozenset[str]) -> list[Read]:
    if not page.words:
        return []
    if tag == NAME:
        return values.name(page, value, shared)
    if tag in _CUES:
        return _CUES[tag](whose, value)
    return _VALUES.get(tag, values.in_words)(page, value)
