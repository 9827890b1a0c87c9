from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from showthrough.cli.completion import systems_of_run
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.core.errors import PlanError
from showthrough.report.cautions import notes_on
from showthrough.report.errors import beside_sheet, elsewhere_blocks, errors_sheet, read_elsewhere
from showthrough.report.rules import worth_blocks
from showthrough.report.section import sections
from showthrough.report.sheets.document import Block, Cases, ReportDocument
from showthrough.report.sheets.terminal import show_sheet
from showthrough.run.run import Run
from showthrough.studies.cases import require_texts
from showthrough.studies.errors import CASE_KINDS, ErrorAnalysis, all_errors, error_cases
from showthrough.studies.rules import rules_worth
from showthrough.studies.rules.greedy import MOST, with_rules
from showthrough.studies.rules.worth import Worth

_SHOWN = 20  # cases on the terminal


Which = Annotated[
    str | None,
    typer.Option(
        "--anonymization",
        metavar="NAME",
        help="Show one of several, with its cases in their contexts.",
        autocompletion=systems_of_run,
    ),
]


@with_options(views=sheet_options())
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file that keeps the documents' text.")],
    anonymization: Which = None,
    entity_type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Cases of one entity type alone.")
    ] = None,
    identifier: Annotated[
        str | None, typer.Option("--identifier", metavar="direct|quasi", help="Cases of such identifiers alone.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help=f"Cases of one kind: {', '.join(CASE_KINDS)}.")
    ] = None,
    document: Annotated[str | None, typer.Option("--document", metavar="ID", help="Cases of one document.")] = None,
    cases: Annotated[
        int,
        typer.Option(
            "--cases", metavar="N", min=0, help="How many cases of each sort to show on the terminal; files have all."
        ),
    ] = _SHOWN,
    rules: Annotated[
        int,
        typer.Option("--rules", metavar="N", min=0, help="At most this many rules that would win something; 0: none."),
    ] = MOST,
    masks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the masks with these rules added (TAE JSON), to evaluate again."),
    ] = None,
    *,
    views: CliOptions,
) -> None:
    """Cases are listed by type and kind, each in its context. Of one anonymization, the rules that would help most
    follow.
    """
    written = SheetViews.of(views)
    check_distinct((*written.paths, masks), inputs([run_file]))
    written.check()
    check_file(masks, written.force)
    run, results = Run.load(run_file), Results(written.force)
    require_texts(run, str(run_file))
    filters = {"entity_type": entity_type, "identifier": identifier, "kind": kind, "document": document}
    if anonymization is None and len(run.names) > 1 and {*filters.values(), masks} == {None}:
        analysis = all_errors(run)
        sheet = short = beside_sheet(analysis)
    else:
        analysis = _analyse_system(run, anonymization, filters, rules)
        if masks:
            _write_masks(masks, run, analysis.worth, results)
        if written.without_text:
            analysis = analysis.without_text()
        everywhere = identifier in (None, "direct") and {entity_type, kind, document} == {None} and cases > 0
        sheet, short = _lay_out(run, analysis, everywhere, cases)
    written.write(sheet, analysis, results)
    shown = [anonymization] if anonymization else run.names
    several = len(analysis.anonymizations) > 1
    show_notes([*notes_on(run, shown), *(read_elsewhere(run, shown) if several else ())])
    screen = console(PAGE)
    show_sheet(written.redact(short), screen)
    results.tell(screen)


def _lay_out(run: Run, analysis: ErrorAnalysis, everywhere: bool, cases: int) -> tuple[ReportDocument, ReportDocument]:
    """The sheet of one anonymization with all cases, and with some; `everywhere` adds what can be read elsewhere."""
    errors = analysis.anonymizations[0]
    further: list[Block] = [*worth_blocks(analysis.worth)] if analysis.worth else []
    if everywhere:
        further += elsewhere_blocks(run, errors.anonymization)
        further += [block for section in sections() for block in section.cases(run, errors.anonymization)]
    elsewhere = [f"{line}." for line in read_elsewhere(run, [errors.anonymization])]
    fewer = [_first(block, cases) if isinstance(block, Cases) else block for block in further]
    return errors_sheet(errors, None, further, elsewhere), errors_sheet(errors, cases, fewer, elsewhere)


def _first(block: Cases, most: int) -> Cases:
    """The first cases of a block, and how many more there are."""
    more = len(block.cases) - most
    notes = (*block.notes, f"{more:,} more in files.") if more > 0 else block.notes
    return Cases(block.caption, block.cases[:most], notes)


def _analyse_system(run: Run, name: str | None, filters: dict[str, str | None], rules: int) -> ErrorAnalysis:
    """The cases of one anonymization, and what rules would win where somebody said what is to be masked."""
    errors = error_cases(run, name, **filters)
    judged = rules and errors.kept.annotated
    return ErrorAnalysis([errors], rules_worth(run, errors.anonymization, most=rules) if judged else None)


def _write_masks(path: Path, run: Run, worth: Worth | None, results: Results) -> None:
    """The anonymization with all rules of the list added. What its masks write may be text of documents."""
    if worth is None or not worth.rules:
        why = "no rule was looked for" if worth is None else "no rule that was tried would win anything"
        raise PlanError(f"{why}: there are no masks to add", "masks")
    if worth.documents < worth.corpus:
        shortfall = f"the run keeps {worth.documents:,} of {worth.corpus:,} documents"
        raise PlanError(f"{shortfall}; expected all of them, since the masks of the others are not known", "masks")
    added = with_rules(run, worth.anonymization, [step.rule for step in worth.rules])
    line = f"masks of {worth.anonymization} with {len(worth.rules)} rules added written to {path}"
    results.write(path, msgspec.json.encode(dict(added.masks)), private=True, line=line)
