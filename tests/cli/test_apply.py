"""`showthrough apply`: released texts in the corpus's own format, without what was marked in the originals."""

from __future__ import annotations

import json
import re
import stat
from typing import Any

import pytest

from showthrough import read_corpus

from .conftest import DOCUMENT, Desk

RELEASED = {
    None: "😀 Mr PERSON of Oslo left.",
    "label": "😀 Mr [PERSON] of Oslo left.",
    "number": "😀 Mr [PERSON_1] of Oslo left.",
    "suppress": "😀 Mr  of Oslo left.",
}


@pytest.mark.parametrize("replace", RELEASED)
def test_what_is_released(desk: Desk, replace: str | None) -> None:
    asked = ["--replace", replace] if replace else []
    found = desk.cli("apply", "corpus.json", "masks.json", *asked, "-o", "released/")
    assert found.status == 0
    assert found.out == "1 document with 1 masks written to released/corpus.json\n"
    assert found.err == "note: left out: 1 annotation layer with 2 mentions, which would show what was masked\n"
    [written] = json.loads((desk.folder / "released/corpus.json").read_text())
    assert written == {"doc_id": "d1", "text": RELEASED[replace], "annotations": {}}
    assert stat.S_IMODE((desk.folder / "released/corpus.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("replace", "written"), [("surrogate", r"Mr (?!.*Doe)[A-Z]\w+ [A-Z]\w+"), ("generalize", "Mr PERSON")]
)
def test_what_another_tool_masked_gets_surrogates_and_generalizations(desk: Desk, replace: str, written: str) -> None:
    assert desk.cli("apply", "corpus.json", "masks.json", "--replace", replace, "-o", "released").status == 0
    text = read_corpus("released/corpus.json").documents[0].text
    assert re.fullmatch(f"😀 {written} of Oslo left\\.", text)


def test_a_file_by_name_and_another_format(desk: Desk) -> None:
    assert desk.cli("apply", "corpus.json", "masks.json", "-o", "out.csv", "--to", "table").status == 0
    assert (desk.folder / "out.csv").read_text() == f"doc_id,text\nd1,{RELEASED[None]}\n"
    assert desk.cli("apply", "corpus.json", "masks.json", "-o", "texts", "--to", "folder").status == 0
    assert (desk.folder / "texts/d1.txt").read_text() == RELEASED[None]
    # Released texts can be released anew: they are aligned to the originals.
    found = desk.cli("apply", "corpus.json", "texts", "-o", "again", "--replace", "label")
    assert found.status == 0, found.err
    assert read_corpus("again/corpus.json").documents[0].text == RELEASED["label"]


@pytest.mark.parametrize(
    ("own", "files", "notes"),
    [
        ("brat", ["d1.txt"], []),
        (
            "i2b2-2014",
            ["d1.xml"],
            ["not kept in i2b2-2014: that nobody has looked through 1 document"],
        ),
        ("conll", ["gold.conll"], ["not kept in conll: that nobody has looked through"]),
        ("jsonl", ["gold.jsonl"], []),
        ("folder", ["d1.txt"], []),
    ],
)
def test_the_corpus_s_own_format_without_marks(desk: Desk, own: str, files: list[str], notes: list[str]) -> None:
    ending = f".{own}" if own in ("conll", "jsonl") else ""
    assert desk.cli("convert", "corpus.json", "--to", own, "-o", f"gold{ending}").status == 0
    found = desk.cli("apply", f"gold{ending}", "masks.json", "-o", "released", "--replace", "label")
    assert found.status == 0, found.err
    assert sorted(path.name for path in (desk.folder / "released").iterdir()) == files
    assert "Doe" not in (desk.folder / "released" / files[0]).read_text()
    [document] = read_corpus(desk.folder / "released" / (files[0] if ending else ""), format=own)
    assert document.text == RELEASED["label"]
    assert not any(layer.mentions for layer in document.annotations)
    for note in notes:
        assert note in found.err


def test_a_group_stays(desk: Desk) -> None:
    desk.write({"corpus.json": [{**DOCUMENT, "group": "p7", "meta": {"applicant": "John Doe"}}]})
    assert desk.cli("apply", "corpus.json", "masks.json", "-o", "out.json").status == 0
    assert json.loads((desk.folder / "out.json").read_text())[0]["group"] == "p7"
    assert "Doe" not in (desk.folder / "out.json").read_text()


def test_documents_that_are_not_masked(desk: Desk) -> None:
    desk.write({"corpus.json": [DOCUMENT, {"doc_id": "d2", "text": "Oslo"}]})
    desk.refuses("apply", "corpus.json", "masks.json", "-o", "out", starts="masks.json: document d2: is in the corpus")
    found = desk.cli("apply", "corpus.json", "masks.json", "-o", "out", "--missing", "unmasked")
    assert found.status == 0
    assert "note: 1 document is not among the masks and is written as it is\n" in found.err


@pytest.mark.parametrize(
    ("masks", "fault"),
    [
        ([[5, 13, "Mr JOHN DOE"]], "document d1: masks[0]: its replacement repeats what it masks"),
        ([[5, 99]], "document d1: masks[0]: end 99 is past the end of the text (27 characters)"),
        ([[0, 27]], "document d1: nothing is left of its text; expected at least one character"),
    ],
)
def test_what_cannot_be_released(desk: Desk, masks: list[Any], fault: str) -> None:
    desk.write({"masks.json": {"d1": masks}})
    desk.refuses("apply", "corpus.json", "masks.json", "-o", "out", starts=f"masks.json: {fault}")


def test_what_cannot_be_asked(desk: Desk) -> None:
    arguments = ["apply", "corpus.json", "masks.json"]
    desk.refuses(
        *arguments,
        "--replace",
        "labels",
        "-o",
        "x",
        starts="replace: found 'labels'; expected label, suppress, number, surrogate, generalize",
    )
    desk.refuses(*arguments, "--to", "masks", "-o", "x", starts="format masks: holds no corpus")
    desk.refuses(*arguments, "-o", "corpus.json", starts="corpus.json: is read by this command")
    desk.refuses(*arguments, "-o", ".", starts="corpus.json: is read by this command")
