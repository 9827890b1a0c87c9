"""What pages name is there: files, targets of the Makefile, and names of the package."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest

from showthrough.version import __version__

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/showthrough"
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"  # which also tells of what is gone
)
# Blocks of code are users' programs and files. What stands in backticks in the text is ours.
_FENCE = re.compile(r"^ *```\w*\n.*?^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.pyi?|html/[\w./-]+")
_OURS = re.compile(r"(?:src|tests|docs|tools|benchmarks|examples|\.github|\.ci)/[\w./-]*")  # from the root
_TARGET = re.compile(r"(?:`|^|&& )make ([a-z][\w-]*)", re.MULTILINE)
_NAME = re.compile(r"\bshowthrough(?:\.\w+)+\b")
# Files of users, which a page makes up.
MADE_UP = {"mine.py"}
# Groups of entry points, whose names are no modules.
GROUPS = {
    f"showthrough.{group}" for group in ("metrics", "attacks", "detectors", "anonymizers", "formats", "verifiers")
}


def prose(page: str) -> str:
    return _FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))


def named_files(text: str) -> Iterator[str]:
    for code in _CODE.findall(text):
        if _FILE.fullmatch(code) or _OURS.fullmatch(code):
            yield code


def shown_files(page: str) -> set[str]:
    """Files that a page shows in full, for the reader to make."""
    return set(re.findall(r"^`([^`\n]+)`:\n\n```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE))


def is_there(name: str, page: str) -> bool:
    """Whether a page names a file or folder: from the root, from the package, from the page, or by its last parts."""
    folders = (ROOT, SOURCE, (ROOT / page).parent)
    return any((folder / name).exists() for folder in folders) or any(
        any(folder.rglob(name)) for folder in (SOURCE, ROOT / "tools")
    )


def missing_names(text: str) -> list[str]:
    """Dotted names of the package that cannot be resolved."""
    missing = []
    for name in sorted({*_NAME.findall(text)} - GROUPS):
        try:
            resolve_name(name)
        except (ImportError, AttributeError):
            if not is_module(name):
                missing.append(name)
    return missing


def is_module(name: str) -> bool:
    """Whether a module is there, perhaps without the extra that it needs."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_files_are_there(page: str) -> None:
    known = MADE_UP | shown_files(page)
    assert [name for name in named_files(prose(page)) if name not in known and not is_there(name, page)] == []


@pytest.mark.parametrize("page", PAGES)
def test_targets_of_make_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(_TARGET.findall(text)) - targets() == set()


@pytest.mark.parametrize("page", PAGES)
def test_names_of_the_package_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = {name.removeprefix("src/").removesuffix(".py").replace("/", ".") for name in shown_files(page)}
    assert set(missing_names(text)) - shown == set()


def test_what_is_missing_is_noticed() -> None:
    assert list(named_files("`metrics/nowhere.py`, `src/showthrough/`, `f2` and `corpus.json`")) == [
        "metrics/nowhere.py",
        "src/showthrough/",
    ]
    assert not is_there("metrics/nowhere.py", "README.md")
    assert is_there("metrics/base.py", "README.md")
    assert missing_names("`showthrough.evaluate`, showthrough.nowhere.name") == ["showthrough.nowhere.name"]
    assert "demo" in targets()
    assert "nowhere" not in targets()


# The changes, and the numbers of versions.

KEPT_ORDER = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]  # of Keep a Changelog


def test_changes_are_in_order() -> None:
    """Each version has each kind of change once, in one order; the newest stands first."""
    versions = re.split(r"^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$", CHANGES, flags=re.MULTILINE)[1:]
    assert versions[0] == "Unreleased"
    assert len(re.findall(r"^## ", CHANGES, re.MULTILINE)) == len(versions[::2])
    for version, text in zip(versions[::2], versions[1::2], strict=True):
        kinds = re.findall(r"^### (.+)$", text, re.MULTILINE)
        assert kinds == [kind for kind in KEPT_ORDER if kind in kinds], version
    numbers = [tuple(map(int, version.split("."))) for version in versions[2::2]]
    assert numbers == sorted(numbers, reverse=True)
    for version in versions[::2]:
        assert re.search(rf"^\[{re.escape(version)}\]: https://", CHANGES, re.MULTILINE), version


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_what_is_shipped_is_there() -> None:
    """The source distribution has every top-level file that git has, and names none that is gone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in included if not (ROOT / name).exists()] == []
    pages = {path.name for pattern in ("*.md", "*.cff", "*.txt", ".pre-commit*") for path in ROOT.glob(pattern)}
    assert pages <= set(included)
