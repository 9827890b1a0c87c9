"""`showthrough agreement`: what is said of corpora of all kinds, and what is written."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from .conftest import Desk

TEXT = "Anna 山田 aus Århus kam am 3. Mai."
ODD = ["", "a|b", "R&D_1 %", "אדם", "two\nlines", "T" * 200, "<b>&amp;</b>"]


def mention(start: int, end: int, kind: str = "PERSON", identifier: str = "QUASI") -> dict[str, Any]:
    return {
        "start_offset": start, "end_offset": end, "entity_type": kind, "identifier_type": identifier,
        "confidential_status": "NOT_CONFIDENTIAL",
    }  # fmt: skip


def case(name: str, **layers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "doc_id": name,
        "text": TEXT.replace("Ann", f"An{chr(ord(name[-1]) % 26 + ord('a'))}") + name[-1],  # each of somebody else
        "annotations": {who: {"entity_mentions": marks} for who, marks in layers.items()},
    }


def differing(number: int) -> list[dict[str, Any]]:
    """The first annotator marks the place, the second only in every second document."""
    name, place = mention(0, 7, "PERSON", "DIRECT"), mention(12, 17, "LOC")
    return [case(f"d{each}", ann=[name, place], bo=[name] + [place] * (each % 2)) for each in range(number)]


def test_what_is_said(desk: Desk) -> None:
    desk.write({"corpus.json": [*differing(8), case("alone", ann=[])]})
    found = desk.cli("agreement", "corpus.json")
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "8 of 9 documents were read by two or more people, 2 annotators in all."
    assert max(map(len, lines)) <= 100
    out = " ".join(found.out.split())
    # Of each text 7 characters are direct to both; 5 are quasi to the first, and to the second in 4 of 8.
    whole, direct, quasi = 2 * 8 * (len(TEXT) + 1), 2 * 8 * 7, 8 * 5 + 4 * 5
    none = whole - direct - quasi
    alpha = 1 - (whole - 1) * 2 * 4 * 5 / (whole**2 - direct**2 - quasi**2 - none**2)
    assert f"character by character, Krippendorff's α is {alpha:.3f} (" in out
    assert "the interval reaches below that: it is not sure." in out
    assert "LOC has the most differences in what to mask: 4 of its 8 comparisons" in out
    assert "No span that they marked has more than 100 characters." in out
    assert "ann – bo" in out
    assert "«Århus»" in out


def test_files(desk: Desk) -> None:
    desk.write({"corpus.json": differing(6)})
    found = desk.cli(
        "agreement", "corpus.json", "--json", "a.json", "--html", "a.html", "--markdown", "a.md", "--latex", "a.tex"
    )
    assert (found.status, found.err) == (0, "")
    for name in ("a.json", "a.html", "a.md", "a.tex"):
        assert "Århus" in Path(name).read_text()
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    told = json.loads(Path("a.json").read_text())
    assert told["shared"] == 6
    assert {(one["unit"], one["attribute"]) for one in told["measured"]} == {
        (unit, attribute)
        for unit in ("spans", "starts", "characters")
        for attribute in ("type", "identifier", "confidential", "masking")
    }
    bare = desk.cli("agreement", "corpus.json", "--json", "b.json", "--html", "b.html", "--without-text")
    assert bare.status == 0
    assert "Århus" not in bare.out
    for name in ("b.json", "b.html"):
        assert "Århus" not in Path(name).read_text()


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        ([case("a")], "No document has annotations: there is nobody to agree."),
        ([case("a", ann=[]), case("b", ann=[])], "One annotator marked this corpus (ann)"),
        (
            [case(f"{n}", **{f"p{n}": [mention(0, 4)]}) for n in range(10)],
            "The corpus has 10 annotators, but no document",
        ),
        ([case("a", **{"silver(rules.v1)": []})], "All annotations are by programs (silver(rules.v1))"),
    ],
)
def test_nothing_to_compare(desk: Desk, documents: list[dict[str, Any]], sentence: str) -> None:
    """It is no error of the input: the reason is the answer."""
    desk.write({"corpus.json": documents})
    found = desk.cli("agreement", "corpus.json", "--json", "a.json", "--markdown", "a.md")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(sentence)
    assert "κ" not in found.out
    assert "α" not in found.out
    assert json.loads(Path("a.json").read_text())["measured"] == []
    assert sentence in Path("a.md").read_text()


def test_annotators_who_marked_nothing(desk: Desk) -> None:
    desk.write({"corpus.json": [case(f"{number}", ann=[], bo=[]) for number in range(6)]})
    found = desk.cli("agreement", "corpus.json")
    assert (found.status, found.err) == (0, "")
    assert "Nobody marked anything in them" in found.out
    assert "every rating is the same" in " ".join(found.out.split())
    assert "nan" not in found.out.lower()


def test_any_names(desk: Desk) -> None:
    marks = [[mention(place, place + 2, kind) for place, kind in enumerate(ODD)], [mention(0, 2, ODD[0])]]
    names = {"": marks[0], "a|b & c_d\n\x1b[2J": marks[1], "אדם": marks[0]}
    desk.write({"corpus.json": [case(f"{number}", **names) for number in range(6)]})
    found = desk.cli("agreement", "corpus.json", "--html", "a.html", "--latex", "a.tex", "--markdown", "a.md")
    assert (found.status, found.err) == (0, "")
    assert "\x1b" not in found.out
    page = Path("a.html").read_text()
    assert "<b>&amp;</b>" not in page
    assert "R\\&D\\_1 \\%" in Path("a.tex").read_text()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere.json"], "nowhere.json: "),
        (["corpus.json", "--json", "corpus.json"], "corpus.json: is read by this command"),
        (["corpus.json", "--html", "a", "--json", "a"], "a: is named for two results"),
        (["corpus.json", "--confidence", "2"], "confidence: "),
    ],
)
def test_bad_requests(desk: Desk, arguments: list[str], line: str) -> None:
    desk.write({"corpus.json": differing(2)})
    desk.refuses("agreement", *arguments, starts=line)
