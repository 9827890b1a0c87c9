"""`--with llm:MODEL`: where answers are kept, what it would cost, and who may get the texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from talking import talking

pytest.importorskip("openai")
TEXT = "Ann Doe met Bob in Oslo."


def quotes(*pairs: tuple[str, str]) -> str:
    return json.dumps({"entities": [{"text": text, "type": kind} for text, kind in pairs]})


def test_the_command_keeps_answers_beside_the_masks_and_estimates(desk: Any) -> None:
    Path("notes.json").write_text(json.dumps({"a": TEXT, "b": "Bob left."}), encoding="utf-8")
    with talking(lambda _: quotes(("Bob", "PERSON"))) as server:
        system = f"llm:m@{server.url}"
        estimated = desk.cli("anonymize", "notes.json", "--with", system, "-o", "hidden.json", "--estimate")
        assert estimated.status == 0, estimated.err
        assert f"{system}: 2 calls to this machine" in estimated.out
        assert not server.sent
        assert not Path("hidden.json").exists()
        outcome = desk.cli("anonymize", "notes.json", "--with", system, "-o", "hidden.json")
        assert outcome.status == 0, outcome.err
        asked = len(server.sent)
        assert asked == 2
        assert desk.cli("anonymize", "notes.json", "--with", system, "-o", "hidden.json", "--force").status == 0
        assert len(server.sent) == asked
    assert Path("hidden.json.answers").stat().st_mode & 0o077 == 0
    masks: Mapping[str, Any] = json.loads(Path("hidden.json").read_text(encoding="utf-8"))
    assert "Bob" not in json.dumps(masks)


def test_evaluate_keeps_answers_beside_the_run(desk: Any) -> None:
    Path("notes.json").write_text(json.dumps({"a": TEXT}), encoding="utf-8")
    with talking(lambda _: quotes(("Bob", "PERSON"), ("Eve", "PERSON"))) as server:
        outcome = desk.cli("evaluate", "notes.json", "--with", f"small=llm:m@{server.url}", "-o", "run.json")
        assert outcome.status == 0, outcome.err
    assert Path("run.json.answers").exists()
    assert "small: of 2 quotes, 1 are not in the text and were dropped" in outcome.out + outcome.err


def test_a_machine_elsewhere_is_named_first(desk: Any) -> None:
    Path("notes.json").write_text(json.dumps({"a": TEXT}), encoding="utf-8")
    outcome = desk.cli("anonymize", "notes.json", "--with", "llm:m@https://far.example.org/v1", "-o", "far.json")
    assert outcome.status == 2
    assert "--send-text-to far.example.org allows it" in outcome.err
    assert not Path("far.json.answers").exists()
