"""The check of sentences sees what users read: pages, messages however they are put together, help, templates."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
HALF = "the tool reads the file that you named and looks at each of the marks in it to see"  # 19 words
LONG = f"{HALF} whether it is one that a person made and {HALF}"  # 47
MESSAGES = {
    "plain": f'raise ValueError("{LONG}")',
    "with braces": f"raise ValueError(\"{LONG}, such as {{'a': 1}}\")",
    "neighbours": f'raise ValueError("{HALF} whether it is one that a person made and "\n    "{HALF}")',
    "f-strings over lines": f'raise ValueError(\n    f"{{x}}: {HALF} {{y}} and "\n    f"of a person, {HALF}"\n)',
    "added": f'raise ValueError("{HALF} " + x + " and by its own {HALF} and no more")',
    "a variable": f'def f(x):\n    why = "{HALF} and so on"\n    raise ValueError(f"{{x}}: {{why}}, {HALF}")',
    "one of two": f"def f(x):\n    return f\"{HALF} {{'whether it is one of a person, {HALF}' if x else ''}}\"",
    "a help text": f'import typer\nX = typer.Option("--x", help="{LONG}.")',
    "a note in a list": f'NOTES = ["{LONG}"]',
}


@pytest.fixture(scope="module")
def style() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_style", ROOT / "tools" / "check_style.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_style"] = module  # for its annotations
    spec.loader.exec_module(module)
    return module


def most(style: ModuleType, path: Path) -> int:
    vars(style)["ROOT"] = path.parent
    read = {".py": style.sentences_of_module, ".html": style.sentences_of_template, ".js": style.sentences_of_script}
    return max((one.words for one in read.get(path.suffix, style.sentences_of_page)(path)), default=0)


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_long_message_is_seen(style: ModuleType, tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.py").write_text(MESSAGES[kind], encoding="utf-8")
    assert most(style, tmp_path / "a.py") > style.MOST


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", f"# A\n\n{HALF} [whether it](b.md) is one that\na person made and {HALF}.\n"),
        ("a.html", f"<p>{HALF} <b>whether it</b> is one that a person made and {HALF}</p>"),
        ("a.js", f"const words = `{HALF} ${{name}} whether it is one that a person made and {HALF}`;"),
    ],
)
def test_a_long_sentence_of_a_page_is_seen(style: ModuleType, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert most(style, tmp_path / name) > style.MOST


@pytest.mark.parametrize(
    "content",
    [
        f'"""{LONG}."""',  # developers read it
        f'X = "{" ".join(["alpha", "beta", "gamma"] * 20)}"',  # a list of words
        'X = r"(?:the|a|of)+ (?:the|a|of)+ (?:the|a|of)+ (?:the|a|of)+"',
    ],
)
def test_what_is_no_message_is_left_out(style: ModuleType, tmp_path: Path, content: str) -> None:
    (tmp_path / "a.py").write_text(content, encoding="utf-8")
    assert most(style, tmp_path / "a.py") == 0


def test_short_sentences_pass_and_mannered_words_are_named(style: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('raise ValueError("the file is not there. Name another that is")', encoding="utf-8")
    assert most(style, tmp_path / "a.py") == 5
    assert style.AVOID.search("he is told so")
    assert not style.AVOID.search("authors are told apart")
