"""A sheet as Markdown."""

from __future__ import annotations

from showthrough.report.escaping import in_markdown, keep_edge_spaces, markdown_code, markdown_paragraph
from showthrough.report.sheets.document import (
    Block,
    Case,
    Cases,
    Grid,
    GridEntry,
    GridRow,
    ReportDocument,
    display_name,
)


def markdown_of(sheet: ReportDocument) -> str:
    """Sentences, tables under headings, cases as lists, notes."""
    parts = [f"# {in_markdown(sheet.title)}", *map(markdown_paragraph, sheet.lead)]
    for block in sheet.blocks:
        parts += [f"## {in_markdown(block.caption)}", *markdown_block(block)]
    if sheet.notes:
        parts += ["## Notes", _list(sheet.notes)]
    return "\n\n".join(parts) + "\n"


def markdown_block(block: Block) -> list[str]:
    """The paragraphs of one block, without its caption."""
    if isinstance(block, Cases):
        return ["\n".join(map(_case, block.cases)) or "(none)", *map(markdown_paragraph, block.notes)]
    grid = block if isinstance(block, Grid) else block.grid()
    notes = [*grid.dashes(), *block.notes]
    command = [f"What to run, where the files are: {markdown_code(grid.command)}"] if grid.command else []
    return [_table(grid) if grid.rows else "(none)", *command, *([_list(notes)] if notes else [])]


def _list(lines: list[str] | tuple[str, ...]) -> str:
    return "\n".join(f"- {markdown_paragraph(line)}" for line in lines)


def _table(grid: Grid) -> str:
    heads = [in_markdown(grid.corner), *(in_markdown(display_name(head)) for head in grid.heads)]
    rules = ["---", *("---" if grid.in_words(index) else "---:" for index in range(len(grid.heads)))]
    rows = [_line(heads), f"|{'|'.join(rules)}|", *(_line(_cells(row)) for row in grid.rows)]
    return "\n".join(rows)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: GridRow) -> list[str]:
    cells = [in_markdown(display_name(row.name)), *map(_entry, row.entries)]
    return [f"**{cell}**" if cell else "" for cell in cells] if row.total else cells


def _entry(entry: GridEntry) -> str:
    text = in_markdown(entry.text)
    return f"{text} ({entry.interval})" if entry.interval else text


def _case(case: Case) -> str:
    """A mark around any letters: asterisks mean nothing beside a space or a bracket."""
    before, after = (keep_edge_spaces(text, in_markdown) for text in (case.before, case.after))
    remark = f" ({in_markdown(case.remark)})" if case.remark else ""
    return f"- {markdown_code(case.document)}, {case.start}: …{before}<b>{in_markdown(case.here)}</b>{after}…{remark}"
