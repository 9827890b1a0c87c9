"""A language model that is asked what stood under masks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inference.fakes import Parrot
from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.families.reconstruction._questions import Questioner
from showthrough.families.reconstruction.guessers import GuessCase
from showthrough.families.reconstruction.slots import Slot
from talking import talking


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


def test_a_run_asks_once_and_is_repeated_without_asking(tmp_path: Path) -> None:
    """Two documents, each with its text, its control and its ordinary words: five questions, as the control is one."""
    pytest.importorskip("openai")
    texts = {"a": "The capital is Oslo, where many people live", "b": "Nobody knows where Rome stands today"}
    towns = {"a": "Oslo", "b": "Rome"}
    spans = {key: (texts[key].index(town), texts[key].index(town) + 4) for key, town in towns.items()}
    corpus = Corpus([
        Document(key, text, (Annotation("us", (Mention(*spans[key], "LOC", "QUASI"),)),)) for key, text in texts.items()
    ])  # fmt: skip
    masks = Anonymization({key: [Mask(*span, "[LOC]")] for key, span in spans.items()})
    heard: list[str] = []

    def speak(asked: dict[str, Any]) -> str:
        heard.append(asked["messages"][-1]["content"])
        return answer(heard[-1])

    with talking(speak) as server:
        metric = f'recover(guesser="llm:m@{server.url}")'
        run = evaluate(corpus, {"x": masks}, metrics=[metric], recordings=str(tmp_path / "kept.jsonl"))
        assert len(heard) == 5
        again = evaluate(corpus, {"x": masks}, metrics=[metric], recordings=str(tmp_path / "kept.jsonl"))
        assert len(heard) == 5
    assert not any("Oslo" in text or "Rome" in text for text in heard)
    found = {score.part: score.value for score in run.scores if score.anonymization == "x"}
    assert found[""] == 1 / 2  # Oslo of a; of b London is the first guess, and Rome the second
    assert found["top-5"] == 1.0
    assert found["control"] == 0.0
    assert found["words"] == 0.0
    assert [score.value for score in again.scores] == [score.value for score in run.scores]
    assert run.asked[0].calls == 5
