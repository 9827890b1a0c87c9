from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from showthrough.cli import shared
from showthrough.config import Request, Source, is_request, read_request
from showthrough.errors import Interrupted, PlanError
from showthrough.evaluate import Progress as Callback
from showthrough.evaluate import evaluate_plan
from showthrough.metrics import PRESETS, metrics_of, preset
from showthrough.report import tae_csv_text
from showthrough.report.terminal import show_run
from showthrough.run import Run, Settings, write_file


def command(
    corpus: Annotated[
        Path,
        typer.Argument(help="The corpus; or a plan (.toml) or a TAE configuration (.json), which says everything."),
    ],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=FILE]...", help="Anonymizations: masks with offsets, or texts.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the run, for report and compare.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", metavar="METRIC", help="A metric, e.g. er_di; may be repeated."),
    ] = None,
    preset_name: Annotated[
        list[str] | None, typer.Option("--preset", metavar="NAME", help=f"A set of metrics: {', '.join(PRESETS)}.")
    ] = None,
    function_words: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="Words that need not be masked: lexicon-en.1 or spacy:PIPELINE."),
    ] = None,
    missing: Annotated[
        str, typer.Option(metavar="error|unmasked", help="What a document means that an anonymization lacks.")
    ] = "error",
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples for each interval.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Processes that share the work.")] = 1,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    resume: Annotated[bool, typer.Option("--resume", help="Complete the interrupted run in the output file.")] = False,
    force: shared.Force = False,
    csv: shared.Csv = None,
    markdown: shared.Markdown = None,
    latex: shared.Latex = None,
    json: shared.Json = None,
) -> None:
    """Score anonymizations of a corpus: a table, intervals, and a run file.

    Exit status: 0 all is well, 1 a metric failed, 2 bad input, 130 interrupted.
    """
    settings = Settings(seed, resamples, confidence, missing)
    if is_request(corpus):
        if anonymizations or metric or preset_name:
            raise PlanError("a plan names anonymizations and metrics itself; expected no others beside it", str(corpus))
        request = read_request(corpus)
        request = replace(request, output=output or request.output, jobs=max(jobs, request.jobs))
    else:
        chosen = [*(name for one in preset_name or () for name in preset(one)), *(metric or ())]
        sources = {}
        for name, file in map(shared.named, anonymizations or ()):
            if name in sources:
                raise PlanError("this name is used twice; expected unique names", f"anonymization {name}")
            sources[name] = Source(file, id_column, text_column)
        request = Request(
            corpus,
            sources,
            tuple(metrics_of(chosen or preset("default"))),
            settings,
            jobs,
            output,
            id_column,
            text_column,
        )
    if function_words:
        request = request.with_function_words(function_words)
    if resume and not request.output:
        raise PlanError("--resume needs the run file to complete: name it with -o")
    for path in (request.results_file, csv, markdown, latex, json):
        shared.free(path, force)
    earlier = _earlier(request.output, resume)
    if earlier is None:
        shared.free(request.output, force)
    run = _carried_out(request, earlier, force)
    console = shared.console()
    show_run(run, console)
    if request.output:
        run.save(request.output, force=force or earlier is not None)
        console.print(f"run written to {request.output}", markup=False)
    for path in shared.write_views(run, csv, markdown, latex, json, force):
        console.print(f"written to {path}", markup=False)
    if request.results_file:
        request.results_file.parent.mkdir(parents=True, exist_ok=True)
        labels = {label: text for label, text in request.labels.items() if text in run.rows}
        write_file(request.results_file, tae_csv_text(run, labels).encode(), force=force, private=False)
        console.print(f"TAE results written to {request.results_file}", markup=False)
    if run.failures:
        raise typer.Exit(1)


def _earlier(output: Path | None, resume: bool) -> Run | None:
    if not (resume and output and output.exists()):
        return None
    run = Run.load(output)
    if run.complete:
        raise PlanError("this run is complete; there is nothing to resume", str(output))
    return run


def _carried_out(request: Request, earlier: Run | None, force: bool) -> Run:
    notes = shared.notes()
    with notes.status("reading"):
        plan = request.plan()
    try:
        with _bar() as advance:
            return evaluate_plan(plan, progress=advance, resume=earlier)
    except Interrupted as stop:
        done, total = len(stop.partial.documents), len(plan.corpus)
        if request.output:
            stop.partial.save(request.output, force=force or earlier is not None)
            notes.print(
                f"interrupted after {done} of {total} documents; {request.output} holds them: "
                "the same command with --resume completes it",
                markup=False,
            )
        else:
            notes.print(f"interrupted after {done} of {total} documents; with -o FILE they would have been kept")
        raise typer.Exit(130) from None


@contextmanager
def _bar() -> Iterator[Callback]:
    columns = (
        TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TextColumn("documents"), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=shared.notes(), transient=True) as bar:
        task = bar.add_task("scoring", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
