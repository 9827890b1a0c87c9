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

from showthrough.core.errors import printable
from showthrough.metrics import HEADLINE
from showthrough.report.significance import describes, first_is_better, p_text, result
from showthrough.report.table import ScoreColumn, ScoreTable, documents_line, each_once, every_table, signatures
from showthrough.run.records import Comparison
from showthrough.run.run import Run

PAGE = 100  # columns of what is read as a page, where there is no terminal to fit into
_LOOSE, _TIGHT, _TIGHTEST = 3, 2, 1  # spaces between columns: with intervals, without, and if that saves a table
_MARK = "*"  # before the best of a column, where bold cannot show it
_HEAD = 13  # letters of a line of what people call a metric: as wide as an interval
_COMPARE_HINT = "`showthrough compare` shows which differences are more than chance"


class PlainConsole(Console):
    """A terminal that gets no character from a file that it could take for a command, nor a picture for a `:name`.

    Names, types, ids and words come from files. Whatever of them is no plain character, such as an escape code or a
    change of direction, is shown as what it is (`\\x1b`). Here, where all of it comes by: nobody can forget it.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(emoji=False, **settings)  # `cmd:cat: 3 masks` is about a program

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text == "\n" or segment.text.isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(printable, segment.text.split("\n"))), segment.style)


def bare_table(*heads: Text | str, justify: Literal["right", "center"] = "right", tight: bool = False) -> RichTable:
    """A table without a frame, whose first column names the rows; nothing in it is cut off."""
    rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=tight)
    for index, head in enumerate(("", *heads)):
        rich.add_column(head, justify=justify if index else "left", no_wrap=True)
    return rich


def plain_table(table: ScoreTable) -> ScoreTable:
    """A table whose names take as much room as they are shown with."""
    columns = tuple(replace(column, head=printable(column.head)) for column in table.columns)
    return replace(table, names=tuple(map(printable, table.names)), columns=columns)


def show_run(run: Run, console: Console, *, parts: bool = False, short: bool = False, more_notes: int = 0) -> None:
    """Tables, what is undefined, what failed; of metrics' parts all, or those that belong to a headline.

    In short, without intervals and what belongs to them. `more_notes` are left out, and one line says where they are.
    """
    every = each_once(every_table(run))
    compact = short and len(run.names) > 1  # of a single system there is room for the tables of P and R
    shown = every if parts else [table for table in every if _is_main_table(run, table, compact)] or every
    for table in shown:
        show_table(table, run, console, short=short)
    marked = not console.is_terminal and any(
        cell.best for own_table in shown for column in own_table.columns for cell in column.cells
    )
    if marked and not short:
        console.print(Text(f"{_MARK} best of its column; {_COMPARE_HINT}", style="dim"))
    for failure in run.failures:
        console.print(Text("failed", "red").append(f" {failure.metric}: {failure.reason}", ""), soft_wrap=True)
    if short:
        references = "references, " if any(_leaves_references_out(table, console.width) for table in shown) else ""
        best = f"{_MARK} best of its column{'' if references else ' (see `compare`)'}; " if marked else ""
        rest = f"{more_notes} more note{'s' * (more_notes > 1)}" if more_notes else "the rest"
        console.print(Text(f"{best}--verbose: intervals, {references}{rest}; `list metrics`: the names", style="dim"))
    elif len(shown) < len(every):
        apart = [table.title for table in every if table not in shown and table.hinted]
        metrics = (_metric_of(run, title) for title in apart)
        console.print(Text(f"--parts shows the parts of {', '.join(dict.fromkeys(metrics))}", style="dim"))
        console.print()


def _is_main_table(run: Run, table: ScoreTable, compact: bool) -> bool:
    """Whether a table has what metrics are known by: headlines, those of own tables, and P and R unless compact."""
    if compact:
        return table.has_headlines
    roles = next((record.roles for record in run.metrics if table.title.startswith(record.text)), ())
    return table.has_headlines or "F, P and R" in roles


def _metric_of(run: Run, title: str) -> str:
    """The metric whose parts a table has: of those that its title begins with, the longest."""
    return max((record.text for record in run.metrics if title.startswith(record.text)), key=len, default=title)


def show_signatures(run: Run, console: Console) -> None:
    """The line that pins each metric's numbers down; files have them all."""
    for line in signatures(run):
        console.print(Text(line, style="dim"), soft_wrap=True)


