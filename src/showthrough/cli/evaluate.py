from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich import progress
from rich.text import Text

from showthrough.cli.arguments import requested
from showthrough.cli.consoles import PAGE, console, note_unmasked, notes, print_plain, show_notes
from showthrough.cli.options import Output, Said, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.statuses import FELL_SHORT, INTERRUPTED, exit_status
from showthrough.cli.stopping import interruptible, unbroken
from showthrough.cli.views import Views, show, view_options
from showthrough.errors import LINE, ChangedError, Interrupted, PlanError, shown
from showthrough.evaluation.engine import Progress, evaluate_plan
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.requests import Request
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.files.writing import Read, write_folder
from showthrough.metrics import PRESETS, preset
from showthrough.report import tae_csv_text
from showthrough.resources.settings import Watch
from showthrough.run.run import Run

_HOLDS = " (holds the documents' text, for its owner alone; --without-text leaves it out)"


@with_options(settings=options_of(FileSettings), views=view_options())
def command(
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="CORPUS",
            help="The corpus; or a plan (.toml) or a TAE configuration (.json), which says everything.",
        ),
    ],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymizations: masks with offsets, or texts.")
    ] = None,
    output: Output = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", metavar="METRIC", help="A metric, e.g. er_di; may be repeated."),
    ] = None,
    preset_name: Annotated[
        list[str] | None, typer.Option("--preset", metavar="NAME", help=f"A set of metrics: {', '.join(PRESETS)}.")
    ] = None,
    background: Annotated[
        Path | None, typer.Option("--background", metavar="FILE", help="What an attacker knows, for trir.")
    ] = None,
    *,
    settings: Said,
    resume: Annotated[bool, typer.Option("--resume", help="Complete the interrupted run in the output file.")] = False,
    views: Said,
) -> None:
    """Score anonymizations of a corpus.

    Exit status: 0 everything was scored, 1 a metric failed or memory ran out, 2 bad input or a result that could not
    be written, 130 interrupted (Ctrl-C, SIGTERM, SIGHUP). Interrupted or stopped by memory, the run file holds what was
    finished. Who stops reading standard output early changes nothing.
    """
    metrics = [*(name for one in preset_name or () for name in preset(one)), *(metric or ())]
    request = requested(corpus, anonymizations, metrics, settings)
    request = replace(request, output=output or request.output, background=background or request.background)
    if resume and not request.output:
        raise PlanError("--resume needs the run file to complete: name it with -o")
    chosen = Views.of(views)
    read = _inputs(request, corpus)
    check_distinct((request.output, request.results_file, *chosen.paths), read)
    chosen.check()
    check_file(request.results_file, chosen.force, makes_folder=True)
    check_file(request.output, chosen.force or resume)
    earlier = _earlier(request.output, resume)
    results = Results(chosen.force)
    try:
        _tell(_written(request, earlier, chosen, results, read), chosen, results)
    except KeyboardInterrupt:
        print_plain(["interrupted when everything was scored", *results.lines], notes())
        raise typer.Exit(INTERRUPTED) from None


def _inputs(request: Request, asked: Path) -> Read:
    sources = (Path(source.path) for source in (request.corpus, *request.anonymizations.values()))
    backgrounds = request.background, *request.backgrounds.values()
    parameters = (value for metric in request.chosen for value in metric.parameters.values())
    return inputs([asked, *sources, *backgrounds], parameters)


def _written(request: Request, earlier: Run | None, views: Views, results: Results, read: Read) -> Run:
    """The run, when all of it that was asked for is written."""
    with unbroken():  # a signal that comes when all is scored must not lose it
        plan, run = _carried_out(request, earlier, views)
        if request.output:
            kept = views.kept(run)
            with results.noted(f"run written to {request.output}{'' if kept.texts is None else _HOLDS}"):
                kept.save(request.output, force=views.force or earlier is not None)
    views.write(run, results, read)
    if request.results_file:
        _write_results(request.results_file, request.labelled, run, results)
    note_unmasked(plan.anonymizations)
    return run


def _tell(run: Run, views: Views, results: Results) -> None:
    """Ends the command with a status where something failed."""
    show_notes(run.notes)
    screen = console(PAGE)
    show(run, views, screen)
    results.tell(screen)
    if run.failures:
        raise typer.Exit(FELL_SHORT)


def _write_results(path: Path, labels: Mapping[str, str], run: Run, results: Results) -> None:
    """The table of a TAE configuration, with the folder that it names."""
    table = tae_csv_text(run, {label: text for label, text in labels.items() if text in run.rows})
    line = f"TAE results written to {path}"
    if path.parent.is_dir():
        results.write(path, table, line=line)
        return
    with results.noted(line):
        write_folder(path.parent, {path.name: table.encode()}, private=False)


def _earlier(output: Path | None, resume: bool) -> Run | None:
    if not (resume and output):
        return None
    if not output.exists():
        print_plain([f"{output} does not exist; starting from the beginning"], notes())
        return None
    run = Run.load(output)
    if run.complete:
        raise PlanError("this run is complete; there is nothing to resume", str(output))
    return run


def _carried_out(request: Request, earlier: Run | None, views: Views) -> tuple[Plan, Run]:
    """The run, with texts where a page is to show them or the run file to keep them; it can be stopped in here."""
    texts = views.show_documents or not views.without_text
    try:
        with notes().status("reading"):
            plan = replace(interruptible(request.plan), texts=texts)
        with _bars() as (advance, watch):
            run = interruptible(lambda: evaluate_plan(plan, progress=advance, resume=earlier, watch=watch))
    except KeyboardInterrupt:
        print_plain(["interrupted while reading; nothing was written"], notes())
        raise typer.Exit(INTERRUPTED) from None
    except Interrupted as stop:
        if request.output:
            views.kept(stop.partial).save(request.output, force=views.force or earlier is not None)
        print_plain([shown(_stopped(stop, len(plan.corpus), request.output), LINE)], notes())
        raise typer.Exit(exit_status(stop)) from None
    return plan, run


def _stopped(stop: Interrupted, total: int, output: Path | None) -> str:
    """How far it got, why no farther, and what now."""
    done = len(stop.partial.documents)
    what = f"{'stopped' if stop.reason else 'interrupted'} after {done} of {total} documents"
    why = f": {stop.reason}" if stop.reason else ""
    if output is None:
        return f"{what}{why}; with -o FILE they would have been kept"
    held = "holds them" if done else "says so"
    again = "once the file is as it was, " if isinstance(stop.__cause__, ChangedError) else ""
    return f"{what}{why}; {output} {held}: {again}the same command with --resume completes it"


class _Speed(progress.ProgressColumn):
    """How many a second."""

    def render(self, task: progress.Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "", style="dim")


@contextmanager
def _bars() -> Iterator[tuple[Progress, Watch]]:
    """A bar for the evaluation, and one for whatever a model is doing."""
    columns = (
        progress.TextColumn("{task.description}", markup=False), progress.BarColumn(), progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[unit]}"), _Speed(), progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )  # fmt: skip
    screen = notes()
    with progress.Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bars:
        scoring = bars.add_task("scoring", total=None, unit="documents")
        model = bars.add_task("", total=None, visible=False, unit="texts")  # documents, sentences or replacements

        def advance(done: int, total: int) -> None:
            bars.update(scoring, completed=done, total=total)

        def watch(what: str, done: int, total: int) -> None:
            task = next(task for task in bars.tasks if task.id == model)
            if task.description != what or done < task.completed:
                bars.reset(model, total=total)
            bars.update(model, description=what, completed=done, total=total, visible=done < total)

        yield advance, watch
