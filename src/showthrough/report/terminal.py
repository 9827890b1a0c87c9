"""A run on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from showthrough.errors import printable
from showthrough.metrics import HEADLINE
from showthrough.report.all_tables import each_once, every_table
from showthrough.report.inference import StrataTable
from showthrough.report.significance import describes, first_is_better, p_text, result
from showthrough.report.table import Column, Table, documents_line, signatures
from showthrough.run.records import Comparison
from showthrough.run.run import Run

PAGE = 100  # columns of what is read as a page, where there is no terminal to fit into
_MARK = "*"  # before the best of a column, where bold cannot show it
_HEAD = 13  # letters of a line of what people call a metric: as wide as an interval
_TELLS = "`showthrough compare` tells which differences are more than chance"


class PlainConsole(Console):
    """A terminal that gets no character from a file that it could take for a command, nor a picture for a `:name`.

    Names, types, ids and words come from files. Whatever of them is no plain character, such as an escape code or a
    change of direction, is shown as what it is (`\\x1b`). Here, where all of it comes by: nobody can forget it.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(emoji=False, **settings)  # `cmd:cat: 3 masks` is about a program

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(printable, segment.text.split("\n"))), segment.style)


def bare_table(*heads: Text | str, justify: Literal["right", "center"] = "right") -> RichTable:
    """A table without a frame, whose first column names the rows; nothing in it is cut off."""
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(("", *heads)):
        rich.add_column(head, justify=justify if place else "left", no_wrap=True)
    return rich


def plain_table(table: Table) -> Table:
    """A table whose names take as much room as they are shown with."""
    columns = tuple(replace(column, head=printable(column.head)) for column in table.columns)
    return replace(table, names=tuple(map(printable, table.names)), columns=columns)


def show_run(run: Run, console: Console, *, parts: bool = False) -> None:
    """Tables, what is undefined, what failed; of metrics' parts all, or those that belong to a headline."""
    every = each_once(every_table(run))
    shown = every if parts else [table for table in every if _told(run, table)] or every
    for table in shown:
        show_table(table, run, console)
    if not console.is_terminal and any(cell.best for one in shown for column in one.columns for cell in column.cells):
        console.print(Text(f"{_MARK} best of its column, by however little; {_TELLS}", style="dim"))
    for failure in run.failures:
        console.print(Text("failed", "red").append(f" {failure.metric}: {failure.reason}", ""), soft_wrap=True)
    if len(shown) < len(every):
        apart = [table.title for table in every if table not in shown and not isinstance(table, StrataTable)]
        metrics = (_metric_of(run, title) for title in apart)
        console.print(Text(f"--parts shows the parts of {', '.join(dict.fromkeys(metrics))}", style="dim"))
        console.print()


def _told(run: Run, table: Table) -> bool:
    """Whether a table has what metrics are known by: headlines, those of own tables, P and R of an F."""
    roles = next((record.roles for record in run.metrics if table.title.startswith(record.text)), ())
    return table.known_by or "F, P and R" in roles


def _metric_of(run: Run, title: str) -> str:
    """The metric whose parts a table has: of those that its title begins with, the longest."""
    return max((one.text for one in run.metrics if title.startswith(one.text)), key=len, default=title)


def show_signatures(run: Run, console: Console) -> None:
    """The line that pins each metric's numbers down; files have them all."""
    for line in signatures(run):
        console.print(Text(line, style="dim"), soft_wrap=True)


def show_table(table: Table, run: Run, console: Console) -> None:
    table = plain_table(table)
    title = f"{documents_line(run)}{table.heading}"
    if run.settings.resamples:
        title += f"; intervals at {run.settings.confidence * 100:g} %"
    console.print()
    console.print(Text(title, style="bold"))
    for columns in _fitting(table, console.width):
        console.print(_rich_table(table, columns, _room(table, console.width), "" if console.is_terminal else _MARK))
    for line in (*table.undefined(), *table.remarks()):
        console.print(Text(line, style="dim"))
    console.print()


