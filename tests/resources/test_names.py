"""Names of sources, and where a model's files are."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import PlanError, ResourceError
from showthrough.models.files import folder_digest, model_files
from showthrough.models.names import EMBEDDING, INFORMATION, SIMILARITY, TERMS, Role, SourceName, local_or_hub


@pytest.mark.parametrize(
    ("role", "name", "parts"),
    [
        (INFORMATION, "uniform", SourceName("uniform", "")),
        (INFORMATION, "wordfreq:es", SourceName("wordfreq", "es")),
        (INFORMATION, "hf:bert-base-cased", SourceName("hf", "bert-base-cased")),
        (INFORMATION, "hf:a/b@main", SourceName("hf", "a/b", "main")),
        (INFORMATION, "/models/bert", SourceName("hf", "/models/bert")),
        (INFORMATION, "../bert", SourceName("hf", "../bert")),
        (INFORMATION, "C:\\models\\bert", SourceName("hf", "C:\\models\\bert")),
        (TERMS, "spacy:en_core_web_md", SourceName("spacy", "en_core_web_md")),
        (TERMS, "spacy-tokens:./mine", SourceName("spacy-tokens", "./mine")),
        (SIMILARITY, "st:all-MiniLM-L6-v2", SourceName("st", "all-MiniLM-L6-v2")),
        (EMBEDDING, "lsa", SourceName("lsa", "")),
    ],
)
def test_names(role: Role, name: str, parts: SourceName) -> None:
    assert role.parse(name) == parts
    assert role.models(name) == ({role.parameter: name} if parts.kind in role.kinds else {})


@pytest.mark.parametrize(
    ("role", "name"),
    [(INFORMATION, ""), (INFORMATION, "hf:"), (INFORMATION, "st:x"), (INFORMATION, "uniform:x"), (TERMS, "md"),
     (SIMILARITY, "ngrams:3"), (EMBEDDING, "hf:x"), (EMBEDDING, "minilm")],
)  # fmt: skip
def test_unknown_names(role: Role, name: str) -> None:
    with pytest.raises(PlanError, match=f"{role.parameter}={name!r} is not known; expected"):
        role.parse(name)


def test_a_folder_or_the_hub_as_transformers_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models/bert").mkdir(parents=True)
    assert local_or_hub("models/bert", "hf") == "./models/bert"
    assert local_or_hub(str(tmp_path / "models"), "hf") == str(tmp_path / "models")
    assert local_or_hub("google-bert/bert-base-uncased", "hf") == "hf:google-bert/bert-base-uncased"


def test_a_folder_is_told_apart_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "a/deep").mkdir(parents=True)
    (tmp_path / "a/deep/weights").write_bytes(b"1")
    (tmp_path / "a/config.json").write_text("{}")
    first = folder_digest(tmp_path / "a")
    assert folder_digest(Path(shutil.copytree(tmp_path / "a", tmp_path / "b"))) == first
    (tmp_path / "b/deep/weights").write_bytes(b"2")
    assert folder_digest(tmp_path / "b") != first
    (tmp_path / "b/deep/weights").write_bytes(b"1")
    assert folder_digest(tmp_path / "b") == first
    (tmp_path / "b/deep/weights").rename(tmp_path / "b/deep/other")
    assert folder_digest(tmp_path / "b") != first


COMPLETE = ("config.json", "model.safetensors", "tokenizer.json")


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A model in the hub's own store on this machine, as a download leaves it."""
    pytest.importorskip("huggingface_hub", reason="pip install 'showthrough[models]'")
    commit = "86b5e0934494bd15c9632b12f734a8a67f723594"
    store = tmp_path / "hub" / "models--google-bert--bert-base-uncased"
    (store / "refs").mkdir(parents=True)
    (store / "refs/main").write_text(commit)
    (store / "snapshots" / commit).mkdir(parents=True)
    for name in COMPLETE:
        (store / "snapshots" / commit / name).write_text("{}")
    return store / "snapshots" / commit


def test_what_is_on_this_machine_is_not_fetched(hub: Path) -> None:
    found = model_files(INFORMATION.parse("hf:google-bert/bert-base-uncased"), INFORMATION)
    assert (found.folder, found.revision) == (hub, hub.name)
    pinned = model_files(INFORMATION.parse(f"hf:google-bert/bert-base-uncased@{hub.name}"), INFORMATION)
    assert pinned == found
    with pytest.raises(ResourceError, match="is not on this machine and the hub cannot be reached"):
        model_files(INFORMATION.parse("hf:google-bert/bert-base-uncased@other"), INFORMATION)


def test_what_is_not_here_is_fetched_without_pickles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="pip install 'showthrough[models]'")
    asked: list[Any] = []

    def download(place: str, **options: Any) -> str:
        if options.get("local_files_only"):
            raise FileNotFoundError(place)
        asked.append((place, options))
        folder = tmp_path / "snapshots" / "abc123"
        folder.mkdir(parents=True)
        for name in COMPLETE:
            (folder / name).write_text("{}")
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    found = model_files(EMBEDDING.parse("st:all-MiniLM-L6-v2@v1"), EMBEDDING)
    assert found.revision == "abc123"
    ((place, options),) = asked
    assert (place, options["revision"]) == ("sentence-transformers/all-MiniLM-L6-v2", "v1")
    assert not any("bin" in pattern or pattern == "*" for pattern in options["allow_patterns"])


def test_the_rest_of_a_model_is_fetched_at_the_same_commit(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody asked for its tokenizer once; the weights are not here."""
    (hub / "model.safetensors").unlink()
    asked: list[Any] = []

    def download(place: str, **options: Any) -> str:
        if not options.get("local_files_only"):
            asked.append(options["revision"])
            (hub / "model.safetensors").write_text("")
        return str(hub)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert model_files(INFORMATION.parse("hf:google-bert/bert-base-uncased"), INFORMATION).revision == hub.name
    assert asked == [hub.name]


@pytest.mark.parametrize("kind", ["disk", "network", "client"])
def test_a_download_that_fails(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = pytest.importorskip("huggingface_hub.errors", reason="pip install 'showthrough[models]'")
    error, says = {
        "disk": (OSError(28, "No space left on device"), "cannot be stored: No space left on device"),
        "network": (ConnectionError("reset"), "is not on this machine and the hub cannot be reached"),
        "client": (getattr(errors, "HTTPError", OSError)("timed out"), "the hub cannot be reached"),
    }[kind]

    def download(place: str, **options: Any) -> str:
        raise FileNotFoundError(place) if options.get("local_files_only") else error

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    with pytest.raises(ResourceError, match=says):
        model_files(INFORMATION.parse("hf:a/b"), INFORMATION)


def test_paths_are_paths() -> None:
    """An @ in a path is no revision, and without a kind a slash makes a path."""
    assert INFORMATION.parse("hf:/data/me@home/bert").location == "/data/me@home/bert"
    assert INFORMATION.parse("models/bert").folder == Path("models/bert")


def test_what_the_hub_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = pytest.importorskip("huggingface_hub.errors", reason="pip install 'showthrough[models]'")

    class Missing(errors.RepositoryNotFoundError):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            Exception.__init__(self, "404")

    def download(place: str, **options: Any) -> str:
        raise FileNotFoundError(place) if options.get("local_files_only") else Missing()

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    with pytest.raises(ResourceError, match=r"the hub has no model 'a/b' at revision 'x'. Either check its name; or"):
        model_files(INFORMATION.parse("hf:a/b@x"), INFORMATION)
