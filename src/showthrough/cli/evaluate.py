from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from showthrough.cli.arguments import build_request, check_columns
from showthrough.cli.consoles import PAGE, console, note_unmasked, notes, print_plain
from showthrough.cli.llm_options import (
    ESTIMATE,
    answers_beside,
    recordings_of,
    remove_answers,
    tell_estimate,
    with_recordings,
)
from showthrough.cli.options import (
    Anonymizations,
    CliOptions,
    MaxThresholds,
    Metrics,
    MinThresholds,
    Output,
    Presets,
    chosen_metrics,
    with_options,
)
from showthrough.cli.outputs import HOLDS, Results, check_distinct, check_file, inputs
from showthrough.cli.progress import scoring, show_activity
from showthrough.cli.signals import FELL_SHORT, INTERRUPTED, exit_status, interruptible, unbroken
from showthrough.cli.systems import EverywhereToo, Replacement, Threshold, WithSome
from showthrough.cli.view_options import Views, show, view_options
from showthrough.core.errors import (
    LINE,
    ChangedError,
    InputError,
    Interrupted,
    OutputError,
    PlanError,
    ResourceError,
    join_names,
    shorten,
)
from showthrough.engines.base import LostError, open_engine
from showthrough.evaluation.checkpoints import Checkpoints
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.plan import Plan, lacking_problems
from showthrough.evaluation.plan_files import is_request
from showthrough.evaluation.requests import EvaluationRequest
from showthrough.evaluation.runner import Progress
from showthrough.evaluation.settings import FileSettings, options_of, settings_problems
from showthrough.metrics import Metric, metric_text, metrics_of
from showthrough.run.file import read_journal
from showthrough.run.folder import folder_of
from showthrough.run.gate.grading import status_of
from showthrough.run.gate.parsing import parse_options
from showthrough.run.journal import Journal, journal_beside
from showthrough.run.run import Run
from showthrough.storage.append_log import is_written
from showthrough.storage.file_heads import Head
from showthrough.storage.writing import ProtectedFiles, write_folder

# Settings and views have their headings from where they are declared.
HEADINGS = {
    "Options": ("with_", "output", "metric", "preset_name", "least", "most", "html", "verbose"),
    "What is scored": (),
    "How": ("replacement", "threshold", "everywhere", "masks", "resume", "across"),
    "Language models": ("estimate",),
    "Cluster": (),
    "Output": (),
}

MasksFolder = Annotated[
    Path | None, typer.Option("--masks", metavar="FOLDER", help="Write each system's masks there too.")
]
Across = Annotated[
    bool,
    typer.Option(
        "--across", help="All files are corpora: train a tagger (--with wellner3) on each, and score it on each."
    ),
]
_CORPUS = "The corpus. Or a plan (.toml) or a TAE configuration (.json), which names everything."
CorpusOrPlan = Annotated[Path, typer.Argument(metavar="CORPUS", help=_CORPUS)]