def show_table(table: ScoreTable, run: Run, console: Console, *, short: bool = False) -> None:
    table = plain_table(table)
    title = f"{documents_line(run)}{table.heading}"
    gap = _LOOSE
    if short:
        references_out = _leaves_references_out(table, console.width)
        table, gap = _shortened(table, console.width)
        table = table.without_references() if references_out else table
    elif run.settings.resamples:
        title += f"; intervals at {run.settings.confidence * 100:g} %"
    console.print()
    console.print(Text(title, style="bold"))
    for columns in _fit_columns(table, console.width, gap):
        mark = "" if console.is_terminal else _MARK
        rich = _rich_table(table, columns, _room(table, console.width), mark, gap)
        if columns[0] is not table.columns[0] and short:  # the heads of a later piece are enough to part it
            rich.box, rich.padding = None, (0, gap, 0, 0)
        console.print(rich)
    if short:
        lines = [*table.explain_dashes_together(), *_explain_heads(table, console.width), *table.asides]
    else:
        lines = [*table.explain_dashes(), *table.remarks()]
    for line in lines:
        console.print(Text(line, style="dim"))
    if not short:
        console.print()


def _shortened(table: ScoreTable, width: int) -> tuple[ScoreTable, int]:
    """With less space, and without what people call metrics, where these would take a second table."""
    bare = replace(table, columns=tuple(replace(column, title="") for column in table.columns))
    for candidate, gap in ((table, _TIGHT), (bare, _TIGHT), (bare, _TIGHTEST)):
        if len(_fit_columns(candidate, width, gap)) == 1:
            return candidate, gap
    return bare, _TIGHT


def _leaves_references_out(table: ScoreTable, width: int) -> bool:
    """Whether a short table is so wide that it is shown in pieces, which then have the anonymizations alone."""
    table, gap = _shortened(plain_table(table), width)
    return table.tested > 0 and table.references > 0 and len(_fit_columns(table, width, gap)) > 1


def _explain_heads(table: ScoreTable, width: int) -> list[str]:
    """`tps is tps(ic="wordfreq"); …`, where heads leave the parameters out, in lines of the terminal's width."""
    short = [column.head.partition("(")[0] for column in table.columns]
    explained = [
        f"{name} is {column.head}"
        for name, column in zip(short, table.columns, strict=True)
        if name != column.head and name and short.count(name) == 1
    ]
    lines: list[str] = []
    for text in explained:
        if lines and cell_len(f"{lines[-1]}; {text}") <= width:
            lines[-1] += f"; {text}"
        else:
            lines.append(text)
    return lines


def _fit_columns(table: ScoreTable, width: int, gap: int) -> list[list[ScoreColumn]]:
    """Columns in as many tables as the terminal's width asks for: a number or a name is never cut off."""
    room, short = _room(table, width), gap < _LOOSE
    needs = []
    for column in table.columns:
        heads = [cell_len(line) for line in _head_lines(column, table, room)]
        cells = (cell_len(text) for cell in column.cells for text in (f"*{cell.value}", "" if short else cell.interval))
        needs.append(max(*heads, *cells) + gap)
    return [[table.columns[index] for index in indexes] for indexes in side_by_side(needs, room)]


def side_by_side(needs: Sequence[int], room: int) -> list[list[int]]:
    """The places of columns that stand in one table, for each table: as many as have room, and one at least.

    >>> side_by_side([4, 4, 4, 20, 3], 10)
    [[0, 1], [2], [3], [4]]
    """
    tables: list[list[int]] = [[]]
    used = 0
    for index, need in enumerate(needs):
        if tables[-1] and used + need > room:
            tables.append([])
            used = 0
        tables[-1].append(index)
        used += need
    return tables


