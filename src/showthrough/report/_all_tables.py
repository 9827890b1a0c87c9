"""All tables of a run, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from showthrough.report.section import sections_of_tables
from showthrough.report.table import HEADLINES, OwnTable, ScoreTable, tables
from showthrough.run.run import Run


def every_table(run: Run) -> list[ScoreTable]:
    """Those of families first, then what metrics are known by, then their parts, then those of parts by families."""
    sections = sections_of_tables()
    own = [table for section in sections for table in section.tables(run)]
    return [*own, *tables(run), *(table for section in sections for table in section.part_tables(run))]


def each_once(every: Sequence[ScoreTable]) -> list[ScoreTable]:
    """The same tables; of the headlines those that stand in a table of their own too are left out."""
    elsewhere = {metric for table in every if isinstance(table, OwnTable) for metric in table.headlines()}
    tables = []
    for table in every:
        own = tuple(column for column in table.columns if column.head not in elsewhere)
        if table.title != HEADLINES:
            tables.append(table)
        elif own:
            tables.append(replace(table, columns=own))
    return tables
