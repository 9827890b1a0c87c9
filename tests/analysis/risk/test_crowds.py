"""How many people of a population are like somebody: by hand, and against a plain slow count."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough import InputError, Population
from showthrough.studies.risk._inferred_attributes import LearnedAttribute, ages_of
from showthrough.studies.risk._singling import Crowds

ROWS = [
    ("30-34", "f", "Oslo / Norway", 10),
    ("34", "m", "Oslo / Norway", 4),
    ("30-34", "m", "Bergen / Norway", 5),
    ("35-39", "m", "Stockholm / Sweden", 100),
    ("90+", "", "Norway", 31),
]
AGES, SEXES, PLACES, COUNTS = zip(*ROWS, strict=True)
PEOPLE = Population.of({"AGE": AGES, "SEX": SEXES, "LOCATION": PLACES}, COUNTS)


def left(*known: tuple[str, str, str, float], people: Population = PEOPLE) -> float:
    return Crowds(people).sizes([frozenset(LearnedAttribute(*one) for one in known)]).item()


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ((), 150),  # everybody
        ((("AGE", "34", "34", 1.0),), 2 + 4 + 1),  # one of the five ages of each range
        ((("AGE", "33", "35", 1.0),), 2 / 5 * 10 + 4 + 2 / 5 * 5 + 1 / 5 * 100),  # 33 to 35, both of them and between
        ((("AGE", "34", "30-39", 1.0),), 10 + 4 + 5 + 100),  # no more was learned than the range
        ((("AGE", "95", "in her 90s", 1.0),), 31 * 10 / 31),  # 90 to 99, of 90 to 120
        ((("AGE", "old", "elderly", 1.0),), 150),  # no age at all: nobody is left out
        ((("SEX", "Female", "woman", 1.0),), 10 + 31),  # the row that does not say fits
        ((("LOCATION", "Oslo / Norway", "Oslo / Norway", 1.0),), 10 + 4),  # not those who are somewhere in Norway
        ((("LOCATION", "Oslo / Norway", "Norway", 0.5),), 10 + 4 + 5 + 31),  # the country alone
        ((("LOCATION", "Oslo / Norway", "Bergen / Norway", 0.5),), 10 + 4 + 5 + 31),
        ((("LOCATION", "Paris / France", "Paris / Texas", 0.5),), 150),  # no level that is right from the general end
        ((("LOCATION", "Malmö / Skåne / Sweden", "Malmö / Skåne / Sweden", 1.0),), 0),  # Sweden has Stockholm alone
        ((("LOCATION", "Hamar / Norway", "Hamar / Norway", 1.0),), 31),  # what is wider, where there is nothing else
        ((("AGE", "34", "34", 1.0), ("SEX", "m", "male", 1.0)), 4 + 1),
        ((("AGE", "34", "34", 1.0), ("SEX", "m", "male", 1.0), ("LOCATION", "Oslo / Norway", "Oslo", 1.0)), 4),
        ((("OCCUPATION", "Nurse", "Nurse", 1.0),), 150),  # there is no such column
    ],
)
def test_by_hand(known: tuple[tuple[str, str, str, float], ...], wanted: float) -> None:
    assert left(*known) == pytest.approx(wanted, rel=1e-12)


def test_the_same_words_count_before_similar_ones() -> None:
    people = Population.of(
        {"AFFILIATION": ["Ministry of Health", "Ministry of Wealth", "ministry of health "]}, [3, 50, 2]
    )
    assert left(("AFFILIATION", "Ministry of Health", "Ministry of Health", 1.0), people=people) == 5
    assert left(("AFFILIATION", "Ministry of Heath", "Ministry of Heath", 1.0), people=people) == 55  # none is the same


def test_a_country_has_many_names_and_is_no_other() -> None:
    """Jaro–Winkler takes Austria for Australia, and would count both."""
    people = Population.of({"NATIONALITY": ["Austria", "Australia", "austrian ", "Turkish"]}, [3, 50, 2, 7])
    for name, wanted in (("Austria", 5), ("Austrian", 5), ("Australian", 50), ("Türkiye", 7), ("Turkey", 7)):
        assert left(("NATIONALITY", name, name, 1.0), people=people) == wanted
    only = Population.of({"NATIONALITY": ["Australia"], "LOCATION": ["Ankara / Turkey"]}, [50])
    assert left(("NATIONALITY", "Austria", "Austria", 1.0), people=only) == 0  # so that nobody is told to be one of 50
    assert left(("LOCATION", "Ankara / Türkiye", "Ankara / Türkiye", 1.0), people=only) == 50


def test_a_right_guess_is_known_by_either_name() -> None:
    people = Population.of({"EDUCATION": ["College Degree", "PhD"]}, [70, 2])
    assert left(("EDUCATION", "bachelor in business", "College degree", 1.0), people=people) == 70
    assert left(("EDUCATION", "bachelor in business", "BBA", 1.0), people=people) == 0  # and nobody is like that
    assert left(("EDUCATION", "bachelor in business", "PhD", 0.5), people=people) == 2
    assert left(("EDUCATION", "bachelor in business", "studied", 0.5), people=people) == 72  # too rough


def test_what_became_of_attributes() -> None:
    crowds = Crowds(PEOPLE)
    asked = (("SEX", "m", "m", 1.0), ("NAME", "Bo", "Bo", 1.0), ("AGE", "?", "?", 1.0))
    fates = [{name for name, holds in crowds.fate(LearnedAttribute(*one))._asdict().items() if holds} for one in asked]
    assert fates == [{"used"}, {"lacking"}, {"vague"}]
    alone = Crowds(Population.of({"OCCUPATION": ["Nurse"]}, [3]))
    assert alone.fate(LearnedAttribute("OCCUPATION", "Judge", "Judge", 1.0)).strange


def test_ages_that_are_none_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        Crowds(Population.of({"AGE": ["34", "young", "", "old"]}, [1, 1, 1, 1], "census", "census.csv"))
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        "census.csv: column AGE: found 'young'; expected an age or a range of ages, such as 34, 30-34 or 90+"
    )
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("34", (34, 34)), ("30–34", (30, 34)), ("90+", (90, 120)), ("over 89", (90, 120)), ("> 89", (90, 120)),
        (">=90", (90, 120)), ("≥ 90", (90, 120)), ("90 and over", (90, 120)), ("65 or older", (65, 120)),
        ("130+", (130, 130)), ("under 5", (0, 4)), ("<5", (0, 4)), ("<= 4", (0, 4)), ("≤4", (0, 4)), ("", None),
        ("about", None),
    ],
)  # fmt: skip
def test_ages(text: str, ends: tuple[int, int] | None) -> None:
    assert ages_of(text) == ends


def test_profiles_and_documents_share_columns() -> None:
    people = Population.of({"relationship_status": ["married", "single"], "city country": ["Oslo", "Rome"]}, [3, 4])
    assert list(people.columns) == ["RELATIONSHIP", "LOCATION"]
    assert left(("RELATIONSHIP", "Wed", "Married", 1.0), people=people) == 3


VALUES = {"AGE": ["20", "30-39", ""], "SEX": ["male", "f", ""], "LOCATION": ["Oslo / Norway", "Norway", "Sweden"]}
TABLES = st.lists(st.tuples(*(st.sampled_from(one) for one in VALUES.values()), st.integers(0, 5)), min_size=1)
KNOWN = [("AGE", "20"), ("AGE", "35"), ("SEX", "m"), ("LOCATION", "Oslo / Norway"), ("LOCATION", "Sweden")]


@given(TABLES, st.lists(st.sets(st.sampled_from(KNOWN)), min_size=1, max_size=5))
def test_as_a_plain_count(rows: list[tuple[str, str, str, int]], asked: list[set[tuple[str, str]]]) -> None:
    """What fits a single attribute, multiplied row by row."""
    ages, sexes, places, counts = zip(*rows, strict=True)
    people = Population.of({"AGE": ages, "SEX": sexes, "LOCATION": places}, counts)
    crowds = Crowds(people)
    oslo = any(place.startswith("Oslo") for place in places)

    def fits(tag: str, value: str, cell: str) -> float:
        if not cell:
            return 1.0
        if tag == "AGE":
            return {("20", "20"): 1.0, ("35", "30-39"): 0.1}.get((value, cell), 0.0)
        if tag == "SEX":
            return float(cell == "male")
        return float(cell == value or (value.startswith("Oslo") and not oslo and cell == "Norway"))

    known = [dict(some) for some in asked]
    learned = [frozenset(LearnedAttribute(tag, value, value, 1.0) for tag, value in one.items()) for one in known]
    for one, found in zip(known, crowds.sizes(learned), strict=True):
        wanted = 0.0
        for *cells, count in rows:
            share = 1.0
            for tag, cell in zip(VALUES, cells, strict=True):
                share *= fits(tag, one[tag], cell) if tag in one else 1.0
            wanted += share * count
        assert found == pytest.approx(wanted, abs=1e-9)
