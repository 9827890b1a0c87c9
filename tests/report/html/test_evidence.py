"""What an attack said about a document, beside the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from showthrough.report.html import _payload, html_text
from showthrough.run.records import Evidence
from showthrough.run.run import Run

Open = Callable[..., Any]
EVIDENCE = {
    "trir": {
        "ner": {
            "clinic-03": {
                "guess": "clinic-03", "rank": 1, "margin": 0.25,
                "words": [["rusty  sputum", 0.41], ["Crackles", 0.2], ["(.*)", -0.05]], "attack": "lexical",
            },
        },
        "rules": {"clinic-03": {"guess": "lives-02", "rank": 7, "margin": -0.1, "words": []}},
        "replace": {"clinic-03": {"guess": "lives-02", "rank": None, "margin": None, "words": []}},
    }
}  # fmt: skip


@pytest.fixture
def attacked(demo_run: Run) -> Run:
    evidence = msgspec.convert(EVIDENCE, dict[str, dict[str, dict[str, Evidence]]])
    return msgspec.structs.replace(demo_run, evidence=evidence)


@pytest.fixture
def page(attacked: Run) -> str:
    return html_text(attacked)


def test_the_guess_and_the_words_stand_beside_the_document(window: Open, page: str) -> None:
    view = window(page, "#doc=clinic-03&anonymization=ner")
    view.tab.locator(".attack").wait_for()
    text = " ".join(view.text(".attack").split())
    assert text.startswith(
        "Found. trir (lexical) on ner guesses clinic-03, which is right; the person is at rank 1, margin 0.250."
    )
    assert text.endswith("Given away by rusty sputum 0.41 Crackles 0.20 (.*) -0.05")
    told = view.tab.locator(".pane .telling").all_inner_texts()  # in the released text, whatever its spaces and case
    assert told == ["rusty sputum", "Crackles"]
    assert "found" in view.tab.locator(".ids [aria-current] .risk").text_content()


def test_a_wrong_guess_and_a_person_nobody_knows(window: Open, page: str) -> None:
    view = window(page, "#doc=clinic-03&anonymization=rules&with=replace")
    view.tab.locator(".attack").nth(1).wait_for()
    assert [" ".join(text.split()) for text in view.tab.locator(".attack").all_inner_texts()] == [
        "Not found. trir on rules guesses lives-02; the person is at rank 7, margin -0.100.",
        "Not found. trir on replace guesses lives-02; the attacker does not know the person.",
    ]
    assert view.errors == []


def test_a_document_without_evidence_shows_none(window: Open, page: str) -> None:
    view = window(page, "#doc=lives-01&anonymization=ner")
    view.tab.locator(".title", has_text="lives-01").wait_for()
    assert not view.tab.locator(".evidence").is_visible()


def test_without_text_no_word_of_it_is_left(attacked: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_payload, "pack", repr)  # to be read as it is
    assert "rusty  sputum" in html_text(attacked)
    assert "rusty" not in html_text(attacked, without_text=True)
    attacked.save(tmp_path / "with.json")
    attacked.without_text().save(tmp_path / "without.json")
    assert "rusty  sputum" in (tmp_path / "with.json").read_text(encoding="utf-8")
    assert "rusty" not in (tmp_path / "without.json").read_text(encoding="utf-8")
    left = Run.load(tmp_path / "without.json").evidence["trir"]["ner"]["clinic-03"]
    assert left == Evidence("clinic-03", 1, 0.25, [], "lexical")