@with_options(HEADINGS, settings=options_of(FileSettings), views=view_options())
def command(
    corpus: CorpusOrPlan,
    anonymizations: Anonymizations = None,
    with_: WithSome = None,
    output: Output = None,
    metric: Metrics = None,
    preset_name: Presets = None,
    least: MinThresholds = None,
    most: MaxThresholds = None,
    *,
    replacement: Replacement = "label",
    threshold: Threshold = None,
    everywhere: EverywhereToo = False,
    masks: MasksFolder = None,
    settings: CliOptions,
    resume: Annotated[bool, typer.Option("--resume", help="Complete the unfinished run of the output file.")] = False,
    across: Across = False,
    estimate: Annotated[bool, typer.Option("--estimate", help=ESTIMATE)] = False,
    views: CliOptions,
) -> None:
    """Exit status: 0 everything was scored; 1 a metric or a system failed, or memory ran out; 2 bad input, or a result
    could not be written; 130 interrupted. With --min or --max, also 1 where a number misses its limit or is missing,
    and 3 where one is not sure to reach it.

    If it is interrupted, --resume completes the run of --output.
    """
    if across:
        _refuse_beside_across(
            output=output, min=least, max=most, masks=masks, threshold=threshold, everywhere=everywhere, resume=resume,
            estimate=estimate,
        )  # fmt: skip
        from showthrough.cli.across import show_across  # here: what trains takes a moment to import

        corpora = [str(corpus), *(anonymizations or ())]
        show_across(corpora, with_ or (), chosen_metrics(preset_name, metric), settings, views)
        return
    for_systems = masks or everywhere or threshold is not None or replacement != "label"
    _check_systems(corpus, bool(with_), "--resume" if resume else "--estimate" if estimate else "", bool(for_systems))
    request = build_request(corpus, anonymizations, chosen_metrics(preset_name, metric), settings)
    if preset_name and len(request.sources) + len(with_ or ()) == 1:
        request = replace(request, metrics=_for_single_system(request, metric or ()))
    request = replace(
        request, output=output or request.output, thresholds=parse_options(least, most) or request.thresholds
    )
    run: Run | None
    if with_:
        from showthrough.cli.bench import WorkOptions, bench_systems  # here: systems take a moment to import

        work_options = WorkOptions(masks=masks, replacement=replacement, threshold=threshold, everywhere=everywhere)
        run = bench_systems(request, with_, work_options, output, Views.of(views))
    else:
        check_columns(request)
        run = _evaluate_files(request, corpus, resume, estimate, Views.of(views))
    if (least or most) and run is not None and (status := status_of(run)):
        raise typer.Exit(status)


def _refuse_beside_across(**options: Any) -> None:
    """Raises PlanError for an option that --across would pass over."""
    if unused := [name for name, value in options.items() if value not in (None, False)]:
        raise PlanError("is not for --across; expected no such option", unused[0])


def _check_systems(corpus: Path, has_systems: bool, for_files: str, for_systems: bool) -> None:
    """Raises PlanError for options of files beside systems, and for options of systems where there is none."""
    if not has_systems:
        if for_systems:
            raise PlanError("--masks, --replace, --threshold and --everywhere are for systems; expected --with SYSTEM")
        return
    if for_files:
        fault = f"{for_files} works on files of masks; expected no --with (showthrough anonymize writes such files)"
        raise PlanError(fault)
    if is_request(Head.of(corpus)):
        raise PlanError("is a plan, which names what to evaluate; expected a corpus beside --with", str(corpus))


def _for_single_system(request: EvaluationRequest, named: Sequence[str]) -> tuple[Metric, ...] | None:
    """Without the metrics of presets that compare systems, where there is only one; what was named stays."""
    if request.metrics is None:
        return None
    stays = metrics_of(named)
    return tuple(metric for metric in request.metrics if metric in stays or "systems" not in metric.needs)


def _evaluate_files(
    request: EvaluationRequest, corpus: Path, resume: bool, estimate: bool, chosen: Views
) -> Run | None:
    """The run, when it is written and shown; `None` where it was estimated alone."""
    answers = answers_beside(request.settings, request.output, request.chosen)
    request = replace(request, settings=with_recordings(request.settings, answers))
    if estimate:
        tell_estimate(request)
        return None
    # Before anybody is put to work, and anything is read.
    if faults := [*settings_problems(request.settings), *lacking_problems(request.chosen)]:
        raise InputError(faults)
    if resume and not request.output:
        raise PlanError("--resume needs the run file to complete: name it with -o")
    read = _inputs(request, corpus)
    journal = _journal(request.output)
    _check_outputs(request, journal, chosen, read, resume)
    earlier = _earlier(request.output, journal, resume, chosen.force)
    results = Results(chosen.force)
    checkpoints = None if journal is None else Checkpoints(journal, chosen.redact, _going_on)
    work = _Work(request, earlier, chosen, checkpoints, answers)
    try:
        run = _write_run(work, results, read)
        _tell(run, chosen, results)
    except KeyboardInterrupt:
        print_plain(["interrupted when everything was scored", *results.lines], notes())
        raise typer.Exit(INTERRUPTED) from None
    return run


