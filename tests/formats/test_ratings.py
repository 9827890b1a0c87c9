"""Ratings of people, in whichever file they are; what is wrong with one is told in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import InputError, Rating, read_ratings

HEADER = "document,anonymization,item,rater,value"


def pan(path: Path, submission: str = "participantA", **changed: Any) -> Path:
    """A file of one of PAN's raters, with one rating."""
    one = {
        "1_obfuscation": "He came .",
        "2_sensibleness": "2",
        "3_obfuscation-id": 6,
        "4_original-end-charpos": 9,
        "5_original-start-charpos": 0,
        "problem": "problem-001",
        "submission": submission,
    }
    path.write_text(json.dumps([{key: value for key, value in {**one, **changed}.items() if value != ""}]))
    return path


def table(path: Path, *rows: str) -> Path:
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def fault(*places: object, anonymizations: tuple[str, ...] = ("A", "B")) -> str:
    with pytest.raises(InputError) as caught:
        read_ratings([str(place) for place in places], anonymizations)
    return str(caught.value)


def test_pans_file_names_its_rater(tmp_path: Path) -> None:
    ratings = read_ratings(f"A={pan(tmp_path / 'sensibleness_A_dan.json')}", ["A", "B"])
    expected = Rating(document="problem-001", anonymization="A", item="6", rater="dan", value=2)
    assert ratings.ratings == (expected,)
    assert ratings.passages == {("A", "problem-001"): ("He came .",)}


def test_a_submission_is_meant_by_its_name_or_by_a_users(tmp_path: Path) -> None:
    file = pan(tmp_path / "x_dan.json")
    assert read_ratings(str(file), ["participantA"]).of.keys() == {"participantA"}
    assert fault(file) == (
        f"{file}: anonymization participantA: was rated and is not evaluated; expected one of A, B, "
        f"or NAME={shown(file)} to say whose they are"
    )
    assert fault(f"C={file}") == f"{file}: ratings C: is no anonymization; expected one of A, B"
    other = pan(tmp_path / "x_mat.json", "participantB")
    assert fault(f"A={file}", f"A={other}") == (
        "ratings A: has ratings of participantA, participantB, which are not the same; expected those of one"
    )
    assert fault(f"A={tmp_path}").startswith(f"{tmp_path}: ratings A: has ratings of participantA, participantB")
    both = read_ratings([f"A={file}", f"B={other}"], ["A", "B"])
    assert {name: [one.rater for one in of["problem-001"]] for name, of in both.of.items()} == {
        "A": ["dan"],
        "B": ["mat"],
    }


def shown(file: Path) -> str:
    from showthrough.core.errors import shorten as short

    return short(str(file))


def test_a_folder_of_files_and_a_table(tmp_path: Path) -> None:
    pan(tmp_path / "s_dan.json", "A")
    pan(tmp_path / "s_mat.json", "A", **{"2_sensibleness": 0})
    table(tmp_path / "more.csv", "problem-002,B,1,ann,1", "problem-002,A,1,ann,2")
    found = read_ratings(str(tmp_path), ["A", "B"])
    assert [(one.rater, one.value) for one in found.ratings] == [("ann", 1), ("ann", 2), ("dan", 2), ("mat", 0)]
    assert read_ratings(f"B={tmp_path}", ["A", "B"]).of.keys() == {"B"}  # of one alone
    assert fault(tmp_path, anonymizations=("A",)).startswith(f"{tmp_path}: anonymization B: was rated and is not")


def test_a_path_may_have_an_equals_sign(tmp_path: Path) -> None:
    file = table(tmp_path / "A=1.csv", "d,A,1,r,2")
    assert len(read_ratings(str(file), ["A"])) == 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"2_sensibleness": "3"}, "object 1: document problem-001: sensibleness: found '3'; expected 0, 1 or 2"),
        ({"2_sensibleness": 1.0}, "object 1: sensibleness: found 1.0; expected 0, 1 or 2"),
        ({"2_sensibleness": True}, "object 1: sensibleness: found True; expected 0, 1 or 2"),
        ({"2_sensibleness": None}, "object 1: sensibleness: found None; expected 0, 1 or 2"),
        ({"2_sensibleness": ""}, "object 1: sensibleness: is missing; expected 0, 1 or 2"),
        ({"problem": ""}, "object 1: problem: is missing; expected a name"),
        ({"3_obfuscation-id": []}, "object 1: obfuscation-id: found []; expected a name"),
    ],
)
def test_what_is_wrong_with_pans_file_is_told(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    file = pan(tmp_path / "x_dan.json", "A", **changed)
    assert fault(file) == f"{file}: {says}"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[]", "has no ratings; expected at least one"),
        ("{}", "found an object {…}; expected a list […]"),
        ("[1]", "[0]: found a whole number; expected an object {…}"),
        ("[", "is not valid JSON"),
    ],
)
def test_other_json_is_told(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    assert fault(file).startswith(f"{file}: {says}")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (["d,A,1,r,3"], "line 2: column value: found '3'; expected 0, 1 or 2"),
        (["d,A,1,r,"], "line 2: column value: is empty; expected 0, 1 or 2"),
        ([",A,1,r,1"], "line 2: column document: is empty; expected a name"),
        (["d,A,1,r"], "line 2: has 5 columns in its header but 4 in this row"),
        ([], "has no ratings; expected at least one"),
        (["d,A,1,r,1", "d,A,1,r,2"], "document d: item 1: was rated twice by r for A; expected once"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(tmp_path: Path, rows: list[str], says: str) -> None:
    file = table(tmp_path / "x.csv", *rows)
    assert fault(file) == f"{file}: {says}"


def test_pans_bare_table_does_not_say_of_what(tmp_path: Path) -> None:
    file = tmp_path / "sensibleness_A.csv"
    file.write_text("2,1,2\n2,2,2\n")
    assert fault(file) == (
        f"{file}: has only ratings and does not say for which passages; expected the columns "
        f"{HEADER.replace(',', ', ')} in a first row, or PAN's .json files"
    )


def test_other_places_are_told(tmp_path: Path) -> None:
    kinds = "expected a folder that rate sample wrote, PAN's .json, a .csv or .tsv, or a folder of these"
    assert fault(tmp_path / "none") == f"{tmp_path / 'none'}: no such file; {kinds}"
    assert fault(tmp_path) == f"{tmp_path}: has no ratings in it; {kinds}"
    (tmp_path / "x.txt").write_text("2")
    assert fault(tmp_path / "x.txt") == f"{tmp_path / 'x.txt'}: found the ending '.txt'; {kinds}"
    (tmp_path / "y.csv").write_text("a,b\n1,2\n")
    assert fault(tmp_path / "y.csv") == (
        f"{tmp_path / 'y.csv'}: column document: found a, b; expected {HEADER.replace(',', ', ')}, each once"
    )
