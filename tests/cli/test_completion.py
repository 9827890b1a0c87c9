"""What a shell completes, and `-h`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from typer.main import get_command

import showthrough.cli
from showthrough.metrics import METRICS

COMMANDS = sorted(get_command(showthrough.cli.app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_in_short(command: tuple[str, ...], cli: Callable[..., Any]) -> None:
    short, long = cli(*command, "-h"), cli(*command, "--help")
    assert (short.status, short.err) == (0, "")
    assert short.out == long.out
    assert "-h, --help" in short.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("eva", ["evaluate"]),
        ("evaluate --pres", ["--preset"]),
        ("evaluate --preset ta", ["tab", "tae"]),
        ("evaluate corpus.json a=b.json -m er", ["er_di", "er_qi", "er"]),
        ("evaluate --format pres", ["presidio-evaluator", "presidio"]),
        ("attack --attacks lex", ["lexical"]),
        ("scan --detector patt", ["patterns"]),
        ("anonymize --with rul", ["rules"]),
        ("convert corpus.json --to bra", ["brat"]),
        ("list formats i2b2-2", ["i2b2-2014", "i2b2-2006"]),
        ("list metrics er_", [name for name in METRICS if name.startswith("er_")]),
        ("list at", ["attacks", "attackers"]),
        ("list judges ru", ["rules"]),
        ("check none.json -m er", ["er_di", "er_qi", "er"]),
    ],
)
def test_names_are_completed(
    typed: str, offered: list[str], parser: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(complete(typed, parser, monkeypatch, capsys)) == sorted(offered)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("compare run.json -m ", ["er_di", "precision"]),
        ("check run.json --min er", ["er_di="]),
        ("check run.json --anonymization ", ["rules", "ours"]),
        ("errors run.json --anonymization o", ["ours"]),
    ],
)
def test_names_of_a_run_are_completed(
    typed: str, offered: list[str], desk: Any, evaluated: Any, parser: Any, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    evaluated("corpus.json", "rules=masks.json", "ours=masks.json", "-m", "er_di", "-m", "precision", "-o", "run.json")
    capsys.readouterr()
    assert sorted(complete(typed, parser, monkeypatch, capsys)) == sorted(offered)


def complete(typed: str, parser: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    words = f"showthrough {typed}"
    monkeypatch.setenv("_SHOWTHROUGH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - (not words.endswith(" "))))
    with pytest.raises(SystemExit) as left:
        parser.main([], prog_name="showthrough")
    assert left.value.code == 0
    return capsys.readouterr().out.split()
