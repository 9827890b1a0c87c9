"""`showthrough train transformer`: a model that masks, from a file of annotated documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, write_corpus
from showthrough.systems.encoders.learning import TokenLearner

pytestmark = pytest.mark.slow

Cli = Callable[..., Any]


@pytest.fixture
def train(cli: Cli, untrained: Path, hearings: Corpus, tmp_path: Path) -> Cli:
    """The command with documents and settings by which a tiny model learns."""
    first, rest = list(hearings)[:1], list(hearings)[1:]
    write_corpus(Corpus(rest, name="train"), tmp_path / "train.json", "tab")
    write_corpus(Corpus(first, name="dev"), tmp_path / "dev.json", "tab")
    usual = ("--model", untrained, "--batch", 4, "--learning-rate", 0.01, "--device", "cpu")

    def call(*arguments: object) -> Any:
        window = () if "--sweep" in arguments else ("--window", 24)
        return cli("train", "transformer", tmp_path / "train.json", *usual, *window, *arguments)

    return call


def test_a_model_is_trained_and_then_masks(train: Cli, cli: Cli, tmp_path: Path) -> None:
    found = train("--dev", tmp_path / "dev.json", "-o", tmp_path / "made", "--epochs", 2)
    assert found.status == 0
    assert [line.split(":")[0] for line in found.err.splitlines()] == ["epoch 1", "epoch 2"]
    lines = found.out.splitlines()
    assert "loss er_di er_qi recall precision wp f1" in " ".join(" ".join(lines).split())
    assert lines[-1] == f"written to {tmp_path / 'made'}"
    masked = cli("anonymize", tmp_path / "dev.json", "--with", f"{tmp_path / 'made'}/", "-o", tmp_path / "masks.json")
    assert masked.status == 0
    again = cli("anonymize", tmp_path / "train.json", "--with", f"{tmp_path / 'made'}/", "-o", tmp_path / "more.json")
    assert again.status == 2
    assert "was trained on 3 of these 3 documents" in again.err


def test_a_training_is_stopped_and_goes_on(train: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, taken = TokenLearner.loss, 0

    def stopping(*arguments: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken == 3:
            raise KeyboardInterrupt
        return usual(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(TokenLearner, "loss", stopping)
        found = train("-o", tmp_path / "made", "--epochs", 2)
    assert (found.status, found.out) == (130, "")
    checkpoint = tmp_path / "made.checkpoint.safetensors"
    assert found.err == f"training was stopped; where it stood is in {checkpoint}: the same with --resume goes on\n"
    found = train("-o", tmp_path / "made", "--epochs", 2, "--resume")
    assert found.status == 0
    assert "Loss after every epoch" in found.out
    assert "no documents were given to score it on (--dev)" in found.out


def test_scores_that_are_too_good_are_told(train: Cli, tmp_path: Path) -> None:
    dev = ("--dev", tmp_path / "train.json", "--seen", "--keep-epoch", "best", "--epochs", 1)
    found = train(*dev, "-o", tmp_path / "made")
    assert found.status == 0
    told = " ".join(found.out.split())
    assert "Scores on 3 documents of --dev" in told
    assert "3 of these 3 documents were trained on: the scores are too good" in told
    assert "these scores chose the epoch" in told
    clean = train("--dev", tmp_path / "dev.json", "-o", tmp_path / "other", "--epochs", 1)
    assert "Scores on 1 document of --dev" in clean.out
    assert "too good" not in clean.out


def test_a_sweep_is_a_table(train: Cli, tmp_path: Path) -> None:
    grid = ("--sweep", "--sweep-windows", "16,24", "--sweep-weights", "1,10", "--epochs", 1)
    dev = ("--dev", tmp_path / "dev.json")
    found = train(*dev, "-o", tmp_path / "grid", *grid, "--json", tmp_path / "grid.json")
    assert found.status == 0
    rows = [line for line in found.out.splitlines() if line[:1].isdigit()]
    assert [row.split("  ")[0] for row in rows] == ["16, weight 1", "16, weight 10", "24, weight 1", "24, weight 10"]
    outcomes = json.loads((tmp_path / "grid.json").read_text())["outcomes"]
    assert [(one["window"], one["mask_weight"]) for one in outcomes] == [(16, 1), (16, 10), (24, 1), (24, 10)]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--dev", "train.json"), "3 of 3 documents are also trained on"),
        (("--model", "none/there/is"), "there is no folder"),
        (("--window", 65), "window: found 65; expected 3 to 64 tokens"),
        (("--keep-epoch", "best"), "keep: found best and no --dev"),
        (("--keep-epoch", "first"), "keep: found 'first'; expected last or best"),
        (("--sweep",), "dev: a sweep compares trainings by their scores"),
        (("--sweep-windows", "16,24"), "sweep-windows: is of a sweep; expected --sweep beside it"),
        (("--sweep", "--window", 24), "window: a sweep has several; expected --sweep-windows"),
        (("--device", "tpu"), "device: found 'tpu'; expected auto, cpu, cuda"),
    ],
)
def test_what_cannot_be_is_one_line(
    train: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...], fault: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = train("-o", tmp_path / "made", *arguments)
    assert (found.status, found.out) == (2, "")
    assert fault in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "made").exists()
