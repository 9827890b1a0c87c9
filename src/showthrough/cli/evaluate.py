from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from showthrough.cli import shared
from showthrough.cli.stopping import to_the_end
from showthrough.cli.views import Views, with_views
from showthrough.errors import LINE, ChangedError, Interrupted, PlanError, shown
from showthrough.evaluation.engine import Progress as Callback, evaluate_plan
from showthrough.evaluation.requests import Request, Source, is_request, read_request
from showthrough.files.writing import write_file, write_folder
from showthrough.metrics import PRESETS, metrics_of, preset
from showthrough.report import reading, tae_csv_text
from showthrough.report.terminal import show_run
from showthrough.resources.settings import Watch
from showthrough.run.run import Run
from showthrough.run.settings import Settings

_HOLDS = " (holds the documents' text, for its owner alone; --without-text leaves it out)"


@with_views
def command(
    context: typer.Context,
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
        typer.Option(metavar="SOURCE", help="Words that need not be masked: lexicon-en.1, none, spacy:PIPELINE."),
    ] = None,
    language: shared.Language = None,
    missing: Annotated[
        str, typer.Option(metavar="error|unmasked", help="What a document means that an anonymization lacks.")
    ] = "error",
    seed: shared.Seed = 0,
    resamples: shared.Resamples = 1000,
    confidence: shared.Confidence = 0.95,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Processes that share the work.")] = 1,
    device: shared.Device = "auto",
    dtype: shared.Dtype = "fp32",
    no_cache: shared.NoCache = False,
    background: Annotated[
        Path | None, typer.Option("--background", metavar="FILE", help="What an attacker knows, for trir.")
    ] = None,
    format_name: shared.Format = None,
    maps: shared.Maps = None,
    direct: shared.Direct = None,
    quasi: shared.Quasi = None,
    ignore: shared.Ignore = None,
    group_by: shared.GroupBy = None,
    id_column: shared.IdColumn = "doc_id",
    text_column: shared.TextColumn = "text",
    references: Annotated[
        bool, typer.Option("--references/--no-references", help="Score nothing masked and everything masked as well.")
    ] = True,
    resume: Annotated[bool, typer.Option("--resume", help="Complete the interrupted run in the output file.")] = False,
    force: shared.Force = False,
    *,
    views: Views,
) -> None:
    """Score anonymizations of a corpus.

    Exit status: 0 everything was scored, 1 a metric failed or memory ran out, 2 bad input or a result that could not
    be written, 130 interrupted (Ctrl-C, SIGTERM, SIGHUP). Interrupted or stopped by memory, the run file holds what was
    finished. Who stops reading standard output early changes nothing.
    """
    settings = Settings(seed, resamples, confidence, missing, dtype)
    if is_request(corpus):
        given = {key for key in context.params if _is_given(context, key)}
        if anonymizations or metric or preset_name or given & {"id_column", "text_column"}:
            raise PlanError(
                "a plan names anonymizations, metrics and columns itself; expected no others beside it", str(corpus)
            )
        request = read_request(corpus)
        overriding = {key: value for key, value in structs.asdict(settings).items() if key in given}
        request = replace(
            request,
            settings=structs.replace(request.settings, **overriding),
            output=output or request.output,
            jobs=jobs if "jobs" in given else request.jobs,
            device=device if "device" in given else request.device,
            cache=request.cache and not no_cache,
            format=format_name or request.format,
            background=background or request.background,
            references=references if "references" in given else request.references,
        )
    else:
        chosen = [*(name for one in preset_name or () for name in preset(one)), *(metric or ())]
        sources = {}
        for name, file in map(shared.named, anonymizations or ()):
            if name in sources:
                raise PlanError("this name is used twice; expected unique names", f"anonymization {shown(name)}")
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
            device,
            not no_cache,
            format_name,
            background=background,
            references=references,
        )
    if function_words:
        request = request.with_function_words(function_words)
    request = replace(
        request.with_language(language or request.language),
        types=shared.types_said(maps, direct, quasi, ignore, request.types),
        group_by=request.group_by if group_by is None else group_by,
    )
    if resume and not request.output:
        raise PlanError("--resume needs the run file to complete: name it with -o")
    read = shared.read_here(
        [
            corpus,
            request.corpus,
            *(source.path for source in request.anonymizations.values()),
            *[request.background, *request.backgrounds.values()],
        ],
        shared.parameters_of(request.metrics),
    )
    shared.apart((request.output, request.results_file, *views.paths), read)
    views.check(force)
    shared.free(request.results_file, force, makes_folder=True)
    earlier = _earlier(request.output, resume)
    shared.free(request.output, force or earlier is not None)
    without_text = views.without_text
    run = _carried_out(request, earlier, force, views.show_documents or not without_text, without_text)
    kept = run.without_text() if without_text else run
    said: list[str] = []
    unwritten = shared.Unwritten()
    if request.output:
        with unwritten.noted():
            shared.save(kept, request.output, force or earlier is not None)
            holds = "" if run.texts is None else _HOLDS
            said.append(f"run written to {request.output}{holds}")
    said += [f"written to {path}" for path in views.write(run, force, unwritten, read)]
    if request.results_file:
        with unwritten.noted():
            _write_results(request.results_file, request.labels, run, force)
            said.append(f"TAE results written to {request.results_file}")
    console = shared.console()
    show_run(run, console)
    for line in [*reading(run), *said]:
        console.print(line, markup=False, soft_wrap=True)
    unwritten.tell()
    if run.failures:
        raise typer.Exit(1)


