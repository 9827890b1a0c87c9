"""What is installed, as folders tell."""

from __future__ import annotations

import importlib.metadata
import sys
import zipfile
from pathlib import Path

import pytest

from showthrough.core.installed import is_any_declared, version_of


def install(folder: Path, name: str, version: str, declared: str = "") -> None:
    """A package as installers leave it: of it only what it says of itself."""
    told = folder / f"{name}-{version}.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    if declared:
        (told / "entry_points.txt").write_text(declared, encoding="utf-8")


def test_versions_are_those_of_all_that_is_installed() -> None:
    names = {found.name for found in importlib.metadata.distributions()}
    assert len(names) > 5
    assert {name: version_of(name) for name in names} == {name: importlib.metadata.version(name) for name in names}
    assert version_of("no-such-package-anywhere") is None


def test_the_first_on_the_path_counts_however_its_name_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(tmp_path / "near", "Some_Package", "2.0+local")
    install(tmp_path / "far", "some_package", "1.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "near"), str(tmp_path / "far"), str(tmp_path / "missing")])
    assert version_of("some.package") == version_of("some-package") == "2.0+local"


def test_what_is_installed_meanwhile_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert version_of("late") is None
    assert not is_any_declared("showthrough.")
    install(tmp_path, "late", "1.0", "[console_scripts]\nlate = showthrough.elsewhere:main\n")
    assert version_of("late") == "1.0"
    assert not is_any_declared("showthrough.")
    install(tmp_path, "later", "1.0", "[showthrough.metrics]\nours = later:Ours\n")
    assert is_any_declared("showthrough.")
    assert not is_any_declared("elsewhere.")


def test_of_archives_the_library_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.writestr("packed-3.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 3.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packed.zip")])
    assert version_of("packed") == "3.0"
    assert is_any_declared("showthrough.")  # nobody has looked into it
