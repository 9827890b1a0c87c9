"""Run files that are damaged or none, and systems that will not read or write."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough.run.run import Run

EVALUATE = ("evaluate", "corpus.json", "a=masks.json", "-o", "out.json")


@pytest.fixture
def run(desk: Any, evaluated: Callable[..., None]) -> dict[str, Any]:
    """A sound run of two anonymizations of one document, as JSON."""
    evaluated("corpus.json", "a=masks.json", "b=masks.json", "-o", "run.json")
    found: dict[str, Any] = json.loads((desk.folder / "run.json").read_bytes())
    return found


def without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(run: dict[str, Any]) -> None:
        for key in path[:-1]:
            run = run[key]
        del run[path[-1]]

    return change


def having(value: Any, *path: Any) -> Callable[[dict[str, Any]], None]:
    def change(run: Any) -> None:
        for key in path[:-1]:
            run = run[key]
        run[path[-1]] = value

    return change


RUN_FAULTS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no rows": (without("rows"), "run.json: is not a run file: rows is missing"),
    "no format": (without("format"), "run.json: is not a run file: format is missing"),
    "another format": (having(3, "format"), "run.json: format: found 3; this version reads 1 and 2"),
    "format of tables": (having(2, "format"), "run.json: tables: expected them in a run of format 2"),
    "format is text": (having("1", "format"), "run.json: is not a run file: format: found text"),
    "better": (having("up", "metrics", 0, "better"), "run.json: is not a run file: metrics[0].better: found 'up'"),
    "group": (having("x", "metrics", 0, "group"), "run.json: is not a run file: metrics[0].group: found 'x'"),
    "row is text": (having(["x"], "rows", "er_di", "a", "hidden"), "run.json: is not a run file: rows"),
    "row is null": (having([None], "rows", "er_di", "a", "hidden"), "run.json: is not a run file: rows"),
    "rows too short": (having([], "rows", "er_di", "a", "hidden"), "run.json: rows.er_di.a: expected a value for each"),
    "statistic missing": (without("rows", "er_di", "a", "hidden"), "run.json: rows.er_di.a: hidden is missing"),
    "no statistic": (having({}, "rows", "er_di", "a"), "run.json: rows.er_di.a: hidden is missing"),
    "anonymization missing": (
        without("rows", "er_di", "b"),
        "run.json: rows.er_di: found a, nothing masked, everything",
    ),
    "no number of a metric": (having([1e300], "rows", "er_di", "a", "total"), "run.json: rows.er_di.a: holds a number"),
    "unknown rows": (having({}, "rows", "x"), "run.json: rows.x: found none; expected"),
    "a background": (
        having({"x": 1}, "metrics", 0, "parameters", "background"),
        "run.json: metrics.removed_di.parameters.background: found {'x': 1}; expected text",
    ),
    "seed": (
        having(-1, "settings", "seed"),
        "run.json: is not a run file: settings.seed: expected a whole number of 0 or more",
    ),
    "packages": (having([], "provenance", "packages"), "run.json: provenance.packages: found a list"),
    "models": (having("x", "provenance", "models"), "run.json: provenance.models: found text"),
    "a model": (having(1, "provenance", "models", "x"), "run.json: provenance.models[...]: found a whole number"),
    "seconds": (having("x", "provenance", "seconds"), "run.json: provenance.seconds: found text"),
    "time": (having(7, "provenance", "time"), "run.json: provenance.time: found a whole number"),
    "attacks": (having([], "provenance", "attacks"), "run.json: provenance.attacks: found a list"),
    "program": (having(None, "provenance", "showthrough"), "run.json: provenance.showthrough: found null"),
    "same names": (having("b", "anonymizations", 0, "name"), "run.json: anonymizations: found b, b, nothing masked, "),
}


@pytest.mark.parametrize("command", [("compare", "run.json"), ("report", "run.json", "--csv", "out.csv")])
@pytest.mark.parametrize("fault", RUN_FAULTS)
def test_damaged_run(fault: str, command: tuple[str, ...], run: dict[str, Any], desk: Any) -> None:
    change, starts = RUN_FAULTS[fault]
    change(run)
    desk.write({"run.json": run})
    desk.refuses(*command, starts=starts)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "it ends too early"),
        ("hello", "invalid character"),
        ([{"doc_id": "d1", "text": "x"}], "found a list"),
        ({"d1": []}, "format is missing"),
        (b'{"format": "\xe9"}', "found text"),
        ('{"format": 1}'.encode("utf-16"), "UTF-16"),
        ("[" * 100_000, "found a list"),
    ],
)
def test_no_run_at_all(content: Any, says: str, desk: Any) -> None:
    desk.write({"run.json": content})
    desk.refuses("compare", "run.json", starts="run.json: ", says=(says,))
    desk.refuses("report", "run.json", starts="run.json: ", says=(says,))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--alpha", "0"), "alpha: found 0; expected a number between 0 and 1"),
        (("--alpha", "1.5"), "alpha: found 1.5; expected"),
        (("--alpha", "nan"), "alpha: found nan; expected"),
        (("--shuffles", "0"), "shuffles: found 0; expected 1 to"),
        (("--shuffles", "1000000000000"), "shuffles: found 1000000000000; expected 1 to"),
        (("--seed", "-1"), "seed: found -1; expected 0 or more"),
        (("-m", "nonsense"), "metric nonsense: unknown metric"),
        (("-m", "f2"), "metric f2: not in this run; there are removed_di"),
    ],
)
def test_bad_comparison(options: tuple[str, ...], says: str, run: Any, desk: Any) -> None:
    desk.refuses("compare", "run.json", *options, starts=says)


def test_comparing_takes_a_complete_run_of_two(run: dict[str, Any], desk: Any) -> None:
    desk.write({"half.json": {**run, "complete": False}})
    desk.refuses("compare", "half.json", starts="half.json: this run was interrupted; ", says=("evaluate --resume",))
    assert desk.cli(*EVALUATE).status == 0
    desk.refuses("compare", "out.json", starts="out.json: has one anonymization; comparing needs at least two")


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        (("--csv", "x", "--latex", "x"), "x: is named for two results"),
        (("--csv", "run.json", "--force"), "run.json: is read by this command"),
        (("--csv", "masks.json"), "masks.json: exists already"),
        (("--csv", "none/x"), "none/x: the folder none does not exist"),
    ],
)
def test_reports_go_where_nothing_is(options: tuple[str, ...], starts: str, run: Any, desk: Any) -> None:
    desk.refuses("report", "run.json", *options, starts=starts)


@pytest.mark.parametrize("command", ["report", "compare", "check", "errors", "risk"])
def test_a_corpus_in_place_of_a_run_is_sent_to_evaluate(command: str, desk: Any) -> None:
    said = desk.cli(command, "corpus.json")
    assert said.status == 2
    assert said.err.startswith("corpus.json: is not a run file: found a")
    assert said.err.endswith("; showthrough evaluate … -o FILE writes one\n")


@pytest.mark.parametrize(
    "words",
    [("evaluate", "run.json", "masks.json"), ("validate", "run.json"), ("scan", "run.json"), ("corpus", "run.json")],
)
def test_a_run_in_place_of_a_corpus_is_called_by_its_name(words: tuple[str, ...], run: Any, desk: Any) -> None:
    desk.write({"run.json": run})
    desk.refuses(*words, starts="run.json: is a run file, which report, compare, check and errors read; expected ")


@pytest.mark.parametrize("content", ["{", "[]", {"format": 1}])
def test_resuming_takes_a_run(content: Any, desk: Any) -> None:
    desk.write({"out.json": content})
    desk.refuses(*EVALUATE, "--resume", starts="out.json: is not a run file: ")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "command", [("compare", "run.json"), ("report", "run.json"), ("report", "run.json", "--html", "x")]
)
@pytest.mark.parametrize("value", [1e308, -1e308, 1e-320, 0])
def test_numbers_at_the_edge_make_no_warning(value: float, command: tuple[str, ...], run: Any, desk: Any) -> None:
    for statistics in run["rows"]["er_di"].values():
        for name in statistics:
            statistics[name] = [value]
    desk.write({"run.json": run})
    outcome = desk.cli(*command)
    assert outcome.status in (0, 2)
    assert "Warning" not in outcome.err


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", [" ", "Oslo"])
@pytest.mark.parametrize("preset", ["light", "i2b2"])
def test_next_to_nothing_to_score_makes_no_warning(preset: str, text: str, desk: Any) -> None:
    mentions = [{"start_offset": 0, "end_offset": 4, "entity_type": "NAME", "identifier_type": "DIRECT"}]
    layers = {"ann": {"entity_mentions": mentions if text == "Oslo" else []}}
    desk.write({"corpus.json": [{"doc_id": "d1", "text": text, "annotations": layers}], "masks.json": {"d1": []}})
    outcome = desk.cli("evaluate", "corpus.json", "a=masks.json", "--preset", preset)
    assert outcome.status == 0, outcome.err
    assert "Warning" not in outcome.err


# --- the operating system says no -------------------------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_file_without_permission(desk: Any) -> None:
    (desk.folder / "corpus.json").chmod(0)
    outcome = desk.cli(*EVALUATE)
    assert (outcome.status, outcome.err) == (2, "corpus.json: cannot be read: Permission denied\n")


@pytest.mark.parametrize("refused", ["open", "is_dir", "scandir"])
def test_permission_refused(refused: str, desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.folder / "texts").mkdir()
    home: Any = os if refused == "scandir" else Path
    original = getattr(home, refused)

    def refuse(self: Path, *arguments: Any, **options: Any) -> Any:
        if Path(self).name == "texts":
            raise PermissionError(errno.EACCES, "Permission denied")
        return original(self, *arguments, **options)

    if refused == "open":
        (desk.folder / "texts").rmdir()
        desk.write({"texts": "{}"})
    monkeypatch.setattr(home, refused, refuse)
    outcome = desk.cli("evaluate", "corpus.json", "a=texts", "-o", "out.json")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "texts: cannot be read: Permission denied\n"
    assert not (desk.folder / "out.json").exists()


@pytest.mark.parametrize("old", [None, "precious"])
def test_full_disk(old: str | None, desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if old:
        desk.write({"out.json": old})
    before = desk.snapshot()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    outcome = desk.cli(*EVALUATE, "--force")
    assert outcome.status == 2
    assert outcome.err == "out.json: cannot be written: No space left on device\n"
    assert desk.snapshot() == before


# --- the same as a program of its own ---------------------------------------------------------------------------------


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "showthrough", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False, **options)


@pytest.mark.parametrize(
    ("files", "starts"),
    [
        ({"corpus.json": '[{"doc_id": '}, "corpus.json: is not valid JSON: it ends too early"),
        ({"masks.json": {}, "out.json": "precious"}, "out.json: exists already"),
    ],
)
def test_bad_input_as_a_program(files: dict[str, Any], starts: str, desk: Any) -> None:
    desk.write(files)
    before = desk.snapshot()
    done = program(*EVALUATE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(starts)
    assert done.stderr.count("\n") == 1
    assert desk.snapshot() == before


def test_debug_shows_the_traceback(desk: Any) -> None:
    done = program("--debug", "evaluate", "none.json", "a=masks.json")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "InputError: none.json: no such file" in done.stderr


def test_write_that_the_system_cuts_off(desk: Any) -> None:
    """A limit on the size of files stands for a full disk: the write itself fails half-way."""
    desk.write({"out.json": "precious"})
    before = desk.snapshot()
    limit = (1000, resource.RLIM_INFINITY)
    done = program(*EVALUATE, "--force", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert done.returncode == 2
    assert done.stderr == "out.json: cannot be written: File too large\n"
    assert desk.snapshot() == before


def test_output_in_an_encoding_without_arrows(desk: Any) -> None:
    done = program(*EVALUATE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2191" in done.stdout  # the arrow of er_di
    assert Run.load("out.json").complete
