"""What is asked of nobody stays here: no socket, and no word of a document where nobody asked for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = "Zyzzogeton"
TEXT = f"I'm 34 and live in {PLANTED}; my wife says so."
PROFILE = {
    "profile": "d1",
    "text": TEXT,
    "attributes": {"age": {"gold": "34"}, "city_country": {"gold": f"{PLANTED}, Norway"}},
}
MASKS = {"d1": [[0, 6, "AGE"]], "d2": []}
SAID = [{"profile": key, "attributes": {"age": {"guesses": ["34"]}, "city_country": {"guesses": [PLANTED]}}} for key in MASKS]  # fmt: skip # noqa: E501


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    files = {"corpus": [PROFILE, PROFILE | {"profile": "d2"}], "said": SAID}
    for name, lines in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "masks.json").write_text(json.dumps(MASKS))
    return tmp_path


def called(desk: Path, without_sockets: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(without_sockets), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {"SHOWTHROUGH_CACHE": str(desk / "cache"), "HOME": str(desk / "home"), "TMPDIR": str(desk)}
    return subprocess.run(
        [sys.executable, "-m", "showthrough", *arguments],
        cwd=desk, env={**os.environ, **kept, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_sockets_are_forbidden_where_these_tests_say_so(desk: Path, without_sockets: Path) -> None:
    script = "import socket; socket.create_server(('127.0.0.1', 0))"
    refused = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(without_sockets)}, capture_output=True
    )
    assert b"a socket was opened" in refused.stderr


@pytest.mark.parametrize("attacker", ["reader", "answers:said.jsonl"])
def test_no_socket_and_no_text_that_nobody_asked_for(desk: Path, without_sockets: Path, attacker: str) -> None:
    there = {path for path in desk.rglob("*") if path.is_file()}
    metric = f'attributes(attacker="{attacker}")'
    done = called(
        desk, without_sockets, "evaluate", "corpus.jsonl", "m=masks.json", "--metric", metric, "-o", "run.json",
        "--without-text",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert PLANTED not in done.stdout + done.stderr
    written = [path for path in desk.rglob("*") if path.is_file() and path not in there]
    assert desk / "run.json" in written
    assert [path for path in written if PLANTED.encode() in path.read_bytes()] == []
    assert json.loads((desk / "run.json").read_bytes())["scores"]


def test_answers_are_never_written_over(desk: Path, without_sockets: Path) -> None:
    before = (desk / "said.jsonl").read_bytes()
    for attacker in ("answers:said.jsonl", "answers:m=said.jsonl"):
        metric = f'attributes(attacker="{attacker}")'
        arguments = ("evaluate", "corpus.jsonl", "m=masks.json", "--metric", metric, "-o", "said.jsonl", "--force")
        done = called(desk, without_sockets, *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("said.jsonl: is read by this command")
    assert (desk / "said.jsonl").read_bytes() == before


def test_a_fault_in_answers_shows_no_text(desk: Path, without_sockets: Path) -> None:
    (desk / "said.jsonl").write_text(
        json.dumps(SAID[0] | {"answer": PLANTED, "guesses": [{"tag": "", "value": PLANTED}]})
    )
    metric = 'attributes(attacker="answers:said.jsonl")'
    done = called(desk, without_sockets, "evaluate", "corpus.jsonl", "m=masks.json", "--metric", metric)
    assert done.returncode == 2
    assert PLANTED not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1
