from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import shared
from showthrough.report import reading
from showthrough.report.terminal import show_run
from showthrough.run.run import Run


def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    csv: shared.Csv = None,
    markdown: shared.Markdown = None,
    latex: shared.Latex = None,
    json: shared.Json = None,
    html: shared.Html = None,
    plots: shared.Plots = None,
    without_text: shared.WithoutText = False,
    force: shared.Force = False,
) -> None:
    """Show a run again, or write it as a page to look at, as figures, CSV, Markdown, LaTeX or JSON."""
    run = Run.load(run_file)
    read = shared.read_here([run_file])
    shared.apart((csv, markdown, latex, json, html, plots), read)
    for path in (csv, markdown, latex, json, html):
        shared.free(path, force)
    shared.free_folder(plots)
    unwritten = shared.Unwritten()
    written = shared.write_views(
        run.without_text() if without_text else run, csv, markdown, latex, json, force, unwritten
    )
    written += shared.write_looks(run, html, plots, without_text, force, unwritten, read)
    shared.show_notes(run.notes)
    console = shared.console()
    if not any((csv, markdown, latex, json, html, plots)):
        show_run(run, console)
        for line in reading(run):
            console.print(line, markup=False)
    for path in written:
        console.print(f"written to {path}", markup=False, soft_wrap=True)
    unwritten.tell()
    if not run.complete:
        shared.notes().print("this run was interrupted: complete it with evaluate --resume", markup=False)
        raise typer.Exit(1)
