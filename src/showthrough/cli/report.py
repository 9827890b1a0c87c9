from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console, notes, show_notes
from showthrough.cli.options import CliOptions, MaxThresholds, MinThresholds, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.view_options import Views, show, view_options
from showthrough.report.terminal import show_signatures
from showthrough.run.gate.parsing import parse_options, resolve_thresholds
from showthrough.run.run import Run


@with_options(views=view_options())
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    least: MinThresholds = None,
    most: MaxThresholds = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the run again; with --without-text, to share it."),
    ] = None,
    *,
    views: CliOptions,
) -> None:
    run, shown = Run.load(run_file), Views.of(views)
    if thresholds := parse_options(least, most):
        run.thresholds = list(resolve_thresholds(thresholds, run.metrics))
    read = inputs([run_file])
    check_distinct((output, *shown.paths), read)
    shown.check()
    check_file(output, shown.force)
    results = Results(shown.force)
    if output:
        results.save(shown.redact(run), output)
    shown.write(run, results, read)
    screen = console(PAGE)
    if output or any(shown.paths):
        show_notes(run.notes)
        if shown.signatures:
            show_signatures(run, screen)
    else:
        show(run, shown, screen)
    results.tell(screen)
    if not run.complete:
        notes().print("this run was interrupted: complete it with evaluate --resume", markup=False)
        raise typer.Exit(1)
