"""Author masking in one table: what verifiers tell before and after, how much meaning is left, what people say."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.metrics import HEADLINE
from showthrough.report.table import HEADLINES, Column, Table, column_of, headlines, tables
from showthrough.run.records import MetricRecord
from showthrough.run.roles import playing
from showthrough.run.run import Run

AUTHORS = "author masking"  # the title of the table
C_AT_1, BEFORE, LOST = "c@1", "before", "lost"
# What is told of each verifier, in this order, and what people call it; measures that are not here come last.
_MEASURES = {
    BEFORE: "c@1 before", C_AT_1: "c@1 after", LOST: "found authors lost", "told": "told apart",
    "false": "false alarms", "auc": "AUC", "f0.5u": "F0.5u", "f1": "F1", "brier": "1 − Brier", "overall": "overall",
}  # fmt: skip


def every_table(run: Run) -> list[Table]:
    """All tables of a run, that of author masking first."""
    return [*filter(None, [masking_table(run)]), *tables(run)]


def repeats(run: Run, table: Table) -> bool:
    """Whether all that a table of headlines says stands in that of author masking."""
    found = masking_table(run) if table.title == HEADLINES else None
    return found is not None and {one.head for one in table.columns} <= {one.head for one in found.columns}


def masking_table(run: Run) -> Table | None:
    """Systems as rows; of each verifier its measures, then meaning and sense. `None` where nobody asked about authors.

    A number that no row has is left out, and why stands below.
    """
    if not playing(run, "authors"):
        return None
    asked = [*_of_verifiers(run), *_of_passages(run)]
    kept = [one for one in asked if any(cell.score and cell.score.value is not None for cell in one.cells)]
    main = headlines(run)
    return Table(AUTHORS, main.names, tuple(kept), main.references, asides=tuple(_left_out(run, asked, kept)))


def verifiers(run: Run, record: MetricRecord) -> list[str]:
    """The verifiers that a metric asked, in the order of its parts."""
    parts = (part.partition(":") for name in run.names for part in run.parts(name, record.text))
    return list(dict.fromkeys(verifier for measure, colon, verifier in parts if colon and measure == C_AT_1))


def _of_verifiers(run: Run) -> Iterator[Column]:
    records = playing(run, "authors")
    for record in records:
        asked = verifiers(run, record)
        yield column_of(run, record, HEADLINE, record.text, "c@1 after, worst case")
        own = f" ({record.text})" if len(records) > 1 else ""
        for verifier in asked:
            for measure in _measures(run, record, verifier):
                if measure == C_AT_1 and len(asked) == 1:  # that is the worst case
                    continue
                part = f"{measure}:{verifier}"
                yield column_of(run, record, part, f"{part}{own}", _MEASURES.get(measure, ""))


def _measures(run: Run, record: MetricRecord, verifier: str) -> list[str]:
    parts = [part for name in run.names for part in run.parts(name, record.text)]
    there = dict.fromkeys(part.partition(":")[0] for part in parts if part.partition(":")[2] == verifier)
    return [*(one for one in _MEASURES if one in there), *(one for one in there if one not in _MEASURES)]


def _of_passages(run: Run) -> Iterator[Column]:
    for record in (*playing(run, "meaning"), *playing(run, "sense")):
        yield column_of(run, record, HEADLINE, record.text)


def _left_out(run: Run, asked: list[Column], kept: list[Column]) -> Iterator[str]:
    """Why columns are not there, a line for each reason."""
    heads: dict[str, list[str]] = {}
    for column in asked:
        if column not in kept:
            reasons = {cell.score.reason: None for cell in column.cells[: len(run.names)] if cell.score}
            for reason in reasons or {"nobody has a number": None}:
                heads.setdefault(reason, []).append(column.head)
    for reason, columns in heads.items():
        yield f"left out, undefined for all: {', '.join(columns)}: {reason}"