def _inputs(request: EvaluationRequest, first: Path) -> ProtectedFiles:
    sources = (Path(source.path) for source in (request.corpus, *request.anonymizations.values()))
    parameters = (value for metric in request.chosen for value in metric.parameters.values())
    return inputs([first, *sources, *request.extra_paths], parameters)


def _check_outputs(
    request: EvaluationRequest, journal: Path | None, views: Views, read: ProtectedFiles, resume: bool
) -> None:
    """Raises for what could not be written, or would be lost, before anything is done."""
    check_distinct((request.output, journal, request.results_file, recordings_of(request.settings), *views.paths), read)
    views.check()
    check_file(request.results_file, views.force, makes_folder=True)
    check_file(request.output, views.force or resume)
    check_file(journal, True)


class _Work(msgspec.Struct, frozen=True):
    """What is asked for, and what is there of it."""

    request: EvaluationRequest
    earlier: Run | Journal | None
    views: Views
    checkpoints: Checkpoints | None
    answers: Path | None = None  # of language models, beside the run


def _journal(output: Path | None) -> Path | None:
    """Where the run is kept until it is complete; nowhere where the output is no file, but takes what comes."""
    with suppress(OSError, ValueError):  # no path at all, which is told when it is checked
        if output is not None and (output.is_file() or not output.exists()):
            return journal_beside(output)
    return None


def _going_on(fault: str) -> None:
    print_plain([shorten(f"note: {fault}; going on, and trying again", LINE)], notes())


def _write_run(work: _Work, results: Results, read: ProtectedFiles) -> Run:
    """The run, when all of it that was asked for is written."""
    request, views = work.request, work.views
    with unbroken():  # a signal that comes when all is scored must not lose it
        plan, run = _carried_out(work)
        if request.output:
            written_run, folder = views.redact(run), None
            with results.record_line(f"run written to {request.output}{'' if written_run.texts is None else HOLDS}"):
                written_run.save(request.output, force=views.force or work.earlier is not None)
                if work.checkpoints is not None:
                    work.checkpoints.remove()
                folder = folder_of(request.output) if written_run.in_files else None
            if folder is not None:
                results.lines.append(
                    f"its rows are in {folder}: keep both together, or name a .zip for all in one file"
                )
            if views.without_text:
                remove_answers(work.answers, run, results)
    views.write(run, results, read)
    if request.results_file:
        _write_results(request.results_file, request.metric_labels, run, results)
    note_unmasked(plan.anonymizations)
    return run


def _tell(run: Run, views: Views, results: Results) -> None:
    """Ends the command with a status where something failed."""
    screen = console(PAGE)
    show(run, views, screen)
    results.tell(screen)
    if run.failures:
        raise typer.Exit(FELL_SHORT)


def _write_results(path: Path, labels: Mapping[str, str], run: Run, results: Results) -> None:
    """The table of a TAE configuration, with the folder that it names."""
    from showthrough.report import tae_csv_text  # which few ask for

    table = tae_csv_text(run, {label: text for label, text in labels.items() if text in run.rows})
    line = f"TAE results written to {path}"
    if path.parent.is_dir():
        results.write(path, table, line=line)
        return
    with results.record_line(line):
        write_folder(path.parent, {path.name: table.encode()}, private=False)


def _earlier(output: Path | None, journal: Path | None, resume: bool, force: bool) -> Run | Journal | None:
    """What is there of the run already, where it is to be resumed. Raises OutputError for what would be lost."""
    unfinished = journal if journal is not None and os.path.lexists(journal) else None
    if unfinished is not None and is_written(unfinished):
        raise OutputError(f"{unfinished}: another evaluation is writing it; wait for it, or choose another name")
    if unfinished is not None and not (resume or force):
        why = "holds a run that was not finished; complete it with --resume, or start afresh with --force"
        raise OutputError(f"{unfinished}: {why}")
    if not resume or output is None:
        return None
    is_there = output.exists()
    if unfinished is not None and (force or not is_there):
        return read_journal(unfinished)
    if not is_there:
        print_plain([f"{output} does not exist; starting from the beginning"], notes())
        return None
    run = Run.load(output)
    if run.complete:
        remark = "" if unfinished is None else f"; with --force {unfinished.name} is completed, and takes its place"
        if run.failures and not remark:
            failed = ", ".join(failure.metric for failure in run.failures)
            remark = (
                f", though these failed: {failed}; --force makes it anew, and what models answered is not asked again"
            )
        raise PlanError(f"this run is complete; there is nothing to resume{remark}", str(output))
    return run if unfinished is None else read_journal(unfinished)


