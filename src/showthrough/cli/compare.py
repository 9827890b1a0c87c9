from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.completion import metric_names
from showthrough.cli.consoles import console, show_notes
from showthrough.errors import PlanError
from showthrough.report.clinical import ALPHA, comparable, show_matrix, significance
from showthrough.report.terminal import show_comparisons
from showthrough.run.run import Run

MOST = 1_000_000  # shuffles: more settle no more digits of p, and no longer fit into memory


def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="METRIC", help="Only this metric; may be repeated.", autocompletion=metric_names
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
        bool, typer.Option("--matrix", help="As i2b2 2006: which of F, P, R do not differ, without correction.")
    ] = False,
) -> None:
    """Tell who is significantly better at what.

    Studentized paired randomization between all pairs of anonymizations, with Holm's correction within each metric.
    """
    if alpha is None:
        alpha = ALPHA if matrix else 0.05
    if not 0 < alpha < 1:
        raise PlanError(f"found {alpha:g}; expected a number between 0 and 1", "alpha")
    if not 1 <= shuffles <= MOST:
        raise PlanError(f"found {shuffles}; expected 1 to {MOST}", "shuffles")
    if seed is not None and seed < 0:
        raise PlanError(f"found {seed}; expected 0 or more", "seed")
    run = Run.load(run_file)
    if not run.complete:
        raise PlanError("this run was interrupted; complete it with evaluate --resume first", str(run_file))
    if len(run.names) < 2:
        raise PlanError("has one anonymization; comparing needs at least two", str(run_file))
    if matrix:
        _show_matrices(run, metric or comparable(run), alpha, shuffles, seed)
        return
    asked: list[str | None] = [*metric] if metric else [None]
    if not metric:
        show_notes(f"not compared: {why}" for why in map(run.incomparable, run.rows) if why)
    comparisons = [one for text in asked for one in run.compare(text, parts=parts, shuffles=shuffles, seed=seed)]
    screen = console()
    show_comparisons(run, comparisons, alpha, screen)
    screen.print(
        f"studentized paired randomization over {run.sample}, {shuffles} shuffles, "
        f"Holm's correction within each metric; p at most {alpha:g} is significant",
        style="dim",
    )


def _show_matrices(run: Run, metrics: list[str], alpha: float, shuffles: int, seed: int | None) -> None:
    known = comparable(run)
    for text in metrics:
        if text not in known:
            listed = ", ".join(known) or "none"
            raise PlanError(f"has no F, P and R to compare; of this run have {listed}", f"metric {text}")
    if not metrics:
        raise PlanError("no metric of this run has F, P and R, such as phi_token and phi_instance", "matrix")
    screen = console()
    for text in metrics:
        show_matrix(significance(run, text, shuffles=shuffles, seed=seed), alpha, screen)
    screen.print(
        f"approximate randomization over {run.sample}, {shuffles} shuffles, alpha {alpha:g}, "
        "no correction; · : all three differ; – : undefined, and not tested",
        style="dim",
    )
