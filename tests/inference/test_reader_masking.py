"""Who masks more gives away no more: what the reader finds in a text, it finds in the text with fewer masks."""

from __future__ import annotations

from hypothesis import example, given, settings, strategies as st

from showthrough.data.subjects import AUTHOR, Attribute, Subject
from showthrough.families.inference._reader import AttributeReader
from showthrough.families.inference.agreement import agreement
from showthrough.families.inference.base import Aim, AttackCase

PEOPLE = (
    Subject(
        "1",
        tuple(
            Attribute(tag, value)
            for tag, value in {
                "NAME": "John van Doe", "SEX": "Male", "AGE": "54-55", "LOCATION": "Moss / Oslo / Norway",
                "NATIONALITY": "Poland", "EDUCATION": "College Degree", "RELATIONSHIP": "Married",
                "OCCUPATION": "Public prosecutor", "AFFILIATION": "Ministry of Foreign Affairs", "POSITION": "Agent",
                "PHONE_NUMBER": "+91 864 036 9485",
            }.items()
        ),
        "Mr Doe - The applicant, born in 1970",
    ),
    Subject(
        "2",
        (Attribute("NAME", "Ann Lee Roe"), Attribute("SEX", "Female"), Attribute("RELATIONSHIP", "Widowed")),
        "The applicant's wife - A witness",
    ),
)  # fmt: skip
AUTHORS = (
    Subject(
        AUTHOR,
        (
            Attribute("sex", "male"), Attribute("age", "34"), Attribute("relationship_status", "married"),
            Attribute("income_level", "low"), Attribute("city_country", "oslo, norway"),
        ),
    ),
)  # fmt: skip
_POOL = (
    "Mr John van Doe J. Mrs Ann Lee Roe he his she her applicant wife widow married born in 1970 1971 aged 54 34 Moss "
    "Oslo Norway Norwegian Polish public prosecutor of Ministry Foreign Affairs Agent university +91 864 036 9485 the "
    "and my I'm a as man low income being lovely turned , . .\n"
)
WORDS = _POOL.split(" ")
STAND_INS = ("***", "[PERSON]", "PERSON", "<LOCATION_1>", "XXXX")


def _released(words: list[str], masked: set[int], stand_in: str) -> str:
    """Neighbours that are masked are one mask, as tools make it; stops and commas stay."""
    written: list[str] = []
    for number, word in enumerate(words):
        if number not in masked:
            written.append(word)
        elif number - 1 not in masked:
            written.append(stand_in)
    return " ".join(written)


def _success(text: str, people: tuple[Subject, ...], aim: Aim) -> list[float]:
    tags = tuple({attribute.tag for person in people for attribute in person.attributes})
    (answer,) = AttributeReader().infer([AttackCase("", "", text, people, aim, tags)])
    assert answer is not None
    return [
        max((agreement(one.tag, one.value, guess.value) for guess in said.guesses if guess.tag == one.tag), default=0)
        for person, said in zip(people, answer, strict=True)
        for one in person.attributes
    ]


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.data(), st.sampled_from(STAND_INS), st.booleans())
@settings(max_examples=400)
def test_masking_more_never_tells_more(words: list[str], data: st.DataObject, stand_in: str, author: bool) -> None:
    places = [number for number, word in enumerate(words) if word.strip(".,\n")]
    chosen = st.sets(st.sampled_from(places)) if places else st.just(set[int]())
    few, others = data.draw(chosen), data.draw(chosen)
    people, aim = (AUTHORS, "author") if author else (PEOPLE, "subjects")
    before = _success(_released(words, few, stand_in), people, aim)
    after = _success(_released(words, few | others, stand_in), people, aim)
    assert all(more <= less for less, more in zip(before, after, strict=True))


@given(st.sampled_from(STAND_INS), st.integers(0, 5))
def test_what_stands_in_tells_nothing(stand_in: str, times: int) -> None:
    assert not any(_success(" ".join([stand_in] * times), PEOPLE, "subjects"))


def test_an_empty_value_is_found_nowhere() -> None:
    tags = ("EMAIL_ADDRESS", "ORG", "NAME", "PHONE", "CODE", "AGE", "LOCATION")
    for value in ("", " "):
        (answer,) = AttributeReader().infer(
            [
                AttackCase(
                    "",
                    "",
                    "Ann, 30: -",
                    (Subject("1", tuple(Attribute(tag, value) for tag in tags)),),
                    "subjects",
                    tags,
                )
            ]
        )
        assert answer is not None
        assert [person.guesses for person in answer] == [()]


@given(st.text(), st.text(max_size=20))
@example("0:\xad", "")
def test_any_text_and_any_value_can_be_read(text: str, value: str) -> None:
    tags = [attribute.tag for person in (*PEOPLE, *AUTHORS) for attribute in person.attributes]
    person = Subject("1", tuple(Attribute(tag, value) for tag in dict.fromkeys([*tags, "EMAIL_ADDRESS", "ORG"])), value)
    assert len(_success(text, (person,), "subjects")) == len(_success(text + value, (person,), "author"))
