"""What evaluate prints: the verdict first, then the table, in a few lines that hide no danger."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from showthrough.cli import demo_corpus as demo, view_options
from showthrough.metrics import PRESETS

FIVE = [f"{name}={path}" for name, path in demo.anonymization_paths().items()][:5]
WITH_PARAMETERS = 'tps(ic="wordfreq", chunking="none", similarity="ngrams")'


def evaluate_demo(desk: Any, *options: str) -> Any:
    known = ("--background", str(demo.background_path()), "--resamples", "50")
    return desk.cli("evaluate", str(demo.corpus_path()), *FIVE, *known, "-m", WITH_PARAMETERS, *options)


METRICS = ("-m", "removed_di", "-m", "removed_qi", "-m", "clean", "-m", "trir", "-m", "precision")


def test_five_systems_take_forty_lines(desk: Any) -> None:
    outcome = evaluate_demo(desk, *METRICS, "-o", "run.json")
    lines = outcome.out.splitlines()
    assert (outcome.status, len(FIVE)) == (0, 5)
    assert len(lines) + len(outcome.err.splitlines()) <= 40
    assert lines[0].startswith("Do not release. In the best candidate, ")
    assert outcome.out.index("direct identifiers readable in the release") < outcome.out.index("removed_di ↑")
    assert outcome.out.count(WITH_PARAMETERS) == 1
    assert "masks repeat words of the original" in outcome.err  # which is a leak
    assert "pairs of masks overlap" not in outcome.err
    assert re.search(r"^\* best of its column .*; --verbose: intervals, \d more notes; ", outcome.out, re.M)
    whole = desk.cli("report", "run.json", "--verbose")
    assert "pairs of masks overlap" in whole.err
    assert "What stands out" in whole.out
    assert len(whole.out.splitlines()) > 2 * len(lines)


def test_the_usual_metrics_of_five_systems_take_one_table_in_forty_lines(desk: Any) -> None:
    outcome = desk.cli("evaluate", str(demo.corpus_path()), *FIVE, "--resamples", "50")
    lines = outcome.out.splitlines()
    assert len(lines) + len(outcome.err.splitlines()) <= 40
    (heads,) = (line for line in lines if "removed_di ↑" in line)
    assert heads.split("↑")[-2].strip() == "f1"
    assert max(map(len, lines)) <= 100


def test_an_attack_beside_the_usual_metrics_takes_forty_lines_too(desk: Any) -> None:
    known = ("--background", str(demo.background_path()), "--resamples", "50", "-o", "run.json")
    outcome = desk.cli("evaluate", str(demo.corpus_path()), *FIVE, *known)
    assert "trir ↓" in outcome.out
    assert len(outcome.out.splitlines()) + len(outcome.err.splitlines()) <= 40
    assert max(map(len, outcome.out.splitlines()[:-1])) <= 100


@pytest.mark.parametrize("preset", ["default", "light", "unannotated", "i2b2", "meddocan"])  # others need models
def test_five_systems_take_forty_lines_with_each_preset(desk: Any, preset: str) -> None:
    options = ("--preset", preset, "--resamples", "50", "-o", "run.json")
    outcome = desk.cli("evaluate", str(demo.corpus_path()), *FIVE, *options)
    assert (outcome.status, len(FIVE)) == (0, 5)
    assert len(outcome.out.splitlines()) + len(outcome.err.splitlines()) <= 40
    for metric in PRESETS[preset]:
        assert metric.partition("(")[0] in outcome.out or metric == "recall_per_type"  # parts alone: --parts
    assert re.search(r"^\* best of its column.*; --verbose: intervals, ", outcome.out, re.M)
    assert "note: replace: 137 of 659 masks repeat words of the original" in outcome.err  # which is a leak
    whole = desk.cli("report", "run.json", "--verbose").out
    assert "everything masked" in whole
    assert "P ↑" in whole or not preset.startswith(("i2b2", "meddocan"))


def test_references_stay_in_a_table_of_one_piece(desk: Any) -> None:
    evaluate = ("evaluate", str(demo.corpus_path()), *FIVE, "--resamples", "50", "--preset")
    narrow, wide = desk.cli(*evaluate, "default").out, desk.cli(*evaluate, "light").out
    assert ("everything masked" in narrow, "--verbose: intervals, references, " in narrow) == (True, False)
    assert ("everything masked" in wide, "--verbose: intervals, references, " in wide) == (False, True)


def test_notes_come_after_the_table(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one who looks at a screen sees them: the verdict is first."""
    seen: list[str] = []

    def watched(name: str, before: Any) -> Any:
        def called(*given: Any, **more: Any) -> None:
            seen.append(name)
            before(*given, **more)

        return called

    for name in ("show_notes", "show_short_verdict", "show_run"):
        monkeypatch.setattr(view_options, name, watched(name, getattr(view_options, name)))
    evaluate_demo(desk, *METRICS)
    assert seen[:3] == ["show_short_verdict", "show_run", "show_notes"]


def test_a_limit_with_parameters_is_written_in_full_once(desk: Any) -> None:
    out = evaluate_demo(desk, *METRICS, "--min", f"{WITH_PARAMETERS}=0.1").out
    assert f"{WITH_PARAMETERS} ≥ 0.1" in " ".join(out.split())
    assert "meets tps; leaves" in " ".join(out.split())


def test_almost_nothing_masked_goes_before_all_else(desk: Any) -> None:
    desk.write({"none.json": {"d1": [[0, 1]]}})
    out = desk.cli("evaluate", "corpus.json", "none=none.json", "a=masks.json").out
    assert out.startswith("Do not release. ")
    assert out.index("\nnone hides almost n") < out.index("Thresholds")


def test_notes_are_on_what_is_checked_alone(desk: Any) -> None:
    evaluate_demo(desk, *METRICS, "-o", "run.json")
    replace = "note: replace: 137 of"
    assert replace in desk.cli("check", "run.json").err
    assert replace in desk.cli("check", "run.json", "--anonymization", "replace").err
    err = desk.cli("check", "run.json", "--anonymization", "overmask").err
    assert replace not in err
    assert err.startswith("note: overmask: ")
    assert replace not in desk.cli("errors", "run.json", "--anonymization", "overmask").err


def test_the_files_of_the_demo_can_be_had(desk: Any) -> None:
    copied = desk.cli("demo", "--files", "mine")
    assert copied.status == 0
    assert copied.out.splitlines()[0] == "written to mine/annotator.json"
    assert {path.name: path.read_bytes() for path in Path("mine").iterdir()} == {
        path.name: path.read_bytes() for path in demo.folder().glob("*.json")
    }
    Path("mine/ner.json").unlink()
    again = desk.cli("demo", "--files", "mine")
    assert again.out.splitlines()[:2] == ["written to mine/ner.json", "mine/annotator.json is there already"]
    Path("mine/ner.json").write_text("my own")
    refused = desk.cli("demo", "--files", "mine")
    assert (refused.status, refused.out) == (2, "")
    assert "mine/ner.json: exists already" in refused.err
    assert Path("mine/ner.json").read_text() == "my own"


def test_a_system_in_place_of_a_file_is_named(desk: Any) -> None:
    said = desk.cli("evaluate", "corpus.json", "rules")
    assert said.status == 2
    assert said.err == "anonymization rules: no such file; --with rules runs the system of this name\n"
