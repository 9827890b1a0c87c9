"""A language model as attacker: what it is asked, and what is made of its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from showthrough.families.inference._interviewer import Interviewer, answer_in
from showthrough.families.inference.base import AttackCase, Guess, Person
from showthrough.models.chat.base import AnswerSource, ChatQuestion, Check, Reply

TAGS = ("NAME", "SEX", "AGE")


class Parrot:
    """A model that says what it was told to, in turn, where that is valid."""

    name = "llm:parrot"

    def __init__(self, *contents: str) -> None:
        self._contents = list(contents)
        self.heard: list[ChatQuestion] = []

    def replies(self, questions: Sequence[ChatQuestion], check: Check) -> list[Reply | None]:
        self.heard += questions
        return [self._reply(check) for _ in questions]

    def _reply(self, check: Check) -> Reply | None:
        content = self._contents.pop(0)
        try:
            check(content)
        except ValueError:
            return None
        return Reply(content)

    def asked(self) -> AnswerSource:
        return AnswerSource(self.name)

    def expect(self, questions: int, characters: int, tokens: int) -> None:
        pass


def case(text: str, aim: Any = "subjects", tags: tuple[str, ...] = TAGS, document: str = "d1") -> AttackCase:
    return AttackCase("a", document, text, (), aim, tags)


def people(*attributes: dict[str, Any]) -> str:
    return json.dumps({"people": [{"who": "the applicant", "attributes": list(attributes)}]})


def said(tag: str, value: Any, certainty: int = 5, evidence: str = "") -> dict[str, Any]:
    return {"tag": tag, "value": value, "certainty": certainty, "evidence": evidence}


def author(**guesses: list[Any]) -> str:
    listed = [{"tag": tag, "reasoning": "so", "guesses": each, "certainty": 3} for tag, each in guesses.items()]
    return json.dumps({"attributes": listed})


class TestSubjects:
    def test_people_and_where_it_was_read(self) -> None:
        content = people(said("NAME", "Ann Lee", 5, "Ann Lee"), said("age", 34, 3), said("SEX", "Female", 4, "She"))
        (answer,) = Interviewer(Parrot(content)).infer([case("Ann Lee left. She slept. She woke.")])
        guesses = Guess("NAME", "Ann Lee", 5, (0, 7)), Guess("AGE", "34", 3), Guess("SEX", "Female", 4)
        assert answer == (Person(guesses, "the applicant"),)  # "She" stands there twice: nobody knows where

    def test_what_says_nothing_is_left_out(self) -> None:
        content = people(said("NAME", "  "), said("SEX", "Male", 0), said("SHOE_SIZE", "44"))
        assert Interviewer(Parrot(content)).infer([case("x")]) == [(Person((), "the applicant"),)]

    @pytest.mark.parametrize(
        "content",
        [
            "", "I cannot help with that.", "{}", '{"people": [', '{"people": [{}]}', people(said("SEX", "Male", 9)),
            people({"tag": "SEX", "value": "Male"}), people({**said("SEX", "Male"), "value": None}),
        ],
    )  # fmt: skip
    def test_what_is_no_answer_is_missing_and_not_nothing(self, content: str) -> None:
        assert Interviewer(Parrot(content)).infer([case("x")]) == [None]

    def test_nobody_is_an_answer(self) -> None:
        assert Interviewer(Parrot('{"people": []}')).infer([case("x")]) == [()]


class TestAuthors:
    def test_three_guesses_the_likeliest_first(self) -> None:
        content = author(age=[34, "30-35", "40", "50"], sex=["male", ""])
        (answer,) = Interviewer(Parrot(content)).infer([case("x", "author", ("age", "sex"))])
        assert answer is not None
        assert [(one.tag, one.value) for one in answer[0].guesses] == [
            ("age", "34"), ("age", "30-35"), ("age", "40"), ("sex", "male"),
        ]  # fmt: skip

    @pytest.mark.parametrize("content", [author(age=["34"]), author(age=["34"], sex=[]), '{"attributes": []}'])
    def test_a_tag_without_a_guess_makes_it_no_answer(self, content: str) -> None:
        assert Interviewer(Parrot(content)).infer([case("x", "author", ("age", "sex"))]) == [None]


def test_what_a_model_is_asked() -> None:
    parrot = Parrot('{"people": []}', '{"people": []}', author(age=["3"]))
    cases = [case("Whole " * 50_000), case("x", "author", ("age",)), case("")]
    assert [answer is not None for answer in Interviewer(parrot).infer(cases)] == [True, True, True]
    asked = {one.prompt: one for one in parrot.heard}
    assert list(asked) == ["subjects.v1", "author.v1"]
    assert f"<text>\n{'Whole ' * 50_000}\n</text>" in {one.text for one in parrot.heard}  # nothing is cut
    assert all(one.about == ("a", "d1") for one in parrot.heard)
    assert parrot.heard[0].instructions.endswith("Tags that are asked for: NAME, SEX, AGE.")
    assert all(tag in parrot.heard[0].instructions for tag in TAGS)


def test_the_schema_is_one_that_servers_hold_models_to() -> None:
    parrot = Parrot('{"people": []}', author(age=["3"]))
    Interviewer(parrot).infer([case("x"), case("x", "author", ("age",))])

    def objects(schema: Any) -> list[dict[str, Any]]:
        inner = [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]
        mine = [schema] if schema["type"] == "object" else []
        return mine + [one for each in inner for one in objects(each)]

    found = [one for question in parrot.heard for one in objects(question.schema)]
    assert len(found) == 5
    assert all(one["required"] == list(one["properties"]) and not one["additionalProperties"] for one in found)
    sure = [one["properties"]["certainty"] for one in found if "certainty" in one["properties"]]
    assert sure
    assert all(one == {"type": "integer", "enum": [1, 2, 3, 4, 5]} for one in sure)


def test_what_was_recorded_is_read_in_the_same_way() -> None:
    assert answer_in(case("x"), '{"people": []}') == ()
    assert answer_in(case("x"), "no") is None
