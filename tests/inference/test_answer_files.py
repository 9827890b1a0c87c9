"""How `answers:` names files, and which text a line speaks of."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from showthrough import InputError, PlanError
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.families.inference._answer_files import AnswerFiles, paths_of


def line(value: str, anonymization: str | None = None, document: str = "d") -> dict[str, object]:
    return {"id": document, "guesses": {"age": [value]}} | ({"anonymization": anonymization} if anonymization else {})


def said(files: AnswerFiles, anonymization: str, document: str = "d") -> str | None:
    found = files.of(anonymization, document)
    return None if found is None or not found.answer else found.answer[0].guesses[0].value


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("answers:a.jsonl", {"": "a.jsonl"}),
        ("answers:a=b.jsonl", {"a": "b.jsonl"}),
        ("answers:original=o.jsonl, x=p/q.jsonl", {"original": "o.jsonl", "x": "p/q.jsonl"}),
        ("answers:of, both.jsonl", {"": "of, both.jsonl"}),
        ("answers:runs/k=3.jsonl", {"": "runs/k=3.jsonl"}),
    ],
)
def test_names(name: str, expected: dict[str, str]) -> None:
    assert paths_of(name) == expected


@pytest.mark.parametrize("name", ["answers:a=", "answers:=f", "answers:a=f,a=g", "answers:a=f,b="])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(PlanError, match="expected answers:FILE or answers:NAME=FILE"):
        paths_of(name)


def test_a_line_speaks_of_the_anonymization_that_it_names(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", line("1", "x"), line("2", "y"), line("3", "original"))
    files = AnswerFiles(f"answers:{path}")
    assert [said(files, name) for name in ("x", "y", "z", NOTHING, EVERYTHING)] == ["1", "2", None, "3", None]
    assert said(files, "x", "other") is None


def test_a_line_without_a_name_speaks_of_what_was_released_and_of_no_reference(tmp_path: Path) -> None:
    files = AnswerFiles(f"answers:{written(tmp_path / 'a.jsonl', line('1'))}")
    assert [said(files, name) for name in ("x", NOTHING, EVERYTHING)] == ["1", None, None]


def test_a_file_for_each(tmp_path: Path) -> None:
    one, two = written(tmp_path / "1.jsonl", line("1")), written(tmp_path / "2.jsonl", line("2"), line("9", "x"))
    files = AnswerFiles(f"answers:original={one},y={two}")
    assert [said(files, name) for name in (NOTHING, "y", "x", EVERYTHING)] == ["1", "2", None, None]


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", line("1"))
    assert said(AnswerFiles(f"answers:{path}"), "x") == "1"
    written(path, line("2"))
    os.utime(path, ns=(1, 1))
    assert said(AnswerFiles(f"answers:{path}"), "x") == "2"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl"):
        AnswerFiles(f"answers:{tmp_path / 'none.jsonl'}")
