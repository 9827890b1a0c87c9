"""Recorded answers about people: what is refused before anything is scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, evaluate
from showthrough.data.subjects import AUTHOR, Attribute, Subject

CORPUS = Corpus(
    [Document(key, f"I turned {age}", subjects=(Subject(AUTHOR, (Attribute("age", age),)),)) for key, age in (("d1", "34"), ("d2", "60"))]  # noqa: E501
)  # fmt: skip
LINES = [{"id": "d1", "guesses": {"age": ["34"]}}, {"id": "d2", "guesses": {"age": ["20"]}}]


def written(path: Path, lines: list[dict[str, object]], anonymization: str = "") -> Path:
    told = {"anonymization": anonymization} if anonymization else {}
    path.write_text("".join(json.dumps(line | told) + "\n" for line in lines))
    return path


def top_1(answers: str, *names: str) -> list[float | None]:
    given = [Anonymization({"d1": [], "d2": []}, name) for name in names]
    run = evaluate(CORPUS, given, [f'attributes(attacker="answers:{answers}")'])
    return [run[name][next(iter(run.rows))].value for name in names]


def refusal(answers: str, *names: str) -> str:
    with pytest.raises(InputError) as caught:
        top_1(answers, *names)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_one_file_for_one_anonymization(tmp_path: Path) -> None:
    assert top_1(str(written(tmp_path / "a.jsonl", LINES)), "one") == [0.5]


def test_one_file_for_two_must_say_which(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", LINES)
    told = refusal(str(path), "one", "two")
    assert told.startswith(f"{path}: does not say which of 2 anonymizations it is about; expected anonymization in ")
    assert "answers:NAME=FILE" in told


def test_a_file_for_each(tmp_path: Path) -> None:
    one, two = written(tmp_path / "1.jsonl", LINES), written(tmp_path / "2.jsonl", LINES[:1])
    assert top_1(f"one={one},two={two}", "one", "two") == [0.5, 1.0]


def test_an_anonymization_without_answers(tmp_path: Path) -> None:
    one = written(tmp_path / "1.jsonl", LINES)
    assert f"{one}: has no answers about two; expected" in refusal(f"one={one}", "one", "two")
    named = written(tmp_path / "2.jsonl", LINES, "one")
    assert f"{named}: has no answers about two; expected" in refusal(str(named), "one", "two")
    assert f"{named}: has no answers about two; expected" in refusal(f"two={named}", "two")


def test_a_name_that_is_no_anonymization(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", LINES)
    assert f"{path}: answers tow: is no anonymization; expected some of original, one" in refusal(f"tow={path}", "one")


def test_answers_about_other_documents(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [{"id": "x", "guesses": {"age": ["34"]}}])
    assert f"{path}: answers about x, and no document; expected ids such as d1" in refusal(str(path), "one")


def test_a_file_that_is_not_there_or_no_answers(tmp_path: Path) -> None:
    assert "none.jsonl" in refusal(str(tmp_path / "none.jsonl"), "one")
    (tmp_path / "text.jsonl").write_text("hello")
    assert "is not JSON; expected answers about people" in refusal(str(tmp_path / "text.jsonl"), "one")


def test_an_anonymization_that_is_called_as_the_originals_are(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", LINES)
    assert "anonymization original: this name is that of the originals among answers" in refusal(str(path), "original")
