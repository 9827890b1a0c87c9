"""`showthrough errors`: where anonymizations fail, with every case in its context."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run

Cli = Callable[..., Any]
TEXT = "Mr John Doe of Oslo met Ann. Oslo is large; John\x1b[31m is not."


def marked(start: int, end: int, kind: str, level: str) -> dict[str, Any]:
    return {"start_offset": start, "end_offset": end, "entity_type": kind, "identifier_type": level}


MARKS = [
    marked(3, 11, "PERSON", "DIRECT"), marked(15, 19, "LOC", "QUASI"), marked(29, 33, "LOC", "QUASI"),
    marked(24, 27, "PERSON", "NO_MASK"),
]  # fmt: skip
CORPUS = [{"doc_id": "d1", "text": TEXT, "annotations": {"ann": {"entity_mentions": MARKS}}}]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluated: Callable[..., None]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus.json").write_text(json.dumps(CORPUS))
    Path("half.json").write_text('{"d1": [[3, 7, "X"], [24, 27, "X"]]}')
    Path("none.json").write_text('{"d1": []}')
    evaluated("corpus.json", "half.json", "--metric", "recall", "-o", "run.json")
    evaluated("corpus.json", "half.json", "none.json", "--metric", "recall", "-o", "two.json")


def test_what_is_read_elsewhere_is_counted(cli: Cli, evaluated: Callable[..., None]) -> None:
    text = "Mr John Doe of Oslo. John Doe is ill."  # the second is not marked
    layer = {"ann": {"entity_mentions": [marked(3, 11, "PERSON", "DIRECT")]}}
    Path("twice.json").write_text(json.dumps([{"doc_id": "d1", "text": text, "annotations": layer}]))
    Path("once.json").write_text('{"d1": [[3, 11]]}')
    evaluated("twice.json", "once.json", "--metric", "removed_di", "-o", "once-run.json")
    said = " ".join(cli("errors", "once-run.json", "--identifier", "direct").out.split())
    assert "once: 1 direct identifier can be read in other places than marked, or written in another way." in said
    assert "of Oslo. «John Doe» is ill." in said
    assert "PERSON, direct, in another place; marked as “John Doe”" in said
    bare = cli("errors", "once-run.json", "--without-text").out
    assert "1 direct identifier can be read in other places" in " ".join(bare.split())
    assert "John" not in bare
    evaluated("twice.json", "none.json", "--metric", "removed_di", "-o", "none-run.json")
    assert "in other places" not in cli("errors", "none-run.json").out
    evaluated("twice.json", "once.json", "none.json", "--metric", "removed_di", "-o", "both-run.json")
    said = cli("errors", "both-run.json").err
    assert "note: once: 1 direct identifier can be read in other places than marked" in " ".join(said.split())


def test_one_anonymization_needs_no_name(cli: Cli) -> None:
    found = cli("errors", "run.json")
    assert (found.status, found.err) == (0, "")
    told = " ".join(found.out.split())
    assert "half leaves 3 of 3 mentions to be masked readable, at least in part (100.0 %): 2 missed, 1" in told
    assert "Of its 2 masks, 1 hides words that nobody wants masked: 1 over what may stay." in told
    lines = [line for line in found.out.splitlines() if line.startswith("d1")]
    assert len(lines) == 4
    assert "Oslo" in lines[0]
    assert "LOC, quasi, missed" in told
    assert "×2 in 1 document" in told
    assert "can be read: Doe" in told
    assert "\x1b" not in found.out


def test_several_are_beside_each_other_and_one_has_its_cases(cli: Cli) -> None:
    both = cli("errors", "two.json", "--json", "both.json", "--force")
    assert both.status == 0
    assert "half leaves 3 of 3" in both.out
    assert "none leaves 3 of 3" in both.out
    assert not any(line.startswith("d1") for line in both.out.splitlines())
    held = json.loads(Path("both.json").read_text())["anonymizations"]
    assert [(one["anonymization"], one["cases"]) for one in held] == [("half", []), ("none", [])]
    assert stat.S_IMODE(Path("both.json").stat().st_mode) & 0o044  # no text is in it
    one = cli("errors", "two.json", "--anonymization", "none", "--type", "loc", "--json", "one.json", "--cases", "1")
    assert one.status == 0
    assert len([line for line in one.out.splitlines() if line.startswith("d1")]) == 1
    assert "1 of 2 are shown" in one.out
    assert "2 cases in context: LOC. Everything else here covers all cases.\n" in one.out
    assert "left out" not in one.out
    (held,) = json.loads(Path("one.json").read_text())["anonymizations"]
    assert held["only"] == {"entity_type": "LOC"}
    assert [(case["start"], case["text"], case["times"]) for case in held["cases"]] == [
        (15, "Oslo", 2),
        (29, "Oslo", 2),
    ]
    assert stat.S_IMODE(Path("one.json").stat().st_mode) == 0o600


def test_no_case_on_the_terminal(cli: Cli) -> None:
    found = cli("errors", "run.json", "--cases", "0", "--kind", "missed", "--identifier", "quasi", "--document", "d1")
    assert found.status == 0
    assert "d1," not in found.out


def test_nothing_fits(cli: Cli) -> None:
    found = cli("errors", "run.json", "--kind", "border")
    assert found.status == 0
    assert "No case fits what was asked for: wrong border." in found.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["two.json", "--type", "LOC"], "anonymization: there are half, none; expected one of them"),
        (["two.json", "--anonymization", "hlaf"], "anonymization hlaf: not in this run; did you mean half? there are"),
        (["run.json", "--type", "ORG"], "type ORG: nothing of this type is to be masked or masked needlessly; there"),
        (["run.json", "--kind", "all"], "kind all: unknown; there are missed, another, partly, border, over-masked,"),
        (["run.json", "--identifier", "no"], "identifier no: unknown; there are direct, quasi"),
        (["run.json", "--document", "d\x1b2"], "document d\\x1b2: not among the 1 documents that the run keeps"),
        (["run.json", "--json", "run.json"], "run.json: is read by this command"),
        (["run.json", "--json", "none.json"], "none.json: exists already"),
        (["nowhere.json"], "nowhere.json: "),
        (["corpus.json"], "corpus.json: "),
    ],
)
def test_bad_requests(cli: Cli, arguments: list[str], line: str) -> None:
    found = cli("errors", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(line)
    assert found.err.count("\n") == 1


def test_a_run_without_text(cli: Cli) -> None:
    command = ["evaluate", "corpus.json", "half.json", "--metric", "recall", "-o", "bare.json", "--without-text"]
    assert cli(*command).status == 0
    found = cli("errors", "bare.json")
    assert (found.status, found.out) == (2, "")
    told = "bare.json: the run keeps no text, so no error can be shown; evaluate again without --without-text\n"
    assert found.err == told


def test_without_text_no_word_is_written_or_shown(cli: Cli) -> None:
    files = {name: Path(f"bare.{name}") for name in ("html", "markdown", "latex", "json")}
    written = [part for name, path in files.items() for part in (f"--{name}", path)]
    found = cli("errors", "run.json", "--without-text", *written)
    assert (found.status, found.err) == (0, "")
    for text in (found.out, *(path.read_text(encoding="utf-8") for path in files.values())):
        assert "Oslo" not in text
        assert "Doe" not in text
    assert "left out, since they quote documents: cases in their contexts" in found.out
    assert stat.S_IMODE(files["json"].stat().st_mode) & 0o044
    assert json.loads(files["json"].read_text())["worth"]["leaking"] == 3
    assert cli("errors", "run.json", *written, "--force").status == 0
    for path in files.values():
        assert "Oslo" in path.read_text(encoding="utf-8")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_rules_that_would_win_something(cli: Cli) -> None:
    found = cli("errors", "run.json")
    assert "What one more rule would win: half" in found.out
    assert "“Oslo”" in found.out
    assert "What one more rule" not in cli("errors", "run.json", "--rules", "0").out


def test_masks_with_the_rules_added_score_what_the_list_says(cli: Cli) -> None:
    found = cli("errors", "run.json", "--masks", "more.json", "--json", "errors.json")
    assert "masks of half with 2 rules added written to more.json" in found.out
    assert stat.S_IMODE(Path("more.json").stat().st_mode) == 0o600
    metrics = ("er_di", "er_qi", "recall", "precision")
    cli("evaluate", "corpus.json", "more.json", *(f"--metric={one}" for one in metrics), "-o", "again.json")
    said = json.loads(Path("errors.json").read_text())["worth"]["rules"][-1]["after"]
    again = Run.load("again.json")
    scores = {one: again["more", one].value for one in metrics}
    assert scores == {
        one: said[key] for one, key in zip(metrics, ("direct", "quasi", "recall", "precision"), strict=True)
    }
    assert scores["er_di"] == scores["er_qi"] == 1.0


def test_masks_that_cannot_be_written(cli: Cli) -> None:
    assert cli("errors", "run.json", "--masks", "none.json").err.startswith("none.json: exists already")
    assert cli("errors", "run.json", "--masks", "run.json").err.startswith("run.json: is read by this command")
    none = cli("errors", "run.json", "--rules", "0", "--masks", "more.json")
    assert (none.status, none.err) == (2, "masks: no rule was looked for: there are no masks to add\n")
    two = cli("errors", "two.json", "--masks", "more.json")
    assert (two.status, two.err.count("\n")) == (2, 1)
    assert "half" in two.err
    assert not Path("more.json").exists()
