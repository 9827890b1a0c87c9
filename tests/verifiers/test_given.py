"""Answers of verifiers that nobody has here: from files, and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import InputError, PlanError
from showthrough.families.authorship.verifiers.recorded import GivenAnswers, parse_answers, read_answer_files


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("o", "a", "b"):
        Path(f"{name}.txt").write_text(f"d1 0.{ord(name) % 9 + 1}\nd2 0.5\n")
    return tmp_path


def test_files_by_verifier(files: Path) -> None:
    one, mine = read_answer_files(["original=o.txt", "A=a.txt", "mine:original=o.txt", "mine:A=b.txt"], ["A"])
    assert (one.name, list(one.by), one.source) == ("answers", ["original", "A"], "o.txt, a.txt")
    assert (mine.name, mine.by["A"]["d2"], mine.sources) == ("mine", 0.5, {"original": "o.txt", "A": "b.txt"})
    assert read_answer_files([], ["A"]) == []


def test_a_name_with_a_colon_may_be_an_anonymizations(files: Path) -> None:
    (one,) = read_answer_files(["v1:x=a.txt"], ["v1:x"])
    assert (one.name, list(one.by)) == ("answers", ["v1:x"])
    (one,) = read_answer_files(["mine:v1:x=a.txt"], ["v1:x"])
    assert (one.name, list(one.by)) == ("mine", ["v1:x"])


def test_all_that_is_wrong_is_told(files: Path) -> None:
    Path("bad.txt").write_text("d1 2\n")
    with pytest.raises(InputError) as caught:
        read_answer_files(["o.txt", "=o.txt", "A=", ":A=a.txt", "A=a.txt", "A=b.txt", "B=none.txt", "C=bad.txt"], ["A"])
    told = [str(problem) for problem in caught.value.problems]
    expected = "expected NAME=FILE or VERIFIER:NAME=FILE, NAME being original or an anonymization's"
    assert told[:4] == [f"answers: found '{text}'; {expected}" for text in ("o.txt", "=o.txt", "A=", ":A=a.txt")]
    assert told[4:] == [
        "answers A: were given twice; expected one file",
        "none.txt: no such file",
        "bad.txt: line 1: document d1: value is 2; expected a number from 0 to 1",
    ]


def test_digests_follow_the_answers() -> None:
    one = GivenAnswers({"original": {"a": 0.1, "b": 0.2}})
    assert one.digest == GivenAnswers({"original": {"b": 0.2, "a": 0.1}}).digest
    assert one.digest != GivenAnswers({"original": {"a": 0.1, "b": 0.3}}).digest
    assert one.digest != GivenAnswers({"A": {"a": 0.1, "b": 0.2}}).digest


def test_from_python() -> None:
    (one,) = parse_answers({"original": {"d": 0.1}, "A": {"d": 1}})
    assert (one.name, one.by["A"]["d"]) == ("answers", 1)
    two = parse_answers({"one": {"original": {"d": 0.1}}, "two": {"original": {}, "A": {"d": 0.2}}})
    assert [(each.name, list(each.by)) for each in two] == [("one", ["original"]), ("two", ["original", "A"])]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"original": 0.3}, 'answers: expected probabilities by document, such as {"original": {"d1": 0.7}}'),
        ({"original": {"d": 1.5}}, "answers: original: document d: found 1.5; expected a number from 0 to 1"),
        ({"m": {"A": {"d": "0.5"}}}, "m: A: document d: found '0.5'; expected a number from 0 to 1"),
        ({"A": {"d": True}}, "answers: A: document d: found True; expected a number from 0 to 1"),
        ({"A": {"d": float("nan")}}, "answers: A: document d: found nan; expected a number from 0 to 1"),
    ],
)
def test_what_is_no_answer(answers: Any, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_answers(answers)
    assert str(caught.value) == said
