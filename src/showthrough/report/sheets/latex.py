"""A sheet as LaTeX: tables for a paper."""

from __future__ import annotations

import re

from showthrough.report.escaping import in_latex, keep_edge_spaces, latex_label, latex_row, single_line
from showthrough.report.sheets.document import Case, Cases, Grid, GridEntry, GridRow, ReportDocument, display_name

_LONG = 40  # rows that a page holds; a table with more goes on over pages
_FOREIGN = re.compile("(?m)^[^%\n].*[^\x00-\u017f\u2010-\u2027]")  # beyond the Latin letters that pdfLaTeX knows


def latex_of(sheet: ReportDocument) -> str:
    """A table with caption and label for each grid and picture, a list for cases; sentences and notes as comments."""
    labels: list[str] = []
    parts = [_comments(sheet.lead)]
    for block in sheet.blocks:
        if isinstance(block, Cases):
            parts.append(_list(block))
            continue
        grid = block if isinstance(block, Grid) else block.grid()
        labels.append(latex_label(grid.label or grid.caption, labels))
        parts.append(latex_grid(grid, labels[-1]))
    parts.append(_comments(sheet.notes))
    body = "\n".join(filter(None, parts))
    needs = [r"\usepackage{booktabs}"]
    needs += [r"\usepackage{longtable}"] if r"\begin{longtable}" in body else []
    needs += ["LuaLaTeX or XeLaTeX and a font: letters of other scripts are in it"] if _FOREIGN.search(body) else []
    return "\n".join([*(f"% needs {need}" for need in needs), "", body])


def latex_grid(grid: Grid, label: str) -> str:
    """A table, with what there is to say of it as comments below."""
    return _table(grid, label) + _comments(
        [*grid.dashes(), *([f"what to run, where the files are: {grid.command}"] if grid.command else []), *grid.notes]
    )


def _comments(lines: list[str] | tuple[str, ...]) -> str:
    return "".join(f"% {single_line(line)}\n" for line in lines)


def _table(grid: Grid, label: str) -> str:
    columns = "".join("l" if grid.in_words(index) else "r" for index in range(len(grid.heads)))
    heads = rf"{' & '.join([latex_row(grid.corner), *(in_latex(display_name(head)) for head in grid.heads)])} \\"
    top = [r"\toprule", heads, r"\midrule"]
    named_as = [rf"\caption{{{in_latex(grid.caption)}}}", rf"\label{{{label}}}"]
    rows = []
    for index, row in enumerate(grid.rows):
        if index and row.total != grid.rows[index - 1].total:
            rows.append(r"\midrule")
        rows += _row(row)
    if len(grid.rows) > _LONG:
        start = [rf"\begin{{longtable}}{{l{columns}}}", *named_as, r"\\", *top, r"\endfirsthead", *top, r"\endhead"]
        return "\n".join([*start, *rows, r"\bottomrule", r"\end{longtable}", ""])
    start = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{l{columns}}}", *top]
    return "\n".join([*start, *rows, r"\bottomrule", r"\end{tabular}", *named_as, r"\end{table}", ""])


def _row(row: GridRow) -> list[str]:
    """Values, and below them the intervals of those that have one."""
    cells = [in_latex(entry.text) if isinstance(entry.value, str) else _number(entry.text) for entry in row.entries]
    name = latex_row(display_name(row.name))
    if row.total:
        name, cells = rf"\textbf{{{name}}}", [rf"\textbf{{{cell}}}" for cell in cells]
    lines = [rf"{' & '.join([name, *cells])} \\"]
    if any(entry.interval for entry in row.entries):
        lines.append(rf" & {' & '.join(map(_interval, row.entries))} \\")
    return lines


def _interval(entry: GridEntry) -> str:
    return rf"{{\footnotesize {_number(entry.interval)}}}" if entry.interval else ""


def _number(text: str) -> str:
    """With a minus, where a text would have a hyphen."""
    return in_latex(text.replace("-", "−"))


def _list(block: Cases) -> str:
    items = "".join(f"{_case(case)}\n" for case in block.cases)
    whole = f"\\begin{{itemize}}\n{items}\\end{{itemize}}\n" if items else ""
    return f"\\paragraph{{{in_latex(block.caption)}}}\n{whole}{_comments(block.notes)}"


def _case(case: Case) -> str:
    before, after = keep_edge_spaces(case.before, in_latex), keep_edge_spaces(case.after, in_latex)
    remark = f" ({in_latex(case.remark)})" if case.remark else ""
    words = rf"\ldots{{}}{before}\textbf{{{in_latex(case.here)}}}{after}\ldots{{}}"
    return rf"\item {{{in_latex(case.document)}}}, {case.start}: {words}{remark}"
