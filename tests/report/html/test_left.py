"""Identifiers that can be read where they were not marked, in the viewer: in both texts, and above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report.html import _payload, html_text

Open = Callable[..., Any]
# The emoji are two units of the browser's strings, and one character of ours.
TEXT = "😀 Patient: Anna Kowalska, number 4471902. Anna Kowalska came in. All was well."


@pytest.fixture
def run() -> Run:
    """The name stands there again, and the number is in a replacement, in base64 and spelled digit by digit."""
    name, number = TEXT.index("Anna"), TEXT.index("4471902")
    marks = Mention(name, name + 13, "PERSON", "DIRECT"), Mention(number, number + 7, "CODE", "DIRECT")
    corpus = Corpus([Document("note-7", TEXT, (Annotation("ann", marks),)), Document("note-8", "It rained.", ())])
    masks = {
        "note-7": [Mask(name, name + 13, "[😀]"), Mask(number, number + 7, "[ID]"),
                   Mask(len(TEXT) - 1, len(TEXT), ", says 😀 4 4 7 1 9 0 2.")],
        "note-8": [],
    }  # fmt: skip
    return evaluate(corpus, Anonymization(masks, "tool"), resamples=0)


def test_both_texts_mark_what_can_be_read(window: Open, run: Run) -> None:
    view = window(html_text(run), "#doc=note-7&anonymization=tool")
    view.tab.locator(".evidence .attack").wait_for()
    assert view.tab.locator(".pane[data-kind=released] mark.left").all_inner_texts() == [
        "Anna Kowalska",
        "4 4 7 1 9 0 2",
    ]
    # In the original: the place that was left, and the marks that are masked there and readable elsewhere.
    assert view.tab.locator(".pane[data-kind=original] mark.left").all_inner_texts() == ["Anna Kowalska"]
    assert view.tab.locator(".pane[data-kind=original] mark.again").all_inner_texts() == ["Anna Kowalska", "4471902"]
    said = " ".join(view.text(".evidence .attack").split())
    assert said == (
        "In the release. removed_di on tool, where they were not marked: 2 can be read "
        "Anna Kowalska PERSON, in another place than marked where 4 4 7 1 9 0 2 CODE, written in another way where"
    )
    assert view.errors == []


def test_leaks_can_be_stepped_through(window: Open, run: Run) -> None:
    view = window(html_text(run), "#doc=note-7&anonymization=tool")
    view.tab.locator(".status", has_text="2 leaks").wait_for()
    view.tab.keyboard.press("n")
    view.tab.locator(
        ".status", has_text="leak 1 of 2: direct identifier, PERSON: can be read in another place"
    ).wait_for()
    assert {*view.tab.locator(".current").all_inner_texts()} == {"Anna Kowalska"}
    view.tab.locator("button.where").nth(1).click()
    view.tab.locator(".status", has_text="leak 2 of 2: direct identifier, CODE: can be read written").wait_for()
    assert view.tab.locator(".current").all_inner_texts() == ["4 4 7 1 9 0 2"]


def test_documents_are_ordered_by_what_can_be_read(run: Run) -> None:
    index = _payload.index(run, _findings(run), [])
    assert index["leaks"]["tool"] == [[2, 0], [0, 0]]
    assert index["left"] == {"removed_di": "direct", "removed_qi": "quasi"}


def _findings(run: Run) -> dict[str, Any]:
    from showthrough.studies.failures import Inspection

    assert run.texts is not None
    return {name: Inspection(run.texts).of(name) for name in run.names}
