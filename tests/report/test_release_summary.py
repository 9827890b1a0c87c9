"""The release summary: what it says, its page, its PDF and its JSON."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from pathlib import Path
from typing import Any

import html5lib
import msgspec
import pytest
from msgspec.structs import replace

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.core.errors import OutputError, PlanError
from showthrough.report import ReleaseSummary, release_summary, summary_html, summary_json, summary_pdf
from showthrough.report.release import printing
from showthrough.report.release.page import Paper
from showthrough.run.gate.accepted import Accepted, AcceptedIdentifier
from showthrough.run.gate.state import decide
from showthrough.run.records import Failure
from showthrough.run.thresholds import Threshold
from situations import SITUATIONS

NAME = re.compile(r"\b[A-ZÀ-Þ][^\W\d_]{4,}")


def corpus(documents: int = 40) -> Corpus:
    """Letters with a name each, all different."""
    found = []
    for number in range(documents):
        name = f"{'BDFGKLMN'[number % 8]}ors{'aeiou'[number // 8]}nde"
        mark = Mention(3, 3 + len(name), "PERSON", "DIRECT")
        found.append(Document(f"d{number:02}", f"Ms {name} wrote on day {number}.", (Annotation("ann", (mark,)),)))
    return Corpus(found, "letters")


def run_of(leaking: int, **options: Any) -> Run:
    """All names hidden but those of the first documents."""
    letters = corpus()
    masks = {one.id: [] if number < leaking else [Mask(3, 11)] for number, one in enumerate(letters)}
    return evaluate(letters, [Anonymization(masks, "tool")], ["removed_di", "er_di"], resamples=50, **options)


@pytest.fixture(scope="module")
def one_left() -> Run:
    return run_of(1)


def words_of(run: Run) -> set[str]:
    """What annotators marked, names and the like: none of it may be in a summary."""
    assert run.texts is not None
    marked = (
        document.text[mark.start : mark.end]
        for document in run.texts.documents
        for layer in document.annotations
        for mark in layer.mentions
    )
    return {word for text in marked for word in NAME.findall(text)}


# What it says.


def test_it_says_what_the_run_says(one_left: Run) -> None:
    """1 of 40 names can be read: 39 of 40 are removed, 0.975."""
    summary = release_summary(one_left)
    decision = decide(one_left)
    assert (summary.state, summary.sentence) == (decision.state, decision.sentence)
    assert summary.state.value == "do not release"
    first = summary.numbers[0]
    score = one_left["tool", "removed_di"]
    assert (first.metric, first.value, first.right, first.counted) == ("removed_di", 39 / 40, 39, 40)
    assert (first.low, first.high, first.signature) == (score.low, score.high, score.signature)
    assert first.nothing_masked == 0.0
    assert (summary.released.name, summary.released.digest) == ("tool", one_left.anonymizations[0].digest)
    assert (summary.corpus.documents, summary.corpus.annotators, summary.corpus.annotated) == (40, 1, 40)
    assert {number.metric for number in summary.numbers} == {"removed_di", "er_di"}


def test_who_set_the_limits(one_left: Run) -> None:
    limits = [number.limit for number in release_summary(one_left).numbers if number.limit]
    assert {(limit.set_by, limit.limit) for limit in limits} == {("usual", 0.95)}
    own = (Threshold("er_di", "min", 0.9),)
    for summary, by in (
        (release_summary(one_left, thresholds=own), "user"),
        (release_summary(replace(one_left, thresholds=list(own))), "run"),
    ):
        found = {number.metric: number.limit for number in summary.numbers if number.limit}
        assert (found["er_di"].set_by, found["er_di"].limit) == (by, 0.9)
        assert all(limit.set_by == "usual" for metric, limit in found.items() if metric != "er_di")


def test_what_was_not_tested_stands_with_its_command(one_left: Run) -> None:
    failed = replace(one_left, failures=[Failure("tpi", "there is no model in /home/ann/secret/model")])
    summary = release_summary(failed)
    absent = {line.title: line.command for line in summary.evidence if line.state == "absent"}
    assert "--background" in absent["Attack with background"]
    page = summary_html(summary)
    told = re.sub(r"<[^>]+>", "", page)
    assert "Attack with background: not tested. Nobody tried to recognise people." in told
    assert "tpi: not tested. Could not be computed: there is no model in model." in told
    assert "/home/ann" not in page + summary_json(summary)


def test_who_accepted_what(one_left: Run) -> None:
    """The one readable name is accepted: it speaks no longer against a release."""
    assert one_left.texts is not None
    name = one_left.texts.documents[0].text[3:11]
    entry = AcceptedIdentifier("d00", "Dr. A. Reviewer", "2026-11-18", "a pseudonym", text=name)
    accepted = Accepted((entry,), "reviewed.json", "f" * 64)
    summary = release_summary(one_left, accepted=accepted)
    assert summary.state.value != "do not release"
    assert summary.accepted is not None
    assert (summary.accepted.entries, summary.accepted.accepted) == (1, 1)
    assert summary.accepted.by == ["Dr. A. Reviewer"]
    page = summary_html(summary)
    assert "1, by <bdi>Dr. A. Reviewer</bdi>" in page
    assert name not in page + summary_json(summary)


@pytest.mark.parametrize("name", list(SITUATIONS))
def test_the_state_is_that_of_the_situation(name: str) -> None:
    """As on the page: thresholds, what was accepted and an earlier run count here too."""
    made = SITUATIONS[name]()
    summary = release_summary(made.run, thresholds=made.thresholds, baseline=made.baseline)
    told = re.sub(r"<[^>]+>", "", summary_html(summary))
    assert summary.state == made.state
    assert f"{made.state.sign} {made.state.title}" in told
    assert any(made.says.lower() in line.lower() for line in (summary.sentence, *summary.reasons))
    assert (summary.baseline is not None) == (made.baseline is not None)
    if summary.baseline is not None:
        [towns] = [number for number in summary.numbers if number.metric == "removed_qi"]
        assert (towns.earlier, towns.value) == (1.0, 170 / 200)
        assert "last-release: " in told


def test_a_candidate_that_is_not_there(one_left: Run) -> None:
    with pytest.raises(PlanError, match="not in this run; there are tool"):
        release_summary(one_left, candidate="toll")
    with pytest.raises(PlanError, match="there is none in this run"):
        release_summary(replace(one_left, anonymizations=[]))


def test_an_interrupted_run_is_no_evidence(one_left: Run) -> None:
    summary = release_summary(replace(one_left, complete=False))
    assert summary.state.value == "not enough evidence"
    assert "interrupted" in summary_html(summary)


# JSON.


SCHEMA = json.loads(Path(printing.__file__).with_name("schema.json").read_text(encoding="utf-8"))


def test_every_summary_fits_the_schema(one_left: Run, demo_run: Run) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert SCHEMA["$id"] == "urn:showthrough-release-summary:1"
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for run, name in ((one_left, None), *((demo_run, name) for name in demo_run.names)):
        summary = release_summary(run, candidate=name)
        content = json.loads(summary_json(summary))
        assert list(validator.iter_errors(content)) == []
        assert msgspec.json.decode(summary_json(summary), type=ReleaseSummary, strict=True) == summary
        del content["state"]
        assert list(validator.iter_errors(content))  # and it can fail


# The page.


def test_no_word_of_a_document_is_in_it(demo_run: Run) -> None:
    marked = words_of(demo_run)
    own = release_summary(run_of(0))
    known = set(NAME.findall(summary_html(own) + summary_json(own)))  # words of the page and of the program
    assert len(marked - known) > 200
    for name in demo_run.names:
        summary = release_summary(demo_run, candidate=name)
        assert not (marked - known) & set(NAME.findall(summary_html(summary) + summary_json(summary)))


def test_two_people_can_sign(one_left: Run) -> None:
    tree = html5lib.parse(summary_html(release_summary(one_left)), namespaceHTMLElements=False)
    lists = [one for one in tree.iter("dl") if one.get("class") == "signature"]
    lines = [[line.text for line in one.iter("dt")] for one in lists]
    assert lines == [["Name", "Function", "Date", "Signature"]] * 2


def hostile() -> Run:
    """Names that are markup, commands to terminals, and longer than a line."""
    letters = corpus(4)
    name = "<img src=x onerror=alert(1)>\x1b[31m" + "long" * 40
    return evaluate(letters, [Anonymization({one.id: [] for one in letters}, name)], ["er_di"], resamples=50)


def crowded() -> Run:
    """Many metrics with long names, every one of which failed or has a limit, and many notes."""
    run = run_of(3)
    run = replace(
        run,
        failures=[Failure(f"metric_{number}", f"no model number {number} is here, " * 20) for number in range(30)],
        notes=[f"tool: note {number} says much about what was counted and how, " * 12 for number in range(30)],
        thresholds=[Threshold("er_di", "min", 0.99)],
        corpus=replace(run.corpus, name="corpus of " + "very " * 60 + "long name"),
        anonymizations=[replace(run.anonymizations[0], source="/home/ann/" + "folder/" * 40 + "masks" * 30)],
        provenance={**run.provenance, "packages": {f"package-{number}": "1.2.3" for number in range(60)}},
    )
    record, score = run.record("er_di"), run["tool", "er_di"]
    for number in range(20):
        text = f"er_di(parameter_with_a_long_name={number})"
        run.metrics.append(replace(record, text=text, roles=()))
        run.scores.append(replace(score, metric=text))
        run.rows[text] = run.rows["er_di"]
    return run


def test_names_are_text(window: Any) -> None:
    page = summary_html(release_summary(hostile()))
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert "<img" not in page
    view = window(page, viewport={"width": 390, "height": 844})
    assert view.tab.evaluate("document.documentElement.scrollWidth") == 390
    assert (len(view.requests), view.errors, view.stopped()) == (1, [], [])


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_it(window: Any, demo_run: Run, width: int, theme: str) -> None:
    for summary in (release_summary(demo_run, candidate="rules"), release_summary(run_of(0))):
        view = window(summary_html(summary), viewport={"width": width, "height": 900}, color_scheme=theme)
        assert view.violations() == []
        assert view.tab.evaluate("document.documentElement.scrollWidth") == width


# PDF.


def pages(content: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", content))


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "size"), [("A4", (595, 842)), ("Letter", (612, 792))])
@pytest.mark.parametrize("which", ["usual", "hostile", "crowded"])
def test_it_is_one_page(demo_run: Run, which: str, paper: Paper, size: tuple[int, int]) -> None:
    try:
        printing.find_browser()
    except OutputError:
        pytest.skip("no browser here: apt-get install chromium, or put one on the PATH")
    run = {"usual": lambda: demo_run, "hostile": hostile, "crowded": crowded}[which]()
    content = summary_pdf(release_summary(run), paper)
    assert pages(content) == 1
    box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert box is not None
    assert tuple(round(float(side)) for side in box.groups()) == size


def fake(folder: Path, script: str) -> None:
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def browsers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of browsers, the only one on the path."""
    if sys.platform == "win32":
        pytest.skip("browsers of this test are shell scripts")
    monkeypatch.setenv("PATH", f"{tmp_path}")
    monkeypatch.setattr(printing, "_PLACES", ())
    return tmp_path


