"""A metric, an attack, an anonymizer and a format from a package of somebody else, through the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run

pytestmark = pytest.mark.slow  # a package is built and installed

BROKEN = r"anonymizer broken \(showthrough_guest.broken:Broken\) cannot be imported: RuntimeError"
LONG = 600_000  # characters of a document: two of them are two chunks of work


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    marks = {"a": {"entity_mentions": []}}
    texts = {"one": "Ann 12 " + "x" * LONG, "two": "Bob 345 " + "y" * LONG}
    documents = [{"doc_id": key, "text": text, "annotations": marks} for key, text in texts.items()]
    Path("corpus.json").write_text(json.dumps(documents))


@pytest.mark.slow
def test_lists_name_them(command: Callable[..., Any]) -> None:
    listed = {kind: command("list", kind).stdout for kind in ("metrics", "attacks", "anonymizers", "formats")}
    assert re.search("^kept +utility +↑ +Share of characters that are not masked", listed["metrics"], re.MULTILINE)
    assert re.search("^initials +1 +Whose background has the most capitals", listed["attacks"], re.MULTILINE)
    assert re.search("^digits +2 +Hides numbers", listed["anonymizers"], re.MULTILINE)
    assert re.search(r"^notes +yes +yes +our notes: JSON with marks \(\.json\)", listed["formats"], re.MULTILINE)
    assert re.search(f"^broken +cannot be used: {BROKEN}", listed["anonymizers"], re.MULTILINE)


def test_parameters_are_explained(command: Callable[..., Any]) -> None:
    assert "  times = 2\n      how often every character counts\n" in command("list", "metrics", "kept(times=2)").stdout
    assert "  least = 1\n      capitals that count at least\n" in command("list", "attacks", "initials").stdout
    assert (
        "  least = 3\n      digits of a number that is hidden, at least\n"
        in command("list", "anonymizers", "digits(least=3)").stdout
    )


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_they_work_together_with_several_processes(command: Callable[..., Any]) -> None:
    made = command("anonymize", "corpus.json", "--with", "many=digits(least=3)+rules", "-o", "many.json", "--jobs", 2)
    assert made.stdout.startswith("many: 1 masks in 2 documents, "), made.stderr
    made = command("anonymize", "corpus.json", "--with", "digits", "-o", "digits.json")
    assert re.fullmatch("digits: 2 masks in 2 documents, .* written to digits.json\n", made.stdout), made.stderr
    Path("background.json").write_text(json.dumps({"one": "Ann", "two": "Bob"}))
    asked = ["-m", "kept", "-m", "trir(attacks=initials)", "--background", "background.json", "--resamples", "0"]
    runs = []
    for jobs in (1, 2):
        evaluated = command("evaluate", "corpus.json", "digits.json", *asked, "--jobs", jobs, "-o", f"{jobs}.json")
        assert evaluated.returncode == 0, evaluated.stderr
        runs.append(Run.load(f"{jobs}.json"))
    assert runs[0].scores == runs[1].scores
    assert runs[0].rows == runs[1].rows
    scores = {(score.metric, score.part): score for score in runs[1].scores if score.anonymization == "digits"}
    assert scores["kept", ""].value == pytest.approx(1 - (2 + 3) / (7 + 8 + 2 * LONG))
    assert scores['trir(attacks="initials")', "initials"].value == 1.0  # A and B tell them apart
    assert "initials:v1" in scores['trir(attacks="initials")', "initials"].signature


@pytest.mark.usefixtures("desk")
def test_a_family_brings_an_input_an_option_and_a_metric(command: Callable[..., Any]) -> None:
    """Two of three parts of the weight lie on the document that is not masked; nothing inside knows of weights."""
    assert "--weights FILE" in command("evaluate", "--help").stdout
    Path("masks.json").write_text(json.dumps({"one": [[0, 3]], "two": []}))
    asked = ["evaluate", "corpus.json", "m=masks.json", "-m", "spared", "--resamples", "0", "--no-references"]
    refused = command(*asked)
    assert refused.returncode == 2
    assert "weights: none were given, which the metric spared needs; expected --weights FILE" in refused.stderr
    Path("weights.json").write_text(json.dumps({"one": 1, "two": 2, "three": 1}))
    assert "weights: found the document three" in command(*asked, "--weights", "weights.json").stderr
    Path("weights.json").write_text(json.dumps({"one": 1, "two": 2}))
    runs = []
    for jobs in (1, 2):
        done = command(*asked, "--weights", "weights.json", "--jobs", jobs, "-o", f"{jobs}.json")
        assert done.returncode == 0, done.stderr
        assert "note: weights are ours, not the annotators'" in done.stderr
        runs.append(Run.load(f"{jobs}.json"))
    assert [run["m", "spared"].value for run in runs] == [2 / 3, 2 / 3]
    assert [(one.name, one.documents) for one in runs[0].inputs["weights"]] == [("weights", 2)]
    assert "|weights:weights@3|" in runs[0]["m", "spared"].signature
    Path("plan.toml").write_text(
        'corpus = "corpus.json"\nmetrics = ["spared"]\nresamples = 0\nreferences = false\nweights = "weights.json"\n'
        'output = "planned.json"\n[anonymizations]\nm = "masks.json"\n'
    )
    assert command("evaluate", "plan.toml").returncode == 0
    assert Run.load("planned.json")["m", "spared"].value == 2 / 3


@pytest.mark.usefixtures("desk")
def test_a_family_brings_a_report_section(command: Callable[..., Any]) -> None:
    """On the terminal, on the page and in files; of a run without weights nowhere."""
    Path("masks.json").write_text(json.dumps({"one": [[0, 3]], "two": []}))
    Path("weights.json").write_text(json.dumps({"one": 1, "two": 2}))
    asked = ["evaluate", "corpus.json", "m=masks.json", "--resamples", "0", "--no-references"]
    written = ["--html", "page.html", "--markdown", "tables.md", "--latex", "tables.tex"]
    done = command(*asked, "-m", "spared", "--weights", "weights.json", *written, "-o", "run.json")
    assert done.returncode == 0, done.stderr
    table = done.stdout[done.stdout.index("corpus: 2 documents, weights") :]
    assert re.search("spared ↑.*\n.*\nm +0.667\n.*weights of 2 documents", table)
    assert "spares 67% of the weight." in done.stdout
    assert "Weights are what one user gave." in command("report", "run.json", "--verbose").stdout
    assert "corpus: 2 documents, weights**" in Path("tables.md").read_text()
    assert r"\label{tab:weights}" in Path("tables.tex").read_text()
    page = Path("page.html").read_text()
    assert '<a href="#weights-of-documents">Weights</a>' in page
    section = page[page.index('<section id="weights-of-documents"') :].partition("</section>")[0]
    assert "What is spared of the documents that matter to us." in section
    assert ">0.667" in section
    assert "weights of 2 documents" in section
    done = command(*asked, "-m", "kept", *written, "-o", "other.json", "--force")
    assert done.returncode == 0, done.stderr
    assert "Weight" not in done.stdout + Path("page.html").read_text() + Path("tables.md").read_text()


@pytest.mark.usefixtures("desk")
def test_a_verifier_is_asked(command: Callable[..., Any]) -> None:
    problem = Path("problems/p1")
    problem.mkdir(parents=True)
    (problem / "known01.txt").write_text("Ten signs.")
    (problem / "unknown.txt").write_text("a to")
    made = command("verifier", "answer", "problems", "--verifier", "lengths", "-o", "answers.txt")
    assert made.returncode == 0, made.stderr
    assert Path("answers.txt").read_text() == "p1 0.4\n"


@pytest.mark.usefixtures("desk")
def test_a_broken_one_is_named_when_it_is_asked_for(command: Callable[..., Any]) -> None:
    failed = command("anonymize", "corpus.json", "--with", "broken", "-o", "broken.json")
    assert failed.returncode == 1
    assert re.match(f"{BROKEN}: needs a library that is not here", failed.stderr)
    assert not Path("broken.json").exists()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two notes in the plugin's format, and what a system marked in them."""
    monkeypatch.chdir(tmp_path)
    texts = {"one": "Ann 12 " + "x" * LONG, "two": "Bob 345 " + "y" * LONG}
    gold = [{"uid": key, "body": text, "marks": [[0, 3, "PERSON"]]} for key, text in texts.items()]
    Path("gold.json").write_text(json.dumps(gold))
    Path("system.json").write_text(json.dumps([gold[0], {**gold[1], "marks": []}]))
    Path("texts.json").write_text(json.dumps(texts))


@pytest.mark.slow
@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("asked", [(), ("--format", "notes")])
def test_a_format_is_recognised_or_named_and_read_with_several_processes(
    asked: tuple[str, ...], command: Callable[..., Any]
) -> None:
    runs = []
    for jobs in (1, 2):
        files = ("gold.json", "system.json", "-o", f"{jobs}.json")
        evaluated = command("evaluate", *files, *asked, "-m", "er_di", "--resamples", "0", "--jobs", jobs)
        assert evaluated.returncode == 0, evaluated.stderr
        runs.append(Run.load(f"{jobs}.json"))
    assert runs[0].scores == runs[1].scores
    assert runs[0].rows == runs[1].rows
    assert runs[1]["system", "er_di"].value == 1 / 2  # Ann is masked and Bob is not


@pytest.mark.usefixtures("notes")
def test_a_format_that_cannot_read_a_file_is_named(command: Callable[..., Any]) -> None:
    failed = command("validate", "texts.json", "--format", "notes")
    assert failed.returncode == 2
    assert failed.stderr.startswith("texts.json: format notes: its reader failed: TypeError")
