"""The attacker who only reads: knows what to look for, and says what still stands there. A floor for what leaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from showthrough.data.reading_form import legible, sources_of
from showthrough.data.subjects import CERTAIN, Subject
from showthrough.families.inference._spec import READER
from showthrough.families.inference.base import Answer, AttackCase, Guess, Person
from showthrough.families.inference.reading import values
from showthrough.families.inference.reading.cues import PersonView, education, income, relationship, role_of, sex
from showthrough.families.inference.reading.page import Page
from showthrough.families.inference.reading.values import Read
from showthrough.models import Resources

_PAGES = 2048  # that are kept, since several metrics and controls read the same
_CASES = 256  # that are read together
NAME = "NAME"
_VALUES: dict[str, Callable[[Page, str], list[Read]]] = {
    "AGE": values.age,
    "EMAIL_ADDRESS": values.address,
    **dict.fromkeys(("LOCATION", "NATIONALITY", "CITY_COUNTRY", "BIRTH_CITY_COUNTRY"), values.place),
    **dict.fromkeys(("IDENTIFICATION_NUMBER", "DRIVER_LICENSE_NUMBER", "PHONE_NUMBER", "PASSPORT_NUMBER"), values.code),
}
_CUES: dict[str, Callable[[PersonView, str], list[Read]]] = {
    "SEX": sex,
    "EDUCATION": education,
    "INCOME_LEVEL": income,
    **dict.fromkeys(("RELATIONSHIP", "RELATIONSHIP_STATUS"), relationship),
}


class AttributeReader:
    """Finds what is true of people where the text still says it, with the place; guesses nothing, asks nobody."""

    name = READER

    def __init__(self, resources: Resources | None = None) -> None:
        self._resources = resources or Resources()

    def infer(self, cases: Sequence[AttackCase]) -> list[Answer | None]:
        batches = (cases[first : first + _CASES] for first in range(0, len(cases), _CASES))
        return list(chain.from_iterable(self._resources.map_items(_answers, None, batches)))


def _answers(resources: Resources, nothing: None, cases: Sequence[AttackCase]) -> list[Answer | None]:
    pages: Callable[[str], Page] = resources.once((READER, "pages"), lambda: lru_cache(_PAGES)(Page))
    return [_read_case(case, pages) for case in cases]


def _read_case(case: AttackCase, pages: Callable[[str], Page]) -> Answer:
    """What is read of a case in letters that anybody can type, and where in the text as it is."""
    text = legible(case.text)
    answer = _answer(case, pages(text))
    if text == case.text:
        return answer
    starts, ends = sources_of(case.text)

    def at_source(guess: Guess) -> Guess:
        return replace(guess, span=guess.span and (starts[guess.span[0]], ends[guess.span[1] - 1]))

    return tuple(replace(person, guesses=tuple(map(at_source, person.guesses))) for person in answer)


def _answer(case: AttackCase, page: Page) -> Answer:
    parts = _find_shared({part for name in _names(person) for part in values.name_parts(name)} for person in case.truth)
    roles = _find_shared({_role(person)} for person in case.truth)
    alone, author = len(case.truth) == 1, case.aim == "author"
    people = []
    for person in case.truth:
        role = "" if _role(person) in roles else _role(person)
        view = PersonView(page, _names(person), role, alone, author)
        people.append(Person(_guesses(view, person, case.tags, parts), person.id, person.id))
    return tuple(people)


def _find_shared(groups: Iterable[set[str]]) -> frozenset[str]:
    """What more than one of them has."""
    return frozenset(word for word, people in Counter(chain.from_iterable(groups)).items() if people > 1)


def _names(person: Subject) -> list[str]:
    return [attribute.value for attribute in person.attributes if attribute.tag.upper() == NAME]


def _role(person: Subject) -> str:
    return role_of(person.description, bool(_names(person)))


def _guesses(view: PersonView, person: Subject, tags: Collection[str], shared: frozenset[str]) -> tuple[Guess, ...]:
    read = (
        Guess(attribute.tag, value, CERTAIN, span)
        for attribute in person.attributes
        if attribute.tag in tags and attribute.certainty
        for value, span in _find_readings(view, attribute.tag.upper(), attribute.value, shared)
    )
    return tuple(dict.fromkeys(read))


def _find_readings(view: PersonView, tag: str, value: str, shared: frozenset[str]) -> list[Read]:
    page = view.page
    if not page.words:
        return []
    if tag in _CUES:
        return _CUES[tag](view, value)
    readings = values.name(page, value, shared) if tag == NAME else _VALUES.get(tag, values.in_words)(page, value)
    return readings or values.unspaced(page, value)
