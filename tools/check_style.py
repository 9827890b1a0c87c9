"""Checks the words that users read: README, docs, help texts and messages.

    python tools/check_style.py               fails on a sentence of more than 35 words
    python tools/check_style.py --warn        also lists sentences above 25 words, and words to avoid

What `docs/style.md` asks for and a program can see. Code, formulas, tables of figures and quoted output are left
out.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MOST, ADVISED = 35, 25  # words of a sentence
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/guides/*.md", "docs/metrics/*.md")
FREE = {"docs/cli.md"}  # made from help texts, which are checked in the source
AVOID = re.compile(
    r"\b(told|tells|stands|thereby|whoever|nobody can tell|by however little|of which|in what is released of"
    r"|are known by|makes of it)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]+`")
_DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_FORMULA = re.compile(r"\$[^$\n]+\$")
_END = re.compile(r"(?<=[.!?])[\"”)’*_]*\s+(?=[\"“(*_‘]*[A-Z0-9`X])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|et al|etc|Mr|Mrs|Dr|no|p|pp|Fig|eq)\.\s", re.IGNORECASE)
_WORD = re.compile(r"[\w’'-]*[^\W\d_][\w’'-]*")
_MESSAGE_WORDS = 5  # words from which on a string in the source may be a sentence
_NO_SENTENCE = re.compile(r"[{}\\]|\(\?|</|/>|\]\+")  # expressions, style sheets, markup
_SMALL_WORDS = re.compile(r"\b(?:the|a|an|is|are|of|to|that|in|it|and|for|with|not|no|by|what)\b")


class Sentence(NamedTuple):
    """A sentence, and where it is."""

    path: str
    line: int
    text: str

    @property
    def words(self) -> int:
        return len(_WORD.findall(self.text))


def sentences_of_page(path: Path) -> Iterator[Sentence]:
    """The sentences of a Markdown page; items of lists, cells of tables and headings count as their own."""
    text = path.read_text(encoding="utf-8")
    for pattern in (_FENCE, _COMMENT, _DISPLAY):
        text = pattern.sub(lambda match: "\n" * match[0].count("\n"), text)
    start, block = 1, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        apart = not line.strip() or re.match(r"\s*([-*+]|\d+\.|#+|\||>)\s?", line)
        if apart and block:
            yield from _split(path, start, block)
            block = ""
        if line.lstrip().startswith("|"):
            for cell in line.strip(" |").split(" | "):
                if not _WORD.search(_CODE.sub("", cell)):  # a list of names, and no sentence
                    continue
                yield from _split(path, number, cell)
        elif line.strip():
            start = start if block else number
            block += f" {line.strip()}"


def sentences_of_module(path: Path) -> Iterator[Sentence]:
    """The sentences in the strings of a module, and in the docstrings of commands; what is filled in is one word."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = _docstrings(tree) if path.parent.name != "cli" else set()
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in ast.walk(node)} - {id(node)}
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            text = node.value
        else:
            continue
        if _is_sentence(text):
            for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*] )", text):
                yield from _split(path, node.lineno, paragraph)


def _is_sentence(text: str) -> bool:
    """Whether a string in the source is for people, and no expression, list of words or markup."""
    few = len(_WORD.findall(text)) < _MESSAGE_WORDS or _NO_SENTENCE.search(text)
    is_list = len(_WORD.findall(text)) > ADVISED and not re.search(r"[.,:;]", text)
    return not few and not is_list and len(_SMALL_WORDS.findall(text)) * 12 >= len(_WORD.findall(text))


def _docstrings(tree: ast.AST) -> set[int]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds)]
    return {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}


def _split(path: Path, line: int, text: str) -> Iterator[Sentence]:
    plain = _FORMULA.sub("X", _CODE.sub("X", _LINK.sub(r"\1", text)))
    plain = _ABBREVIATION.sub(lambda match: match[0].replace(". ", " "), plain)
    for part in _END.split(" ".join(plain.split())):
        if part:
            yield Sentence(str(path.relative_to(ROOT)), line, part)


def all_sentences() -> Iterator[Sentence]:
    pages = {page for pattern in PAGES for page in ROOT.glob(pattern)}
    for page in sorted(pages):
        if str(page.relative_to(ROOT)) not in FREE:
            yield from sentences_of_page(page)
    for module in sorted((ROOT / "src").rglob("*.py")):
        yield from sentences_of_module(module)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--warn", action="store_true", help="Also list what is advised against.")
    parser.add_argument("paths", nargs="*", help="Only files whose path begins so.")
    options = parser.parse_args()
    found = [one for one in all_sentences() if not options.paths or one.path.startswith(tuple(options.paths))]
    long = [one for one in found if one.words > MOST]
    for one in long:
        print(f"{one.path}:{one.line}: {one.words} words; expected at most {MOST}: {one.text}")
    advised = [one for one in found if ADVISED < one.words <= MOST]
    avoided = [(one, match[0]) for one in found if (match := AVOID.search(one.text))]
    if options.warn:
        for one in advised:
            print(f"{one.path}:{one.line}: warning: {one.words} words; advised at most {ADVISED}: {one.text}")
        for one, word in avoided:
            print(f"{one.path}:{one.line}: warning: “{word}”; see docs/style.md: {one.text}")
    print(
        f"{len(found):,} sentences: {len(long)} above {MOST} words, {len(advised)} above {ADVISED}, "
        f"{len(avoided)} with words to avoid"
    )
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
