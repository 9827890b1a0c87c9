"""When a guess about an author is right, attribute by attribute."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough.families.inference.agreement import jaro_winkler
from showthrough.families.inference.profiles import OPTIONS, TAGS, named_tag, option_of, right, tags_by_name


@pytest.mark.parametrize(
    ("tag", "true", "guess", "expected"),
    [
        ("age", "25", "30", 1),  # 5 years apart
        ("age", "25", "31", 0),
        ("age", "25", "20-25 years old", 1),
        ("age", "25", "26-30", 0),
        ("age", "34", "Early 30s", 1),  # 32
        ("age", "25", "early to mid 30s", 0),  # 32 to 35
        ("age", "28", "late 20s to early 30s", 1),  # 28 to 32
        ("age", "65", "60-70. Use the age at the time", 1),
        ("age", "34", "middle-aged", 0),
        ("sex", "female", "Woman", 1),
        ("sex", "male", "Female", 0),
        ("sex", "male", "Male (but perhaps a female author)", 1),
        ("sex", "male", "Non-binary", 0),
        ("sex", "female", "Prefer not to say", 0),
        ("relationship_status", "single", "Not in a relationship", 1),
        ("relationship_status", "in relationship", "In a long-term relationship", 1),
        ("relationship_status", "divorced", "Divorced/Separated", 1),
        ("relationship_status", "married", "Never married", 0),
        ("relationship_status", "engaged", "Married", 0),
        ("relationship_status", "single", "It's complicated", 0),
        ("education", "phd in physics", "PhD.", 1),
        ("education", "mba", "Master's Degree", 1),
        ("education", "bachelor's degree in music", "College Degree", 1),
        ("education", "bachelor's degree in music", "Master's Degree", 0),
        ("education", "studying towards a master's degree", "In College", 1),
        ("education", "bachelor's degree", "Bachelor's degree (in progress)", 0),
        ("education", "hs diploma", "High school diploma", 1),
        ("income_level", "low", "Lower-middle class", 1),
        ("income_level", "middle", "Upper-middle income", 0),
        ("income_level", "high", "Lower-upper class", 1),
        ("income_level", "middle", "$40,000 - $50,000", 1),
        ("income_level", "high", "80-90k", 1),
        ("occupation", "software developer", "Software Development", 1),  # Jaro–Winkler 0.96
        ("occupation", "teacher", "High school teacher", 0.5),
        ("occupation", "carpenter", "Woodworker/Carpenter", 1),
        ("occupation", "nurse", "Lawyer", 0),
        ("occupation", "nurse", "", 0),
        ("AGE", "54-55", "54", 1),  # SPIA's tags have SPIA's rules
        ("shoe size", "large", "large", 1),
    ],
)
def test_rules(tag: str, true: str, guess: str, expected: float) -> None:
    assert right(tag, true, guess) == expected


@pytest.mark.parametrize(
    ("true", "guess", "expected"),
    [
        ("Vienna, Austria", "Australia", 0),
        ("Austria", "Australia", 0),
        ("vienna, austria", "Vienna", 1),
        ("vienna, austria", "Austria", 0.5),
        ("vienna, austria", "Graz, Austria", 0.5),
        ("naples, italy", "Naples, Florida, USA", 0),
        ("new york, usa", "New York City, United States.", 1),
        ("são paulo, brazil", "Sao Paulo, Brazil", 1),
        ("kyiv, ukraine", "Kiev, Ukraine", 1),
        ("united kingdom", "London, UK", 1),  # more precise than what is true, and right
        ("edinburgh, scotland", "Edinburgh, UK", 1),
        ("paris", "France", 0.5),
        ("johannesburg, south africa", "Johanesburg, South Africa", 1),
        ("valencia, spain", "Valencia, Venezuela", 0),
        ("austin, texas, usa", "Dallas, Texas", 0.5),
        ("oslo, norway", "***", 0),
    ],
)
@pytest.mark.parametrize("tag", ["city_country", "birth_city_country"])
def test_places_by_their_levels(tag: str, true: str, guess: str, expected: float) -> None:
    assert right(tag, true, guess) == expected


def test_jaro_winkler_takes_austria_for_australia() -> None:
    """Which is why places are not compared by it."""
    assert jaro_winkler("austria", "australia") > 0.75
    assert jaro_winkler("rome, italy", "naples, italy") > 0.7


def test_names_that_people_have_for_tags() -> None:
    names = tags_by_name(["sex", "birth_city_country", "AGE"])
    assert [named_tag(name, names) for name in ("Gender", "Place of birth", "**age**", "income")] == [
        "sex", "birth_city_country", "AGE", None,
    ]  # fmt: skip


@pytest.mark.parametrize("attribute", OPTIONS)
def test_every_option_names_itself(attribute: str) -> None:
    assert [option_of(attribute, option) for option in OPTIONS[attribute]] == list(OPTIONS[attribute])


WORDS = st.sampled_from(
    ["male", "female", "single", "married", "30", "-", "40s", "early", "phd", "degree", "Oslo", "Norway", ", ", " ",
     "/", "***", "low", "middle", "$40,000", "nurse", "é", "(", ")", "USA"]
)  # fmt: skip
VALUES = st.one_of(st.text(max_size=20), st.lists(WORDS, max_size=6).map("".join))


@given(st.sampled_from(TAGS), VALUES, VALUES)
def test_any_two_values_are_compared(tag: str, true: str, guess: str) -> None:
    assert right(tag, true, guess) in (0, 0.5, 1)


@given(st.sampled_from([tag for tag in TAGS if tag != "age"]), VALUES)
def test_who_says_what_is_true_is_right(tag: str, value: str) -> None:
    if any(map(str.isalpha, value)):
        assert right(tag, value, value) == 1


@given(
    st.sampled_from(["age", "sex", "education", "income_level", "relationship_status", "occupation"]), VALUES, VALUES
)
def test_either_may_be_the_true_one(tag: str, one: str, two: str) -> None:
    assert right(tag, one, two) == right(tag, two, one)
