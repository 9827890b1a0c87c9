"""Writing the documents and the background texts about the people of the cast."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from demo_corpus.cast import Person
from demo_corpus.compose import Draft, Mark, Passage, deal, read_stories

# The parts of a document in each genre, in the orders in which they may come. A dot begins a new paragraph.
_LAYOUTS = {
    "court": (
        "opening origins detail .events courts .law closing",
        "opening origins events .courts detail .law .closing",
        "opening origins .events .law detail courts closing",
    ),
    "clinic": (
        "opening presentation examination course .social detail .plan .closing",
        "opening .social detail .presentation .examination .course plan .closing",
        "opening presentation .course .examination plan .social detail closing",
    ),
    "lives": (
        "opening youth .career later .habits .voice detail .closing",
        "opening .youth detail habits .career .later voice closing",
        "opening career .youth later .detail voice .habits closing",
    ),
}
_SHARED = frozenset(
    {"opening", "closing", "detail", "law", "examination", "social", "youth", "habits", "voice"}
)  # told of any topic of the genre
# Parts that tell one story and must come from the same one.
_LINKED = frozenset({"origins", "presentation", "course", "plan", "career", "later"})
_PROFILES = (
    "lead event case filler detail",
    "lead detail filler .event case",
    "lead case .detail event filler",
    "lead filler case .event detail",
)
_SHORTEST_PROFILE = 400  # characters


@dataclass(frozen=True)
class Written:
    """A document with all its marks, and what the background says of the same matters in other words."""

    person: Person
    text: str
    marks: tuple[Mark, ...]
    event: str
    detail: str


def documents(rng: random.Random, cast: Sequence[Person]) -> list[Written]:
    """One document for each person. Passages are dealt like cards, so that none repeats while others wait."""
    written: list[Written] = []
    for genre, layouts in _LAYOUTS.items():
        people = [person for person in cast if person.genre == genre]
        stories = read_stories(genre)
        decks = {place: deal(rng, passages, len(people)) for place, passages in stories.items()}
        orders = deal(rng, layouts, len(people))
        for person, order in zip(people, orders, strict=True):
            draft = Draft(person.facts)
            told: dict[str, Passage] = {}
            for part in order.split():
                slot = part.lstrip(".")
                place = ("any" if slot in _SHARED else person.topic, slot)
                told[slot] = stories[place][person.story] if slot in _LINKED else decks[place].pop(0)
                _append(draft, told[slot].text, paragraph=part.startswith("."))
            event = next(passage for slot, passage in told.items() if passage.echo and slot != "detail")
            text = draft.text.rstrip()
            written.append(Written(person, text, tuple(draft.marks), event.echo, told["detail"].echo))
    return written


def _append(draft: Draft, template: str, paragraph: bool = False) -> None:
    if draft.text and not draft.text.endswith("\n"):
        draft.write("\n\n" if paragraph else " ")
    draft.write(template)


def background(rng: random.Random, written: Iterable[Written], others: Sequence[Person]) -> dict[str, str]:
    """What can be read in public about everybody, by individual id."""
    profiles = read_stories("profiles")
    known = {document.person.id: document for document in written}
    people = [*(document.person for document in known.values()), *others]
    texts: dict[str, str] = {}
    for genre in _LAYOUTS:
        stories = read_stories(genre)
        for person in (person for person in people if person.genre == genre):
            if person.id in known:
                event, detail = known[person.id].event, known[person.id].detail
            else:
                # The same kind of story with the same oddity as somebody in the documents: a single match
                # must not be enough.
                told = [passages for (topic, _), passages in stories.items() if topic == person.topic]
                event = next(passages for passages in told if passages[0].echo)[person.story].echo
                detail = rng.choice(stories["any", "detail"]).echo
            leads = profiles[genre, "lead"]
            cases = profiles[genre, "case"]
            texts[person.id] = _profile(rng, person, event, detail, leads, cases, profiles["any", "filler"])
    order = list(texts)
    rng.shuffle(order)  # an attack that falls back on the order must not be rewarded
    return {person_id: texts[person_id] for person_id in order}


def _profile(
    rng: random.Random,
    person: Person,
    event: str,
    detail: str,
    leads: Sequence[Passage],
    cases: Sequence[Passage],
    fillers: Sequence[Passage],
) -> str:
    said = {"event": event, "detail": detail, "lead": rng.choice(leads).text}
    draft = Draft(person.facts)
    cases_left, fillers_left = deal(rng, cases, len(cases)), deal(rng, fillers, len(fillers))
    for part in rng.choice(_PROFILES).split():
        slot = part.lstrip(".")
        if slot == "filler":
            texts = [fillers_left.pop().text for _ in range(2)]
        elif slot == "case":
            texts = [cases_left.pop().text]
        else:
            texts = [said[slot]]
        for index, text in enumerate(texts):
            _append(draft, text, paragraph=part.startswith(".") and not index)
    while len(draft.text) < _SHORTEST_PROFILE:
        _append(draft, fillers_left.pop().text)
    return draft.text
