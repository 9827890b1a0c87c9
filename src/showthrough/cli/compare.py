from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import metrics_of_run
from showthrough.cli.consoles import console, print_plain, show_notes
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.core.errors import PlanError, shorten
from showthrough.report.differences import ALPHA, comparable, compared_json, show_differences, show_matrix, significance
from showthrough.report.run_comparison import RunComparison
from showthrough.report.section import sections
from showthrough.report.terminal import show_comparisons
from showthrough.report.wording import training_warnings
from showthrough.run.pairing import RunPair, complete
from showthrough.run.run import Run
from showthrough.storage.reading import stem

MOST = 1_000_000  # shuffles: more settle no more digits of p, and no longer fit into memory


def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    other_file: Annotated[
        Path | None, typer.Argument(metavar="[RUN2]", help="An earlier run of the same corpus.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="METRIC", help="Only this metric; may be repeated.", autocompletion=metrics_of_run
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="The level at which a difference counts as significant: 0.05; with --matrix 0.1."),
    ] = None,
    shuffles: Annotated[int, typer.Option(help="Shuffles of the randomization test.")] = 9999,
    seed: Annotated[int | None, typer.Option(help="Seed of the shuffles; by default the run's.")] = None,
    parts: Annotated[bool, typer.Option("--parts", help="Also the parts of metrics, such as entity types.")] = False,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Like i2b2 2006: which of F, P, R do not differ, without correction.")
    ] = False,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all comparisons as JSON.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Of two runs: write one page of what changed.")
    ] = None,
    without_text: Annotated[
        bool, typer.Option("--without-text", help="Write no word of the documents into the page.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace output files that exist.")] = False,
) -> None:
    """The test is a studentized paired randomization between all pairs of anonymizations, with Holm's correction within
    each metric. Of two runs, those of the same name are compared; where there are none, each with each.
    """
    level = (ALPHA if matrix else 0.05) if alpha is None else alpha
    _check_test(level, shuffles, seed)
    _check_files(run_file, other_file, matrix, json, html, force)
    runs = [(stem(file), complete(Run.load(file), str(file))) for file in (run_file, other_file) if file]
    joined = _join_runs(runs[0][1], runs[1][1], _label(*runs)) if other_file else None
    run, pairs = (joined.combined_run, joined.differing) if joined else (runs[0][1], None)
    same = _find_identical(joined) if joined else []
    if len(run.names) < 2:
        raise PlanError("has one anonymization; comparing needs at least two", str(run_file))
    _show_warnings(run)
    if matrix:
        _show_matrices(run, [*map(run.text_of, metric or ())] or comparable(run), level, shuffles, seed)
        return
    if not metric:
        show_notes(f"not compared: {why}" for why in map(run.incomparable, run.rows) if why)
    texts: Sequence[str | None] = () if pairs == [] else metric or [None]
    by_metric = [run.compare(text, parts=parts, shuffles=shuffles, seed=seed, pairs=pairs) for text in texts]
    comparisons = [comparison for group in by_metric for comparison in group]
    results = Results(force)
    if json:
        results.write(json, compared_json(runs, comparisons, same, level, shuffles))
    if html and joined:
        _write_page(RunComparison(joined, comparisons, runs[0][0], level, shuffles), html, results, without_text)
    print_plain((f"{shorten(name)} is identical in both runs" for name in same), console())
    (show_comparisons if pairs is None else show_differences)(run, comparisons, level, console())
    _describe_test(run, level, shuffles)
    results.tell(console())


def _check_files(
    run_file: Path, other_file: Path | None, matrix: bool, json: Path | None, html: Path | None, force: bool
) -> None:
    if matrix and (other_file or json):
        raise PlanError("is for one run, and only for the terminal; expected no second run and no --json", "matrix")
    if html and not other_file:
        raise PlanError("is for two runs; expected a second run, or report RUN --html for one", "html")
    check_distinct((json, html), inputs([run_file, other_file]))
    check_file(json, force)
    check_file(html, force)


def _describe_test(run: Run, level: float, shuffles: int) -> None:
    screen = console()
    screen.print(f"studentized paired randomization over {run.sample}, {shuffles} shuffles,", style="dim")
    screen.print(f"Holm's correction within each metric; p at most {level:g} is significant", style="dim")


def _write_page(compared: RunComparison, file: Path, results: Results, without_text: bool) -> None:
    from showthrough.report.changes import changes_page  # here: pages take a moment to import

    page = changes_page(compared, without_text=without_text)
    results.write(file, page.text, private=page.private)


def _check_test(alpha: float, shuffles: int, seed: int | None) -> None:
    if not 0 < alpha < 1:
        raise PlanError(f"found {alpha:g}; expected a number between 0 and 1", "alpha")
    if not 1 <= shuffles <= MOST:
        raise PlanError(f"found {shuffles}; expected 1 to {MOST}", "shuffles")
    if seed is not None and seed < 0:
        raise PlanError(f"found {seed}; expected 0 or more", "seed")


def _join_runs(run: Run, other: Run, label: str) -> RunPair:
    if run.settings.confidence != other.settings.confidence:
        levels = f"{run.settings.confidence:g} and {other.settings.confidence:g}"
        raise PlanError(f"found {levels}; expected runs with intervals of the same one", "confidence")
    beside = RunPair(run, other, label)
    show_notes(
        f"not compared: {record.text} {fault}"
        for record in run.metrics
        if record.text in run.rows and (fault := beside.fault(record.text))
    )
    return beside


def _show_warnings(run: Run) -> None:
    show_notes(f"{warning}: its numbers are too good" for warning in training_warnings(run, run.names))
    show_notes(note for section in sections() for note in section.comparison_notes(run))


def _find_identical(joined: RunPair) -> list[str]:
    """The anonymizations that are the same in both runs."""
    return list(dict.fromkeys(name for name, earlier in joined.matches if joined.identical(name, earlier)))


def _label(first: tuple[str, Run], second: tuple[str, Run]) -> str:
    """What the earlier run is called; two files of one name have different labels."""
    return second[0] if second[0] != first[0] else "the earlier run"


def _show_matrices(run: Run, metrics: list[str], alpha: float, shuffles: int, seed: int | None) -> None:
    allowed = comparable(run)
    for text in metrics:
        if text not in allowed:
            listed = ", ".join(allowed) or "none"
            raise PlanError(f"has no F, P and R to compare; in this run these have: {listed}", f"metric {text}")
    if not metrics:
        raise PlanError("no metric of this run has F, P and R, such as phi_token and phi_instance", "matrix")
    screen = console()
    for text in metrics:
        show_matrix(significance(run, text, shuffles=shuffles, seed=seed), alpha, screen)
    screen.print(
        f"approximate randomization over {run.sample}, {shuffles} shuffles, alpha {alpha:g}, "
        "no correction; · : all three differ; – : undefined, so not tested",
        style="dim",
    )
