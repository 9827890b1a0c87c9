"""The people of the demonstration corpus: who they are, before anybody writes about them."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from demo_corpus import lexicon
from demo_corpus.compose import Fact, Facts, deal
from showthrough.data.documents import Identifier

TOPICS = {
    "court": ("licence", "dismissal", "detention", "land", "custody"),
    "clinic": ("cardiac", "fracture", "lung", "sugar", "stroke"),
    "lives": ("music", "botany", "climbing", "ceramics", "aviation"),
}
STORIES = {topic: 2 if topic == topics[-1] else 3 for topics in TOPICS.values() for topic in topics}
DOCUMENTS = 14  # a genre
OTHERS = 20  # a genre: individuals of whom there is background only

_PLAIN_WORDS = {
    "f": {"he": "she", "his": "her", "him": "her", "himself": "herself", "man": "woman"},
    "m": {"he": "he", "his": "his", "him": "him", "himself": "himself", "man": "man"},
}
_KINSHIP = {
    "f": {"court": ("sister", "cousin", "niece"), "lives": ("mother", "aunt", "sister")},
    "m": {"court": ("brother", "cousin", "nephew"), "lives": ("uncle", "brother", "grandfather")},
}


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


@dataclass(frozen=True)
class Person:
    """One individual: the document about them, if there is one, bears the same id."""

    id: str
    genre: str
    topic: str
    story: int  # which of the topic's stories is theirs
    facts: Facts
    dates: dict[str, date]  # the days behind the facts that are dates, for whoever wants to shift them


def people(rng: random.Random) -> tuple[list[Person], list[Person]]:
    """The individuals whom the documents are about, and the others."""
    surnames = deal(rng, lexicon.SURNAMES, len(lexicon.SURNAMES))
    given = {"f": deal(rng, lexicon.WOMEN, 60), "m": deal(rng, lexicon.MEN, 60)}
    unusual = list(lexicon.UNUSUAL)
    documented: list[Person] = []
    others: list[Person] = []
    for genre, topics in TOPICS.items():
        for number, topic in enumerate((topics * 3)[:DOCUMENTS], 1):
            sex = rng.choice("fm")
            story = (number - 1) // len(topics)
            name = given[sex].pop(), surnames.pop(), sex
            if genre == "lives" and unusual:
                name = unusual.pop(0)
            documented.append(_person(rng, f"{genre}-{number:02}", genre, topic, story, name))
    # The others bear surnames of the first, live in the same towns and do the same work: nothing but the
    # combination tells them apart.
    stories = {topic: deal(rng, range(count), OTHERS) for topic, count in STORIES.items()}
    taken = {str(person.facts["full_name"]) for person in documented}
    for genre, topics in TOPICS.items():
        for number, topic in enumerate(topics * (OTHERS // len(topics)), DOCUMENTS + 1):
            sex = rng.choice("fm")
            name = rng.choice(lexicon.WOMEN if sex == "f" else lexicon.MEN), rng.choice(lexicon.SURNAMES), sex
            while " ".join(name[:2]) in taken:
                name = name[0], rng.choice(lexicon.SURNAMES), sex
            taken.add(" ".join(name[:2]))
            story = stories[topic].pop(0)
            others.append(_person(rng, f"{genre}-{number:02}", genre, topic, story, name))
    return documented, others


def _person(rng: random.Random, id_: str, genre: str, topic: str, story: int, name: tuple[str, str, str]) -> Person:
    given, surname, sex = name
    town, birthplace, seat = deal(rng, lexicon.TOWNS, 3)
    while topic == "licence" and not town.by_the_sea:
        town, birthplace, seat = deal(rng, lexicon.TOWNS, 3)
    # Patients' trades have nothing to do with their illness; going through them in turn leaves none without a double.
    patients = lexicon.TRADES["clinic"]
    trade = patients[int(id_.partition("-")[2]) % len(patients)] if genre == "clinic" else lexicon.TRADES[topic][story]
    facts: dict[str, Fact | str] = {
        **_PLAIN_WORDS[sex],
        "He": _PLAIN_WORDS[sex]["he"].capitalize(),
        "His": _PLAIN_WORDS[sex]["his"].capitalize(),
        "full_name": f"{given} {surname}",
        "number": str(rng.randrange(11, 140)),
        "person": _name(given, surname, "Mr" if sex == "m" else rng.choice(("Ms", "Mrs")), "DIRECT"),
        "town": _one("LOC", town.name),
        "birthplace": _one("LOC", birthplace.name),
        "seat": _one("LOC", seat.name),
        "state": _one("LOC", town.country.name, "NO_MASK"),
        "nation": _one("DEM", town.country.people, confidential="ETHNIC"),
        "job": Fact(
            "DEM",
            {
                "": trade.name,
                "alt": trade.alt,
                "alt.cap": trade.alt[0].upper() + trade.alt[1:],
                "general": trade.general,
            },
            rng.choice(("QUASI", "NO_MASK")),
        ),
        "employer": _one("ORG", f"{town.name} {trade.employer}"),
    }
    kin_sex = rng.choice("fm")
    facts["kinship"] = rng.choice(_KINSHIP[kin_sex]["lives" if genre == "lives" else "court"])
    facts["kin"] = _name(_given(rng, kin_sex, given), surname, "")
    helpers = deal(rng, lexicon.HELPERS, 4)  # nobody in one document is to be taken for somebody else in it
    partner_sex = "m" if sex == "f" else "f"
    facts["partner"] = _name(_given(rng, partner_sex, given), helpers.pop(), "")
    dates = dict(_dates(rng, genre, topic))
    facts.update({key: _date(day, year_only=key in {"since", "y1", "y2", "y3"}) for key, day in dates.items()})
    facts.update(_BY_GENRE[genre](rng, topic, town, dates, surname, helpers))
    return Person(id_, genre, topic, story, facts, dates)


def _given(rng: random.Random, sex: str, but: str) -> str:
    return rng.choice([name for name in (lexicon.WOMEN if sex == "f" else lexicon.MEN) if name != but])


def _one(kind: str, words: str, identifier: Identifier = "QUASI", confidential: str = "NOT_CONFIDENTIAL") -> Fact:
    return Fact(kind, {"": words}, identifier, confidential)


def _name(given: str, surname: str, title: str, identifier: Identifier = "QUASI") -> Fact:
    full = f"{given} {surname}"
    return Fact(
        "PERSON",
        {
            "": full,
            "full": f"{title} {full}".strip(),
            "titled": f"{title} {surname}".strip(),
            "given": given,
            "surname": surname,
            "listed": f"{surname.upper()}, {given}",
            "caps": full.upper(),
            "lower": full.lower(),
            "initials": f"{given[0]}. {surname[0].upper()}.",
        },
        identifier,
    )


def _helper(
    rng: random.Random, surname: str, titles: tuple[str, str] = ("Ms", "Mr"), identifier: Identifier = "QUASI"
) -> Fact:
    sex = rng.randrange(2)
    given = rng.choice((lexicon.WOMEN, lexicon.MEN)[sex])
    return _name(given, surname, titles[sex], identifier)


def date_forms(day: date, year_only: bool = False) -> dict[str, str]:
    """The ways in which the documents write a day."""
    if year_only:
        return {"": str(day.year), "year": str(day.year)}
    month = _MONTHS[day.month - 1]
    return {
        "": f"{day.day} {month} {day.year}",
        "year": str(day.year),
        "slash": f"{day.day:02}/{day.month:02}/{day.year}",
        "iso": day.isoformat(),
    }


def _date(day: date, year_only: bool) -> Fact:
    return Fact("DATETIME", date_forms(day, year_only))


def _dates(rng: random.Random, genre: str, topic: str) -> Iterator[tuple[str, date]]:
    """Days in an order that a life can have."""
    first_birth, last_birth = {"court": (1965, 1981), "clinic": (1952, 1984), "lives": (1940, 1962)}[genre]
    born = date(rng.randrange(first_birth, last_birth), 1, 1) + timedelta(rng.randrange(365))
    since = _later(rng, born, 20, 25)
    yield "born", born
    yield "since", since
    if genre == "court":
        first = _later(rng, since, 5, 14)
        second = first + timedelta(rng.randrange(2, 5) if topic == "detention" else rng.randrange(12, 130))
        third = second + timedelta(rng.randrange(200, 800))
        yield from (("d1", first), ("d2", second), ("d3", third))
        yield "lodged", third + timedelta(rng.randrange(190, 300))
    elif genre == "clinic":
        admitted = date(rng.randrange(2016, 2023), 1, 1) + timedelta(rng.randrange(365))
        yield "d1", admitted - timedelta(rng.randrange(600, 4000))
        yield "admitted", admitted
        yield "discharged", admitted + timedelta(rng.randrange(5, 17))
    else:
        for key in ("y1", "y2", "y3"):
            since = _later(rng, since, 4, 12)
            yield key, since


def _later(rng: random.Random, day: date, least: int, most: int) -> date:
    return day + timedelta(rng.randrange(365 * least, 365 * most))


def _money(rng: random.Random, least: int, most: int, form: str) -> Fact:
    return _one("QUANTITY", form.format(rng.randrange(least, most) * 50))


def _domain(words: str) -> str:
    bare = unicodedata.normalize("NFKD", words.lower().translate({0xF8: "o", 0xDF: "ss", 0x142: "l"}))
    return "".join(letter for letter in bare if letter.isascii() and letter.isalpha())


def _court(
    rng: random.Random, topic: str, town: lexicon.Town, dates: dict[str, date], surname: str, helpers: list[str]
) -> dict[str, Fact | str]:
    age = (dates["lodged"] - dates["born"]).days // 365
    return {
        "no": _one("CODE", f"{rng.randrange(2000, 80000)}/{dates['lodged'].year % 100:02}", "DIRECT"),
        "age": _one("DEM", str(age)),
        "lawyer": _helper(rng, helpers.pop()),
        "agent": _helper(rng, helpers.pop(), identifier="NO_MASK"),
        "judge": _helper(rng, helpers.pop(), ("Judge", "Judge")),
        "court": _one("ORG", f"{town.name} {rng.choice(('District Court', 'Court of Appeal', 'Regional Court'))}"),
        "authority": _one(
            "ORG",
            rng.choice(lexicon.AUTHORITIES["licence" if topic == "licence" else "land"]),
            rng.choice(("QUASI", "NO_MASK")),
        ),
        "police": _one("ORG", f"{town.name} {rng.choice(('Harbour Police', 'Constabulary'))}"),
        "sum": _money(rng, 40, 400, "{:,} crowns"),
        "costs": _money(rng, 100, 600, "{:,} crowns"),
        "award": _money(rng, 40, 240, "EUR {:,}"),
        "boat": _one("MISC", rng.choice(lexicon.BOATS)),
        "child": _one("PERSON", rng.choice(lexicon.CHILDREN)),
    }


def _clinic(
    rng: random.Random, topic: str, town: lexicon.Town, dates: dict[str, date], surname: str, helpers: list[str]
) -> dict[str, Fact | str]:
    age = (dates["admitted"] - dates["born"]).days // 365
    house = f"{rng.randrange(1, 120)} {rng.choice(lexicon.STREETS)}, {town.name}"
    hospital = f"{town.name} {rng.choice(lexicon.HOSPITALS)}"
    return {
        "mrn": _one("CODE", f"{rng.choice(('KH', 'TB', 'QR'))}-{rng.randrange(10000, 99999)}", "DIRECT"),
        "age": Fact("DEM", {"": str(age), "old": f"{age}-year-old"}),
        "address": _one("LOC", house, "DIRECT"),
        "phone": _one("CODE", f"01632 960 {rng.randrange(1000):03}", "DIRECT"),
        "mobile": _one("CODE", f"07700 900 {rng.randrange(1000):03}", "DIRECT"),
        "desk": _one("CODE", f"020 7946 0{rng.randrange(1000):03}"),
        "email": _one("CODE", f"ward{rng.randrange(1, 9)}@{_domain(town.name)}.example.org"),
        "doctor": _helper(rng, helpers.pop(), ("Dr", "Dr")),
        "gp": _helper(rng, helpers.pop(), ("Dr", "Dr")),
        "hospital": _one("ORG", hospital),
        "ward": _one("ORG", rng.choice(lexicon.WARDS), "NO_MASK"),
    }


def _lives(
    rng: random.Random, topic: str, town: lexicon.Town, dates: dict[str, date], surname: str, helpers: list[str]
) -> dict[str, Fact | str]:
    plain = _domain(surname)
    return {
        "homonym": _name(rng.choice(lexicon.MEN), surname, "", "NO_MASK"),
        "pupil": _helper(rng, helpers.pop(), ("", "")),
        "school": _one("ORG", f"{rng.choice(lexicon.SCHOOLS[topic])} of {rng.choice(lexicon.TOWNS).name}"),
        "paper": _one("ORG", rng.choice(lexicon.PAPERS), "NO_MASK"),
        "prize": _one("MISC", rng.choice(lexicon.PRIZES)),
        "work": _one("MISC", f"“{rng.choice(lexicon.WORKS)}”"),
        "species": _one("MISC", rng.choice(lexicon.SPECIES)),
        "peak": _one("LOC", rng.choice(lexicon.PEAKS)),
        "machine": _one("MISC", rng.choice(lexicon.MACHINES)),
        "bridge": _one("LOC", rng.choice(lexicon.BRIDGES)),
        "site": _one("CODE", f"https://{plain}.example.org/papers", "DIRECT"),
        "email": _one("CODE", f"post@{plain}.example.org", "DIRECT"),
    }


_BY_GENRE = {"court": _court, "clinic": _clinic, "lives": _lives}