def test_without_a_browser_the_remedy_is_said(browsers: Path, one_left: Run) -> None:
    with pytest.raises(OutputError, match=r"needs Chromium, Chrome or Edge .*a name that ends in \.html"):
        summary_pdf(release_summary(one_left))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo no display >&2; exit 3", r"wrote no PDF \(no display\); write the page instead"),
        ("exit 0", "wrote no PDF; write the page instead"),
    ],
)
def test_a_browser_that_does_not_print(browsers: Path, one_left: Run, script: str, says: str) -> None:
    fake(browsers, script)
    with pytest.raises(OutputError, match=says):
        summary_pdf(release_summary(one_left))


def test_a_browser_that_hangs_is_ended_with_all_it_started(
    browsers: Path, one_left: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = browsers / "pid"
    fake(browsers, f"/bin/sleep 60 & echo $! > {mark}; wait")
    monkeypatch.setattr(printing, "SECONDS", 1)
    begun = time.monotonic()
    with pytest.raises(OutputError, match="did not print within 1 seconds"):
        summary_pdf(release_summary(one_left))
    assert time.monotonic() - begun < 20
    child = int(mark.read_text())
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
            break
        time.sleep(0.05)
    else:
        os.kill(child, 0)
        pytest.fail("a process of the browser still runs")


def test_the_browser_gets_a_profile_of_its_own_and_no_network(browsers: Path, one_left: Run) -> None:
    fake(browsers, f'printf "%s\\n" "$@" > {browsers}/said; exit 1')
    with pytest.raises(OutputError, match="wrote no PDF"):
        summary_pdf(release_summary(one_left))
    said = (browsers / "said").read_text().splitlines()
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in said
    [profile] = [line.partition("=")[2] for line in said if line.startswith("--user-data-dir=")]
    assert not Path(profile).parent.exists()  # it is gone, with the page
    assert said[-1].startswith("file:")
