"""Thousands of malformed inputs: each is refused in one line a problem, or gets a right answer.

The normal suite tries a few of each family, the same every time. `make fuzz` sets MALFORMED to a seed and tries them
all; a failure names its seed, family and number, and becomes a test of its own.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.main import get_command

import showthrough.cli
from malformed.attempt import Attempt
from malformed.families import FAMILIES, RAN
from malformed.requests import SOUND
from malformed.rightness import wrong_with

SEED = os.environ.get("MALFORMED", "")
SHARE = 50  # of all that the normal suite tries: one in so many
BLOCK = 50  # attempts of one test
SECONDS = 20.0  # that one may take, of the processor
WAITED = 90  # seconds that one may take in all
LONGEST = 500  # characters of a line
MEMORY = 1000  # megabytes by which one block may grow; libraries that it is the first to use take half of that


def blocks() -> Iterator[Any]:
    for name, (_, count) in FAMILIES.items():
        count = count if SEED else -(-count // SHARE)
        for first in range(0, count, BLOCK):
            yield pytest.param(name, range(first, min(count, first + BLOCK)), id=f"{name}-{first}")


@pytest.fixture(scope="session")
def parser() -> Callable[..., Any]:
    made: Callable[..., Any] = get_command(showthrough.cli.app)
    return made


@pytest.fixture
def withstands(
    tmp_path: Path, parser: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[Attempt], str]:
    """Makes an attempt and says what is wrong with what happened; empty where all is well."""
    monkeypatch.setattr(showthrough.cli, "app", parser)
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    desk = tmp_path / "desk"

    def attempt(one: Attempt) -> str:
        shutil.rmtree(desk, ignore_errors=True)
        desk.mkdir()
        monkeypatch.chdir(desk)
        one.lay_out(desk)
        before = _snapshot(desk)
        monkeypatch.setattr(sys, "argv", ["showthrough", *one.command])
        capfd.readouterr()
        started = time.process_time()
        status: object = 0
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                with _in_time():
                    showthrough.cli.main()
            except SystemExit as left:
                status = left.code or 0
            except BaseException:
                return "raises " + traceback.format_exc()[-1500:]
        said = capfd.readouterr()
        took = time.process_time() - started
        if took > SECONDS:
            return f"took {took:.0f} s"
        if warned := [w for w in warned if issubclass(w.category, (RuntimeWarning, UserWarning, FutureWarning))]:
            return f"warns: {warned[0].message} ({warned[0].filename}:{warned[0].lineno})"
        if status not in one.statuses:
            return f"ends with {status}: {said.err[-500:]}"
        if fault := _left_behind(one, before, _snapshot(desk)):
            return fault
        if status == 2:
            return _badly_refused(said.out, said.err) or ("writes" if _snapshot(desk) != before else "")
        if fault := _untidy(said.err) or _obeyed(said.out):
            return fault
        return wrong_with(one, desk) if status == 0 else ""

    return attempt


@contextmanager
def _in_time() -> Iterator[None]:
    """Ends what waits for something that never comes; that takes no time of the processor."""

    def late(*_: object) -> None:
        raise TimeoutError(f"waits for more than {WAITED} s")

    usual = signal.signal(signal.SIGALRM, late)
    signal.alarm(WAITED)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, usual)


def _snapshot(folder: Path) -> dict[str, bytes]:
    """What is on the desk. Links are not followed: they lead anywhere."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        for path in sorted(folder.rglob("*"))
    }


def _left_behind(one: Attempt, before: dict[str, bytes], after: dict[str, bytes]) -> str:
    """What no command may do, however it ends: touch what it was given, leave scraps, run a model's code."""
    if RAN in after:
        return "runs code that a model brought"
    if scraps := [name for name in after if ".showthrough-" in name]:
        return f"leaves {scraps}"
    changed = [name for name, content in before.items() if after.get(name) != content]
    return "" if "--resume" in one.command or not changed else f"changes {changed}"


_USAGE = re.compile(r"Usage: .*\n( .*\n)*Try .* for help\.\n\nError: [^\n]+\n")


_FOLDED = re.compile(r"(?m)^note: .*(?:\n {6}\S.*)+")  # a note may go over several lines


def _badly_refused(out: str, err: str) -> str:
    if out:
        return f"prints before it refuses: {out[:300]}"
    if not err.strip():
        return "refuses without a word"
    return _unfit(err) if _USAGE.fullmatch(err) else _untidy(err)


def _untidy(err: str) -> str:
    """What is wrong with lines on standard error: each says something of its own, and none is a program's."""
    for line in _FOLDED.sub(lambda note: note[0].replace("\n      ", " "), err).splitlines():
        if not line.strip() or line[0].isspace() or re.search(r"Traceback|Warning|panicked|^\w*Error:", line):
            return f"says {err[:800]!r}"
    return _unfit(err)


def _obeyed(out: str) -> str:
    """What a terminal would obey instead of showing it."""
    line = next((line for line in out.split("\n") if not line.isprintable()), "")
    return f"prints {line[:300]!r}" if line else ""


def _unfit(err: str) -> str:
    """A line that is too long, or would be obeyed by the terminal."""
    for line in err.split("\n"):
        if len(line) >= LONGEST or not line.isprintable():
            return f"says {line[:800]!r}, of {len(line)} characters"
    return ""


@pytest.mark.parametrize(("family", "numbers"), list(blocks()))
def test_malformed(family: str, numbers: range, withstands: Callable[[Attempt], str]) -> None:
    make, _ = FAMILIES[family]
    found = []
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in numbers:
        one = make(Random(f"{SEED or 0}/{family}/{number}"))
        if fault := withstands(one):
            found.append(f"seed {SEED or 0}, {family}, number {number}: {' '.join(one.command)[:300]!r}\n{fault}")
    assert not found, f"{len(found)} of {len(numbers)}\n" + "\n\n".join(found[:8])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - largest) // 1024
    assert grown < MEMORY, f"{family}: {grown} MB more"


def test_there_are_enough_of_them() -> None:
    assert sum(count for _, count in FAMILIES.values()) >= 3000


def test_every_command_and_format_is_among_them(parser: Any) -> None:
    """Metrics, attacks and options are taken from their tables; these have to be thought of."""
    from showthrough.formats import FORMATS

    assert set(parser.commands) - set(SOUND) == {"demo"}  # which reads nothing that anybody gives it
    assert set(FORMATS) == {
        *(
            "tab",
            "jsonl",
            "masks",
            "showthrough",
            "records",
            "texts",
            "table",
            "folder",
            "i2b2",
            "i2b2-2006",
            "i2b2-2014",
            "meddocan",
        ),
        *("brat", "conll", "presidio", "comprehend", "dlp", "azure", "xlsx", "parquet", "conllu", "webanno", "xmi"),
        *("pan", "pan-pairs", "pan-submission", "spia", "profiles"),
        *("spacy", "spacy-json", "spacy-pairs", "token-rows"),
        *("label-studio", "label-studio-min", "doccano", "prodigy", "presidio-evaluator", "ai4privacy", "nemotron-pii"),
    }
