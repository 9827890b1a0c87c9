"""A language model that is asked what stood under masks."""

from __future__ import annotations

import json
import re

from inference.fakes import Parrot
from showthrough.families.reconstruction._questions import Questioner
from showthrough.families.reconstruction.guessers import GuessCase
from showthrough.families.reconstruction.slots import Slot


def answer(text: str) -> str:
    numbers = re.findall(r"⟦(\d+)", text) or ["1"]
    guess = {"text": "Oslo" if "capital" in text else "London", "probability": 0.7}
    return json.dumps({"answers": [
        {"number": int(number), "guesses": [guess, {"text": "Rome", "probability": 0.1}], "evidence": "the capital"}
        for number in numbers
    ]})  # fmt: skip


CASE = GuessCase("x", "d", "", "In [LOC], the capital, he met [PERSON].", (Slot(3, 8, "LOC"), Slot(30, 38, "PERSON")))
CONTROL = GuessCase("x", "", "", "", (Slot(0, 0),))


def test_places_are_numbered_and_the_control_has_no_text() -> None:
    parrot = Parrot(answer)
    own, control = Questioner(parrot).guess([CASE, CONTROL])
    assert [question.text for question in parrot.heard] == [
        "<text>\nIn ⟦1: [LOC]⟧, the capital, he met ⟦2: [PERSON]⟧.\n</text>", "<text>\n\n</text>",
    ]  # fmt: skip
    assert own is not None
    assert [[guess.text for guess in guesses] for guesses in own] == [["Oslo", "Rome"], ["Oslo", "Rome"]]
    assert control is not None
    assert control[0][0].text == "London"


def test_the_words_that_show_it_must_stand_in_the_text() -> None:
    questioner = Questioner(Parrot(answer))
    [own] = questioner.guess([CASE])
    assert own is not None
    assert questioner.explain(CASE, CASE.slots[0], own[0][0]) == [("the capital", 0.7)]
    assert questioner.explain(CASE, CASE.slots[0], own[0][0]._replace(words="made up")) == []


def test_an_answer_that_leaves_a_place_out_is_none() -> None:
    def half(text: str) -> str:
        return json.dumps({"answers": json.loads(answer(text))["answers"][:1]})

    assert Questioner(Parrot(half)).guess([CASE]) == [None]
    assert Questioner(Parrot(lambda _: "I cannot say")).guess([CASE]) == [None]


def test_many_places_are_asked_for_some_at_a_time() -> None:
    parrot = Parrot(answer)
    many = CASE._replace(text="capital " + "_ " * 45, slots=tuple(Slot(8 + 2 * at, 9 + 2 * at) for at in range(45)))
    [own] = Questioner(parrot).guess([many])
    assert own is not None
    assert len(own) == 45
    wanted = [question.instructions.rpartition("asked for: ")[2] for question in parrot.heard]
    assert [text.split(", ")[0] for text in wanted] == ["1", "21", "41"]
