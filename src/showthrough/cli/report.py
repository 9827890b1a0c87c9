from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, notes, show_notes
from showthrough.cli.options import Least, Most, Said, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.views import Views, show, view_options
from showthrough.run.gate.asking import asked_for, settled
from showthrough.run.run import Run


@with_options(views=view_options())
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    least: Least = None,
    most: Most = None,
    *,
    views: Said,
) -> None:
    """Show a run again, or write it as a page to look at, as figures, CSV, Markdown, LaTeX or JSON."""
    run, shown = Run.load(run_file), Views.of(views)
    if thresholds := asked_for(least, most):
        run.thresholds = list(settled(thresholds, run.metrics))
    read = inputs([run_file])
    check_distinct(shown.paths, read)
    shown.check()
    results = Results(shown.force)
    shown.write(run, results, read)
    show_notes(run.notes)
    screen = console(PAGE)
    if not any(shown.paths):
        show(run, shown, screen)
    results.tell(screen)
    if not run.complete:
        notes().print("this run was interrupted: complete it with evaluate --resume", markup=False)
        raise typer.Exit(1)
