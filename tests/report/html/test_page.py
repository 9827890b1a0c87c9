"""The page as a file: valid, self-contained, policed, repeatable, private."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import html5lib
import msgspec
import pytest
from typer.testing import CliRunner

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, TypedMask, evaluate
from showthrough.cli import app, demo_corpus as demo
from showthrough.core.errors import OutputError
from showthrough.report.html import _page, html_text
from showthrough.run.run import Run

BLOCK = re.compile(r'<script type="application/gzip;base64" id="([\w-]+)">([\w+/=]+)</script>')


def blocks(text: str) -> dict[str, Any]:
    """The data blocks of a page, unpacked."""
    return {name: json.loads(gzip.decompress(base64.b64decode(content))) for name, content in BLOCK.findall(text)}


def read_all(text: str) -> str:
    """Everything that a reader of the file can find in it, compressed or not."""
    return text + json.dumps(blocks(text), ensure_ascii=False)


@pytest.mark.parametrize("without_text", [False, True])
def test_valid_html(demo_run: Run, without_text: bool) -> None:
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html_text(demo_run, without_text=without_text))


def test_ids_are_unique_and_labels_lead_somewhere(demo_run: Run) -> None:
    tree = html5lib.parse(html_text(demo_run), namespaceHTMLElements=False)
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    for element in tree.iter():
        assert element.get("aria-labelledby", ids[0]) in ids
        assert element.get("href", "#").startswith(("#", "data:,"))
        assert element.get("src") is None


def test_nothing_but_its_own_scripts_may_run(demo_page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', demo_page)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1]
    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', demo_page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", demo_page, re.DOTALL)
    for rule, contents in (("script-src", scripts), ("style-src", styles)):
        prints = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in contents]
        assert rules[rule].split() == [f"'sha256-{one}'" for one in prints]


def test_the_same_run_gives_the_same_page(demo_run: Run, demo_page: str) -> None:
    assert html_text(demo_run) == demo_page


def test_the_first_screen_says_what_the_file_holds(demo_run: Run, demo_page: str) -> None:
    assert "This file holds original text</strong>" in demo_page.partition('id="scores"')[0]
    without = html_text(demo_run, without_text=True)
    assert "This file holds no document text." in without
    assert "This file holds original text" not in without


def test_documents_travel_in_packets(demo_run: Run, demo_page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert demo_run.texts is not None
    monkeypatch.setattr("showthrough.report.html._payload.PACKET_CHARACTERS", 10_000)
    found = blocks(html_text(demo_run))
    sizes = found["start"]["index"]["packets"]
    assert len(sizes) > 1
    assert sum(sizes) == len(demo_run.documents)
    texts = [one["text"] for place in range(len(sizes)) for one in found[f"packet-{place}"]]
    assert texts == [document.text for document in demo_run.texts.documents]
    assert len(blocks(demo_page)["start"]["index"]["packets"]) == 1


def mention_strings() -> set[str]:
    """Every string that any annotator marked in the demonstration corpus."""
    documents = json.loads(demo.corpus_path().read_bytes())
    return {
        one["text"][mark["start_offset"] : mark["end_offset"]]
        for one in documents
        for layer in one["annotations"].values()
        for mark in layer["entity_mentions"]
    }


def replacements() -> set[str]:
    """What the anonymization that writes believable text puts in place of names, dates and places."""
    masks = json.loads(demo.anonymization_paths()["replace"].read_bytes())
    return {mask[2] for each in masks.values() for mask in each if len(mask) > 2 and mask[2]}


def occurs(needle: str, text: str) -> bool:
    """Whether a string stands there as words of its own: `12` must not be found in a digest."""
    at = text.find(needle)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(needle) : at + len(needle) + 1]
        if not re.search(r"[\w.]", around):
            return True
        at = text.find(needle, at + 1)
    return False


def test_without_text_no_mention_and_no_replacement_is_left(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # A number of one or two digits may as well be a count of something; the paragraph cites works of two years.
    everything = {one for one in mention_strings() | replacements() if not re.fullmatch(r"\d{1,2}|1998|2013", one)}
    assert len(everything) > 500
    monkeypatch.setattr(_page, "join_sources", lambda names, ending: "")  # the program's own words are not the corpus's
    explained = [msgspec.structs.replace(one, explanation="") for one in demo_run.metrics]
    run = msgspec.structs.replace(demo_run, metrics=explained)
    bare = read_all(html_text(run, without_text=True))
    found = {one for one in everything if occurs(one, bare)}
    assert found == set(), "strings of the corpus in a page without text"
    # The same search finds them where they are: it could have failed.
    full = read_all(html_text(run))
    assert sum(occurs(one, full) or json.dumps(one)[1:-1] in full for one in everything) > 0.99 * len(everything)


def test_without_text_no_sentence_is_left(demo_run: Run) -> None:
    assert demo_run.texts is not None
    bare = read_all(html_text(demo_run, without_text=True))
    for document in demo_run.texts.documents:
        for line in filter(lambda line: len(line) > 20, document.text.splitlines()):
            assert line[:40] not in bare


def test_without_text_the_counts_of_failures_stay(demo_run: Run) -> None:
    found = blocks(html_text(demo_run, without_text=True))["start"]["failures"]
    assert found["examples"] is None
    assert sum(map(sum, found["counts"]["ner"])) > 0


def test_types_of_marks_and_of_masks_are_a_table() -> None:
    gold = (Mention(0, 4, "PATIENT", "DIRECT"), Mention(8, 12, "<i>", "QUASI"))
    corpus = Corpus([Document("1", "John of Oslo", (Annotation("gold", gold),))])
    masks = [TypedMask(0, 4, None, "PERSON"), TypedMask(8, 12, None, "PLACE")]
    systems = {"typed": Anonymization({"1": masks}), "bare": Anonymization({"1": [Mask(0, 4)]})}
    page = html_text(evaluate(corpus, systems, ["er"], resamples=0), without_text=True)
    assert page.count("types by the types of masks") == 1  # bare masks have none
    assert "No mask of typed has the type of the span that it hides. Masks have PERSON, PLACE" in page
    assert "<bdi>&lt;I&gt;</bdi>" in page or "<bdi>&lt;i&gt;</bdi>" in page


def test_a_run_that_holds_no_text(demo_run: Run) -> None:
    text = html_text(demo_run.without_text())
    assert 'id="documents"' not in text
    assert 'id="failures"' not in text
    assert 'id="scores"' in text


def test_an_interrupted_run_says_so(demo_run: Run) -> None:
    half = msgspec.structs.replace(demo_run.without_text(), complete=False, scores=[])
    assert "This run was interrupted." in html_text(half)


def test_a_sample_says_so(demo_run: Run) -> None:
    assert demo_run.texts is not None
    sample = msgspec.structs.replace(demo_run.texts, chosen="riskiest")
    text = " ".join(html_text(msgspec.structs.replace(demo_run, texts=sample)).split())
    assert "The page shows the 42 of 42 documents in which most marked identifiers can still be read" in text


def test_charts_are_imported_only_where_they_are_drawn(demo_run: Run, tmp_path: Path) -> None:
    code = "import sys, showthrough.cli; print(*({'altair', 'jinja2', 'vl_convert'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
    # The page does without them altogether.
    demo_run.save(tmp_path / "run.json")
    code = f"""
