"""A line every half minute where there is no terminal."""

from __future__ import annotations

import re
import sys
import time

import pytest

from showthrough.cli import progress
from showthrough.cli.progress import Heartbeat, scoring, working


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
    with working("attacking") as watch:
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
