"""What there is to say of a file that was read: every command says it, and a run without text names no folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

UNUSED = "odd.jsonl: not used, since the format does not know this key: colour"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("secret").mkdir()
    Path("secret/odd.jsonl").write_text('{"doc_id": "a", "text": "Dr Ona Rask left.", "colour": "red"}\n')
    Path("masks.json").write_text('{"a": [[3, 11, "NAME"]]}')


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "secret/odd.jsonl"),
        ("annotate", "secret/odd.jsonl", "--with", "rules", "-o", "out.json"),
        ("anonymize", "secret/odd.jsonl", "--with", "rules", "-o", "out.json"),
        ("apply", "secret/odd.jsonl", "masks.json", "-o", "out.jsonl"),
        ("validate", "secret/odd.jsonl", "masks.json"),
        ("evaluate", "secret/odd.jsonl", "masks.json", "-m", "residual"),
    ],
)
def test_what_a_file_leaves_unused_is_told(command: tuple[str, ...], cli: Any) -> None:
    done = cli(*command)
    assert done.status == 0
    assert f"note: {UNUSED}" in f"{done.out}{done.err}".splitlines()


def test_a_run_without_text_has_no_folder_in_its_notes(cli: Any) -> None:
    done = cli("evaluate", "secret/odd.jsonl", "masks.json", "-m", "residual", "--without-text", "-o", "run.json")
    assert done.status == 0
    assert UNUSED in Path("run.json").read_text()
    assert "secret" not in Path("run.json").read_text()
