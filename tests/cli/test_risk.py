"""`showthrough risk`: what it says of a run, what it writes, and what it refuses."""

from __future__ import annotations

import json
import shlex
import stat

import pytest

from inferring import CENSUS, run_of

from .conftest import DOCUMENT, MASKS, Desk


@pytest.fixture
def people(desk: Desk) -> Desk:
    """A run of three documents with one inference each, and a census."""
    known = [[("0", "SEX", "m", "male", 1.0)], [("0", "SEX", "f", "woman", 1.0)], [("0", "AGE", "30", "30", 1.0)]]
    run_of(known).save(desk.folder / "run.json")
    desk.write({"census.csv": CENSUS})
    return desk


def test_what_is_said_and_written(people: Desk) -> None:
    files = ("--annex", "annex.html", "--json", "annex.json", "--markdown", "annex.md", "--latex", "annex.tex")
    found = people.cli("risk", "run.json", "--population", "census.csv", *files)
    assert (found.status, found.err) == (0, "")
    out = " ".join(found.out.split())
    assert max(map(len, found.out.splitlines())) <= 100
    assert out.startswith("This annex is evidence for a decision and not a determination.")
    assert "1/k is above 0.09 for 66.7 %" in out  # 1/10 and 1/11 of three
    assert "written to annex.html" in out
    annex = json.loads((people.folder / "annex.json").read_text())
    (figure,) = annex["singling_out"]["figures"]
    assert figure["expected"]["value"] == pytest.approx((1 / 90 + 1 / 10 + 1 / 11) / 3)
    assert annex["population"]["people"] == 100
    for name in ("annex.html", "annex.json", "annex.md", "annex.tex"):  # nothing in them is for their owner alone
        assert stat.S_IMODE((people.folder / name).stat().st_mode) & stat.S_IRGRP


def test_without_a_population_the_rest_is_told(people: Desk) -> None:
    found = people.cli("risk", "run.json")
    assert found.status == 0
    assert "no population was given" in found.out
    assert "(A) names" in found.out


def test_a_run_without_text(people: Desk) -> None:
    run = people.folder / "run.json"
    content = json.loads(run.read_text())
    content["provenance"]["without_text"], content["evidence"] = True, {}
    run.write_text(json.dumps(content))
    found = people.cli("risk", "run.json", "--population", "census.csv")
    assert found.status == 0
    assert "the run was written without text" in " ".join(found.out.split())


def test_rows_of_one_kind_are_told(people: Desk) -> None:
    people.write({"census.csv": CENSUS + CENSUS.splitlines()[1]})
    found = people.cli("risk", "run.json", "--population", "census.csv")
    assert "1 row repeats the attributes of another; their counts were added" in " ".join(found.out.split())


def test_refused(people: Desk) -> None:
    people.write(
        {"bad.csv": "AGE,count\n3,-1\n4,x\n", "other.csv": "COLOUR,count\nred,1\n", "age.csv": "AGE,count\nold,1\n"}
    )
    people.refuses(
        "risk", "run.json", "--population", "bad.csv", starts="bad.csv: line ", says=("column count",), lines=2
    )
    people.refuses("risk", "run.json", "--population", "other.csv", starts="other.csv: ", says=("COLOUR", "AGE, SEX"))
    people.refuses("risk", "run.json", "--population", "age.csv", starts="age.csv: column AGE: found 'old'")
    people.refuses("risk", "run.json", "--population", "none.csv", starts="none.csv: ")
    people.refuses("risk", "none.json", starts="none.json: ")
    people.refuses("risk", "run.json", "--population", "census.csv", "--annex", "census.csv", starts="census.csv: ")
    people.refuses("risk", "run.json", "--annex", "corpus.json", starts="corpus.json: exists already")


def test_an_interrupted_run_is_refused(people: Desk) -> None:
    run = people.folder / "run.json"
    run.write_text(
        run.read_text().replace('"complete":true', '"complete":false').replace('"complete": true', '"complete": false')
    )
    assert json.loads(run.read_text())["complete"] is False
    people.refuses("risk", "run.json", starts="run.json: the run was interrupted")


def test_commands_run_as_they_are_printed(desk: Desk) -> None:
    """From a run that keeps no text, mentions are counted by the command; names and folders may have spaces."""
    person = [{"id": "doe", "attributes": [{"tag": "SEX", "value": "m"}]}]
    desk.write({"c.json": [{**DOCUMENT, "subjects": person}], "its masks.json": MASKS})
    desk.write({"sub folder/d.json": [{**DOCUMENT, "subjects": person}], "sub folder/masks.json": MASKS})
    for files in (("c.json", "my system=its masks.json"), ("sub folder/d.json", "my system=sub folder/masks.json")):
        for more in ((), ("--without-text",)):
            done = desk.cli("evaluate", *files, "--metric", "er_di", "-o", "run.json", "--force", *more)
            assert done.status == 0
            told = desk.cli("risk", "run.json").out.splitlines()
            commands = [line for line in told if line.startswith("showthrough ")]
            # Of a run without text nobody knows whether people are in it, nor the folder of its files.
            assert [shlex.split(one)[5] for one in commands] == (
                ["cpr"] if not more else ['recall_per_type(unit="mention")'] if "/" not in files[0] else []
            )
            for one in commands:
                written = desk.folder / shlex.split(one)[-1]
                assert desk.cli(*shlex.split(one)[1:]).status == 0
                written.unlink()
