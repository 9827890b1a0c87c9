"""Loading encoders: nothing made up, no code of a model, one line for whatever is wrong."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import PlanError, ResourceError
from showthrough.models.settings import ModelSettings
from showthrough.systems.encoders._loading import CLASSIFIER, ENCODER, Encoder, encoder_files, load_encoder

pytestmark = pytest.mark.slow

CPU = ModelSettings(device="cpu")


def load(folder: Path, **options: Any) -> Encoder:
    return load_encoder(str(folder), encoder_files(str(folder)), CPU, **options)


def test_a_classifier(random_model: Path) -> None:
    encoder = load(random_model)
    assert encoder.labels == ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    assert (encoder.before, encoder.after, encoder.longest) == ((101,), (102,), 512)
    (pieces,) = encoder.pieces(["Ona Rask"])
    assert [(a, b) for a, b in zip(pieces.start, pieces.end, strict=True)] == [(0, 2), (2, 3), (4, 7), (7, 8)]
    assert encoder.pieces([]) == []


@pytest.mark.parametrize(("asked", "window"), [(0, 512), (3, 3), (512, 512)])
def test_windows_that_fit(random_model: Path, asked: int, window: int) -> None:
    assert load(random_model).window(asked) == window


@pytest.mark.parametrize("asked", [-1, 1, 2, 513])
def test_windows_that_do_not(random_model: Path, asked: int) -> None:
    with pytest.raises(PlanError, match=f"window: found {asked}; expected 3 to 512 tokens"):
        load(random_model).window(asked)


@pytest.fixture
def body(torch: Any, random_model: Path, tmp_path: Path) -> Path:
    """The same model without its head."""
    from transformers import BertModel

    folder = tmp_path / "body"
    shutil.copytree(random_model, folder)
    BertModel.from_pretrained(random_model).save_pretrained(folder)
    return folder


def test_a_head_is_never_made_up(body: Path) -> None:
    with pytest.raises(ResourceError, match=r"has no head that labels tokens: classifier\.bias is not in it"):
        load(body)


def test_a_new_head_is_for_the_labels_it_is_asked_for(body: Path, random_model: Path) -> None:
    for folder in (body, random_model):  # the other one has a head of another size
        encoder = load(folder, role=ENCODER, new_labels=["O", "B-MASK", "I-MASK"])
        assert encoder.labels == ["O", "B-MASK", "I-MASK"]
        assert encoder.model.config.label2id == {"O": 0, "B-MASK": 1, "I-MASK": 2}
        assert encoder.model.classifier.weight.shape == (3, 16)


@pytest.mark.parametrize("labels", [(), ("O", "B-MASK", "I-MASK")])
def test_a_body_is_never_made_up(torch: Any, random_model: Path, tmp_path: Path, labels: tuple[str, ...]) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(random_model, folder := tmp_path / "part")
    weights = load_file(folder / "model.safetensors")
    lacks = "bert.encoder.layer.1.output.dense.weight"
    save_file(
        {key: each for key, each in weights.items() if key != lacks}, folder / "model.safetensors", {"format": "pt"}
    )
    with pytest.raises(ResourceError, match=f"is not whole: {lacks} is not in it"):
        load(folder, new_labels=labels)


def changed(folder: Path, copy: Path, change: Callable[[Path], None]) -> Path:
    shutil.copytree(folder, copy)
    change(copy)
    return copy


def other_sizes(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": 32}))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda folder: (folder / "model.safetensors").unlink(), r"no file of weights \(\*\.safetensors\)"),
        (
            lambda folder: (folder / "model.safetensors").write_bytes(b"\0" * 64),
            "cannot be loaded as a token classifier",
        ),
        (lambda folder: (folder / "config.json").write_text("{}"), "cannot be loaded as a token classifier"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer in it"),
        (other_sizes, "its weights are of other sizes"),
    ],
)
def test_files_that_cannot_be(random_model: Path, tmp_path: Path, change: Callable[[Path], None], fault: str) -> None:
    with pytest.raises(ResourceError, match=fault) as caught:
        load(changed(random_model, tmp_path / "copy", change))
    assert "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path: Path, torch: Any) -> None:
    with pytest.raises(ResourceError, match="there is no folder"):
        encoder_files(str(tmp_path / "none"))
    with pytest.raises(ResourceError, match="'some/classifier' is not on this machine and the hub cannot be reached"):
        encoder_files("some/classifier")
    with pytest.raises(PlanError, match="no model was named"):
        encoder_files("")


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_packages_that_are_not_installed(random_model: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ResourceError, match=r"packages that are not installed\. Either pip install 'showthrough\[models\]'"
    ):
        load(random_model)


def test_a_folder_is_a_path(random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name must not mean something else where a folder of that name happens to be."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(random_model, tmp_path / "mine")
    with pytest.raises(PlanError, match=r"mine is a folder here; expected \./mine"):
        encoder_files("mine")
    assert (
        encoder_files("./mine").revision == encoder_files("mine/").revision == encoder_files(str(random_model)).revision
    )


def test_the_roles_name_no_other_source() -> None:
    assert str(CLASSIFIER.missing_error("it is gone", "look")) == (
        "token classifier: it is gone. Either look, or name the folder of another"
    )
