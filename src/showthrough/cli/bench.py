"""Systems put to work on a corpus: `evaluate --with`, and the demo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from showthrough.cli.consoles import PAGE, console, documents, notes, print_plain
from showthrough.cli.llm_options import answers_beside, remove_answers, with_recordings
from showthrough.cli.outputs import HOLDS, Results, check_distinct, check_file, inputs
from showthrough.cli.progress import scoring, show_activity
from showthrough.cli.signals import FELL_SHORT, exit_status
from showthrough.cli.systems import at_work, describe_masks, mask_files, parse_systems, with_answers
from showthrough.cli.view_options import Views, show
from showthrough.core.errors import LINE, InputError, Interrupted, join_names, shorten
from showthrough.evaluation.plan import lacking_problems
from showthrough.evaluation.requests import EvaluationRequest
from showthrough.formats.made_masks import encode_anonymization
from showthrough.report.wins import show_wins
from showthrough.run.run import Run
from showthrough.storage.writing import ProtectedFiles
from showthrough.systems.anonymizing import Progress
from showthrough.systems.replacing import Way
from showthrough.systems.workbench.runner import Bench, BenchOutcome, put_to_work, score


@dataclass(frozen=True, kw_only=True)
class WorkOptions:
    """How systems mask, and where their masks go."""

    masks: Path | None = None  # a folder
    replacement: Way = "label"
    threshold: float | None = None
    everywhere: bool = False


def bench_systems(
    request: EvaluationRequest, systems: Sequence[str], options: WorkOptions, output: Path | None, views: Views
) -> Run:
    """Puts systems to work on a corpus, scores them side by side, compares and reports.

    What systems found is kept, so that a second time takes a moment, and a run that was interrupted goes on.
    """
    by_name = parse_systems(systems, options.everywhere)
    request = replace(request, systems=len(by_name))
    answers = answers_beside(request.settings, output, request.chosen)
    request = replace(request, settings=with_recordings(request.settings, answers))
    beside = dict.fromkeys(by_name, output) if output is not None else {}
    by_name, earlier_runs = with_answers(by_name, request.settings, beside)
    answers = answers or next(iter(earlier_runs if request.settings.recordings is None else ()), None)
    if faults := lacking_problems(request.chosen):  # before anything is read
        raise InputError(faults)
    paths = mask_files(by_name, options.masks) if options.masks else {}
    outcome = BenchOutput(views, Results(views.force), _inputs(request, systems), output, paths, answers)
    outcome.check()
    with show_activity("reading"):
        plan = replace(request.plan(), texts=views.show_documents or not views.without_text)
    bench = Bench(plan, by_name, options.replacement, options.threshold, request.settings.seen)
    with show_activity("checking that all systems can work"):
        bench.check()
    return carry_out(bench, outcome)


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
        screen = console(PAGE)
        show(run, self.views, screen)
        if self.views.verbose:
            self._show_comparison(run, screen)
        self.results.tell(screen)

    def _show_comparison(self, run: Run, screen: Console) -> None:
        show_wins(run, screen, str(self.output or ""))
        if earlier := [
            anonymization.name
            for anonymization in run.anonymizations
            if anonymization.made and anonymization.made.cost and anonymization.made.cost.earlier
        ]:
            remark = f"the cost of these was measured earlier, when their masks were found: {join_names(earlier)}"
            screen.print(Text(remark, style="dim"), soft_wrap=True)


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
