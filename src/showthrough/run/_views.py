"""What a run, its scores and its comparisons look like: the one module that asks a later package.

Whoever holds a run may look at it. How it looks is for `report` to say, which knows what a run is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from showthrough.core.errors import HALF_CHARACTER, OutputError
from showthrough.storage.writing import write_file

if TYPE_CHECKING:
    from showthrough.run.run import Run


def text(value: object) -> str:
    """A value as a terminal shows it."""
    from showthrough.report.notebook import text_of

    return text_of(value)


def html(value: object) -> str:
    """A value as a notebook shows it."""
    from showthrough.report.notebook import html_of

    return html_of(value)


def page(run: Run, without_text: bool) -> str:
    """The page to look at."""
    from showthrough.report.files import VIEWS

    return VIEWS["html"].text(run, without_text)


def write_page(run: Run, path: Path, without_text: bool, *, force: bool) -> None:
    from showthrough.report.files import VIEWS

    try:
        content = page(run, without_text).encode()
    except UnicodeEncodeError as error:
        raise OutputError(f"{path}: cannot be written: a name in the run {HALF_CHARACTER}") from error
    write_file(path, content, force=force, private=VIEWS["html"].is_private(run, without_text))


def log_to(run: Run, tracker: str, target: str | None) -> None:
    """Adds a run to a tracker of experiments."""
    from showthrough.report.trackers import log_run

    log_run(run, tracker, target)
