"""The examples do what they say: their commands are run as they stand there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from showthrough.cli import demo_corpus as demo

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SOURCE = EXAMPLES.parent / "src"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the plan of the examples, the demonstration corpus, and `showthrough` on the path."""
    shutil.copy(EXAMPLES / "plan.toml", tmp_path)
    shutil.copy(demo.corpus_path(), tmp_path / "corpus.json")
    shutil.copy(demo.anonymization_paths()["overmask"], tmp_path / "tool.json")
    program = tmp_path / "bin/showthrough"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m showthrough "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def run(repository: Path, command: str) -> int:
    environment = {
        **os.environ,
        "PATH": f"{repository / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
        "GITHUB_STEP_SUMMARY": str(repository / "summary.md"),
    }
    return subprocess.run(["sh", "-ec", command], cwd=repository, env=environment, capture_output=True).returncode


def steps() -> list[str]:
    """What the workflow runs, but for installing."""
    lines = (EXAMPLES / "github-workflow.yml").read_text(encoding="utf-8").splitlines()
    found = [match[1] for line in lines if (match := re.match(r" +run: (.+)$", line))]
    assert found[0] == "python -m pip install showthrough"
    return found[1:]


def hooks() -> list[str]:
    text = (EXAMPLES / "pre-commit/.pre-commit-config.yaml").read_text(encoding="utf-8")
    return re.findall(r"^ +entry: (.+)$", text, re.MULTILINE)


def release() -> str:
    return re.findall(r"^showthrough evaluate .+$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[
        0
    ]


@pytest.mark.slow
def test_the_workflow_lets_a_good_one_pass_where_documents_are_enough(repository: Path) -> None:
    """The 42 documents of the demonstration are too few to be sure."""
    assert run(repository, release()) == 0
    evaluate, check, summary = steps()
    assert [run(repository, step) for step in (evaluate, check, summary)] == [0, 3, 0]
    assert "more documents without a leak would be enough" in (repository / "summary.md").read_text(encoding="utf-8")
    (repository / "summary.md").unlink()
    assert [run(repository, step) for step in (f"{check} --allow-unsure --force", summary)] == [0, 0]
    assert "the gate is passed" in (repository / "summary.md").read_text(encoding="utf-8")


def test_the_workflow_stops_a_worse_one(repository: Path) -> None:
    assert run(repository, release()) == 0
    shutil.copy(demo.anonymization_paths()["ner"], repository / "tool.json")
    assert [run(repository, step) for step in steps()] == [0, 1, 0]
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert "the gate is not passed" in summary
    assert "which is hardly chance" in summary


@pytest.mark.slow
def test_the_hooks_do_the_same_before_a_commit(repository: Path) -> None:
    assert [run(repository, hook) for hook in hooks()] == [0, 3]  # 42 documents are too few to be sure
    assert run(repository, f"{hooks()[1]} --allow-unsure") == 0
    shutil.copy(demo.anonymization_paths()["ner"], repository / "tool.json")
    assert [run(repository, hook) for hook in hooks()] == [0, 1]


@pytest.mark.parametrize(
    "file",
    ["examples/github-workflow.yml", "examples/pre-commit/.pre-commit-config.yaml", ".pre-commit-hooks.yaml"],
)
def test_they_are_sound_yaml(file: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load((EXAMPLES.parent / file).read_text(encoding="utf-8"))


def test_hooks_for_others_name_commands_that_there_are() -> None:
    text = (EXAMPLES.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^  entry: showthrough (\w+)$", text, re.MULTILINE) == ["check", "evaluate"]
