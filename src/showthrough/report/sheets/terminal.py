"""A sheet on the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from showthrough.core.errors import printable, shorten
from showthrough.report.sheets.document import Bars, Case, Cases, Grid, Heat, ReportDocument, display_name
from showthrough.report.terminal import PAGE, bare_table, side_by_side

_HEAD = 9  # cells of a line of a head; words are broken where they are longer than the next
_WORD = 20
_WORDS = 48  # cells of a column of words
_BAR = 30  # cells of the longest bar; fewer where there is less room, and these at least
_SHORT_BAR = 10
_GAP = 3  # between columns
_SHADES = " ░▒▓█"
_PARTS = "█▓▒░"
_COLOURS = ("blue", "red", "green", "magenta", "yellow", "cyan")
_ID = 30  # letters of a document's id
_LEAST = 20  # cells of a context
_REMARK = 24  # cells of a remark that has room beside a context
_PIECE = 12  # cells of a word that may be left out whole, where it was cut


def show_sheet(sheet: ReportDocument, console: Console) -> None:
    """Sentences, tables, cases, notes; as wide as the terminal, and a page where there is none."""
    width = console.width if console.is_terminal else min(console.width, PAGE)
    _say(sheet.lead, console, width)
    for block in sheet.blocks:
        console.print()
        _say([block.caption], console, width, "bold")
        if isinstance(block, Cases):
            _show_cases(block, console, width)
        else:
            _show_table(block, console, width)
        if isinstance(block, Grid) and block.command:
            console.print(Text("what to run, where the files are:", style="dim"))
            console.print(Text(printable(block.command)), soft_wrap=True)  # no line of it is broken
        _say(block.notes, console, width, "dim")
    if sheet.notes:
        console.print()
        _say(sheet.notes, console, width, "dim")


def _say(lines: Iterable[str], console: Console, width: int, style: str = "") -> None:
    for line in lines:
        console.print(Text(printable(line), style=style), width=width)


class _Column(NamedTuple):
    """A head, and a cell for each row."""

    head: str
    cells: list[Text]
    justify: Literal["left", "right"] = "right"

    @property
    def width(self) -> int:
        """That of its widest cell, or what its head can be broken into."""
        lines = [line for cell in self.cells for line in cell.plain.split("\n")]
        widest = max(map(cell_len, lines), default=0)
        widest = widest if self.justify == "right" else min(widest, _WORDS)
        return max(widest, _broken_width(self.head))


def _broken_width(head: str) -> int:
    """Cells of the widest line, where its words are broken into lines of a few cells.

    >>> _broken_width("direct hidden"), _broken_width("to be masked"), _broken_width("documents")
    (6, 6, 9)
    """
    sizes = list(map(cell_len, head.split()))
    most = max(_HEAD, *sizes, 0)
    widest = line = 0
    for size in sizes:
        line = line + 1 + size if line and line + 1 + size <= most else size
        widest = max(widest, line)
    return min(widest, _WORD)


def _show_table(block: Grid | Heat | Bars, console: Console, width: int) -> None:
    grid = block if isinstance(block, Grid) else block.grid()
    if not grid.rows:
        _say(["(none)"], console, width, "dim")
        return
    columns = [_column(grid, index) for index in range(len(grid.heads))]
    if isinstance(block, Heat):
        _shade(columns, block)
    corner = printable(grid.corner)
    names = [printable(display_name(row.name)) for row in grid.rows]
    if isinstance(block, Bars):
        columns = _with_bars(columns, block, width - max(map(cell_len, names)))
    beside = width - sum(column.width + _GAP for column in columns)  # what all columns leave to the names
    first = min(max(map(cell_len, [*names, corner])), max(_WORD, width // 3, beside))
    room = width - first
    for indexes in side_by_side([min(column.width + _GAP, room) for column in columns], room):
        if 0 not in indexes and columns:
            console.print()
        chunk = [columns[index] for index in indexes]
        console.print(_rich_table(grid, corner, names, first, chunk, room, console), width=width)
    _say(grid.dashes(), console, width, "dim")
    if isinstance(block, Heat) and block.most:
        ends = "   ".join(f"{sign} up to {end}" for sign, end in zip(_SHADES[1:], block.ends(), strict=True))
        _say([ends], console, width, "dim")


def _column(grid: Grid, index: int) -> _Column:
    cells = []
    for row in grid.rows:
        entry = row.entries[index]
        cells.append(
            Text(printable(entry.text), style="bold" if row.total else "" if entry.value is not None else "dim")
        )
        if entry.interval:
            cells[-1].append(f"\n{entry.interval}", style="dim not bold")
    return _Column(printable(display_name(grid.heads[index])), cells, "left" if grid.in_words(index) else "right")


def _shade(columns: list[_Column], heat: Heat) -> None:
    """Puts a sign before each number: a matrix is read by how dark it is, also without colours."""
    for column, values in zip(columns, zip(*heat.values, strict=True), strict=True):
        for index, value in enumerate(values):
            shade = Text(_SHADES[heat.shade(value)], style="red")
            column.cells[index] = shade.append(" ").append_text(column.cells[index])


def _with_bars(columns: list[_Column], bars: Bars, room: int) -> list[_Column]:
    """A last column of stacked parts, each of a sign of its own, which the heads of the others have too."""
    signs = [(_PARTS[index % len(_PARTS)], _COLOURS[index % len(_COLOURS)]) for index in range(len(bars.series))]
    if len(columns) > 1:
        pairs = zip(columns, signs, strict=True)
        columns = [column._replace(head=f"{sign} {column.head}") for column, (sign, _) in pairs]
    left = room - sum(column.width + _GAP for column in columns) - _GAP
    longest = min(left, _BAR) if left >= _SHORT_BAR else _BAR
    cells = []
    for _, values in bars.rows:
        bar, end, total = Text(), 0, 0.0
        for (sign, colour), value in zip(signs, values, strict=True):
            total += max(value, 0)
            until = round(total / bars.most * longest) if bars.most > 0 else 0
            until = max(until, int(total > 0))  # little is not nothing
            bar.append(sign * (until - end), style=colour)
            end = until
        cells.append(bar)
    return [*columns, _Column("", cells, "left")]


def _rich_table(
    grid: Grid, corner: str, names: list[str], first: int, columns: list[_Column], room: int, console: Console
) -> RichTable:
    widths = [min(column.width, room - _GAP) for column in columns]
    pairs = zip(columns, widths, strict=True)
    heads = [
        [line.plain.rstrip() for line in Text(own_column.head).wrap(console, width)] for own_column, width in pairs
    ]
    tallest = max(map(len, heads), default=1)
    padded = ["\n".join([*[""] * (tallest - len(head)), *head]) for head in heads]  # heads end on the same line
    rich = bare_table(*map(Text, padded))
    for rich_column, column, width in zip(rich.columns[1:], columns, widths, strict=True):
        rich_column.justify, rich_column.no_wrap, rich_column.overflow, rich_column.max_width = (
            column.justify,
            False,
            "fold",
            width,
        )
    rich.columns[0].header = Text("\n" * (tallest - 1) + corner, style="not bold")
    rich.columns[0].no_wrap, rich.columns[0].overflow, rich.columns[0].max_width = False, "fold", first
    for index, (row, name) in enumerate(zip(grid.rows, names, strict=True)):
        if index and row.total != grid.rows[index - 1].total:
            rich.add_section()
        rich.add_row(Text(name, style="bold" if row.total else ""), *(column.cells[index] for column in columns))
    return rich


def _show_cases(block: Cases, console: Console, width: int) -> None:
    if not block.cases:
        _say(["(none)"], console, width, "dim")
    coloured = console.is_terminal and console.color_system is not None and not console.no_color
    marks = ("", "") if coloured else ("«", "»")
    remarks = max((cell_len(printable(case.remark)) for case in block.cases), default=0)
    for case in block.cases:
        console.print(_case(case, width, marks, remarks if remarks <= _REMARK else 0), width=width)


def _case(case: Case, width: int, marks: tuple[str, str], beside: int) -> Text:
    """One line: where it is, and so much of its context as fits; a remark `beside` it in so many cells, or below."""
    line = Text(f"{shorten(case.document, _ID)}, {case.start}: ", style="dim")
    quote = f"{marks[0]}{_running(case.here)}{marks[1]}"
    room = max(width - cell_len(line.plain) - 2 - (beside + 2 if beside else 0), _LEAST)
    if cell_len(quote) > room:
        quote = f"{set_cell_size(quote, room - 1)}…"
    left = room - cell_len(quote)
    before = _truncate(_running(case.before)[::-1], left // 2)[::-1]
    after = _truncate(_running(case.after), left - cell_len(before))
    line.append(f"…{before}", "not dim").append(quote, "bold red not dim").append(f"{after}…", "not dim")
    if case.remark:
        line.append("  " if beside else "\n    ").append(printable(case.remark))
    return line


def _running(text: str) -> str:
    """Words of a document in one line."""
    return printable(re.sub(r"\s+", " ", text))


def _truncate(text: str, cells: int) -> str:
    """The first of it that takes so much room, without the piece of a word at its end."""
    if cell_len(text) <= cells:
        return text
    words, space, piece = set_cell_size(text, max(cells, 0)).rpartition(" ")
    return words if space and cell_len(piece) <= _PIECE else f"{words}{space}{piece}"
