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
PAGES = ("*.md", "examples/*.md", "docs/**/*.md")
FREE = {"docs/cli.md", "CHANGELOG.md"}  # made from help texts, which are checked in the source; a history
AVOID = re.compile(
    r"\b(told(?! apart)|tells|can tell|stands|hangs on|thereby|whoever|whomever|by however little|of which|is no merit"
    r"|in what is released of|are known by|makes of it|to be had|for whoever|lest|upon)\b"
    r"|^(?-i:Both as|Who(?:ever)? \w+ \w|Nor (?:is|does|are))\b",
    re.IGNORECASE | re.MULTILINE,
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
_EXAMPLE = re.compile(r"\{[^{}]{0,80}\}")  # of a value, in a message
_SCRIPT_TEXT = re.compile(r"'((?:[^'\\\n]|\\.)+)'|\"((?:[^\"\\\n]|\\.)+)\"|`([^`\n]+)`")
DEEPEST = 2  # variables that are followed inside of variables
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
    """The sentences in the strings of a module, and in docstrings that users see.

    What is joined is read as one text: neighbouring strings, `+`, `a if b else c` and `a or b` (the longest), and a
    variable of the same function that holds a text. Anything else that is filled in is one word.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen_by_users = path.parent.name == "cli"
    hidden = set() if seen_by_users else _docstrings(tree, EXPORTED)
    texts = _Texts(tree)
    for node in texts.outermost():
        if id(node) in hidden:
            continue
        text = texts.read(node)
        if text and _is_sentence(text):
            for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*>] ?)", text):
                yield from _split(path, getattr(node, "lineno", 1), paragraph)


class _Texts:
    """The texts that a module puts together."""

    def __init__(self, tree: ast.AST) -> None:
        self.tree = tree
        self.scopes: dict[int, dict[str, ast.expr]] = {}  # of each node
        self._enter(tree, {})

    def _enter(self, node: ast.AST, scope: dict[str, ast.expr]) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            scope = {}
            for inner in ast.walk(node):
                if isinstance(inner, ast.Assign) and len(inner.targets) == 1 and isinstance(inner.targets[0], ast.Name):
                    scope[inner.targets[0].id] = inner.value
        self.scopes[id(node)] = scope
        for child in ast.iter_child_nodes(node):
            self._enter(child, scope)

    def outermost(self) -> Iterator[ast.expr]:
        """Expressions that are texts, without those inside of another."""
        inside: set[int] = set()
        for node in ast.walk(self.tree):  # from the outside to the inside
            if id(node) in inside or not isinstance(node, ast.JoinedStr | ast.Constant | ast.BinOp | ast.IfExp):
                continue
            if self.read(node):
                inside |= {id(part) for part in ast.walk(node)} - {id(node)}
                yield node

    def read(self, node: ast.expr, depth: int = 0) -> str:
        """What an expression says; empty if it is no text."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else ""
        if isinstance(node, ast.JoinedStr):
            return "".join(self.read(part, depth) or "X" for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.read(node.value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.read(node.left, depth), self.read(node.right, depth)
            return f"{left or 'X'}{right or 'X'}" if left or right else ""
        if isinstance(node, ast.IfExp):
            return max(self.read(node.body, depth), self.read(node.orelse, depth), key=len)
        if isinstance(node, ast.BoolOp):
            return max((self.read(value, depth) for value in node.values), key=len)
        if isinstance(node, ast.Name) and depth < DEEPEST:
            value = self.scopes[id(node)].get(node.id)
            return self.read(value, depth + 1) if value is not None else ""
        return ""


def sentences_of_template(path: Path) -> Iterator[Sentence]:
    """The sentences of a template of the report: what is between tags."""
    text = re.sub(
        r"\{#.*?#\}", lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    text = re.sub(r"\{\{.*?\}\}", "X", text, flags=re.DOTALL)
    text = re.sub(r"</?(?:a|b|em|strong|code|span|abbr|small)\b[^<>]*>", "", text)
    line = 1
    for piece in re.split(r"(\{%.*?%\}|<[^<>]*>)", text, flags=re.DOTALL):
        if not piece.startswith(("<", "{%")) and len(_WORD.findall(piece)) >= _MESSAGE_WORDS:
            yield from _split(path, line, piece)
        line += piece.count("\n")


def sentences_of_script(path: Path) -> Iterator[Sentence]:
    """The sentences in the strings of a script of the report."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for match in _SCRIPT_TEXT.finditer(line):
            text = re.sub(r"\$\{[^{}]*\}", "X", match[1] or match[2] or match[3] or "")
            if _is_sentence(text):
                yield from _split(path, number, text)


def _is_sentence(text: str) -> bool:
    """Whether a string in the source is for people, and no expression, list of words or markup."""
    plain = _EXAMPLE.sub("X", text)
    words = len(_WORD.findall(plain))
    if words < _MESSAGE_WORDS or _NO_SENTENCE.search(plain):
        return False
    if sum(map(len, _WORD.findall(plain))) < 3 * words:  # a list of small words
        return False
    small = len(_SMALL_WORDS.findall(plain))
    return small * (12 if re.search(r"[.,:;]", plain) else 6) >= words


def _exported() -> frozenset[str]:
    """What `import showthrough` hands out: its docstrings are for users."""
    stub = ast.parse((ROOT / "src" / "showthrough" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(stub) if isinstance(node, ast.ImportFrom)]
    return frozenset(name.asname or name.name for node in imports for name in node.names)


def _docstrings(tree: ast.AST, shown: frozenset[str]) -> set[int]:
    """Those that only developers read: all but those of what is `shown`, and of its public methods."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    public = [node for node in ast.walk(tree) if isinstance(node, kinds) and getattr(node, "name", "") in shown]
    for_users = {id(node) for node in public}
    for node in public:
        for_users |= {id(part) for part in node.body if isinstance(part, kinds) and not part.name.startswith("_")}
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds) and id(node) not in for_users]
    return {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}


EXPORTED = _exported()


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
    readers = {"*.py": sentences_of_module, "*.html": sentences_of_template, "*.js": sentences_of_script}
    for pattern, read in readers.items():
        for file in sorted((ROOT / "src").rglob(pattern)):
            yield from read(file)


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
