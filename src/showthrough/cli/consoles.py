"""Where commands print: results to standard output, what a reader must know besides to standard error."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from textwrap import wrap

from rich.console import Console

from showthrough.core.errors import LINE, shorten
from showthrough.data.masks import Anonymization
from showthrough.report.terminal import PAGE as PAGE, PlainConsole

_PIPE_WIDTH = 200  # without a terminal there is no edge to fit into; but what is read as a page fits into PAGE


def console(width: int = _PIPE_WIDTH) -> Console:
    """Standard output; so wide where it is no terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # an arrow must not end a run where the encoding has none
    return PlainConsole(highlight=False, width=None if sys.stdout.isatty() else width)


def notes() -> Console:
    return PlainConsole(stderr=True, highlight=False)


def print_plain(lines: Iterable[str], where: Console) -> None:
    """Lines as they are: square brackets mean nothing, and no line is broken, so that paths can be copied."""
    for line in lines:
        where.print(line, markup=False, soft_wrap=True)


def show_notes(lines: Iterable[str]) -> None:
    """What a reader must know before believing the numbers, where it is seen even if the output goes to a file."""
    screen = notes()
    width = screen.width if screen.is_terminal else PAGE
    for line in lines:
        note = shorten(f"note: {line}", LINE)
        print_plain(
            wrap(note, width, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False), screen
        )


def note_unmasked(anonymizations: Iterable[Anonymization]) -> None:
    """Notes each anonymization that hides nothing, for example if the originals were given for it; no error."""
    unmasked = (
        shorten(anonymization.name) for anonymization in anonymizations if not any(anonymization.masks.values())
    )
    print_plain((f"{name}: no text differs from the original; nothing is masked" for name in unmasked), notes())


def documents(number: int) -> str:
    """`1 document`, `2 documents`."""
    return f"{number} document{'' if number == 1 else 's'}"
