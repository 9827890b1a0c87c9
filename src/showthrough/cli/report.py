from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import shared
from showthrough.cli.views import Views, with_views
from showthrough.report import reading
from showthrough.report.terminal import show_run
from showthrough.run.run import Run


@with_views
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    views: Views,
    force: shared.Force = False,
) -> None:
    """Show a run again, or write it as a page to look at, as figures, CSV, Markdown, LaTeX or JSON."""
    run = Run.load(run_file)
    read = shared.read_here([run_file])
    shared.apart(views.paths, read)
    views.check(force)
    unwritten = shared.Unwritten()
    written = views.write(run, force, unwritten, read)
    shared.show_notes(run.notes)
    console = shared.console()
    if not views.paths:
        show_run(run, console)
        for line in reading(run):
            console.print(line, markup=False)
    for path in written:
        console.print(f"written to {path}", markup=False, soft_wrap=True)
    unwritten.tell()
    if not run.complete:
        shared.notes().print("this run was interrupted: complete it with evaluate --resume", markup=False)
        raise typer.Exit(1)
