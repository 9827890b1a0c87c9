from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import PAGE, console, print_plain
from showthrough.cli.options import Anonymizations
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.signals import FELL_SHORT
from showthrough.core.errors import PlanError, join_names, quote_value
from showthrough.run.run import Run
from showthrough.run.submission import ABOUT, hide_ids, prepare, submission_of


def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    masks: Anonymizations = None,
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the file to hand in.")
    ] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="CORPUS", help="Score masks of this corpus again, and compare the numbers.")
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=TEXT", help=f"What to say of the run ({', '.join(ABOUT)}); repeatable."),
    ] = None,
    without_ids: Annotated[
        bool, typer.Option("--without-ids", help="Write numbers for the documents' ids, and no groups' names.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace output files that exist.")] = False,
) -> None:
    """The file to hand in holds no text. With --check, masks are scored again, and the file says for which of them the
    numbers were the same.

    Exit status: 0 it can be handed in; 1 numbers differ when they are scored again; 2 it cannot be handed in.
    """
    if masks and check is None:
        raise PlanError("masks are scored again with a corpus; expected --check CORPUS", "submit")
    files = named_files(masks or [])
    check_distinct([output], inputs([run_file, check, *files.values()]))
    check_file(output, force)
    run = prepare(Run.load(run_file), dict(map(_parse_about, about or ())))
    if check is not None:
        from showthrough.evaluation.verification import verify

        with show_activity("scoring again"):
            run = verify(run, check, files)
    run = hide_ids(run) if without_ids else run
    results = Results(force)
    if output:
        results.save(run, output)
    submission = submission_of(run)
    lines = [f"{name}: not verified: {why}" for name, why in submission.unverified.items()]
    aside = f", but for {join_names(submission.not_repeated)}" if submission.not_repeated else ""
    lines += [f"{name}: verified{aside}" for name in run.names if name not in submission.unverified]
    screen = console(PAGE)
    print_plain(lines, screen)
    results.tell(screen)
    if check is not None and any(name in submission.unverified for name in files):
        raise typer.Exit(FELL_SHORT)


def _parse_about(said: str) -> tuple[str, str]:
    key, equals, text = said.partition("=")
    if not equals:
        raise PlanError(f"found {quote_value(said)}; expected KEY=TEXT", "--about")
    return key, text
