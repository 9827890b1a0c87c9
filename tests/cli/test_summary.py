"""`report --summary` and `compare --html` as commands: what they write, who may read it, what they refuse."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough.report.release import printing

DOCUMENTS = 40


def case(number: int) -> dict[str, Any]:
    name = {"start_offset": 0, "end_offset": 5, "entity_type": "PERSON", "identifier_type": "DIRECT", "entity_id": "e"}
    text = f"{'BDFGKLMN'[number % 8]}orv{'aeiou'[number // 8]} left"
    return {"doc_id": f"d{number:02}", "text": text, "annotations": {"ann": {"entity_mentions": [name]}}}


def masks(*leaking: int) -> dict[str, Any]:
    return {f"d{one:02}": [] if one in leaking else [[0, 5]] for one in range(DOCUMENTS)}


@pytest.fixture
def office(desk: Any, evaluated: Callable[..., None]) -> Any:
    """A desk with two runs: twelve names leak in the last, and another one now."""
    desk.write({"cases.json": [case(one) for one in range(DOCUMENTS)]})
    for name, leaking in {"last": range(12), "run": [20]}.items():
        desk.write({"masks.json": masks(*leaking)})
        evaluated("cases.json", "tool=masks.json", "-m", "removed_di", "-o", f"{name}.json")
    return desk


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# The release summary.


def test_a_page_and_json_and_the_state(office: Any) -> None:
    outcome = office.cli("report", "run.json", "--summary", "release.html", "--summary", "release.json")
    assert outcome.status == 0
    assert "tool: Do not release. In “tool”, 1 of 40 direct identifiers can still be read" in " ".join(
        outcome.out.split()
    )
    page = (office.folder / "release.html").read_text(encoding="utf-8")
    found = json.loads((office.folder / "release.json").read_bytes())
    assert "Do not release" in page
    assert found["state"] == "do not release"
    assert "Korve" not in page + json.dumps(found)
    assert mode(office.folder / "release.html") == mode(office.folder / "release.json") == 0o644
    office.refuses("report", "run.json", "--summary", "release.html", starts="release.html: exists already")


def test_limits_and_accepted_identifiers(office: Any) -> None:
    """The name that leaks, of document d20, is accepted."""
    entry = {
        "document": "d20",
        "text": case(20)["text"][:5],
        "by": "Ann Ro",
        "when": "2026-11-18",
        "why": "a pseudonym",
    }
    office.write({"accepted.json": [entry]})
    options = "--min", "removed_di=0.5", "--accepted", "accepted.json", "--candidate", "tool"
    assert office.cli("report", "run.json", *options, "--summary", "release.json").status == 0
    found = json.loads((office.folder / "release.json").read_bytes())
    assert found["state"] != "do not release"
    assert (found["accepted"]["accepted"], found["accepted"]["by"]) == (1, ["Ann Ro"])
    assert office.cli("report", "run.json", *options[:2]).out.startswith("Do not release. In “tool”, 1 of 40 direct ")
    assert not office.cli("report", "run.json", *options).out.startswith("Do not release.")
    assert office.cli("report", "run.json", *options, "--markdown", "a.md").status == 0
    assert not (office.folder / "a.md").read_text(encoding="utf-8").startswith("**Do not release.")
    [limit] = [number["limit"] for number in found["numbers"] if number["metric"] == "removed_di"]
    assert (limit["set_by"], limit["limit"]) == ("user", 0.5)


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        (("--summary", "release.docx"), "release.docx: found '.docx'; expected .html, .pdf, .json"),
        (("--summary", "run.json"), "run.json: is read by this command"),
        (("--summary", "a.html", "--summary", "a.html"), "a.html: is named for two results"),
        (("--summary", "a.html", "--candidate", "toll"), "candidate toll: not in this run; there are tool"),
        (("--csv", "a.csv", "--candidate", "tool"), "candidate: is for what judges a release; expected --html, "),
        (("-o", "a.json", "--baseline", "last.json"), "baseline: is for what judges a release; expected --html, "),
        (("--summary", "a.pdf", "--paper", "A5"), "paper: found 'A5'; expected A4 or Letter"),
        (("--summary", "a.html", "--accepted", "none.json"), "none.json: "),
        (("--summary", "gone/a.html"), "gone/a.html: the folder gone does not exist"),
    ],
)
def test_what_is_refused(office: Any, options: tuple[str, ...], starts: str) -> None:
    office.refuses("report", "run.json", *options, starts=starts)


def test_without_a_browser_the_other_way_is_said(office: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(office.folder))
    monkeypatch.setattr(printing, "_PLACES", ())
    office.refuses(
        "report", "run.json", "--summary", "a.pdf",
        starts="PDF needs Chromium, Chrome or Edge on the PATH, and none was found",
        says=("write the page instead (a name that ends in .html), open it in a browser and print it",),
    )  # fmt: skip


# The page of two runs.


def test_the_page_of_two_runs_is_for_its_owner(office: Any) -> None:
    assert office.cli("compare", "run.json", "last.json", "--html", "page.html", "--shuffles", "999").status == 0
    page = office.folder / "page.html"
    text = page.read_text(encoding="utf-8")
    assert mode(page) == 0o600
    assert "tool is better for privacy than in last." in text
    assert "Readable direct identifiers: 1 in 1 of 40 documents; before, 12; 1 new, 12 gone." in text
    assert case(20)["text"][:5] in text
    assert "This file holds original text" in text
    office.refuses("compare", "run.json", "last.json", "--html", "page.html", starts="page.html: exists already")


def test_without_text_it_is_for_others(office: Any) -> None:
    command = "compare", "run.json", "last.json", "--html", "page.html", "--without-text", "--shuffles", "99"
    assert office.cli(*command).status == 0
    page = office.folder / "page.html"
    text = page.read_text(encoding="utf-8")
    assert mode(page) == 0o644
    assert not [one for one in range(DOCUMENTS) if case(one)["text"][:5] in text]
    assert "d20" in text


def test_runs_of_one_name_are_told_apart(office: Any) -> None:
    office.write({"old/run.json": (office.folder / "last.json").read_bytes()})
    command = "compare", "run.json", "old/run.json", "--html", "page.html", "--shuffles", "99"
    assert office.cli(*command).status == 0
    text = (office.folder / "page.html").read_text(encoding="utf-8")
    assert "run against the earlier run: what changed" in text


@pytest.mark.parametrize(
    ("command", "starts"),
    [
        (
            ("run.json", "--html", "a.html"),
            "html: is for two runs; expected a second run, or report RUN --html for one",
        ),
        (("run.json", "last.json", "--html", "last.json"), "last.json: is read by this command"),
        (("run.json", "last.json", "--html", "a", "--json", "a"), "a: is named for two results"),
    ],
)
def test_what_compare_refuses(office: Any, command: tuple[str, ...], starts: str) -> None:
    office.refuses("compare", *command, starts=starts)
