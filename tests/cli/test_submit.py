"""`showthrough submit` and `site`: what is handed in, what is scored again, and what is refused."""

from __future__ import annotations

import json

import pytest

from showthrough import Run
from showthrough.run.submission import submission_of

from .conftest import DOCUMENT, MASKS, Desk


@pytest.fixture
def scored(desk: Desk) -> Desk:
    desk.write({"corpus.json": [DOCUMENT], "a.json": MASKS, "b.json": {"d1": []}})
    files = "a=a.json", "b=b.json"
    assert desk.cli("evaluate", "corpus.json", *files, "-m", "er_di", "-m", "recall", "-o", "run.json").status == 0
    return desk


def test_what_is_handed_in_has_no_text(scored: Desk) -> None:
    found = scored.cli("submit", "run.json", "-o", "in.json", "--about", "licence=CC0", "--without-ids")
    assert (found.status, found.err) == (0, "")
    assert "a: not verified: nobody has scored its masks again" in found.out
    content = (scored.folder / "in.json").read_text()
    assert "John" in (scored.folder / "run.json").read_text()
    assert "John" not in content
    assert json.loads(content)["documents"] == ["1"]
    run, earlier = Run.load(scored.folder / "in.json"), Run.load(scored.folder / "run.json")
    assert submission_of(run).about == {"licence": "CC0"}
    assert run["a", "recall"] == earlier["a", "recall"]


def test_ids_are_hidden_in_notes_too(scored: Desk) -> None:
    content = json.loads((scored.folder / "run.json").read_text())
    scored.write({"run.json": {**content, "notes": ["a: nothing was found in d1, and d10 is another word"]}})
    assert scored.cli("submit", "run.json", "-o", "in.json", "--without-ids").status == 0
    run = Run.load(scored.folder / "in.json")
    assert run.notes == ["a: nothing was found in document 1, and d10 is another word"]


def test_masks_that_score_the_same_are_verified(scored: Desk) -> None:
    found = scored.cli("submit", "run.json", "a=a.json", "b=b.json", "--check", "corpus.json", "-o", "in.json")
    assert (found.status, found.err) == (0, "")
    assert "a: verified" in found.out
    assert submission_of(Run.load(scored.folder / "in.json")).unverified == {}


def test_numbers_and_masks_that_are_others_are_named(scored: Desk) -> None:
    content = json.loads((scored.folder / "run.json").read_text())
    for score in content["scores"]:
        if (score["anonymization"], score["metric"]) == ("a", "recall"):
            score["value"] = 0.75
    scored.write({"run.json": content})
    found = scored.cli("submit", "run.json", "a=a.json", "b=a.json", "--check", "corpus.json")
    assert found.status == 1
    out = " ".join(found.out.split())
    assert "a: not verified: recall is 0.6666666666666666 when scored again, not 0.75" in out
    assert "b: not verified: its masks are others than those that were scored" in out


def change(run: dict, **fields: object) -> dict:  # type: ignore[type-arg]
    return {**run, **fields}


@pytest.mark.parametrize(
    ("fields", "options", "line"),
    [
        ({"complete": False}, (), "the run: was interrupted"),
        ({"failures": [{"metric": "f1", "reason": "no room"}]}, (), "metric f1: has no numbers: no room"),
        ({}, ("--about", "colour=red"), "--about: found 'colour'; expected title"),
        ({}, ("--about", "red"), "--about: found 'red'; expected KEY=TEXT"),
        ({}, ("a=a.json",), "expected --check CORPUS"),
        ({}, ("c=a.json", "--check", "corpus.json"), "masks: found c; expected a, b"),
        ({}, ("a=a.json", "--check", "other.json"), "other.json: has the digest"),
    ],
)
def test_what_is_refused(scored: Desk, fields: dict[str, object], options: tuple[str, ...], line: str) -> None:
    run = json.loads((scored.folder / "run.json").read_text())
    scored.write({"run.json": run | fields, "other.json": [{**DOCUMENT, "doc_id": "d2"}]})
    found = scored.cli("submit", "run.json", *options, "-o", "in.json")
    assert found.status == 2
    assert line in found.err
    assert not (scored.folder / "in.json").exists()


def test_a_system_that_saw_the_corpus_is_refused(scored: Desk) -> None:
    run = json.loads((scored.folder / "run.json").read_text())
    run["anonymizations"][0]["seen"] = 1
    scored.write({"run.json": run})
    found = scored.cli("submit", "run.json")
    assert (found.status, found.err.strip()) == (2, "system a: was trained on 1 documents of this corpus")


def test_a_site_of_what_was_handed_in(scored: Desk) -> None:
    (scored.folder / "runs").mkdir()
    assert scored.cli("submit", "run.json", "-o", "runs/wards.json").status == 0
    scored.write({"runs/other.json": {"no": "run"}})
    found = scored.cli("site", "runs", "-o", "site")
    assert (found.status, found.err) == (0, "")
    assert "6 files (0." in found.out
    assert "John" not in (scored.folder / "site/corpus/wards.html").read_text()
    again = scored.cli("site", "runs", "-o", "site")  # a site can be made again in its place
    assert again.status == 0


@pytest.mark.parametrize(("folder", "line"), [("none", "none: is no folder"), ("site", "there is no run file")])
def test_no_site_without_runs(desk: Desk, folder: str, line: str) -> None:
    (desk.folder / "site").mkdir(exist_ok=True)
    found = desk.cli("site", folder, "-o", "made")
    assert found.status == 2
    assert line in found.err
