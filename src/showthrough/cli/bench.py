from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from showthrough.cli.arguments import build_request
from showthrough.cli.consoles import PAGE, console, documents, notes, print_plain, show_notes
from showthrough.cli.exit_codes import FELL_SHORT, exit_status
from showthrough.cli.llm_options import answers_beside, remove_answers, with_recordings
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
from showthrough.cli.systems import (
    EverywhereToo,
    Replacement,
    Threshold,
    WithSome,
    at_work,
    describe_masks,
    mask_files,
    parse_systems,
)
from showthrough.cli.view_options import Views, show, view_options
from showthrough.core.errors import LINE, InputError, Interrupted, PlanError, join_names, shorten
from showthrough.evaluation.plan import lacking_problems
from showthrough.evaluation.plan_files import is_request
from showthrough.evaluation.requests import EvaluationRequest
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats.made_masks import encode_anonymization
from showthrough.report.wins import show_wins
from showthrough.run.gate.grading import status_of
from showthrough.run.gate.parsing import parse_options
from showthrough.run.run import Run
from showthrough.storage.file_heads import Head
from showthrough.storage.writing import ProtectedFiles
from showthrough.systems import ANONYMIZERS
from showthrough.systems.anonymizing import Progress
from showthrough.systems.workbench.runner import Bench, BenchOutcome, put_to_work, score

USUAL = "rules"  # the one that needs nothing but the base install


@with_options(settings=options_of(FileSettings), views=view_options())
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    anonymizations: Anonymizations = None,
    with_: WithSome = None,
    output: Output = None,
    masks: Annotated[
        Path | None, typer.Option("--masks", metavar="FOLDER", help="Write each system's masks there too.")
    ] = None,
    metric: Metrics = None,
    preset_name: Presets = None,
    *,
    replacement: Replacement = "label",
    threshold: Threshold = None,
    everywhere: EverywhereToo = False,
    least: MinThresholds = None,
    most: MaxThresholds = None,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Put systems to work on a corpus, score them side by side, compare and report.

    What anonymize, evaluate and compare do, in one go. What is done is kept, so that a second time takes a moment, and
    a run that was interrupted goes on; --no-cache does all anew. Exit status: 0 all was scored, 1 a system or a metric
    failed (the others are scored), 2 bad input, 130 interrupted. With --min or --max, also 1 where a number misses its
    limit or is not there, and 3 where one is not sure to reach it.
    """
    systems = parse_systems(with_ or [USUAL], everywhere)
    request = _build_request(corpus, anonymizations, chosen_metrics(preset_name, metric), settings)
    request = replace(request, asked=parse_options(least, most), systems=len(systems))
    answers = answers_beside(request.settings, output, request.chosen)
    request = replace(request, settings=with_recordings(request.settings, answers))
    if faults := lacking_problems(request.chosen):  # before anything is read
        raise InputError(faults)
    chosen = Views.of(views)
    paths = mask_files(systems, masks) if masks else {}
    outcome = BenchOutput(chosen, Results(chosen.force), _inputs(request, with_ or ()), output, paths, answers)
    outcome.check()
    with show_activity("reading"):
        plan = replace(request.plan(), texts=chosen.show_documents or not chosen.without_text)
    bench = Bench(plan, systems, replacement, threshold, request.settings.seen)
    with show_activity("looking whether all systems can work"):
        bench.check()
    if not with_:
        alternatives = join_names(name for name in ANONYMIZERS if name != USUAL)
        show_notes([f"no system was named, so {USUAL} is put to work; --with names others: there are {alternatives}"])
    run = carry_out(bench, outcome)
    if (least or most) and (status := status_of(run)):
        raise typer.Exit(status)


def _build_request(
    corpus: Path, anonymizations: Sequence[str] | None, metrics: Sequence[str], options: CliOptions
) -> EvaluationRequest:
    head = Head.of(corpus)
    if is_request(head):
        raise PlanError(
            "is a plan, which says what to evaluate; expected a corpus, and all else in options", str(corpus)
        )
    return build_request(head, anonymizations, metrics, options)


def _inputs(request: EvaluationRequest, systems: Sequence[str]) -> ProtectedFiles:
    files = [Path(source.path) for source in (request.corpus, *request.anonymizations.values())]
    parameters = [value for metric in request.chosen for value in metric.parameters.values()]
    return inputs([*files, *request.extra_paths], [*parameters, *systems])


@dataclass(frozen=True)
class BenchOutput:
    """What is to be written and shown."""

    views: Views
    results: Results
    read: ProtectedFiles
    output: Path | None = None
    masks: Mapping[str, Path] = field(default_factory=dict)  # by system
    answers: Path | None = None  # of language models, where these lie beside the run
    page: str = ""  # what is said of a page that was written

    def check(self) -> None:
        """Raises OutputError for what could not be written at the end."""
        check_distinct((self.output, self.answers, *self.masks.values(), *self.views.paths), self.read)
        check_file(self.output, self.views.force)
        for path in self.masks.values():
            check_file(path, self.views.force, makes_folder=True)
        self.views.check()

    def write_masks(self, result: BenchOutcome) -> None:
        for anonymization in result.anonymizations if self.masks else ():
            path = self.masks[anonymization.name]
            path.parent.mkdir(parents=True, exist_ok=True)
            self.results.write(
                path, encode_anonymization(anonymization), private=True, line=describe_masks(anonymization, path)
            )

    def write(self, run: Run) -> None:
        if self.output:
            written_run = self.views.redact(run)
            self.results.save(written_run, self.output, HOLDS if written_run.texts is not None else "")
            if self.views.without_text:
                remove_answers(self.answers, run, self.results)
        self.views.write(run, self.results, self.read, self.page)

    def show(self, run: Run) -> None:
        show_notes(run.notes)
        screen = console(PAGE)
        show(run, self.views, screen)
        show_wins(run, screen, str(self.output or ""))
        if earlier := [
            anonymization.name
            for anonymization in run.anonymizations
            if anonymization.made and anonymization.made.cost and anonymization.made.cost.earlier
        ]:
            remark = f"what these cost was measured earlier, when their masks were found: {join_names(earlier)}"
            screen.print(Text(remark, style="dim"), soft_wrap=True)
        self.results.tell(screen)


def carry_out(bench: Bench, outcome: BenchOutput) -> Run:
    """Puts the systems to work, scores, writes and shows. Ends the command with a status where something failed."""
    result = put_to_work(bench, partial(_bar, bench), lambda line: print_plain([shorten(line, LINE)], notes()))
    outcome.write_masks(result)
    try:
        with scoring() as (advance, watch):
            run = score(bench, result, advance, watch)
    except Interrupted as stop:
        print_plain([shorten(_describe_stop(stop, bench), LINE)], notes())
        raise typer.Exit(exit_status(stop)) from None
    outcome.write(run)
    outcome.show(run)
    if run.failures or result.failed:
        raise typer.Exit(FELL_SHORT)
    return run


def _bar(bench: Bench, name: str) -> AbstractContextManager[Progress]:
    return at_work(name, bench.systems[name], bench.cache)


def _describe_stop(stop: Interrupted, bench: Bench) -> str:
    """How far scoring got, and what is there the next time."""
    done = f"{len(stop.partial.documents)} of {documents(len(bench.plan.corpus))} were scored"
    why = f"stopped, {stop.reason}" if stop.reason else "interrupted"
    remark = "what systems found is kept: the same command scores it again" if bench.cache.folder else "nothing is kept"
    return f"{why}: {done}; {remark}"
