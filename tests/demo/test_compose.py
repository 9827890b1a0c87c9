"""Templates, marks and decks."""

from __future__ import annotations

import random

import pytest

from demo_corpus.cast import TOPICS, people
from demo_corpus.compose import Draft, Fact, deal, read_stories

FACTS = {
    "he": "she",
    "job": Fact("DEM", {"": "organist", "alt": "a player of pipes"}, "NO_MASK"),
    "town": Fact("LOC", {"": "Östersolm"}),
}


def test_facts_leave_marks_where_they_stand() -> None:
    draft = Draft(FACTS)
    draft.write("In {town}, {he} plays.")
    assert draft.text == "In Östersolm, she plays."
    (mark,) = draft.marks
    assert draft.text[mark.start : mark.end] == "Östersolm"
    assert (mark.entity, mark.entity_type, mark.identifier) == ("town", "LOC", "QUASI")


def test_the_article_follows_the_word() -> None:
    draft = Draft(FACTS)
    draft.write("Once a {job}, then {job.alt}.")
    assert draft.text == "Once an organist, then a player of pipes."
    assert [draft.text[mark.start : mark.end] for mark in draft.marks] == ["organist", "a player of pipes"]


def test_marks_on_the_spot() -> None:
    draft = Draft(FACTS)
    draft.write("[lost {he} said|DEM/HEALTH] and [three months|DATETIME-]")
    assert draft.text == "lost she said and three months"
    first, second = draft.marks
    assert (first.entity_type, first.identifier, first.confidential) == ("DEM", "QUASI", "HEALTH")
    assert (second.entity_type, second.identifier, second.confidential) == ("DATETIME", "NO_MASK", "NOT_CONFIDENTIAL")


def test_a_mark_cannot_stand_inside_another() -> None:
    with pytest.raises(ValueError, match=r"\{town\} leaves a mark"):
        Draft(FACTS).write("[gone to {town}|MISC]")


def test_no_card_comes_twice_before_all_came_once() -> None:
    dealt = deal(random.Random(1), "abc", 7)
    assert sorted(dealt[:3]) == sorted(dealt[3:6]) == ["a", "b", "c"]
    assert len(dealt) == 7


@pytest.mark.parametrize("genre", [*TOPICS, "profiles"])
def test_every_passage_can_be_written_about_everybody(genre: str) -> None:
    documented, others = people(random.Random(5))
    for (topic, _), passages in read_stories(genre).items():
        assert passages
        wanted = topic if genre == "profiles" and topic != "any" else genre
        for person in [*documented, *others]:
            if wanted not in {person.genre, "profiles"} or (
                person.topic != topic and topic in {*sum(TOPICS.values(), ())}
            ):
                continue
            for passage in passages:
                draft = Draft(person.facts)
                draft.write(f"{passage.text} {passage.echo}")
                assert not set("{}[]|¶~") & set(draft.text)


def test_the_cast_has_no_two_people_of_one_name() -> None:
    documented, others = people(random.Random(9))
    names = [person.facts["full_name"] for person in [*documented, *others]]
    assert len(set(names)) == len(names)
    assert len({person.id for person in [*documented, *others]}) == len(names)
