"""Views of a run: terminal, CSV, Markdown, LaTeX, JSON, the release summary.

A report reads a run and nothing else, and only here are numbers rounded. What writes each kind of file is imported when
it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from showthrough.report.changes import compare_html
    from showthrough.report.files import csv_text, json_text, latex_text, markdown_text, tae_csv_text
    from showthrough.report.release import ReleaseSummary, release_summary, summary_json
    from showthrough.report.release.page import summary_html, summary_pdf
    from showthrough.report.table import Cell, ScoreColumn, ScoreTable, tables

_MODULES = {
    "changes": ("compare_html",),
    "files": ("csv_text", "json_text", "latex_text", "markdown_text", "tae_csv_text"),
    "release": ("ReleaseSummary", "release_summary", "summary_json"),
    "release.page": ("summary_html", "summary_pdf"),
    "table": ("Cell", "ScoreColumn", "ScoreTable", "tables"),
}

__all__ = [
    "Cell", "ReleaseSummary", "ScoreColumn", "ScoreTable", "compare_html", "csv_text", "json_text", "latex_text",
    "markdown_text",
    "release_summary", "summary_html", "summary_json", "summary_pdf", "tables", "tae_csv_text",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{next(module for module, names in _MODULES.items() if name in names)}")
    globals()[name] = getattr(module, name)
    return globals()[name]
