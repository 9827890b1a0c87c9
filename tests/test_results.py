"""The published results: whole, without text, made by what is described, and the report made of them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from showthrough import Corpus, Run, anonymize, anonymizer, evaluate, read_corpus
from showthrough.run.submission import submission_of

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "results" / "runs").glob("*.json"))
MOST = 10_000_000  # bytes of all


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("results_tool", ROOT / "tools" / "results.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(tool: ModuleType) -> dict[str, Run]:
    found: dict[str, Run] = tool.runs()
    return found


def test_they_are_small() -> None:
    assert FILES
    assert sum(path.stat().st_size for path in FILES) <= MOST


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_run_has_no_text_and_no_folder(path: Path) -> None:
    content = path.read_text()
    run = json.loads(content)
    assert run["provenance"]["without_text"] is True
    assert run["texts"] is None
    assert not re.search(r"/(?:tmp|home|root|work|Users)/|[A-Z]:\\\\", content)


def test_every_run_is_described_and_complete(tool: ModuleType, runs: dict[str, Run]) -> None:
    boards = tool.boards()
    assert runs.keys() <= boards.keys()
    for name, run in runs.items():
        board = boards[name]
        assert run.complete
        assert not run.failures
        assert set(run.names) == {*board["systems"], *board["anonymizations"]}
        assert submission_of(run).about == board["about"]
        verified = set(run.names) - submission_of(run).unverified.keys()
        assert verified == (
            set() if name == "synthpai" else set(run.names)
        )  # there all numbers rest on recorded answers


def test_every_claim_is_about_something_that_is_run(tool: ModuleType) -> None:
    boards = tool.boards()
    for claim in tool.claims({}):
        board = boards[claim.board]
        assert {claim.better, claim.worse} <= {*board["systems"], *board["anonymizations"]}
        assert claim.verdict == "not tested: its systems were not run"


def test_verdicts_of_claims(tool: ModuleType) -> None:
    claim = tool.Claim("c", "text", "b", "m", "x", "y", difference=(0.2, 0.1, 0.3), p=0.05)
    assert claim.verdict == "shown"
    assert claim._replace(p=0.051).verdict == "not shown"
    assert claim._replace(difference=(-0.2, -0.3, -0.1)).verdict == "the opposite was shown"


def test_claims_are_corrected_together(tool: ModuleType, runs: dict[str, Run]) -> None:
    tested = [claim for claim in tool.claims(runs) if claim.p is not None]
    alone = {
        claim.id: runs[claim.board]
        .compare(
            runs[claim.board].text_of(claim.metric),
            parts=False,
            shuffles=tool.SHUFFLES,
            pairs=[(claim.better, claim.worse)],
        )[0]
        .p
        for claim in tested
    }
    least = min(tested, key=lambda claim: alone[claim.id])
    assert least.p == pytest.approx(min(1.0, alone[least.id] * len(tested)))


def test_the_report_is_made_of_the_runs(tool: ModuleType, runs: dict[str, Run]) -> None:
    assert (ROOT / "docs" / "findings.md").read_text() == tool.report(runs), "run tools/results.py --report"


def test_what_only_times_differ_in_is_equal(tool: ModuleType) -> None:
    first = {"provenance": {"time": "now", "version": 1}, "made": [{"cost": {"seconds": 2}}]}
    assert tool.without_times(first) == {"provenance": {"version": 1}, "made": [{}]}


@pytest.mark.parametrize("system", ["rules", "everywhere-rules"])
def test_cells_of_the_demonstration_corpus_come_out_again(tool: ModuleType, runs: dict[str, Run], system: str) -> None:
    corpus = read_corpus(ROOT / "src" / "showthrough" / "cli" / "demo_corpus" / "data" / "corpus.json")
    check_cell(runs["demo"], corpus, system, tool.boards()["demo"]["systems"][system])


def test_a_cell_of_tab_comes_out_again(tool: ModuleType, runs: dict[str, Run], data: Path) -> None:
    board = tool.boards()["tab"]
    check_cell(runs["tab"], read_corpus(data / "tab" / "train_100.json"), "rules", board["systems"]["rules"])


def check_cell(run: Run, corpus: Corpus, name: str, spec: str) -> None:
    """A system is run and scored again: masks have the digest of the run, and numbers and intervals are the same."""
    masks = anonymize(corpus, anonymizer(spec), name=name)
    recorded = next(system for system in run.anonymizations if system.name == name)
    assert masks.digest == recorded.digest
    metrics = ["removed_di", "er_qi", "precision"]
    again = evaluate(corpus, [masks], metrics, references=False)
    for metric in metrics:
        assert again[name, metric].ends == run[name, metric].ends
