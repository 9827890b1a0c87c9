"""`showthrough cache`: what is kept, and clearing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.models.cache import Cache, question


def test_show_and_clear(cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "kept"))
    where = tmp_path / "kept" / "answers"
    outcome = cli("cache")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"0 answers, 0 bytes of at most 2.0 GB, in {where}\n"
    assert not where.exists()  # looking makes nothing
    cache = Cache(tmp_path / "kept")
    for number in range(3):
        cache.put(question(number), {"x": np.zeros(1000)})
    size = cache.size()
    assert 24_000 < size < 25_000
    shown = f"3 answers, {size / 1000:.1f} kB of at most 2.0 GB, in {where}\n"
    assert cli("cache").out == shown
    assert cli("cache", "--clear").out == f"removed {shown}"
    assert cli("cache").out.startswith("0 answers, 0 bytes")


def test_a_limit_of_ones_own(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for given, shown in (("20GB", "20.0 GB"), ("1.5 mb", "1.5 MB"), ("", "2.0 GB")):
        monkeypatch.setenv("SHOWTHROUGH_CACHE_LIMIT", given)
        assert f"of at most {shown}, in " in cli("cache").out


@pytest.mark.parametrize("given", ["20", "many", "-1GB", "GB", "1e9GB"])
def test_a_limit_that_is_no_size(
    given: str, desk: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOWTHROUGH_CACHE_LIMIT", given)
    says = f"SHOWTHROUGH_CACHE_LIMIT: found {given!r}; expected a size such as 500MB or 20GB\n"
    for command in (("cache",), ("evaluate", "corpus.json", "a=masks.json")):
        outcome = cli(*command)
        assert (outcome.status, outcome.err) == (2, says)


def test_evaluate_without_it(
    desk: Any, cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "kept"))
    command = ("evaluate", "corpus.json", "a=masks.json", "-m", 'tpi(ic="uniform")', "--no-cache")
    outcome = cli(*command)
    assert (outcome.status, outcome.err) == (0, "")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--dtype", "fp8", "dtype: found 'fp8'; expected fp32, fp16 or bf16"),
        ("--device", "gpu", "device: found 'gpu'; expected auto, cpu, cuda, cuda:<number> or mps"),
        ("--device", "cuda:x", "device: found 'cuda:x'; expected auto, cpu, cuda, cuda:<number> or mps"),
    ],
)
def test_unknown_devices_and_formats(option: str, value: str, says: str, desk: Any, cli: Callable[..., Any]) -> None:
    outcome = cli("evaluate", "corpus.json", "a=masks.json", option, value)
    assert (outcome.status, outcome.err) == (2, says + "\n")


def test_a_file_in_its_place(cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept").write_text("a file")
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "kept"))
    for arguments in (("cache",), ("cache", "--clear")):
        outcome = cli(*arguments)
        assert outcome.status == 2
        assert outcome.err.splitlines() == [f"{tmp_path}/kept/answers: the cache cannot be read: Not a directory"]
