"""What is left of a model that another one replaces."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec
import pytest

from showthrough.models.model_folders import CARD, Card, TrainingRecord, read_card, write_model

NEW = Card(kind="tagger", training=TrainingRecord("train", "0a"))


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(tmp_path / "model", NEW, {"old.bin": b"old", "shared.json": b"old", "inner/old.txt": b"old"})
    return tmp_path / "model"


def test_files_of_the_model_before_are_gone_and_others_stay(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    write_model(folder, NEW, {"new.bin": b"new", "shared.json": b"new"})
    assert names(folder) == {CARD, "new.bin", "shared.json", "notes.txt"}
    assert (folder / "shared.json").read_bytes() == b"new"
    assert read_card(folder).files == ("new.bin", "shared.json")


def test_a_card_cannot_have_other_files_removed(folder: Path) -> None:
    outside = folder.parent / "precious.txt"
    outside.write_text("mine")
    forged = msgspec.structs.replace(read_card(folder), files=("../precious.txt", str(outside), CARD))
    (folder / CARD).write_bytes(msgspec.json.encode(forged))
    write_model(folder, NEW, {"new.bin": b"new"})
    assert outside.read_text() == "mine"
    assert (folder / CARD).is_file()


def test_a_card_that_cannot_be_read_is_replaced(folder: Path) -> None:
    (folder / CARD).write_text("{")
    write_model(folder, NEW, {"new.bin": b"new"})
    assert read_card(folder).files == ("new.bin",)


def test_only_its_owner_reads_it(folder: Path) -> None:
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
    assert modes == {0o600}
