"""What a family tells of a run in reports: tables, sentences, cautions, findings, parts of the page and the annex.

Each family has its section in its own package (`families/inference/report.py`). A report asks the registry of families
for them, so it names none, and a section is imported when somebody makes a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from showthrough.core.errors import ShowthroughError, shorten
from showthrough.core.families import Family, families
from showthrough.core.plugins import describe_error, is_plugin

if TYPE_CHECKING:
    from showthrough.report.annex.cells import SignatureIndex
    from showthrough.report.evidence import Evidence
    from showthrough.report.findings import Finding
    from showthrough.report.sheets import Cases, Grid
    from showthrough.report.table import ScoreTable
    from showthrough.report.wording import Clause
    from showthrough.run.records import MetricRecord
    from showthrough.run.run import Run
    from showthrough.studies.risk.values import RiskAnnex

_LONGEST = 200  # characters of what an error says


class Section:
    """A family overrides what it has to tell; by itself each method tells nothing.

    All of it is asked of every run, so a section looks for its metrics first: by their roles
    (`run.roles.find_metrics`), or by the inputs of the run.
    """

    title: ClassVar[str] = ""  # heads its part of the page; without one its tables stand among the parts of metrics
    label: ClassVar[str] = ""  # what the navigation of the page calls that part; by itself the title
    anchor: ClassVar[str] = ""  # the id of that part, which links lead to; by itself the title
    lead: ClassVar[str] = ""  # what the part of the page says before its tables
    template: ClassVar[Path] = Path(__file__).parent / "html" / "templates" / "section.html"
    tables_first: ClassVar[bool] = False  # whether its tables and limits go before those of families named earlier

    def tables(self, run: Run) -> Iterable[ScoreTable]:
        """What stands before the table of headlines; an `OwnTable` takes the headlines that it has out of that."""
        return ()

    def part_tables(self, run: Run) -> Iterable[ScoreTable]:
        """What stands after the tables of all metrics."""
        return ()

    def place_of(self, record: MetricRecord, part: str) -> Literal["own", "column", ""]:
        """Where a part of a metric stands: in a table of this section, or as a column although its name has a colon.

        Empty: where parts of any metric stand.
        """
        return ""

    def clauses(self, run: Run, name: str) -> Iterable[Clause]:
        """What the sentence about an anonymization says."""
        return ()

    def caveats(self, run: Run) -> Iterable[str]:
        """What these clauses rest on, a sentence each."""
        return ()

    def cautions(self, run: Run) -> Iterable[str]:
        """What a reader must hear before anything else, a sentence each."""
        return ()

    def limits(self, run: Run) -> Iterable[str]:
        """What meeting a threshold does not tell, each as `another attacker may infer more`."""
        return ()

    def findings(self, run: Run, name: str) -> Iterable[Finding]:
        """What stands out in an anonymization."""
        return ()

    def cases(self, run: Run, name: str) -> Iterable[Cases]:
        """What an anonymization leaves, in its contexts; it quotes documents."""
        return ()

    def evidence(self, run: Run, name: str) -> Iterable[Evidence]:
        """Its lines of the checklist of evidence for an anonymization: what was tested, or the command that would."""
        return ()

    def comparison_notes(self, run: Run) -> Iterable[str]:
        """What whoever compares numbers of this run has to know."""
        return ()

    def page_data(self, run: Run, *, without_text: bool) -> Mapping[str, Any]:
        """What the script of the page needs beside the tables; the template of the section has it as `data`."""
        return {}

    def risk_lead(self, annex: RiskAnnex) -> Iterable[str]:
        """What the risk annex says first."""
        return ()

    def risk_grids(self, annex: RiskAnnex, lines: SignatureIndex) -> Iterable[Grid]:
        """Its part of the risk annex; `lines` number the signatures."""
        return ()


class _Unusable(Section):
    """What stands for a section that cannot be imported: readers hear of it, and the rest is told all the same."""

    def __init__(self, family: str, why: str) -> None:
        self._caution = _caution(family, why)

    def cautions(self, run: Run) -> list[str]:
        return [self._caution]


class GuardedSection(Section):
    """A section of another package. A method that fails tells nothing, and readers hear of it in one line.

    Cautions come first in a report, so they ask every method beforehand whether it fails.
    """

    def __init__(self, family: str, section: Section) -> None:
        self._family, self._section = family, section
        self._faults: dict[str, str] = {}  # by method
        for name in ("title", "label", "anchor", "lead", "template", "tables_first"):
            setattr(self, name, getattr(section, name))

    def _ask(self, method: str, *arguments: Any) -> list[Any]:
        """All that a method tells; nothing where it fails."""
        try:
            values = list(getattr(self._section, method)(*arguments))
        except Exception as error:  # whatever a package of somebody else does
            self._faults[method] = f"{method} {_failure(error)}"
            return []
        expected = _expected_types()[method]
        if strangers := [type(value).__name__ for value in values if not isinstance(value, expected)]:
            self._faults[method] = f"{method} gave a value of type {strangers[0]}, expected {expected.__name__}"
            return []
        return values

    def _fault_lines(self) -> list[str]:
        return [_caution(self._family, "; ".join(self._faults.values()))] if self._faults else []

    def undrawn(self, error: Exception) -> str:
        """What stands where its template should have drawn its part of the page."""
        return _caution(self._family, f"its template {_failure(error)}")

    def tables(self, run: Run) -> list[ScoreTable]:
        return self._ask("tables", run)

    def part_tables(self, run: Run) -> list[ScoreTable]:
        return self._ask("part_tables", run)

    def place_of(self, record: MetricRecord, part: str) -> Literal["own", "column", ""]:
        try:
            location = self._section.place_of(record, part)
        except Exception as error:
            self._faults["place_of"] = f"place_of {_failure(error)}"
            return ""
        return location if location in ("own", "column") else ""

    def clauses(self, run: Run, name: str) -> list[Clause]:
        return self._ask("clauses", run, name)

    def caveats(self, run: Run) -> list[str]:
        return self._ask("caveats", run)

    def cautions(self, run: Run) -> list[str]:
        lines = self._ask("cautions", run)
        for method in ("tables", "part_tables", "caveats", "limits"):
            self._ask(method, run)
        for name in run.names:
            self._ask("clauses", run, name)
            self._ask("findings", run, name)
            self._ask("evidence", run, name)
            for record in run.metrics:
                for part in run.parts(name, record.text):
                    self.place_of(record, part)
        self.page_data(run, without_text=True)
        return [*lines, *self._fault_lines()]

    def limits(self, run: Run) -> list[str]:
        return self._ask("limits", run)

    def findings(self, run: Run, name: str) -> list[Finding]:
        return self._ask("findings", run, name)

    def cases(self, run: Run, name: str) -> list[Cases]:
        return self._ask("cases", run, name)

    def evidence(self, run: Run, name: str) -> list[Evidence]:
        return self._ask("evidence", run, name)

    def comparison_notes(self, run: Run) -> list[str]:
        return [*self._ask("comparison_notes", run), *self._fault_lines()]

    def page_data(self, run: Run, *, without_text: bool) -> Mapping[str, Any]:
        try:
            values = dict(self._section.page_data(run, without_text=without_text))
            msgspec.json.encode(values)  # as the page will
        except Exception as error:
            self._faults["page_data"] = f"page_data {_failure(error)}"
            return {}
        return values

    def risk_lead(self, annex: RiskAnnex) -> list[str]:
        from showthrough.report.annex.cells import SignatureIndex  # later: it needs sheets

        lines = self._ask("risk_lead", annex)
        self._ask("risk_grids", annex, SignatureIndex())
        return [*lines, *self._fault_lines()]

    def risk_grids(self, annex: RiskAnnex, lines: SignatureIndex) -> list[Grid]:
        return self._ask("risk_grids", annex, lines)


def _caution(family: str, why: str) -> str:
    return f"The report section of the family {shorten(family)} cannot be used: {shorten(why, _LONGEST)}."


def _failure(error: Exception) -> str:
    return f"raised {type(error).__name__}" if isinstance(error, ShowthroughError) else describe_error(error)


@cache
def _expected_types() -> Mapping[str, type]:
    """What methods tell values of."""
    from showthrough.report.evidence import Evidence
    from showthrough.report.findings import Finding  # here: these modules ask for sections themselves
    from showthrough.report.sheets import Cases, Grid
    from showthrough.report.table import ScoreTable
    from showthrough.report.wording import Clause

    sentences = dict.fromkeys(("caveats", "cautions", "limits", "comparison_notes", "risk_lead"), str)
    tables = {"tables": ScoreTable, "part_tables": ScoreTable, "risk_grids": Grid}
    return {**sentences, **tables, "clauses": Clause, "findings": Finding, "evidence": Evidence, "cases": Cases}


def sections() -> list[Section]:
    """Of all families that have one, in the order of the families."""
    return [section for family in families() if (section := _section_of(family)) is not None]


def _section_of(family: Family) -> Section | None:
    try:
        section: object = family.section
    except Exception as error:  # whatever a package of somebody else does
        return _Unusable(family.name, f"{type(error).__name__}: {error}")
    if section is None:
        return None
    if isinstance(section, Section):
        return GuardedSection(family.name, section) if is_plugin(section) else section
    return _Unusable(family.name, f"found a value of type {type(section).__name__}, expected a Section")


def sections_of_tables() -> list[Section]:
    """The same in the order in which tables stand."""
    return sorted(sections(), key=lambda section: not section.tables_first)
