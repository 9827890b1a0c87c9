"""Answers that were recorded: each of the text that it was about, and of no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import InputError
from showthrough.data.references import NOTHING
from showthrough.data.subjects import AUTHOR, Subject
from showthrough.families.inference._answer_files import RecordedAnswers, digest_of_answers
from showthrough.families.inference.base import Aim, AttackCase, Guess, Person
from showthrough.models.chat.recordings import TITLE
from showthrough.storage.append_log import GrowingFile

pytestmark = pytest.mark.usefixtures("no_sockets")

SPIA = {"data_id": "d", "subjects": [{"id": 0, "matches": 1, "PIIs": [{"tag": "NAME", "keyword": "K. Lewis", "certainty": 4}]}]}  # fmt: skip # noqa: E501


def case(anonymization: str = "one", document: str = "d", text: str = "a text", aim: Aim = "subjects") -> AttackCase:
    tags = ("age", "sex") if aim == "author" else ("NAME", "SEX")
    return AttackCase(anonymization, document, text, (Subject("1"),), aim, tags)


def written(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return f"answers:{path}"


def test_people_with_what_was_said_of_them(tmp_path: Path) -> None:
    name = written(tmp_path / "a.jsonl", SPIA)
    (answer,) = RecordedAnswers(name).infer([case()])
    assert answer == (Person((Guess("NAME", "K. Lewis", 4),), "0", "1"),)


def test_guesses_about_an_author(tmp_path: Path) -> None:
    name = written(tmp_path / "a.jsonl", {"profile": "d", "attributes": {"age": {"guesses": [34, "40"]}}})
    (answer,) = RecordedAnswers(name).infer([case(aim="author")])
    assert answer == (Person((Guess("age", "34"), Guess("age", "40")), AUTHOR, AUTHOR),)


def test_where_nothing_was_recorded_there_is_no_answer(tmp_path: Path) -> None:
    attacker = RecordedAnswers(written(tmp_path / "a.jsonl", SPIA))
    assert attacker.infer([case(document="e"), case(NOTHING)]) == [None, None]


def test_nobody_seen_is_an_answer(tmp_path: Path) -> None:
    name = written(tmp_path / "a.jsonl", {"data_id": "d", "subjects": []})
    assert RecordedAnswers(name).infer([case()]) == [()]


def test_what_was_said_of_a_text_is_no_answer_to_an_empty_one(tmp_path: Path) -> None:
    attacker = RecordedAnswers(written(tmp_path / "a.jsonl", SPIA))
    assert attacker.infer([case(text=""), case(document="", text="")]) == [None, None]


def test_an_answer_without_an_end_is_missing(tmp_path: Path) -> None:
    name = written(tmp_path / "a.jsonl", {"profile": "d", "attributes": {"age": {}}, "answer": "I cannot say."})
    assert RecordedAnswers(name).infer([case(aim="author")]) == [None]


def test_the_digest_changes_with_what_is_said_and_of_what(tmp_path: Path) -> None:
    name = written(tmp_path / "a.jsonl", SPIA)
    before = digest_of_answers(name)
    assert digest_of_answers(name) == before
    assert digest_of_answers(f"answers:one={name.removeprefix('answers:')}") != before
    written(tmp_path / "a.jsonl", SPIA | {"data_id": "e"})
    assert digest_of_answers(name) != before


def recording(path: Path, *entries: dict[str, object]) -> str:
    """What a run with a language model leaves."""
    file = GrowingFile(path, TITLE)
    list(file.go_on())
    for number, entry in enumerate(entries):
        told = {"kind": "answer", "key": str(number), "name": "llm:m", "prompt": "subjects.v1", "digest": "0"}
        file.add(json.dumps(told | entry).encode())
    file.close()
    return f"answers:{path}"


PEOPLE = json.dumps({"people": [{"who": "a man", "attributes": [{"tag": "SEX", "value": "Male", "certainty": 5}]}]})


def test_what_a_language_model_answered_in_another_run(tmp_path: Path) -> None:
    pytest.importorskip("showthrough.families.inference._interviewer")
    name = recording(
        tmp_path / "run.json.answers",
        {"about": [["one", "d"], [NOTHING, "d"]], "content": PEOPLE},
        {"about": [["one", ""]], "content": '{"people": []}'},
        {"about": [["one", "e"]], "content": None, "fault": "too long"},
    )
    attacker = RecordedAnswers(name)
    told, also, control, failed, absent = attacker.infer(
        [case(), case(NOTHING), case(document="", text=""), case(document="e"), case("two")]
    )
    assert told == also == (Person((Guess("SEX", "Male", 5),), "a man"),)
    assert control == ()
    assert [failed, absent] == [None, None]
    assert attacker.infer([case(aim="author")]) == [None]  # that was never asked


def test_what_several_language_models_answered_is_not_mixed(tmp_path: Path) -> None:
    one = {"about": [["one", "d"]], "content": PEOPLE}
    name = recording(tmp_path / "run.json.answers", one, one | {"name": "llm:other"})
    with pytest.raises(InputError, match="llm:m, llm:other; expected those of one language model"):
        RecordedAnswers(name)
