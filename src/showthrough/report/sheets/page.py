"""A sheet as one HTML file that opens anywhere: all of it is in the markup, and a script only helps to find things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from showthrough.report.html.sources import join_sources, policy, template
from showthrough.report.sheets.document import Block, Cases, Grid, GridEntry, Heat, ReportDocument, display_name
from showthrough.version import __version__

STYLES = ("page", "tables", "figures", "print", "sheet")  # later ones go over earlier ones
SCRIPTS = ("page", "sheet")
_WIDE = 95  # letters that half of a large screen holds
_MATRIX = 12  # columns of a matrix that it holds
_NAME = 30  # letters after which a name may go on in the next line
# What no page may hold: commands to terminals, halves of characters. Line ends and tabs are spaces there.
_ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def page_of(sheet: ReportDocument) -> str:
    """The page."""
    style, theme, script = join_sources(STYLES, "css"), join_sources(["theme"], "js"), join_sources(SCRIPTS, "js")
    page = template("sheet.html").render(
        title=legible(sheet.title),
        sheet=sheet,
        named=display_name,
        legible=legible,
        kind_of=lambda block: type(block).__name__,
        kinds_of=lambda grid: ["words" if grid.in_words(at) else "number" for at in range(len(grid.heads))],
        is_wide=_is_wide,
        stacked=_stack_bars,
        version=__version__,
        policy=policy(style, theme, script),
        style=style,
        theme=theme,
        script=script,
    )
    return str(page)


def legible(text: str) -> str:
    """Text whose odd characters are shown as what they are.

    >>> legible("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return _ODD.sub(lambda match: ascii(match[0])[1:-1], text)


def _is_wide(block: Block) -> bool:
    """Whether it wants the whole width of a large screen."""
    if isinstance(block, Heat):
        return len(block.columns) > _MATRIX
    if not isinstance(block, Grid):
        return isinstance(block, Cases)
    names = max((len(row.name) for row in block.rows), default=0)
    columns = zip(block.heads, *(row.entries for row in block.rows), strict=True)
    widths = (
        max(*map(len, head.split() or [""]), *(_letters(entry) for entry in entries), 4) + 3
        for head, *entries in columns
    )
    return min(names, _NAME) + sum(min(width, _NAME) for width in widths) > _WIDE


def _letters(entry: GridEntry) -> int:
    """How wide a cell is; intervals are written smaller."""
    return max(len(entry.text), len(entry.interval) * 4 // 5)


def _stack_bars(values: Sequence[float], most: float) -> Iterator[tuple[float, float]]:
    """Where each part of a bar begins and how long it is, in hundredths of the longest bar.

    >>> list(_stack_bars((1, 0, 3), 8))
    [(0.0, 12.5), (12.5, 0.0), (12.5, 37.5)]
    """
    start = 0.0
    for value in values:
        width = round(max(value, 0) / most * 100, 3) if most > 0 else 0.0
        yield round(start, 3), width
        start += width
