"""What attackers answered about people: every form of it, and all that can be wrong with it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

from malformed.mutations import broken_tree
from showthrough import InputError, Problem
from showthrough.formats.people.inference_answers import (
    DocumentAnswer,
    RecordedGuess,
    RecordedPerson,
    read_inference_answers,
)

DATA = Path(os.environ.get("SHOWTHROUGH_DATA", "/nowhere")) / "inference"
SPIA = {
    "data_id": "a",
    "subjects": [
        {"id": 0, "matches": 1, "PIIs": [{"tag": "NAME", "keyword": "K. Lewis", "certainty": 4, "hardness": 1},
                                         {"tag": "AGE", "keyword": "", "certainty": 0, "hardness": 0}]},
        {"id": "x", "guesses": [{"tag": "AGE", "value": 34, "span": [2, 4], "why": "he says so"}]},
    ],
}  # fmt: skip
AGE = {"gold": "33", "guesses": ["34", ""], "verdicts": [0.5, None]}
PROFILE = {
    "profile": "b",
    "attributes": {"age": AGE, "sex": {"guesses": [], "verdicts": []}},
    "answer": "Type: age",
}
LEWIS = RecordedPerson((RecordedGuess("NAME", "K. Lewis", 4),), "0", "1")
OTHER = RecordedPerson((RecordedGuess("AGE", "34", 5, (2, 4), "he says so"),), "x")
AUTHOR = RecordedPerson((RecordedGuess("age", "34"), RecordedGuess("age", "")), "author", "author")


def lines(path: Path, *records: Any) -> Path:
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read(path: Path, record: Any) -> DocumentAnswer:
    """The only answer of a file."""
    (found,) = read_inference_answers(lines(path / "one.jsonl", record)).values()
    return found


def told(path: Path, *records: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_inference_answers(lines(path / "x.jsonl", *records))
    return [line.removeprefix(f"{path}/") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.answers", "a.json"])
def test_spias_and_profiles(tmp_path: Path, name: str) -> None:
    path = lines(tmp_path / name, SPIA, PROFILE)
    if name == "a.json":
        path.write_text(json.dumps([SPIA, PROFILE]))
    assert read_inference_answers(path) == {
        ("", "a"): DocumentAnswer((LEWIS, OTHER)),
        ("", "b"): DocumentAnswer((AUTHOR,), "Type: age", {"age": (0.5, None), "sex": ()}),
    }


@pytest.mark.parametrize("key", ["id", "document", "doc_id", "data_id", "profile"])
def test_plain_guesses(tmp_path: Path, key: str) -> None:
    guess = {"tag": "age", "value": "34", "certainty": 2, "verdict": 1}
    first = {key: 7, "anonymization": "presidio", "guesses": [guess, {**guess, "value": 9.5, "verdict": None}]}
    second = {key: "7", "guesses": {"age": ["34", 9], "sex": ["male"]}, "verdicts": {"age": [1, 0.5]}}
    said = (RecordedGuess("age", "34", 2), RecordedGuess("age", "9.5", 2))
    author = (RecordedGuess("age", "34"), RecordedGuess("age", "9"), RecordedGuess("sex", "male"))
    assert read_inference_answers(lines(tmp_path / "a.jsonl", first, second)) == {
        ("presidio", "7"): DocumentAnswer((RecordedPerson(said),), "", {"age": (1, None)}),
        ("", "7"): DocumentAnswer((RecordedPerson(author, "author", "author"),), "", {"age": (1, 0.5)}),
    }


def test_no_answer_is_not_nobody(tmp_path: Path) -> None:
    """What is missing must never look as if nothing could be told."""
    assert read(tmp_path, {"id": "a", "subjects": []}).answer == ()
    assert read(tmp_path, {"id": "a", "guesses": []}).answer == read(tmp_path, {"id": "a", "guesses": {}}).answer == ()
    for nothing in (
        {"subjects": None},
        {"answer": None},
        {"answer": "Type: age"},
        {"attributes": {}},
        {"verdicts": {"age": [1]}},
    ):
        assert read(tmp_path, {"id": "a", **nothing}).answer is None
    unread = read(tmp_path, {"profile": "a", "attributes": {"age": {"gold": "3"}}, "answer": "Type: age"})
    assert (unread.answer, unread.raw) == (None, "Type: age")
    empty = read(tmp_path, {"profile": "a", "attributes": {"age": {"guesses": []}}})
    assert empty.answer == (RecordedPerson((), "author", "author"),)


def test_what_judges_of_texts_say(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "readability": 9, "meaning": 7.5, "hallucinations": None})
    assert (found.utility, found.answer) == ({"readability": 9.0, "meaning": 7.5}, None)


NOTHING = "answers about people, one a document: subjects, attributes, guesses or answer"
GUESS = {"tag": "AGE", "value": "34"}


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"guesses": []}, "line 2: its id is missing; expected id, document, data_id or profile"),
        ({"id": "", "guesses": []}, "line 2: its id is empty; expected id, document, data_id or profile"),
        ({"id": "a", "guesses": []}, "line 2: document a: is answered twice; expected every document once"),
        ({"id": "b"}, f"line 2: document b: found no answer; expected {NOTHING}"),
        ({"id": "b", "subject": []}, f"line 2: document b: found no answer; expected {NOTHING}"),
        ({"id": "b", "guesses": [], "subjects": []},
         "line 2: document b: found subjects and guesses; expected one of them"),
        ({"id": "b", "guesses": [{**GUESS, "certainty": 6}]},
         "line 2: document b: guesses[0].certainty: found 6; expected 0 to 5"),
        ({"id": "b", "guesses": [{**GUESS, "tag": ""}]},
         "line 2: document b: guesses[0]: tag is empty; expected a name"),
        ({"id": "b", "guesses": [{"tag": "AGE"}]},
         "line 2: document b: guesses[0]: value is missing; expected value or keyword"),
        ({"id": "b", "guesses": [{**GUESS, "span": [4, 4]}]},
         "line 2: document b: guesses[0].span: is no span; expected a start and a later end"),
        ({"id": "b", "guesses": [{**GUESS, "verdict": 0.7}]},
         "line 2: document b: guesses[0].verdict[0]: found 0.7; expected 1, 0.5, 0 or null"),
        ({"id": "b", "guesses": [{**GUESS, "verdict": 1}, GUESS]},
         "line 2: document b: guesses: some guesses of AGE have a verdict; expected one, or null, for each"),
        ({"id": "b", "guesses": [{**GUESS, "verdict": 1}, {**GUESS, "value": " ", "verdict": 0}]},
         "line 2: document b: guesses: found a guess without a value beside verdicts; expected a value"),
        ({"id": "b", "subjects": [{"id": 0}]},
         "line 2: document b: subjects[0]: PIIs is missing; expected a list of what is said of the person"),
        ({"id": "b", "subjects": [{"matches": 1, "PIIs": []}, {"matches": "1", "PIIs": []}]},
         "line 2: document b: subjects[1].matches: is 1 a second time; expected each once"),
        ({"profile": "b", "attributes": {"age": {"guesses": ["1"], "verdicts": [1, 0]}}},
         "line 2: document b: attributes.age.verdicts: found 2 of 1 guesses; expected one for each"),
        ({"profile": "b", "attributes": {"age": {"guesses": ["1"]}, "sex": {"gold": "male"}}},
         "line 2: document b: attributes.sex: guesses is missing; others have it"),
        ({"profile": "b", "attributes": {"age": {"verdicts": [1]}}, "verdicts": {"age": [1]}},
         "line 2: document b: verdicts.age: occurs twice; expected it in one place"),
        ({"id": "b", "guesses": {"age": ["1"]}, "verdicts": {"age": [1, 0]}},
         "line 2: document b: verdicts.age: found 2 of 1 guesses; expected one for each"),
        ({"id": "b", "answer": 7}, "line 2: answer: found a whole number; expected text or null"),
    ],
)  # fmt: skip
def test_what_is_wrong(tmp_path: Path, record: Any, said: str) -> None:
    """Each in a line, and all of them."""
    again = {"id": "c", "anonymization": "q"}
    more = f"line 3: document c: found no answer; expected {NOTHING}"
    assert told(tmp_path, SPIA, record, again) == [f"x.jsonl: {said}", f"x.jsonl: {more}"]


def test_files_that_hold_no_answers(tmp_path: Path) -> None:
    for content, said in (("", "is empty"), ("a 0.5\n", "is not JSON"), ("[]", "is empty")):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(InputError, match=f"{said}; expected {NOTHING}"):
            read_inference_answers(tmp_path / "x.json")
    with pytest.raises(InputError, match=f"is a folder; expected a file with {NOTHING}"):
        read_inference_answers(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_inference_answers(tmp_path / "y.jsonl")


@settings(max_examples=150, deadline=None)
@given(some.integers(0, 2**32))
def test_whatever_is_broken_is_refused_or_read(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    path = tmp_path_factory.mktemp("broken") / "a.jsonl"
    path.write_bytes(broken_tree(Random(seed), SPIA) + b"\n" + broken_tree(Random(seed + 1), PROFILE))
    problems: list[Problem] = []
    found: dict[tuple[str, str], DocumentAnswer] = {}
    try:
        found = read_inference_answers(path)
    except InputError as error:
        problems += error.problems
    assert bool(found) != bool(problems)
    assert all(one.message and one.file == str(path) for one in problems)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the data of SPIA and SynthPAI")
@pytest.mark.parametrize(
    ("name", "documents", "people", "guesses", "verdicts"),
    [
        ("spia_tab_answers", 144, 494, 2432, 0),
        ("synthpai_gpt4", 294, 269, 2041, 700),
        ("synthpai_gpt4_anonymized", 294, 269, 2088, 700),
        ("synthpai_llama3_70b", 294, 269, 2098, 700),
    ],
)
def test_published_answers(name: str, documents: int, people: int, guesses: int, verdicts: int) -> None:
    found = read_inference_answers(DATA / f"{name}.jsonl.gz")
    everybody = [person for one in found.values() for person in one.answer or ()]
    assert (len(found), len(everybody)) == (documents, people)
    assert sum(len(person.guesses) for person in everybody) == guesses
    assert sum(len(one.verdicts) for one in found.values()) == verdicts
