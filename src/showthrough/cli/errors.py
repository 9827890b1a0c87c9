from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.analysis.errors import CASE_KINDS, ErrorAnalysis, all_errors, error_cases
from showthrough.analysis.kept import kept_texts
from showthrough.analysis.rules import rules_worth
from showthrough.analysis.rules.greedy import MOST
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import Said, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.report.errors import beside_sheet, errors_sheet
from showthrough.report.rules import worth_blocks
from showthrough.report.sheets.terminal import show_sheet
from showthrough.run.run import Run

_SHOWN = 20  # cases on the terminal


@with_options(views=sheet_options())
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file that keeps the documents' text.")],
    anonymization: Annotated[
        str | None,
        typer.Option("--anonymization", metavar="NAME", help="Show one of several, with its cases in their contexts."),
    ] = None,
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
        typer.Option("--cases", metavar="N", min=0, help="So many cases of each sort on the terminal; files have all."),
    ] = _SHOWN,
    rules: Annotated[
        int,
        typer.Option("--rules", metavar="N", min=0, help="At most so many rules that would win something; 0: none."),
    ] = MOST,
    *,
    views: Said,
) -> None:
    """Show where anonymizations fail: leaks and needless masks by type and kind, each case in its context.

    Of one anonymization also what one more rule would win.
    """
    written = SheetViews.of(views)
    check_distinct(written.paths, inputs([run_file]))
    written.check()
    run = Run.load(run_file)
    kept_texts(run, str(run_file))
    asked = (entity_type, identifier, kind, document)
    if anonymization is None and len(run.names) > 1 and asked == (None,) * len(asked):
        analysis = all_errors(run)
        sheet = short = beside_sheet(analysis)
    else:
        errors = error_cases(
            run, anonymization, entity_type=entity_type, identifier=identifier, kind=kind, document=document
        )
        judged = rules and errors.kept.annotated
        worth = rules_worth(run, errors.anonymization, most=rules) if judged else None
        analysis = ErrorAnalysis([errors], worth)
        if written.without_text:
            analysis = analysis.without_text()
        further = worth_blocks(analysis.worth) if analysis.worth else ()
        sheet, short = (errors_sheet(analysis.anonymizations[0], most, further) for most in (None, cases))
    results = Results(written.force)
    written.write(sheet, analysis, results)
    show_notes(run.notes)
    screen = console(PAGE)
    show_sheet(short, screen)
    results.tell(screen)
