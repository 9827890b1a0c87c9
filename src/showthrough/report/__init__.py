"""Views of a run: terminal, CSV, Markdown, LaTeX, JSON.

A report reads a run and nothing else, and only here are numbers rounded.
"""

from showthrough.report.files import csv_text, json_text, latex_text, markdown_text, tae_csv_text
from showthrough.report.table import Cell, Column, Table, tables

__all__ = [
    "Cell", "Column", "Table", "csv_text", "json_text", "latex_text", "markdown_text",
    "tables", "tae_csv_text",
]  # fmt: skip