import sys
sys.modules["altair"] = sys.modules["vl_convert"] = None
from showthrough.report.html import html_text
from showthrough.run.run import Run
print("plane-chart" in html_text(Run.load({str(tmp_path / "run.json")!r})))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"


def test_from_the_command_line(tmp_path: Path, demo_run: Run) -> None:
    demo_run.save(tmp_path / "run.json")
    command = ["report", str(tmp_path / "run.json")]
    CliRunner().invoke(app, [*command, "--html", str(tmp_path / "a.html")], catch_exceptions=False)
    CliRunner().invoke(app, [*command, "--html", str(tmp_path / "b.html"), "--without-text"], catch_exceptions=False)
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a.html", "b.html")]
    assert modes[0] == 0o600  # for its owner alone
    assert modes[1] & 0o400
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == html_text(demo_run)
    assert (tmp_path / "b.html").read_text(encoding="utf-8") == html_text(demo_run, without_text=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "taken.html"], "taken.html: exists already"),
        (["--html", "nowhere/page.html"], "nowhere/page.html: the folder nowhere does not exist"),
        (["--plots", "taken.html"], "taken.html: is a file; expected the name of a folder"),
        (["--html", "run.json"], "run.json: is read by this command"),
        (["--html", "a.html", "--csv", "a.html"], "a.html: is named for two results"),
    ],
)
def test_where_nothing_can_be_written_nothing_is(
    options: list[str], message: str, demo_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    demo_run.save("run.json")
    Path("taken.html").write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(app, ["report", "run.json", *options])
    assert isinstance(result.exception, OutputError)
    assert message in str(result.exception)
    assert {path.name for path in tmp_path.iterdir()} == {"run.json", "taken.html"}
    assert Path("taken.html").read_text(encoding="utf-8") == "mine"


def test_evaluate_without_text_writes_none(tmp_path: Path) -> None:
    paths = demo.anonymization_paths()
    command = ["evaluate", str(demo.corpus_path()), f"ner={paths['ner']}", "--resamples", "10", "--without-text"]
    outputs = ["-o", str(tmp_path / "run.json"), "--html", str(tmp_path / "page.html")]
    result = CliRunner().invoke(app, [*command, *outputs], catch_exceptions=False)
    assert result.exit_code == 0
    assert Run.load(tmp_path / "run.json").texts is None
    content = read_all((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "This file holds no document text." in content
    assert not [one for one in ("Yarrowdale", "Brännmyr", "KH-18851") if one in content]