def _room(table: ScoreTable, width: int) -> int:
    """What the names leave of the terminal's width."""
    return width - max(map(cell_len, table.names)) - 4


def _head_lines(column: ScoreColumn, table: ScoreTable, room: int) -> list[str]:
    """What people call a number, then its short name, and where two share that, each parameter that is not the default.

    A parameter that is longer than a whole line, as the path of a model may be, loses its middle.

    >>> metric = 'tpi(ic="/home/me/models/bert", term_alterning=4)'
    >>> column = ScoreColumn(metric, "utility", "higher", (), "Information kept")
    >>> _head_lines(column, ScoreTable("scores", (), (column,)), 20)
    ['Information', 'kept', 'tpi ↑']
    >>> other = ScoreColumn("tpi", "utility", "higher", ())
    >>> _head_lines(column, ScoreTable("scores", (), (column, other)), 20)
    ['Information', 'kept', 'tpi ↑', 'ic="/…dels/bert"', 'term_alterning=4']
    """
    name, bracket, inside = column.head.partition("(")
    arrow = f" {column.arrow}".rstrip(" ")
    titles = wrap(column.title, _HEAD)
    if not (name and bracket):
        return [*titles, f"{column.head}{arrow}"]
    alike = sum(other.head.partition("(")[0] == name for other in table.columns)
    keep = max(room - 4, 8)
    parameters = [
        line if cell_len(line) <= keep else f"{line[: keep // 3]}…{line[len(line) - keep + keep // 3 + 1 :]}"
        for line in (inside.removesuffix(")").split(", ") if alike > 1 else ())
    ]
    return [*titles, f"{name}{arrow}", *parameters]


def _rich_table(table: ScoreTable, columns: list[ScoreColumn], room: int, mark: str, gap: int) -> RichTable:
    """`mark` stands before the best of a column where bold cannot show it."""
    heads, short = [], gap < _LOOSE
    lines = [_head_lines(column, table, room) for column in columns]
    tallest = max(map(len, lines))
    for column, before, own in zip(columns, [None, *columns], lines, strict=False):
        head = Text("" if before and before.group == column.group else column.group, style="dim")
        for line in [*[""] * (tallest - len(own)), *own]:  # heads end on the same line
            is_name = line.partition(" ")[0] == column.head.partition("(")[0]
            head.append(f"\n{line}", style="dim not bold" if column.title and not is_name else "bold not dim")
        heads.append(head)
    rich = bare_table(*heads, tight=short)
    if gap == _TIGHTEST:
        rich.padding = (0, 0, 0, 0)
    for index, name in enumerate(table.names):
        reference = index >= table.tested
        if reference and index == table.tested and not short:
            rich.add_section()
        cells = []
        for column in columns:
            cell = column.cells[index]
            style = "dim" if reference else "bold green" if cell.best else ""
            text = Text(f"{mark if cell.best else ''}{cell.value}", style=style)
            if not (short or reference) and any(other_cell.interval for other_cell in column.cells):
                text.append(f"\n{cell.interval}", style="dim not bold default")
            cells.append(text)
        rich.add_row(Text(name, style="dim" if reference else ""), *cells)
    return rich


