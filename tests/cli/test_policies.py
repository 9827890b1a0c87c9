"""Policies on the command line: evaluated, checked, and quoted under their rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run

SOUND = """
name = "mine"
title = "Mine"
source = "our house"
[[rules]]
id = "one"
title = "names"
types = ["PERSON"]
"""


def test_a_policy_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> None:
    monkeypatch.chdir(tmp_path)
    desk = tmp_path
    (desk / "c.json").write_text(
        '[{"doc_id": "a", "text": "Ann Kowalska came.", "annotations": {"x": {"entity_mentions": '
        '[{"start_offset": 0, "end_offset": 12, "entity_type": "PATIENT"}]}}}]'
    )
    (desk / "m.json").write_text('{"a": [[0, 3]]}')
    (desk / "mine.toml").write_text(SOUND)
    (desk / "plan.toml").write_text(
        'corpus = "c.json"\nanonymizations = {m = "m.json"}\nmetrics = ["recall"]\n'
        'policy = "mine.toml"\noutput = "p.json"\n'
    )
    assert cli("evaluate", "c.json", "m.json", "--policy", "mine.toml", "-o", "r.json").status == 0
    assert cli("evaluate", "plan.toml").status == 0
    assert Run.load("p.json")["m", "policy"].value == Run.load("r.json")["m", "policy"].value == 0
    shown = cli("check", "r.json", "--policy", "mine.toml")
    assert (shown.status, "mine one names" in shown.out) == (1, True)
    assert "Kowalska" not in shown.out
    assert "Kowalska" in cli("errors", "r.json").out
    other = cli("check", "r.json", "--policy", "tab")
    assert (other.status, "the run was judged by mine, whose rules differ" in other.err) == (2, True)
    assert cli("evaluate", "c.json", "m.json", "-o", "n.json").status == 0
    assert "the run was judged by none" in cli("check", "n.json", "--policy", "tab").err
