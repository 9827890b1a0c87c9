"""A sheet on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from showthrough.errors import printable
from showthrough.report.sheets.sheet import Bars, Block, Cases, Grid, Heat, Row, Sheet, count, share
from showthrough.report.table import DASH
from showthrough.report.terminal import bare_table


def show_sheet(sheet: Sheet, console: Console) -> None:
    """Sentences, tables, cases, notes."""
    for line in sheet.lead:
        console.print(Text(line))
    for block in sheet.blocks:
        console.print()
        console.print(Text(block.caption, style="bold"))
        _show_block(block, console)
    for line in sheet.notes:
        console.print(Text(line, style="dim"))


def _show_block(block: Block, console: Console) -> None:
    if isinstance(block, Grid):
        _show_grid(block, console)
    elif isinstance(block, Heat):
        entry = count if block.kind == "count" else share
        rows = tuple(
            Row(name, tuple(map(entry, values))) for name, values in zip(block.rows, block.values, strict=True)
        )
        _show_grid(Grid(block.caption, block.columns, rows), console)
    elif isinstance(block, Bars):
        _show_grid(
            Grid(block.caption, block.series, tuple(Row(name, tuple(map(count, each))) for name, each in block.rows)),
            console,
        )
    elif isinstance(block, Cases):
        for case in block.cases:
            told = Text(f"{printable(case.document)}, {case.start}: ", style="dim")
            told.append(f"…{case.before}", "").append(case.here, "bold red").append(f"{case.after}…", "")
            console.print(told.append(f"  {case.remark}" if case.remark else "", "dim"), soft_wrap=True)
    for line in block.notes:
        console.print(Text(line, style="dim"))


def _show_grid(grid: Grid, console: Console) -> None:
    table = bare_table(*(Text(printable(head)) for head in grid.heads))
    for row in grid.rows:
        cells = []
        for entry in row.entries:
            cells.append(Text(entry.text))
            if entry.interval:
                cells[-1].append(f"\n{entry.interval}", style="dim")
        table.add_row(Text(printable(row.name), style="bold" if row.total else ""), *cells)
    console.print(table)
    for reason, heads in grid.reasons().items():
        console.print(Text(f"{DASH} {heads}: {reason}", style="dim"))
