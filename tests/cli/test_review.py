"""`showthrough review`: a folder for a second reader, and what comes back."""

from __future__ import annotations

import csv
import io
import json
import re
import stat
from html import unescape
from pathlib import Path

import pytest

from showthrough import read_corpus
from showthrough.studies.review._columns import CONFIRMED, FINDINGS, STILL_TOLD

from .conftest import DOCUMENT, Desk


def fill(folder: Path, *findings: str, told: str = "no") -> None:
    """Answers every row, and writes findings as they are typed."""
    path = folder / "sheet.csv"
    text = path.read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=text[len("document")]))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(row | {STILL_TOLD: told, CONFIRMED: "yes"} for row in rows)
    path.write_bytes(out.getvalue().encode("utf-8-sig"))
    lines = [";".join(FINDINGS), *findings]
    (folder / "findings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_folder_for_a_second_reader(desk: Desk) -> None:
    found = desk.cli("review", "corpus.json", "-o", "review")
    assert (found.status, found.err) == (0, "")
    assert found.out == "copies of 1 document by ann and the sheets written to review\n"
    files = {one.relative_to("review").as_posix(): one for one in Path("review").rglob("*") if one.is_file()}
    assert set(files) == {"copies/d1.txt", "sheet.csv", "findings.csv", "questions.md", "review.json", "review.html"}
    assert files["copies/d1.txt"].read_text("utf-8") == "😀 Mr ***** of ***** left."
    assert {stat.S_IMODE(one.stat().st_mode) for one in files.values()} == {0o600}
    content = b"".join(one.read_bytes() for one in files.values())
    assert b"John" not in content
    assert b"Oslo" not in content
    assert files["sheet.csv"].read_bytes().startswith(b"\xef\xbb\xbfdocument,file,annotator,reviewer,can you still")


def test_open_copies_are_asked_for(desk: Desk) -> None:
    desk.cli("review", "corpus.json", "-o", "review", "--open", "--replace", "number")
    assert Path("review/copies/d1.txt").read_text("utf-8") == "😀 Mr [PERSON_1] of [LOC_1] left."
    opened = Path("review/marked/d1.txt").read_text("utf-8")
    assert opened == "😀 Mr [PERSON/DIRECT John Doe] of [LOC/QUASI Oslo] left."


def test_back_into_the_corpus(desk: Desk) -> None:
    desk.cli("review", "corpus.json", "-o", "review")
    fill(Path("review"), "d1;Mr John Doe;;missing;TITLE;QUASI", told="yes")  # not readable as a whole
    desk.refuses(
        *("review", "corpus.json", "--filled", "review", "-o", "reviewed.json"),
        starts="review/findings.csv: line 2: ",
        says=("has 6 cells; expected 10",),
    )
    fill(Path("review"), "d1;left;;missing;MISC;QUASI;;;;", "d1;Oslo;;spurious;;;;;;", "d1;Mr;;disagree;;;;;;a title?")
    found = desk.cli(
        "review", "corpus.json", "--annotator", "ann", "--filled", "review", "-o", "reviewed.json", "--json", "r.json"
    )
    assert found.status == 0, found.err
    assert found.err == "note: types that are new in this corpus: MISC\n"
    assert " ".join(found.out.split()).startswith(
        "1 of 1 document by ann was looked through and confirmed. "
        "In 0 of 1 a reader could still say whom it is about (0.0 % to 95.0 % of documents and readers like these, "
        "exact at 95 %). "
        "2 corrections made, 1 disagreement left. "
    )
    assert "1 document written to reviewed.json\n" in found.out
    [document] = read_corpus("reviewed.json")
    assert document.reviewed == ("ann",)
    [layer] = document.annotations
    assert [(document.text[one.start : one.end], one.edit) for one in layer.mentions] == [
        ("John Doe", None), ("left", "insert"),
    ]  # fmt: skip
    outcome = json.loads(Path("r.json").read_text())
    assert outcome["applied"]["spurious"] == outcome["applied"]["missing"] == 1
    assert outcome["disagreements"][0]["note"] == "a title?"
    assert stat.S_IMODE(Path("r.json").stat().st_mode) == 0o600


def test_who_was_found_is_not_for_everybody(desk: Desk) -> None:
    """Neither words of the document nor what readers wrote of it, also where there is nothing to talk about."""
    desk.cli("review", "corpus.json", "-o", "review")
    fill(Path("review"), told="yes")
    sheet = Path("review/sheet.csv")
    sheet.write_bytes(sheet.read_bytes().replace(b";yes;;", b";yes;John Doe, by his town;", 1))
    back = ("review", "corpus.json", "--filled", "review")
    assert desk.cli(*back, "-o", "one.json", "--json", "own.json").status == 0
    assert "John Doe" in Path("own.json").read_text()
    assert stat.S_IMODE(Path("own.json").stat().st_mode) == 0o600
    fill(Path("review"), "d1;Oslo;;disagree;;;;;;a town?")
    sheet.write_bytes(sheet.read_bytes().replace(b";no;;", b";no;John Doe, by his town;", 1))
    found = desk.cli(*back, "-o", "two.json", "--json", "all.json", "--without-text")
    assert found.status == 0, found.err
    for text in (found.out, Path("all.json").read_text()):
        assert not {word for word in ("John", "town", "Oslo", "d1") if word in text}
    bare = json.loads(Path("all.json").read_text())
    assert (bare["reviewed"], len(bare["disagreements"]), bare["readings"][0]["told"]) == (1, 1, "no")


def test_what_a_format_does_not_hold_is_told(desk: Desk) -> None:
    desk.cli("review", "corpus.json", "-o", "review")
    fill(Path("review"))
    found = desk.cli("review", "corpus.json", "--filled", "review", "--to", "brat", "-o", "brat")
    assert found.status == 0
    assert "whose annotations of 1 document were reviewed" in found.err


def test_a_sample_and_documents_of_others(desk: Desk) -> None:
    others = [
        {**DOCUMENT, "doc_id": f"d{number}", "annotations": {"bob": {"entity_mentions": []}}} for number in (2, 3)
    ]
    desk.write({"corpus.json": [DOCUMENT, *others]})
    found = desk.cli("review", "corpus.json", "--annotator", "bob", "--sample", "1", "--seed", "3", "-o", "review")
    assert found.err == "note: left out: 1 document without annotations by bob\n"
    assert found.out.startswith("copies of 1 document by bob")
    assert len(list(Path("review/copies").iterdir())) == 1
    fill(Path("review"), told="unsure")
    found = desk.cli("review", "corpus.json", "--filled", "review", "-o", "reviewed.json")
    assert "1 of 2 documents by bob was looked through" in found.out
    assert "in 1 more a reader was unsure" in " ".join(found.out.split())
    assert sum(one.reviewed == ("bob",) for one in read_corpus("reviewed.json")) == 1
    found = desk.cli("review", "corpus.json", "--annotator", "bob", "--sample", "9", "-o", "all")
    assert "note: there are 2 documents, fewer than --sample 9: all are taken\n" in found.err


def test_nothing_is_overwritten(desk: Desk) -> None:
    desk.cli("review", "corpus.json", "-o", "review")
    desk.refuses(
        "review", "corpus.json", "-o", "review", starts="review: is not empty; choose another folder, or replace"
    )
    assert desk.cli("review", "corpus.json", "-o", "review", "--force").status == 0
    desk.cli("review", "corpus.json", "-o", "opened", "--open")
    # What an earlier review left would tell what is hidden.
    desk.refuses(
        *("review", "corpus.json", "-o", "opened", "--force"), starts="opened: has other files in it (marked/d1.txt)"
    )
    desk.refuses("review", "corpus.json", "-o", "masks.json", starts="masks.json: is a file; expected the name of")
    fill(Path("review"))
    back = ("review", "corpus.json", "--filled", "review", "-o")
    desk.refuses(*back, "corpus.json", starts="corpus.json: is read by this command")
    desk.refuses(*back, "masks.json", starts="masks.json: exists already")


def test_options_that_have_no_meaning_together(desk: Desk) -> None:
    desk.cli("review", "corpus.json", "-o", "review")
    fill(Path("review"))
    desk.refuses("review", "corpus.json", "-o", "x", "--partial", starts="--partial: is only for use with --filled")
    desk.refuses("review", "corpus.json", "-o", "x", "--json", "y", starts="--json: is only for use with --filled")
    # Copies are text: who asks for none must not believe to have got that.
    desk.refuses("review", "corpus.json", "-o", "x", "--without-text", starts="--without-text: is only for use with")
    desk.refuses(
        *("review", "corpus.json", "--filled", "review", "-o", "x", "--open"),
        starts="--open: is only for use without --filled",
    )
    desk.refuses(
        "review", "corpus.json", "-o", "x", "--replace", "bars", starts="replace: found 'bars'; expected stars"
    )
    desk.refuses("review", "corpus.json", "-o", "x", "--annotator", "bob", starts="annotator: found 'bob'; expected")


def test_the_page_shows_texts_and_never_runs_them(desk: Desk) -> None:
    """It says what the copy says, whatever is in it, and may load and run nothing."""
    text = '<script>alert(1)</script> & "Doe" has\r\nflu </p></article> here'
    marks = [
        {"start_offset": 29, "end_offset": 32, "entity_type": "<b>", "identifier_type": "DIRECT"},
        {"start_offset": 39, "end_offset": 42, "identifier_type": "NO_MASK", "confidential_status": "<i>"},
    ]
    document = {"doc_id": "<img src=x>", "text": text, "annotations": {"<ann>": {"entity_mentions": marks}}}
    desk.write({"corpus.json": [document]})
    assert desk.cli("review", "corpus.json", "-o", "review").status == 0
    page = Path("review/review.html").read_bytes().decode()
    for tag in ("<script", "<img", "<i>", "<b>", "<ann>"):
        assert tag not in page
    [body] = re.findall(r'<p class="text" dir="auto">(.*?)</p></article>', page, re.DOTALL)
    assert unescape(re.sub("<[^>]*>", "", body)) == text.replace("Doe", "*****").replace("flu", "<i> flu")
    assert "content=\"default-src 'none'; style-src 'sha256-" in page


@pytest.mark.parametrize("replace", ["stars", "label", "number"])
def test_nothing_hidden_is_in_the_folder(desk: Desk, data: Path, replace: str) -> None:
    """Of the real cases: no string of 4 letters or more that is masked wherever it stands."""
    path = data / "tab/train_100.json"
    assert desk.cli("review", path, "--annotator", "annotator1", "-o", "review", "--replace", replace).status == 0
    names = ("sheet.csv", "findings.csv", "questions.md", "review.json")
    common = "\n".join(Path("review", name).read_text("utf-8") for name in names)
    articles = Path("review/review.html").read_text("utf-8").split("<article")[1:]
    checked = 0
    for document, article in zip(read_corpus(path), articles, strict=True):
        [layer] = (one for one in document.annotations if one.annotator == "annotator1")
        clear, hidden = list(document.text), set()
        for mention in layer.mentions:
            if mention.identifier != "NO_MASK":
                hidden.add(document.text[mention.start : mention.end])
                clear[mention.start : mention.end] = "\0" * (mention.end - mention.start)
        readable = "".join(clear)
        copy = Path(f"review/copies/{document.id}.txt").read_text("utf-8")
        gone = {one for one in hidden if len(one) >= 4 and one not in readable}
        page = unescape(article)
        assert {one for one in gone if one in copy or one in page} == set()
        # A year may by chance be part of the number of another case.
        assert {one for one in gone if sum(map(str.isalpha, one)) >= 4 and one in common} == set()
        checked += len(gone)
    assert checked > 1000


def test_nobody_is_sent_to_the_web(desk: Desk) -> None:
    """Words of a patient's letter that are searched for are disclosed."""
    assert desk.cli("review", "corpus.json", "-o", "r").status == 0
    asked = " ".join((desk.folder / "r" / "questions.md").read_text().split())
    assert "Do not type words of a document into a web search" in asked
    assert asked.count("search") == asked.count("web") == 1
