"""Opinions of released texts: recorded or asked for, and missing where nobody can read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inference.fakes import Parrot
from showthrough import InputError
from showthrough.data.references import NOTHING
from showthrough.families.inference.judge_utility import AskedOpinions, RecordedOpinions, ReleasePair, utility_fault

SAID = {"readability": {"why": "clear", "score": 8}, "meaning": {"score": 6.5}, "hallucinations": {"score": 1}}


def released(document: str = "d", text: str = "He lives in [CITY].") -> ReleasePair:
    return ReleasePair("anon", document, "He lives in Oslo.", text)


def test_one_question_gives_all_three() -> None:
    chat = Parrot(lambda _: json.dumps(SAID))
    judge = AskedOpinions(chat)
    assert judge.opinions([released()]) == [{"readability": 8, "meaning": 6.5, "hallucinations": 1}]
    judge.opinions([released()])
    (question,) = chat.heard
    assert question.prompt == "utility.v1"
    assert question.about == ("anon", "d")
    assert "He lives in Oslo." in question.text
    assert "He lives in [CITY]." in question.text


@pytest.mark.parametrize(
    "said",
    [
        {"readability": {"score": 11}}, {"readability": {"score": 0}}, {"readability": {"score": "8"}},
        {"readability": {}}, {"readability": 8}, {"readability": {"score": None}}, {"meaning": {"score": True}},
        {"hallucinations": {"score": 0.5}}, {"hallucinations": {"score": True}}, {"hallucinations": {"score": "none"}},
        {"hallucinations": None},
    ],
)  # fmt: skip
def test_an_answer_with_a_score_that_is_none_is_missing_altogether(said: dict[str, object]) -> None:
    judge = AskedOpinions(Parrot(lambda _: json.dumps(SAID | said)))
    assert judge.opinions([released()]) == [{}]


@pytest.mark.parametrize("content", ["", "8, 7 and 1", "{}", "I cannot help with that.", json.dumps(SAID)[:-9]])
def test_what_is_no_answer_is_missing(content: str) -> None:
    assert AskedOpinions(Parrot(lambda _: content)).opinions([released()]) == [{}]


def written(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"answers:{path}"


def test_recorded(tmp_path: Path) -> None:
    line = {"id": "d", "readability": 9, "meaning": None, "hallucinations": 0}
    judge = RecordedOpinions(written(tmp_path / "said.jsonl", line))
    assert judge.opinions([released(), released("e")]) == [{"readability": 9, "hallucinations": 0}, {}]
    assert judge.opinion(NOTHING, "d") == {}


@pytest.mark.parametrize(
    ("quality", "value", "expected"),
    [("readability", 0, "1 to 10"), ("meaning", 10.5, "1 to 10"), ("hallucinations", 0.5, r"1 \(none\) or 0")],
)
def test_numbers_on_no_scale_are_refused(tmp_path: Path, quality: str, value: float, expected: str) -> None:
    name = written(tmp_path / "said.jsonl", {"id": "d", quality: value})
    with pytest.raises(
        InputError, match=rf"said\.jsonl: document d: {quality}: found {value:g}; expected .*{expected}"
    ):
        RecordedOpinions(name)


def test_rules_know_nothing_of_readability() -> None:
    assert "expected judge=" in utility_fault("rules")
    assert utility_fault("llm:gpt-4.1-mini") == utility_fault("answers:said.jsonl") == ""
