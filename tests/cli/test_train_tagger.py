"""`showthrough train tagger`: a corpus in, a folder that anonymizes out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Cli = Callable[..., Any]


def case(number: int, name: str) -> dict[str, Any]:
    text = f"Mr {name} came on {number} May 2011 and left again."
    spans = [(3, 3 + len(name), "PERSON", "DIRECT"), (len(name) + 11, text.index(" and"), "DATETIME", "QUASI")]
    keys = ("start_offset", "end_offset", "entity_type", "identifier_type")
    mentions = [dict(zip(keys, one, strict=True)) for one in spans]
    return {"doc_id": f"{name}{number}", "text": text, "annotations": {"ann": {"entity_mentions": mentions}}}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    names = ("Rask", "Holm", "Vidal", "Brandt", "Silva", "Novak")
    for file, days in (("train.json", (3, 7)), ("dev.json", (21,))):
        (tmp_path / file).write_text(json.dumps([case(day, name) for day in days for name in names]))
    return tmp_path / "train.json", tmp_path / "dev.json"


def test_a_folder_is_trained_scored_and_used(cli: Cli, files: tuple[Path, Path], tmp_path: Path) -> None:
    train, dev = files
    made = cli("train", "tagger", train, "--dev", dev, "-o", tmp_path / "crf", "--features", "-affixes")
    assert (made.status, made.err) == (0, "")
    assert "crf: 24 mentions of 2 types in 12 layers of 12 documents" in made.out
    assert "the highest F with beta 2 on training documents held out" in made.out
    assert "er_di" in made.out
    card = json.loads((tmp_path / "crf" / "model.json").read_bytes())
    assert card["figures"]["dev"]["er_di"] == 1.0
    assert card["settings"]["recipe"]["features"]["affixes"] == 0
    used = cli("anonymize", dev, "--with", f"{tmp_path}/crf/", "-o", tmp_path / "masks.json")
    assert used.status == 0
    assert "crf: 12 masks in 6 documents" in used.out
    again = cli("anonymize", train, "--with", f"{tmp_path}/crf/", "-o", tmp_path / "seen.json")
    assert (again.status, "was trained on 12 of these 12 documents" in again.err) == (2, True)
    allowed = cli("anonymize", train, "--with", f"{tmp_path}/crf/", "--seen", "-o", tmp_path / "seen.json")
    assert (allowed.status, "note: crf was trained on 12 of these 12 documents" in allowed.err) == (0, True)


def test_a_preset_is_told_by_its_name(cli: Cli, files: tuple[Path, Path], tmp_path: Path) -> None:
    made = cli("train", "tagger", files[0], "--preset", "guillen1", "--threshold", 0.1, "-o", tmp_path / "model")
    assert made.status == 0
    assert "guillen1 (rules): 24 mentions" in made.out


def test_what_is_there_is_replaced_on_demand_alone(cli: Cli, files: tuple[Path, Path], tmp_path: Path) -> None:
    call = ("train", "tagger", files[0], "--threshold", 0.5, "-o", tmp_path / "crf")
    assert cli(*call).status == 0
    refused = cli(*call)
    assert (refused.status, "holds a model already" in refused.err) == (2, True)
    again = cli(*call, "--force")
    assert again.status == 0
    assert "masks from a probability of 0.5 on, as was asked" in again.out
    assert "is a folder with other files in it" in cli(*call[:-1], tmp_path).err


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (["--preset", "nobody1"], "unknown preset 'nobody1'; there are: "),
        (["--learner", "oracle"], "unknown learner 'oracle'; there are: crf, svm, boosted, hmm"),
        (["--features", "+colour"], "features: unknown feature group 'colour'"),
        (["--annotator", "nobody"], "has no layer of 'nobody'; there are: ann"),
    ],
)
def test_what_there_is_not_is_one_line(
    cli: Cli, files: tuple[Path, Path], tmp_path: Path, more: list[str], fault: str
) -> None:
    found = cli("train", "tagger", files[0], "-o", tmp_path / "out", *more)
    assert found.status == 2
    assert fault in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_missing_extra_is_one_line(
    cli: Cli, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    found = cli("train", "tagger", files[0], "-o", tmp_path / "out")
    assert found.status == 2
    assert "pip install 'showthrough[taggers]'" in found.err
    assert len(found.err.strip().splitlines()) == 1
