"""Who is who: as an answer says itself, else so that most agrees."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import ResourceError
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference._matching import by_agreement, match_people
from showthrough.families.inference.base import Guess, Person

ANN = Subject("ann", (Attribute("NAME", "Ann Lee"), Attribute("AGE", "30"), Attribute("SEX", "female")))
BOB = Subject("bob", (Attribute("NAME", "Bob Berg"), Attribute("AGE", "60"), Attribute("SEX", "male")))


def person(key: str = "", matches: str | None = None, certainty: int = 5, **said: str) -> Person:
    return Person(tuple(Guess(tag, value, certainty) for tag, value in said.items()), key, matches)


def test_people_are_matched_so_that_most_agrees() -> None:
    # Both ages are Bob's. The first has his name too: 2 + 0 is more than 1 + 1, which the other way round would be.
    first, second = person("1", NAME="Bob Berg", AGE="60"), person("2", SEX="female", AGE="61")
    assert match_people([ANN, BOB], (first, second)) == [second, first]
    # One to one: the only one who was seen is whoever has more in common (a name and an age, or a sex).
    only = person("1", NAME="Bob Berg", AGE="60", SEX="female")
    assert match_people([ANN, BOB], (only,)) == [None, only]
    assert match_people([ANN], (person("1", AGE="90"), person("2", AGE="31"))) == [person("2", AGE="31")]


def test_without_anybody_nobody_is_matched() -> None:
    assert match_people([ANN, BOB], ()) == [None, None]
    assert match_people([], (person("1"),)) == []


def test_what_is_not_certain_at_all_matches_nobody() -> None:
    wrong, right = person("1", NAME="Ann Lee", certainty=0), person("2", AGE="30")
    assert match_people([ANN], (wrong, right)) == [right]


def test_what_an_answer_says_itself_counts() -> None:
    turned = person("1", "ann", NAME="Bob Berg"), person("2", "bob", NAME="Ann Lee")
    assert match_people([ANN, BOB], turned) == list(turned)
    # Who is matched with nobody is nobody, also where their name would tell.
    assert match_people([ANN, BOB], (person("1", None, NAME="Bob Berg"), turned[0])) == [turned[0], None]
    assert by_agreement([ANN, BOB], turned) == [turned[1], turned[0]]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((person("1", "eve"),), "matches the person 'eve'; expected one of"),
        ((person("1", "ann"), person("2", "ann")), "two answers match the person 'ann'; expected one"),
    ],
)
def test_matches_that_cannot_be(answer: tuple[Person, ...], why: str) -> None:
    with pytest.raises(ResourceError, match=why):
        match_people([ANN, BOB], answer)


VALUES = st.sampled_from(["Ann", "Bob", "30", "60", "female"])
GUESSES = st.lists(st.tuples(st.sampled_from(["NAME", "AGE", "SEX"]), VALUES, st.integers(0, 5)), max_size=4)


@given(st.lists(GUESSES, max_size=4))
def test_nobody_is_two_people(people: list[list[tuple[str, str, int]]]) -> None:
    answer = tuple(Person(tuple(Guess(*one) for one in each), str(at)) for at, each in enumerate(people))
    seen = [one.id for one in match_people([ANN, BOB], answer) if one is not None]
    assert len(seen) == len({*seen}) == min(len(answer), 2)