def _fitting(table: Table, width: int) -> list[list[Column]]:
    """Columns in as many tables as the terminal's width asks for: a number or a name is never cut off."""
    room = _room(table, width)
    needs = []
    for column in table.columns:
        heads = [cell_len(line) for line in _head_lines(column, table, room)]
        cells = (cell_len(text) for cell in column.cells for text in (f"*{cell.value}", cell.interval))
        needs.append(max(*heads, *cells) + 3)
    return [[table.columns[place] for place in some] for some in side_by_side(needs, room)]


def side_by_side(needs: Sequence[int], room: int) -> list[list[int]]:
    """The places of columns that stand in one table, for each table: as many as have room, and one at least.

    >>> side_by_side([4, 4, 4, 20, 3], 10)
    [[0, 1], [2], [3], [4]]
    """
    tables: list[list[int]] = [[]]
    used = 0
    for place, need in enumerate(needs):
        if tables[-1] and used + need > room:
            tables.append([])
            used = 0
        tables[-1].append(place)
        used += need
    return tables


def _room(table: Table, width: int) -> int:
    """What the names leave of the terminal's width."""
    return width - max(map(cell_len, table.names)) - 4


def _head_lines(column: Column, table: Table, room: int) -> list[str]:
    """What people call a number, then its short name, and where two share that, each parameter that is not the default.

    A parameter that is longer than a whole line, as the path of a model may be, loses its middle.

    >>> column = Column('tpi(ic="/home/me/models/bert", term_alterning=4)', "utility", "higher", (), "Information kept")
    >>> _head_lines(column, Table("scores", (), (column,)), 20)
    ['Information', 'kept', 'tpi ↑']
    >>> other = Column("tpi", "utility", "higher", ())
    >>> _head_lines(column, Table("scores", (), (column, other)), 20)
    ['Information', 'kept', 'tpi ↑', 'ic="/…dels/bert"', 'term_alterning=4']
    """
    name, bracket, inside = column.head.partition("(")
    arrow = f" {column.arrow}".rstrip(" ")
    titles = wrap(column.title, _HEAD)
    if not (name and bracket):
        return [*titles, f"{column.head}{arrow}"]
    alike = sum(other.head.partition("(")[0] == name for other in table.columns)
    keep = max(room - 4, 8)
    given = [
        line if cell_len(line) <= keep else f"{line[: keep // 3]}…{line[len(line) - keep + keep // 3 + 1 :]}"
        for line in (inside.removesuffix(")").split(", ") if alike > 1 else ())
    ]
    return [*titles, f"{name}{arrow}", *given]


def _rich_table(table: Table, columns: list[Column], room: int, mark: str) -> RichTable:
    """`mark` stands before the best of a column where bold cannot show it."""
    heads = []
    lines = [_head_lines(column, table, room) for column in columns]
    tallest = max(map(len, lines))
    for column, before, own in zip(columns, [None, *columns], lines, strict=False):
        head = Text("" if before and before.group == column.group else column.group, style="dim")
        for line in [*[""] * (tallest - len(own)), *own]:  # heads end on the same line
            short = line.partition(" ")[0] == column.head.partition("(")[0]
            head.append(f"\n{line}", style="dim not bold" if column.title and not short else "bold not dim")
        heads.append(head)
    rich = bare_table(*heads)
    for place, name in enumerate(table.names):
        reference = place >= table.tested
        if reference and place == table.tested:
            rich.add_section()
        cells = []
        for column in columns:
            cell = column.cells[place]
            style = "dim" if reference else "bold green" if cell.best else ""
            text = Text(f"{mark if cell.best else ''}{cell.value}", style=style)
            if not reference and any(one.interval for one in column.cells):
                text.append(f"\n{cell.interval}", style="dim not bold default")
            cells.append(text)
        rich.add_row(Text(name, style="dim" if reference else ""), *cells)
    return rich


