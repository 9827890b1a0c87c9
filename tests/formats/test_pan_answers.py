"""What verifiers answered and what is true: lines of text and of JSON, and all that can be wrong with them."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as some

from showthrough import InputError
from showthrough.core.errors import PlanError
from showthrough.formats.authorship.verifier_answers import encode_answers, read_answers, read_truth


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("\ufeffa 0.25\r\nb 1\r\rc\t.5\n", {"a": 0.25, "b": 1.0, "c": 0.5}),
        ("two words 1e-3\n[1] 0", {"two words": 0.001, "[1]": 0.0}),
        ('\ufeff{"id": "a", "value": 0.25}\r\n\n{"value": 1, "id": 7, "more": null}\n', {"a": 0.25, "7": 1.0}),
        ('[{"id": "a", "value": 0.5}]', {"a": 0.5}),
        # a list of one number, as arrays are written
        ("a [0.25]\nb [ 1. ]\r\n[1] [.5]", {"a": 0.25, "b": 1.0, "[1]": 0.5}),
        (
            '{"id": "a", "value": [0.25]}\n{"id": "b", "value": [1]}\n{"id": "c", "value": 0}',
            {"a": 0.25, "b": 1, "c": 0},
        ),
        ('[{"id": "a", "value": [0.5]}]', {"a": 0.5}),
    ],
)
@pytest.mark.parametrize("name", ["answers.txt", "answers.jsonl", "answers.txt.gz"])
def test_answers(tmp_path: Path, name: str, content: str, expected: dict[str, float]) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    assert read_answers(path) == expected


@pytest.mark.parametrize(
    "content",
    ["\ufeffa Y\nb N\r\nc d N", '{"id": "a", "same": true, "authors": ["1", "1"]}\n{"id": "b", "same": false}'],
)
def test_truth(tmp_path: Path, content: str) -> None:
    path = tmp_path / "truth.txt"
    path.write_bytes(content.encode())
    assert read_truth(path).items() >= {"a": True, "b": False}.items()


WANTED = 'expected one answer a problem: ID 0.731, or {"id": …, "value": 0.731}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("b 1.01", "line 2: document b: value is 1.01; expected a number from 0 to 1"),
        ("b -0.1", "line 2: document b: value is -0.1; expected a number from 0 to 1"),
        ("b nan", "line 2: document b: found 'nan'; expected a number from 0 to 1"),
        ("b 0,5", "line 2: document b: found '0,5'; expected a number from 0 to 1"),
        ("b 0_1", "line 2: document b: found '0_1'; expected a number from 0 to 1"),
        ("b ١", "line 2: document b: found '١'; expected a number from 0 to 1"),
        ("a 0.5", "line 2: document a: occurs twice; expected every problem once"),
        ("0.5", f"line 2: found '0.5'; {WANTED}"),
        ("[0.5]", f"line 2: found '[0.5]'; {WANTED}"),
        ("b [2]", "line 2: document b: value is 2; expected a number from 0 to 1"),
        ("b []", "line 2: document b: found '[]'; expected a number from 0 to 1"),
        ("b [[0.5]]", "line 2: document b: found '[0.5]'; expected a number from 0 to 1"),
        ("b [0.5,0.5]", "line 2: document b: found '0.5,0.5'; expected a number from 0 to 1"),
    ],
)
def test_bad_lines_of_text(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "answers.txt"
    path.write_text(f"a 0.5\n{line}\nz 2")
    with pytest.raises(InputError) as caught:
        read_answers(path)
    last = "line 3: document z: value is 2; expected a number from 0 to 1"
    assert str(caught.value).splitlines() == [f"{path}: {said}", f"{path}: {last}"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "b", "value": 2}', "line 2: document b: value is 2; expected a number from 0 to 1"),
        ('{"id": "b", "value": "0.5"}', "line 2: value: found text; expected a number or a list […]"),
        ('{"id": "b", "value": NaN}', "line 2: is not valid JSON: invalid character (column 22)"),
        ('{"id": "b", "value": [2]}', "line 2: document b: value is 2; expected a number from 0 to 1"),
        ('{"id": "b", "value": []}', "line 2: value: found a list of another length; expected one of 1"),
        ('{"id": "b", "value": [0.5, 0.5]}', "line 2: value: found a list of another length; expected one of 1"),
        ('{"id": "b"}', "line 2: value is missing"),
        ('{"id": "", "value": 1}', "line 2: its id is empty; expected a name"),
        ('{"id": "a", "value": 1}', "line 2: document a: occurs twice; expected every problem once"),
        ("b 0.5", "line 2: is not valid JSON: invalid character (column 1)"),
    ],
)
def test_bad_lines_of_json(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"id": "a", "value": 0.5}}\n{line}\n')
    with pytest.raises(InputError) as caught:
        read_answers(path)
    assert str(caught.value) == f"{path}: {said}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", f"is empty; {WANTED}"),
        (b" \n\n", f"is empty; {WANTED}"),
        (b"a\xff 0.5", "byte 1 is not UTF-8; expected UTF-8 throughout"),
        ("a 0.5".encode("utf-16"), "is encoded in UTF-16; expected UTF-8"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "answers.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_answers(path)
    assert str(caught.value) == f"{path}: {said}"


def test_places_without_answers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; expected a file with one answer a problem"):
        read_answers(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_truth(tmp_path / "none.txt")


IDS = some.text(some.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)


@settings(max_examples=60)  # each writes files
@given(some.dictionaries(IDS | some.text('{["}] a\0\r\n\ufeff0.', min_size=1), some.floats(0, 1), min_size=1))
@example({"0\0": 0.0})
@example({'{"': 0.5})
@example({"\ufeffa": 0.5})
def test_whatever_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, answers: dict[str, float]) -> None:
    path = tmp_path_factory.mktemp("answers") / "a"
    path.write_bytes(encode_answers(answers, as_objects=True))
    assert read_answers(path) == answers
    try:
        path.write_bytes(encode_answers(answers, as_objects=False))
    except PlanError:
        assert any(re.search("^\\s|\\s$|[\r\n\0\ufeff]", name) for name in answers) or next(iter(answers))[0] in "{["
    assert read_answers(path) == answers


@pytest.mark.parametrize("name", ["a\0", "a\nb", " a", "a ", "", "\ufeffa", '{"id'])
def test_ids_that_cannot_stand_in_a_line_of_text(name: str) -> None:
    with pytest.raises(PlanError, match=r"its id cannot stand in a line of text; expected a file that ends in \.jsonl"):
        encode_answers({name: 0.5}, as_objects=False)


def test_pans_own(data: Path, pan: Path) -> None:
    answers = read_answers(data / "pan/answers_original.txt")
    assert (len(answers), answers["problem-175"]) == (205, 0.638422)
    [file] = (pan / "submission_A").glob("*/answers.txt")
    assert read_answers(file)["problem-083"] == 0.373108
    truth = read_truth(data / "pan20/truth.jsonl.gz")
    assert len(truth) == 14311
    assert read_answers(data / "pan20/niven20-small.jsonl.gz").keys() == truth.keys()
    [file] = (pan / "verification_train").glob("*/truth.txt")
    assert sum(read_truth(file).values()) == 205
