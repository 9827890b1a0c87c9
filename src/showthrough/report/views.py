"""A run as files: one table of views. Each is an option of `evaluate` and `report`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from showthrough.report.files import csv_text, json_text, latex_text, markdown_text
from showthrough.run.run import Run


@dataclass(frozen=True)
class View:
    """What the help says of it, and what makes its text of a run.

    A view that `shows_documents` is asked whether to leave every word of them out. The others never see one then.
    """

    help: str
    make: Callable[..., str]
    shows_documents: bool = False

    def text(self, run: Run, without_text: bool) -> str:
        if self.shows_documents:
            return self.make(run, without_text=without_text)
        return self.make(run.without_text() if without_text else run)

    def is_private(self, run: Run, without_text: bool) -> bool:
        """Whether original text is in it, which is for its owner alone."""
        return self.shows_documents and run.texts is not None and not without_text


def _page(run: Run, *, without_text: bool) -> str:
    from showthrough.report.html import html_text  # here: charts take a moment to import

    return html_text(run, without_text=without_text)


VIEWS: dict[str, View] = {
    "csv": View("Write all scores as CSV.", csv_text),
    "markdown": View("Write the tables as Markdown.", markdown_text),
    "latex": View("Write the tables as LaTeX (booktabs).", latex_text),
    "json": View("Write the scores alone as JSON.", json_text),
    "html": View("Write one page to look at, with the documents in it.", _page, shows_documents=True),
}
