"""Sheets as Markdown and LaTeX: what a name is made of never becomes markup."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from showthrough.report.sheets import Bars, Case, Cases, Grid, GridRow, Heat, ReportDocument, count, number
from showthrough.report.sheets.latex import latex_of
from showthrough.report.sheets.markdown import markdown_of

EMPTY = ReportDocument("t", (), (Grid("g", ("n",), ()), Heat("h", (), (), ()), Bars("b", (), ()), Cases("c", ())))


def parsed(text: str) -> list[Any]:
    """The tokens of a Markdown parser, inline ones too."""
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    return [child for token in markdown.parse(text) for child in (token, *(token.children or ()))]


def shown(tokens: list[Any]) -> str:
    return "\n".join(token.content for token in tokens if token.type in ("text", "code_inline", "text_special"))


def test_markdown_of_all_blocks(sheet: ReportDocument) -> None:
    text = markdown_of(sheet)
    assert text.startswith("# What the corpus holds\n\n100 documents")
    assert "| DATETIME | 107 | 0.100 (0.050–0.120) | 0.310 (-0.020 to 0.550) |" in text
    assert "| **all** | **123,456** | **0.500** | **–** |" in text
    assert "- – κ of annotators: no document says in which split it is" in text
    assert "- `001-0`, 1200: …The applicant, Mr <b>Smith 0</b>, was born in 19… (missed whole)" in text
    assert "\n\n86 more are in the JSON\n" in text  # no case among the cases
    assert "- intervals at 95 %, over documents" in text
    tokens = [token.type for token in parsed(text)]
    assert tokens.count("table_open") == 4
    assert tokens.count("tr_open") == 10 + 2 + 9 + 9
    assert tokens.count("heading_open") == 7


def test_markdown_of_hostile_names_is_tables_of_text(hostile: ReportDocument) -> None:
    tokens = parsed(markdown_of(hostile))
    names = [token.type for token in tokens]
    size = len(hostile.lead)
    assert names.count("table_open") == 3
    assert names.count("td_open") == 3 * size * (size + 1)
    assert names.count("heading_open") == 6
    assert {token.content for token in tokens if token.type == "html_inline"} == {"<b>", "</b>"}
    assert not {"html_block", "image", "link_open", "em_open", "fence"} & set(names)
    assert "<script>window.caught = 1</script>" in shown(tokens)
    assert "\x1b" not in shown(tokens)


def test_markdown_of_nothing() -> None:
    assert markdown_of(EMPTY).count("(none)") == 4
    assert markdown_of(ReportDocument("t", (), ())) == "# t\n"


def cells(line: str) -> int:
    """How many cells a row of LaTeX has."""
    return len(re.findall(r"(?<!\\)&", line)) + 1


def rows(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.endswith(r"\\") and line != r"\\"]


def test_latex_of_all_blocks(sheet: ReportDocument) -> None:
    text = latex_of(sheet)
    assert text.startswith("% needs \\usepackage{booktabs}\n\n% 100 documents")
    assert r"type & mentions & share masked & $\kappa$ of annotators \\" in text
    assert r" &  & {\footnotesize 0.050--0.120} & {\footnotesize $-$0.020 to 0.550} \\" in text
    assert r"\textbf{all} & \textbf{123,456} & \textbf{0.500} & \textbf{--} \\" in text
    assert r"\item {001-0}, 1200: \ldots{}The applicant, Mr \textbf{Smith 0}, was born" in text
    assert "% – κ of annotators: no document says in which split it is" in text
    assert text.count(r"\begin{table}") == text.count(r"\caption{") == text.count(r"\label{tab:") == 4


def test_latex_of_hostile_names_is_balanced(hostile: ReportDocument) -> None:
    text = latex_of(hostile)
    size = len(hostile.lead)
    assert {cells(line) for line in rows(text)} == {size + 1}
    assert len(rows(text)) == 3 * (size + 1)
    code = "\n".join(re.sub(r"(?<!\\)%.*", "", line) for line in text.split("\n"))
    assert len(re.findall(r"(?<!\\)\{", code)) == len(re.findall(r"(?<!\\)\}", code))
    assert len(re.findall(r"(?<!\\)\$", code)) % 2 == 0
    assert not re.search(r"(?<!\\)[#_]|[\x00-\x09\x0b-\x1f]", code)
    assert not re.search(r"(?m)^[\[*]", code)  # the end of the line before would take it
    assert r"\textbackslash{}textbf\{x\}\$\textasciicircum{}\textasciitilde{}\#" in text
    assert "% needs LuaLaTeX or XeLaTeX" in text  # 山田
    assert all(line.startswith("%") for line in text.split("\n") if "<script>" in line)


def test_labels_are_given_once() -> None:
    grid = Grid("Types × labels", ("n",), (GridRow("a", (count(1),)),))
    sheet = ReportDocument("t", (), (grid, grid, replace(grid, caption="山田"), replace(grid, label="mine"), grid))
    labels = re.findall(r"\\label\{(.*?)\}", latex_of(sheet))
    assert labels == ["tab:types-labels", "tab:types-labels-2", "tab:table", "tab:mine", "tab:types-labels-5"]


def test_a_long_table_goes_on_over_pages() -> None:
    grid = Grid("many", ("n",), tuple(GridRow(str(place), (number(place / 7),)) for place in range(300)))
    text = latex_of(ReportDocument("t", (), (grid,)))
    assert "% needs \\usepackage{longtable}" in text
    assert r"\begin{table}" not in text
    assert len(rows(text)) == 302  # with the heads of the first page and of the others


def test_latex_of_nothing() -> None:
    assert r"\item" not in latex_of(EMPTY)
    assert latex_of(ReportDocument("t", (), ())) == "% needs \\usepackage{booktabs}\n\n"


def test_latex_compiles(sheet: ReportDocument, hostile: ReportDocument, tmp_path: Path) -> None:
    if not shutil.which("pdflatex"):
        pytest.skip("no pdflatex here")
    latin = tuple(name for name in hostile.lead if re.fullmatch("[\x00-\u017f\u202e\ud800]*", name))
    numbers = tuple(tuple(map(float, range(len(latin)))) for _ in latin)
    blocks = (
        Heat(latin[0], latin, latin, numbers, notes=latin),
        Cases(latin[1], tuple(Case(one, 3, one, one, one, one) for one in latin), notes=latin),
    )
    for one in (sheet, ReportDocument("t", latin, blocks, latin)):
        body = f"\\begin{{document}}\n{latex_of(one)}\n\\end{{document}}\n"
        (tmp_path / "t.tex").write_text(f"\\documentclass{{article}}\\usepackage{{booktabs}}\n{body}", encoding="utf-8")
        command = ["pdflatex", "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert found.returncode == 0, found.stdout.decode(errors="replace")[-600:]