def _write_results(path: Path, labels: Mapping[str, str], run: Run, force: bool) -> None:
    """The table of a TAE configuration, with the folder that it names."""
    content = tae_csv_text(run, {label: text for label, text in labels.items() if text in run.rows}).encode()
    if path.parent.is_dir():
        write_file(path, content, force=force, private=False)
    else:
        write_folder(path.parent, {path.name: content}, private=False)


def _is_given(context: typer.Context, parameter: str) -> bool:
    """Whether an option stands on the command line: one that does overrides a plan, a default does not."""
    source = context.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


def _earlier(output: Path | None, resume: bool) -> Run | None:
    if not (resume and output):
        return None
    if not output.exists():
        shared.notes().print(f"{output} does not exist; starting from the beginning", markup=False, soft_wrap=True)
        return None
    run = Run.load(output)
    if run.complete:
        raise PlanError("this run is complete; there is nothing to resume", str(output))
    return run


def _carried_out(request: Request, earlier: Run | None, force: bool, texts: bool, without_text: bool) -> Run:
    notes = shared.notes()
    try:
        with notes.status("reading"):
            plan = replace(request.plan(), texts=texts)
        with _bars() as (advance, watch):
            run = evaluate_plan(plan, progress=advance, resume=earlier, watch=watch)
    except KeyboardInterrupt:
        notes.print("interrupted while reading; nothing was written")
        raise typer.Exit(shared.INTERRUPTED) from None
    except Interrupted as stop:
        with to_the_end():
            if request.output:
                kept = stop.partial.without_text() if without_text else stop.partial
                shared.save(kept, request.output, force or earlier is not None)
            line = shown(_stopped(stop, len(plan.corpus), request.output), LINE)
            notes.print(line, markup=False, soft_wrap=True)
        raise typer.Exit(shared.exit_status(stop)) from None
    shared.note_unmasked(plan.anonymizations)
    shared.show_notes(run.notes)
    return run


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


class _Speed(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "", style="dim")


@contextmanager
def _bars() -> Iterator[tuple[Callback, Watch]]:
    """A bar for the evaluation, and one for whatever a model is doing."""
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"), _Speed(), TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    notes = shared.notes()
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as bars:
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
