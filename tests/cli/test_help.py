"""The help: commands and options under headings, short and whole."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

HEADINGS = ["Evaluate", "Inspect", "Prepare", "Systems", "People"]
MOST_USED = ["--with", "--output", "--metric", "--preset", "--min", "--max", "--html", "--verbose"]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_all_commands_fit_on_one_screen(narrow: None, cli: Callable[..., Any]) -> None:
    lines = cli("--help").out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert [line[:-1] for line in lines if re.fullmatch(r"\w+:", line)] == [*HEADINGS, "Options"]
    commands = [line for line in lines if re.match(r"  [a-z]+  +[A-Z]", line)]
    assert len(commands) <= 28
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


def test_groups_have_whole_summaries(narrow: None, cli: Callable[..., Any]) -> None:
    for group in ("train", "verifier", "rate"):
        assert "..." not in cli(group, "--help").out.partition("Commands:")[2]


def test_evaluate_leads_with_what_most_people_use(narrow: None, cli: Callable[..., Any]) -> None:
    _, *sections = re.split(r"^(\S.*):\n", cli("evaluate", "--help").out, flags=re.MULTILINE)
    options = {
        title: re.findall(r"^  .*?(--[\w-]+)", text, re.MULTILINE)
        for title, text in zip(sections[::2], sections[1::2], strict=True)
    }
    assert [*options] == ["Arguments", "Options", "What is scored", "How", "Language models", "Cluster", "Output"]
    assert options["Options"] == MOST_USED
    assert options["Output"][-1] == "--help"


@pytest.mark.parametrize(
    "words",
    [("evaluate",), ("check",), ("stress",), ("corpus",), ("compare",), ("adjudicate",), ("scan",), ("train", "tagger"),
     ("train", "verifier"), ("verifier", "answer"), ("verifier", "score"), ("rate", "sample"), ("rate", "serve")],
    ids=" ".join,
)  # fmt: skip
def test_arguments_are_in_capitals_without_braces(words: tuple[str, ...], cli: Callable[..., Any]) -> None:
    usage = cli(*words, "--help").out.partition("\n")[0]
    pieces = usage.partition(f"showthrough {' '.join(words)} [OPTIONS] ")[2].split()
    assert pieces
    assert [piece for piece in pieces if not re.fullmatch(r"\[?[A-Z\d=]+\]?(\.{3})?", piece)] == []


def test_help_imports_no_command() -> None:
    program = "import sys, showthrough.cli as cli; sys.argv = ['showthrough', '--help']; cli.app(standalone_mode=False)"
    after = "; print(*[name for name in sys.modules if name.startswith('showthrough')], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program + after], capture_output=True, text=True, check=True)
    assert "People:" in done.stdout
    assert len(done.stderr.split()) <= 20


def test_kinds_are_listed(cli: Callable[..., Any]) -> None:
    kinds = [line.split()[0] for line in cli("list").out.splitlines()]
    assert {"metrics", "formats", "verifiers", "learners", "attackers", "judges"} <= {*kinds}
    for kind in kinds:
        assert cli("list", kind).status == 0
    refused = cli("list", "metric")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("list: unknown kind 'metric'; did you mean metrics?")


def test_no_table_is_empty(cli: Callable[..., Any]) -> None:
    lines = cli("list", "verifiers").out.splitlines()
    assert lines[0] == "No installed package brings a verifier."
    assert lines[1].startswith("FOLDER is a verifier that showthrough train verifier made")


@pytest.mark.parametrize(("kind", "name"), [("learners", "glad"), ("attackers", "reader"), ("judges", "llm")])
def test_one_of_a_kind(kind: str, name: str, cli: Callable[..., Any]) -> None:
    assert name in cli("list", kind, name).out
    assert cli("list", kind, "nobody").err.startswith(f"unknown {kind[:-1]} 'nobody'; there are: ")