def show_comparisons(run: Run, compared: Sequence[Comparison], alpha: float, console: Console) -> None:
    """For each metric a matrix of corrected p values, then what is significant in words."""
    silent: dict[tuple[str, str], list[str]] = {}  # parts without any number, by metric and reason
    for metric, part in dict.fromkeys((pair.metric, pair.part) for pair in compared):
        comparisons = [pair for pair in compared if (pair.metric, pair.part) == (metric, part)]
        if (
            part != HEADLINE
            and all(pair.difference is None for pair in comparisons)
            and len({*map(_untested_reason, comparisons)}) == 1
        ):
            silent.setdefault((metric, _untested_reason(comparisons[0])), []).append(part)
            continue
        head = metric if part == HEADLINE else f"{metric}, {part}"
        console.print()
        question = "does the row differ from" if describes(run, comparisons[0]) else "is the row better than"
        console.print(Text(f"{head}: {question} the column?", style="bold"))
        tested = [pair for pair in comparisons if pair.p_holm is not None]
        if tested:
            console.print(_matrix(run, comparisons, alpha))
        for line in filter(None, (in_words(run, pair, alpha) for pair in tested)):
            console.print(Text(f"  {line}"))
        for pair in [pair for pair in tested if not pair.significant(alpha)]:
            line = f"{pair.first} ? {pair.second} (not shown to differ: {pair.difference:+.3f}{_interval_words(pair)})"
            console.print(Text(f"  {line}", style="dim"))
        if any(not pair.significant(alpha) and _excludes_zero(pair) for pair in tested):
            line = "an interval is of one pair alone; p is corrected for all pairs (Holm), so it may differ"
            console.print(Text(f"  {line}", style="dim"))
        for line in explain_untested(comparisons):
            console.print(Text(f"  {line}", style="dim"), soft_wrap=True)
    for (metric, reason), parts in silent.items():
        console.print(Text(f"\n{metric}, {', '.join(parts)}: {reason}", style="dim"))


def _untested_reason(comparison: Comparison) -> str:
    return f"not tested: {comparison.note or 'it is undefined for one of the two'}"


def explain_untested(compared: Sequence[Comparison]) -> list[str]:
    """Why there is no p: one line where no pair has any for the same reason, else a line for each."""
    lacking = [comparison for comparison in compared if comparison.p_holm is None]
    reasons = [_untested_reason(comparison) for comparison in lacking]
    if len(set(reasons)) == 1 and len(lacking) == len(compared) > 1:
        return reasons[:1]
    sizes = [
        "" if comparison.difference is None else f"{comparison.difference:+.3f}{_interval_words(comparison)}; "
        for comparison in lacking
    ]
    parts = zip(lacking, sizes, reasons, strict=True)
    return [f"{comparison.first} ? {comparison.second} ({size}{reason})" for comparison, size, reason in parts]


def _interval_words(comparison: Comparison) -> str:
    """`, 0.291 to 0.455`: the interval of a difference."""
    return (
        "" if comparison.low is None or comparison.high is None else f", {comparison.low:.3f} to {comparison.high:.3f}"
    )


def _excludes_zero(comparison: Comparison) -> bool:
    """Whether an interval, which is not corrected, shows a difference by itself."""
    return comparison.low is not None and comparison.high is not None and comparison.low * comparison.high > 0


def _matrix(run: Run, compared: Sequence[Comparison], alpha: float) -> RichTable:
    rich = bare_table(*(Text(printable(name)) for name in run.names), justify="center")
    cells: dict[tuple[str, str], Text] = {}
    for comparison in (pair for unordered in compared for pair in (unordered, unordered.swapped)):
        p = p_text(comparison.p_holm)
        marks = {"better": Text(f"> {p}", "bold green"), "worse": Text(f"< {p}"), "unclear": Text(p, "dim")}
        cells[comparison.first, comparison.second] = marks.get(result(run, comparison, alpha), Text(p))
    for row in run.names:
        rich.add_row(Text(printable(row)), *(cells.get((row, column), Text("·", style="dim")) for column in run.names))
    return rich


def in_words(run: Run, comparison: Comparison, alpha: float) -> str:
    """`A > B (p = 0.0003, by 0.051, 0.020 to 0.083)` where A is significantly better than B; empty otherwise."""
    if not comparison.significant(alpha) or comparison.difference is None:
        return ""
    pair = comparison if first_is_better(run, comparison) else comparison.swapped
    size = comparison.swapped if comparison.difference < 0 else comparison
    than = "differs from" if describes(run, comparison) else ">"
    p = f"= {p_text(comparison.p_holm)}".replace("= <", "< ")
    return f"{pair.first} {than} {pair.second} (p {p}, by {size.difference:.3f}{_interval_words(size)})"
