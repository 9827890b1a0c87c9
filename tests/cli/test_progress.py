"""A line every half minute where there is no terminal."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import read_anonymization, read_corpus
from showthrough.cli import evaluate, progress
from showthrough.cli.progress import Heartbeat, scoring, show_activity
from showthrough.engines.base import LostError
from showthrough.evaluation.settings import FileSettings
from showthrough.formats import _parallel_lines


class Clock:
    """Time passes when somebody says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def heart(clock: Clock, said: list[str]) -> Heartbeat:
    return Heartbeat("scoring", said.append, clock)


def test_one_line_every_half_minute(heart: Heartbeat, clock: Clock, said: list[str]) -> None:
    counts = []
    for _ in range(100):
        clock.now += 1
        heart.tick()
        counts.append(len(said))
    assert [counts.index(number) for number in (1, 2, 3)] == [29, 59, 89]
    assert counts[-1] == 3
    assert said == ["scoring, 30 s so far", "scoring, 60 s so far", "scoring, 2 min so far"]


def test_documents_speed_and_what_is_left(heart: Heartbeat, clock: Clock) -> None:
    heart.advance(0, 50_000)
    assert heart.line() == "0 of 50,000 documents, 0 s so far"
    clock.now += 400
    heart.advance(12_400, 50_000)
    # 12,400 in 400 s are 31 a second; 37,600 are left, which take 1,213 s.
    assert heart.line() == "12,400 of 50,000 documents, 31.0/s, about 20 min left"
    heart.advance(50_000, 50_000)
    assert heart.line() == "50,000 of 50,000 documents, 7 min so far"


def test_what_was_done_before_does_not_count_as_speed(heart: Heartbeat, clock: Clock) -> None:
    heart.advance(40_000, 50_000)
    clock.now += 100
    heart.advance(40_100, 50_000)
    assert heart.line() == "40,100 of 50,000 documents, 1.0/s, about 2.8 h left"


def test_what_a_model_is_doing(heart: Heartbeat) -> None:
    heart.advance(0, 20)
    heart.watch("embeddings", 256, 1_000)
    assert heart.line() == "0 of 20 documents, 0 s so far; embeddings: 256 of 1,000"
    heart.watch("embeddings", 1_000, 1_000)
    assert heart.line() == "0 of 20 documents, 0 s so far"


def wait_for(capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    """Another thread says it."""
    deadline, heard = time.monotonic() + 60, ""
    while not re.search(pattern, heard) and time.monotonic() < deadline:
        time.sleep(0.005)
        heard += capsys.readouterr().err
    assert re.search(pattern, heard)


def test_lines_come_also_while_nothing_advances(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_EVERY", 0)
    monkeypatch.setattr(progress, "_TICK", 0.001)
    with scoring() as (advance, watch):
        advance(3, 7)
        watch("[bold]tags", 1, 2)
        wait_for(capsys, r"3 of 7 documents, \d+ s so far; \[bold\]tags: 1 of 2\n")
    with show_activity("attacking") as watch:
        watch("tri", 1, 2)
        wait_for(capsys, r"attacking, \d+ s so far; tri: 1 of 2\n")


def test_a_terminal_has_bars_and_no_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: list[None] = []
    monkeypatch.setattr(progress, "_TICK", 0)
    monkeypatch.setattr(Heartbeat, "tick", lambda self: ticks.append(None))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with scoring() as (advance, _):
        advance(3, 7)
    assert ticks == []
    assert "3/7" in capsys.readouterr().err


def test_reading_says_how_many_files_are_read(tmp_path: Path) -> None:
    """Also of one long file, part by part; each of corpus and anonymization."""
    for number in range(3):
        line = {"id": f"d{number}", "text": "Anna left."}
        (tmp_path / f"corpus-{number}.jsonl").write_text(json.dumps(line) + "\n")
        (tmp_path / f"masks-{number}.jsonl").write_text(json.dumps({"id": f"d{number}", "masks": [[0, 4, "X"]]}) + "\n")
    said: list[tuple[str, int, int]] = []
    corpus = read_corpus(tmp_path / "corpus-*.jsonl", watch=lambda *told: said.append(told))
    read_anonymization(tmp_path / "masks-*.jsonl", corpus, watch=lambda *told: said.append(told))
    assert said == [(f"files of {name}-*.jsonl", done, 3) for name in ("corpus", "masks") for done in (1, 2, 3)]


def test_reading_one_long_file_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_parallel_lines, "STRETCH", 100)
    lines = [json.dumps({"id": f"d{number}", "text": "Anna left." * 10}) for number in range(3)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines))
    said: list[tuple[str, int, int]] = []
    read_corpus(tmp_path / "corpus.jsonl", watch=lambda *told: said.append(told))
    count = len(said)
    assert count > 1
    assert said == [("parts of corpus.jsonl", done, count) for done in range(1, count + 1)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, ["reading"]),
        ({"jobs": 2}, ["reading"]),
        ({"engine": "ray"}, ["starting Ray", "reading"]),
        ({"engine": "ray", "address": "head:6379"}, ["connecting to Ray", "reading"]),
    ],
)
def test_what_is_waited_for_is_said(options: dict[str, Any], said: list[str]) -> None:
    assert [*dict.fromkeys([evaluate._starting_message(FileSettings(**options)), "reading"])] == said


def test_settings_are_looked_at_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    """A cluster is not started, nor a million documents read, for what is refused anyway."""

    def started(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(evaluate, "open_engine", started)
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "d", "text": "Anna left."}) + "\n")
    corpus = str(tmp_path / "corpus.jsonl")
    outcome = cli("evaluate", corpus, f"same={corpus}", "--engine", "ray", "--jobs", "0", "--resamples", "-1")
    assert (outcome.status, outcome.out) == (2, "")
    assert sorted(line.partition(";")[0] for line in outcome.err.splitlines()) == [
        "jobs: found 0", "resamples: found -1",
    ]  # fmt: skip


def test_workers_that_are_lost_while_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    def lost(*_: object) -> None:
        raise LostError("a worker was gone in the middle of it")

    monkeypatch.setattr("showthrough.evaluation.requests.EvaluationRequest.plan", lost)
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "d", "text": "Anna left."}) + "\n")
    corpus = str(tmp_path / "corpus.jsonl")
    outcome = cli("evaluate", corpus, f"same={corpus}")
    said = "stopped while reading: a worker was gone in the middle of it; nothing was written\n"
    assert (outcome.status, outcome.out, outcome.err) == (1, "", said)