def _carried_out(work: _Work) -> tuple[Plan, Run]:
    """The run, with texts where a page is to show them or the run file to keep them; it can be stopped in here."""
    request, earlier, views, checkpoints = work.request, work.earlier, work.views, work.checkpoints
    texts = views.show_documents or not views.without_text
    settings = request.settings
    try:
        with ExitStack() as hired:
            with show_activity(_starting_message(settings)):
                how = open_engine(settings.engine, settings.jobs, settings.address)
                engine = interruptible(lambda: hired.enter_context(how))
            with show_activity("reading") as read:
                plan = replace(interruptible(lambda: request.plan(engine, read)), texts=texts)
            with scoring() as (advance, watch):
                report_progress = advance if earlier is None else _announce_resume(plan, earlier, advance)
                run = interruptible(
                    lambda: evaluate_plan(
                        plan,
                        progress=report_progress,
                        resume=earlier,
                        watch=watch,
                        checkpoints=checkpoints,
                        engine=engine,
                    )
                )
    except KeyboardInterrupt:
        print_plain(["interrupted while reading; nothing was written"], notes())
        raise typer.Exit(INTERRUPTED) from None
    except LostError as error:
        raise ResourceError(f"stopped while reading: {error}; nothing was written") from error
    except Interrupted as stop:
        path = request.output
        if checkpoints is not None and not checkpoints.fault:
            path = checkpoints.path
            checkpoints.close()
        elif path is not None:
            views.redact(stop.partial).save(path, force=isinstance(earlier, Run))
        print_plain([shorten(_describe_stop(stop, len(plan.corpus), path), LINE)], notes())
        raise typer.Exit(exit_status(stop)) from None
    return plan, run


def _starting_message(settings: FileSettings) -> str:
    """What is done before anything is read, which takes Ray some seconds."""
    if settings.engine != "ray":
        return "reading"
    return "starting Ray" if settings.address is None else "connecting to Ray"


def _announce_resume(plan: Plan, earlier: Run | Journal, advance: Progress) -> Progress:
    """Says first where it goes on: when it is known to be the same evaluation, and before anything is done."""
    scored = earlier.finished_metrics if isinstance(earlier, Journal) else earlier.rows.keys()
    count = earlier.done_count if isinstance(earlier, Journal) else len(earlier.documents)
    whole = [metric_text(metric) for metric in plan.metrics if metric.scope == "corpus"]
    finished = [text for text in whole if text in scored]
    also = f" and {join_names(finished)}, which looks at all of them" if finished else ""
    lines = [f"going on after {count:,} of {len(plan.corpus):,} documents{also}"]

    def tell(done: int, total: int) -> None:
        while lines:
            print_plain([shorten(lines.pop(), LINE)], notes())
        advance(done, total)

    return tell


def _describe_stop(stop: Interrupted, total: int, output: Path | None) -> str:
    """How far it got, why no farther, and what now."""
    done = len(stop.partial.documents)
    summary = f"{'stopped' if stop.reason else 'interrupted'} after {done} of {total} documents"
    why = f": {stop.reason}" if stop.reason else ""
    if output is None:
        return f"{summary}{why}; with -o FILE they would have been kept"
    state = "holds them" if done else "says so"
    again = "once the file is as it was, " if isinstance(stop.__cause__, ChangedError) else ""
    return f"{summary}{why}; {output} {state}: {again}the same command with --resume completes it"
