"""Text that means nothing to Markdown and LaTeX, whatever names and words from files are in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from showthrough.core.errors import printable

_LABEL = 60  # letters; a caption may be a sentence


def single_line(text: str) -> str:
    """Text in one line, whatever names from files are in it."""
    return printable(" ".join(text.split()))


def keep_edge_spaces(text: str, escaped: Callable[[str], str]) -> str:
    """Words that stand beside others, from which spaces may part them.

    >>> keep_edge_spaces(" knew\\n", in_markdown), keep_edge_spaces("", in_markdown)
    (' knew ', '')
    """
    return f"{' ' * text[:1].isspace()}{escaped(text)}{' ' * text[-1:].isspace()}"


_MD = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{special: f"\\{special}" for special in "\\`*_[]|~$"}}


def in_markdown(text: str) -> str:
    """Text that means nothing to Markdown."""
    return "".join(_MD.get(character, character) for character in single_line(text))


def markdown_paragraph(text: str) -> str:
    """Text that stands at the beginning of a line, where some signs would make a heading or a list of it.

    >>> markdown_paragraph("# 1 of 2"), markdown_paragraph("1. May"), markdown_paragraph("1 of 2 - or 3")
    ('\\\\# 1 of 2', '1\\\\. May', '1 of 2 - or 3')
    """
    return re.sub(r"^(\d*)([-+#=.)])", r"\1\\\2", in_markdown(text))


def markdown_code(text: str) -> str:
    """Text between as many backticks as none of it has together.

    >>> markdown_code("er_di"), markdown_code("a`b")
    ('`er_di`', '`` a`b ``')
    """
    text = single_line(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}"


_TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", "–": "--", "—": "---", "…": r"\ldots{}", "−": "$-$", "·": r"$\cdot$",
    "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\rightarrow$", "α": r"$\alpha$",
    "κ": r"$\kappa$",
}  # fmt: skip


def in_latex(text: str) -> str:
    """Text that means nothing to LaTeX; letters of other scripts need an engine that knows them."""
    return "".join(_TEX.get(character, character) for character in single_line(text))


def latex_row(name: str) -> str:
    """The first cell of a row, which the `\\\\\\\\` before it could take for an argument.

    >>> latex_row("[x]"), latex_row("a & b")
    ('{}[x]', 'a \\\\& b')
    """
    return re.sub(r"^(?=[\[*])", "{}", in_latex(name))


def latex_label(title: str, used: Collection[str]) -> str:
    """What a table is referred to by, and no other is: titles may differ in signs alone.

    >>> latex_label("Types × labels", ["tab:types-labels"]), latex_label("山田", [])
    ('tab:types-labels-2', 'tab:table')
    """
    words = re.sub("[^a-z0-9]+", "-", title.lower())[:_LABEL].strip("-") or "table"
    label, number = f"tab:{words}", len(used) + 1
    while label in used:
        label, number = f"tab:{words}-{number}", number + 1
    return label
