"""Statements about documents behind the commands: what is read, what is sent where, and what is asked once."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run
from talking import talking

TEXT = "Ann Berg was born on 3 May 1980. She was treated for HIV in Oslo. Aspirin helped."
COMMAND = ("evaluate", "notes.jsonl", "tool=tool.json", "-o", "run.json", "--resamples", "0")


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("notes.jsonl").write_text(json.dumps({"id": "a", "text": TEXT}))
    Path("tool.json").write_text(json.dumps({"a": [[0, 8]]}))
    Path("secrets.csv").write_text("doc_id,statement,must\na,Ann Berg,gone\na,Aspirin helped,kept\n")


def test_a_file_brings_its_metric(cli: Callable[..., Any]) -> None:
    assert cli(*COMMAND, "--statements", "secrets.csv").status == 0
    run = Run.load("run.json")
    assert (run["tool", "propositions"].value, run["tool", "propositions", "kept"].value) == (1, 1)
    lacking = cli(*COMMAND, "--force", "--metric", "propositions")
    assert (lacking.status, "--statements" in lacking.err) == (2, True)
    Path("secrets.csv").write_text("doc_id,statement,must\na,Ann Berg,go\n")
    refused = cli(*COMMAND, "--force", "--statements", "secrets.csv")
    assert refused.status == 2
    assert "column must: found 'go'; expected gone or kept" in refused.err


def test_a_plan_names_the_file(cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = 'corpus = "notes.jsonl"\nstatements = "secrets.csv"\nresamples = 0\n[anonymizations]\ntool = "tool.json"\n'
    Path("plan.toml").write_text(plan)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cli("evaluate", "../plan.toml", "-o", "run.json").status == 0
    assert Run.load("run.json")["tool", "propositions"].value == 1


@pytest.mark.skipif(find_spec("openai") is None, reason="pip install 'showthrough[llm]'")
def test_a_server_is_asked_with_leave_and_once(cli: Callable[..., Any]) -> None:
    asking = (*COMMAND, "--statements", "secrets.csv", "--no-references")
    far = cli(*asking, "-m", 'propositions(judge="llm:m@https://example.org/v1")')
    assert far.status == 2
    sent = "the text of 1 document (1 anonymization and the originals) and the statements about them to example.org"
    assert f"would send {sent}" in far.err

    def answer(question: dict[str, Any]) -> str:
        said = ["yes" if "Ann Berg was" in question["messages"][-1]["content"] else "no", "yes"]
        return json.dumps({"verdicts": [{"number": number, "verdict": one} for number, one in enumerate(said, 1)]})

    with talking(answer) as server:
        metric = f'propositions(judge="llm:m@{server.url}")'
        assert cli(*asking, "-m", metric).status == 0
        assert sum(server.answered.values()) == 2  # about the original, and what the tool leaves
        assert cli(*asking, "-m", metric, "--force").status == 0
        assert sum(server.answered.values()) == 2
    run = Run.load("run.json")
    assert (run["tool", metric].value, run["tool", metric, "kept"].value) == (1, 1)
    assert run.asked[0].prompts.keys() == {"statements.v1"}
