"""The command line, called in this process as the installed command calls it, at a desk with sound files."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import showthrough.cli

DOCUMENT = {
    "doc_id": "d1",
    "text": "😀 Mr John Doe of Oslo left.",
    "annotations": {
        "ann": {
            "entity_mentions": [
                {"start_offset": 5, "end_offset": 13, "entity_type": "PERSON", "identifier_type": "DIRECT"},
                {"start_offset": 17, "end_offset": 21, "entity_type": "LOC", "identifier_type": "QUASI"},
            ]
        }
    },
}
MASKS = {"d1": [[5, 13, "PERSON"]]}


@dataclass(frozen=True)
class Outcome:
    """What a user sees of one command."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def parser() -> Callable[[], None]:
    """The commands as typer makes them, made once: that is most of the time of a short call."""
    made: Callable[[], None] = get_command(showthrough.cli.app)
    return made


@pytest.fixture
def cli(
    parser: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """`cli("evaluate", "corpus.json", …)`: any other exception than SystemExit fails the test."""
    monkeypatch.setattr(showthrough.cli, "app", parser)

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["showthrough", *map(str, arguments)])
        capsys.readouterr()
        try:
            showthrough.cli.main()
            status = 0
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        captured = capsys.readouterr()
        return Outcome(
            status, captured.out, re.sub(r"(?<=\S)\n {6}(?=\S)", " ", captured.err)
        )  # long notes in one line

    return call


@pytest.fixture(scope="session")
def runs() -> dict[object, bytes]:
    return {}


@pytest.fixture
def evaluated(cli: Callable[..., Outcome], runs: dict[object, bytes]) -> Callable[..., None]:
    """`evaluated("corpus.json", …, "-o", "run.json")`: a run for tests that are about what is done with it.

    A test before may have evaluated the same files: then that run is written.
    """

    def write(*arguments: str) -> None:
        files = {path: path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}
        key, target = (arguments, *files.items()), Path(arguments[-1])
        if key in runs:
            target.write_bytes(runs[key])
        else:
            assert cli("evaluate", *arguments).status == 0
            runs[key] = target.read_bytes()

    return write


class Desk:
    """A working directory with a sound corpus.json and a sound masks.json."""

    def __init__(self, folder: Path, cli: Callable[..., Outcome]) -> None:
        self.folder = folder
        self.cli = cli
        self.write({"corpus.json": [DOCUMENT], "masks.json": MASKS})

    def write(self, files: Mapping[str, Any]) -> None:
        """Text and bytes as they are, anything else as JSON."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))

    def snapshot(self) -> dict[str, tuple[int, bytes]]:
        """Every file with its time and content: what must not change."""
        return {
            str(path): (path.stat().st_mtime_ns, b"" if path.is_dir() else path.read_bytes())
            for path in sorted(self.folder.rglob("*"))
        }

    def refuses(self, *command: str, starts: str, says: tuple[str, ...] = (), lines: int = 1) -> None:
        """Exit status 2, each line starting with the place and all saying what is wrong, and no file touched."""
        before = self.snapshot()
        outcome = self.cli(*command)
        assert (outcome.status, outcome.out) == (2, "")
        found = outcome.err.splitlines()
        assert len(found) == lines, outcome.err
        for line in found:
            assert line.startswith(starts)
            assert len(line) > len(starts) or not starts.endswith(": ")
        for fragment in says:
            assert fragment in outcome.err
        assert self.snapshot() == before


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Outcome]) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, cli)
