"""The examples in CONTRIBUTING.md work: each is carried out in a copy of the project, as a newcomer would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # starts programs on copies of the project
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EDITS = re.compile(r"^In `([^`\n]+)`.*:\n\n((?:```diff\n(?:[ +].*\n)+```\n\n?)+)", re.MULTILINE)
_DIFF = re.compile(r"```diff\n((?:[ +].*\n)+)```")
EXAMPLES = {
    "Add a metric": (
        "src/showthrough/families/information/kept.py",
        "tests/metrics/test_kept.py",
        "tests/test_docs.py::test_every_metric_has_a_page[kept]",
        "tests/test_docs.py::test_a_page_opens_with_the_sentence_of_its_metric[kept]",
        "tests/test_docs.py::test_every_page_is_on_the_site",
    ),
    "Add a format": ("tests/formats/test_notes.py", "tests/formats/test_format_plugins.py"),
    "Add a report section": ("tests/report/test_masking.py", "tests/test_names_of_families.py"),
    "Add an option": ("tests/evaluation/test_contact.py", "tests/evaluation/test_settings.py"),
}


def section(title: str) -> str:
    return re.split(r"\n## (?:Add|Style)\b", PAGE.split(f"\n## {title}\n")[1])[0]  # a page in it has headings too


def edited(content: str, diff: str) -> str:
    """The content with lines added where the lines before them stand."""
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if line.startswith(" "))
    assert content.count(f"{before}\n") == 1, before
    return content.replace(f"{before}\n", "\n".join(line[1:] for line in lines) + "\n")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("src", "tests", "docs", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", "zensical.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_works(title: str, project: Path) -> None:
    text = section(title)
    files, edits = _FILE.findall(text), _EDITS.findall(text)
    assert edits
    for name, content in files:
        assert not (project / name).exists()
        (project / name).write_text(content, encoding="utf-8")
    for name, diffs in edits:
        path = project / name
        for diff in _DIFF.findall(diffs):
            path.write_text(edited(path.read_text(encoding="utf-8"), diff), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    for command in (
        [sys.executable, "-m", "ruff", "check", "-q", *(name for name, _ in files if name.endswith(".py"))],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *EXAMPLES[title]],
    ):
        found = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
        assert found.returncode == 0, (found.stdout + found.stderr)[-3000:]


def test_an_edit_without_its_place_is_noticed() -> None:
    with pytest.raises(AssertionError):
        edited("a\n", " b\n+c\n")
    assert edited("a\nb\n", " a\n+c\n") == "a\nc\nb\n"
