"""Analyses laid out for readers: what a sheet is made of, and its views.

An analysis is a value with full precision, and its JSON is that value. A sheet is how people read it: grids of numbers,
pictures, cases with their context. Every view shows the same sheet, so none says what another does not.
"""

from showthrough.report.sheets.document import (
    Bars,
    Case,
    Cases,
    Grid,
    GridEntry,
    GridRow,
    Heat,
    ReportDocument,
    count,
    missing,
    number,
    share,
    words,
)

__all__ = [
    "Bars",
    "Case",
    "Cases",
    "Grid",
    "GridEntry",
    "GridRow",
    "Heat",
    "ReportDocument",
    "count",
    "missing",
    "number",
    "share",
    "words",
]  # fmt: skip
