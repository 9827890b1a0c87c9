from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.evaluation.settings import Option
from showthrough.formats.people.population import read_population
from showthrough.report.annex import annex_sheet
from showthrough.report.sheets.terminal import show_sheet
from showthrough.run.run import Run
from showthrough.studies.risk import for_owner, risk_annex

_PAGE = Option("annex", Path | None, None, "Write the annex as one page, to read, print and file.", "FILE")
_FILES = ("markdown", "latex", "json", "force")


@with_options(views={"annex": _PAGE, **{name: sheet_options()[name] for name in _FILES}})
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    population: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of how many people have each combination of attributes."),
    ] = None,
    *,
    views: CliOptions,
) -> None:
    """It covers singling out, linkability, inference and Safe Harbor. It is evidence for a decision, and no
    determination. It holds no text of documents, and no attribute of anybody.
    """
    files = SheetViews.of({**views, "html": views.get("annex")})
    check_distinct(files.paths, inputs([run_file, population]))
    files.check()
    people = None if population is None else read_population(population)
    run = Run.load(run_file)
    annex = risk_annex(run, people, file=str(run_file))
    results = Results(files.force)
    files.write(annex_sheet(annex), annex, results)
    screen = console(PAGE)
    show_sheet(annex_sheet(for_owner(annex, run)), screen)
    results.tell(screen)
