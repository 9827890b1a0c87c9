"""Author masking in reports: one table, sentences, and passages side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from showthrough.families.authorship.report_tables import (
    AuthorsTable,
    author_caveats,
    author_clauses,
    masking_tables,
    verifiers_that_knew_them,
)
from showthrough.report.evidence import Evidence, evaluation
from showthrough.report.section import Section
from showthrough.report.wording import Clause
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

if TYPE_CHECKING:
    from showthrough.report.annex.cells import SignatureIndex
    from showthrough.report.sheets import Grid
    from showthrough.studies.risk.values import RiskAnnex


class _Authorship(Section):
    title = "Author masking"
    label = "Authors"
    anchor = "authors"
    template = Path(__file__).parent / "templates" / "authors.html"
    tables_first = True

    def tables(self, run: Run) -> list[AuthorsTable]:
        return masking_tables(run)

    def place_of(self, record: MetricRecord, part: str) -> Literal["own", ""]:
        return "own" if "authors" in record.roles else ""

    def clauses(self, run: Run, name: str) -> Iterator[Clause]:
        return author_clauses(run, name)

    def caveats(self, run: Run) -> list[str]:
        return author_caveats(run)

    def limits(self, run: Run) -> Iterator[str]:
        if find_metrics(run, "authors"):
            yield from (f"the {verifier}" for verifier in verifiers_that_knew_them(run))
            yield "another verifier may recognise more authors"

    def evidence(self, run: Run, name: str) -> Iterator[Evidence]:
        if any(name in run.rows[record.text] for record in find_metrics(run, "authors")):
            yield Evidence("Authorship", "tested", "verifiers tried to tell who wrote the texts")
        else:
            command = evaluation(run, "--metric safety --group-by AUTHOR")
            yield Evidence("Authorship", "absent", "nobody tried to tell who wrote the texts", command)

    def comparison_notes(self, run: Run) -> Iterator[str]:
        for verifier in verifiers_that_knew_them(run):
            yield f"the {verifier}, and numbers on these say little about others"

    def page_data(self, run: Run, *, without_text: bool) -> dict[str, Any]:
        from showthrough.families.authorship.report_passages import passages  # here: pages alone show them

        return {"passages": {} if without_text else passages(run)}

    def risk_grids(self, annex: RiskAnnex, lines: SignatureIndex) -> Iterable[Grid]:
        from showthrough.families.authorship.report_annex import authorship_grid

        return [authorship_grid(annex.authorship, lines)]


SECTION = _Authorship()