def show_comparisons(run: Run, compared: Sequence[Comparison], alpha: float, console: Console) -> None:
    """For each metric a matrix of corrected p values, then what is significant in words."""
    silent: dict[tuple[str, str], list[str]] = {}  # parts without any number, by metric and reason
    for metric, part in dict.fromkeys((one.metric, one.part) for one in compared):
        here = [one for one in compared if (one.metric, one.part) == (metric, part)]
        if part != HEADLINE and all(one.difference is None for one in here) and len({*map(_untested, here)}) == 1:
            silent.setdefault((metric, _untested(here[0])), []).append(part)
            continue
        head = metric if part == HEADLINE else f"{metric}, {part}"
        console.print()
        asked = "does the row differ from" if describes(run, here[0]) else "is the row better than"
        console.print(Text(f"{head}: {asked} the column?", style="bold"))
        tested = [one for one in here if one.p_holm is not None]
        if tested:
            console.print(_matrix(run, here, alpha))
        for line in filter(None, (in_words(run, one, alpha) for one in tested)):
            console.print(Text(f"  {line}"))
        for one in [one for one in tested if not one.significant(alpha)]:
            line = f"{one.first} ? {one.second} (not shown to differ: {one.difference:+.3f}{_ends(one)})"
            console.print(Text(f"  {line}", style="dim"))
        for line in untested(here):
            console.print(Text(f"  {line}", style="dim"), soft_wrap=True)
    for (metric, reason), parts in silent.items():
        console.print(Text(f"\n{metric}, {', '.join(parts)}: {reason}", style="dim"))


def _untested(one: Comparison) -> str:
    return f"not tested: {one.note or 'it is undefined for one of the two'}"


def untested(compared: Sequence[Comparison]) -> list[str]:
    """Why there is no p: one line where no pair has any for the same reason, else a line for each."""
    lacking = [one for one in compared if one.p_holm is None]
    reasons = [_untested(one) for one in lacking]
    if len(set(reasons)) == 1 and len(lacking) == len(compared) > 1:
        return reasons[:1]
    sizes = ["" if one.difference is None else f"{one.difference:+.3f}{_ends(one)}; " for one in lacking]
    parts = zip(lacking, sizes, reasons, strict=True)
    return [f"{one.first} ? {one.second} ({size}{reason})" for one, size, reason in parts]


def _ends(one: Comparison) -> str:
    """`, 0.291 to 0.455`: the interval of a difference."""
    return "" if one.low is None or one.high is None else f", {one.low:.3f} to {one.high:.3f}"


def _matrix(run: Run, compared: Sequence[Comparison], alpha: float) -> RichTable:
    rich = bare_table(*(Text(printable(name)) for name in run.names), justify="center")
    cells: dict[tuple[str, str], Text] = {}
    for one in (pair for each in compared for pair in (each, each.turned)):
        p = p_text(one.p_holm)
        marks = {"better": Text(f"> {p}", "bold green"), "worse": Text(f"< {p}"), "unclear": Text(p, "dim")}
        cells[one.first, one.second] = marks.get(result(run, one, alpha), Text(p))
    for row in run.names:
        rich.add_row(Text(printable(row)), *(cells.get((row, column), Text("·", style="dim")) for column in run.names))
    return rich


def in_words(run: Run, one: Comparison, alpha: float) -> str:
    """`A > B (p = 0.0003, by 0.051, 0.020 to 0.083)` where A is significantly better than B; empty otherwise."""
    if not one.significant(alpha) or one.difference is None:
        return ""
    pair = one if first_is_better(run, one) else one.turned
    size = one.turned if one.difference < 0 else one
    than = "differs from" if describes(run, one) else ">"
    p = f"= {p_text(one.p_holm)}".replace("= <", "< ")
    return f"{pair.first} {than} {pair.second} (p {p}, by {size.difference:.3f}{_ends(size)})"
