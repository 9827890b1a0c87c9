from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import Least, Most
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.statuses import FELL_SHORT
from showthrough.errors import PlanError
from showthrough.files.reading import stem
from showthrough.gate.asking import asked_for, settled
from showthrough.gate.baseline import Baseline
from showthrough.gate.checking import DOCUMENTS, IDENTIFIERS, Gate, checked
from showthrough.report.gate import MADE_BY, junit_xml, outcome_json, outcome_markdown, show_outcome
from showthrough.run.beside import Beside, complete
from showthrough.run.run import Run

_BEGINNING = 200  # bytes of a result in which it says what made it


def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    least: Least = None,
    most: Most = None,
    bound: Annotated[
        bool, typer.Option("--bound", help="Not the number but the cautious end of its interval must hold.")
    ] = False,
    anonymization: Annotated[
        list[str] | None, typer.Option("--anonymization", metavar="NAME", help="Only this one; may be repeated.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="An earlier run of the same corpus, to be kept.")
    ] = None,
    baseline_name: Annotated[
        str, typer.Option("--baseline-name", metavar="NAME", help="Which anonymization of it; usually the same name.")
    ] = "",
    margin: Annotated[float, typer.Option("--margin", metavar="M", help="How much may be lost against it.")] = 0.0,
    metric: Annotated[
        list[str] | None,
        typer.Option("-m", "--metric", metavar="METRIC", help="To be kept as well as what has thresholds; repeatable."),
    ] = None,
    min_documents: Annotated[
        int, typer.Option("--min-documents", metavar="N", min=0, help="With fewer it does not pass.")
    ] = DOCUMENTS,
    min_identifiers: Annotated[
        int, typer.Option("--min-identifiers", metavar="N", min=0, help="With fewer it does not pass.")
    ] = IDENTIFIERS,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the outcome as JSON.")] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write it as JUnit XML, for CI servers.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write it as Markdown, for a pull request.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that exist; those of an earlier check are anyway.")
    ] = False,
) -> None:
    """Decide whether a run is good enough: thresholds, an earlier run, enough documents.

    Exit status: 0 it passes, 1 it does not, 2 bad request. Files are written in the first two cases.
    """
    if baseline is None and (baseline_name or margin or metric):
        raise PlanError("--baseline-name, --margin and --metric say how a baseline is kept; expected --baseline FILE")
    texts = [(json, outcome_json), (junit, junit_xml), (markdown, outcome_markdown)]
    check_distinct((json, junit, markdown), inputs([run_file, baseline]))
    for path, _ in texts:
        check_file(path, force or _ours(path))
    run = complete(Run.load(run_file), str(run_file))
    gate = Gate(
        settled(asked_for(least, most), run.metrics),
        anonymization or (),
        bound,
        min_documents,
        min_identifiers,
        None if baseline is None else _baseline(run, baseline, margin, baseline_name, metric or ()),
    )
    outcome = checked(run, gate)
    results = Results(force=True)  # what may not be replaced was told above
    for path, text in texts:
        if path is not None:
            results.write(path, text(outcome))
    show_notes(run.notes)
    screen = console()
    show_outcome(outcome, screen)
    results.tell(screen)
    if not outcome.passed:
        raise typer.Exit(FELL_SHORT)


def _baseline(run: Run, file: Path, margin: float, name: str, metrics: list[str] | tuple[()]) -> Baseline:
    earlier = complete(Run.load(file), str(file))
    return Baseline(Beside(run, earlier, stem(file)), margin, name, metrics)


def _ours(path: Path | None) -> bool:
    """Whether a file is what an earlier check wrote: gates run again and again, and no old verdict must stay."""
    if path is None or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return MADE_BY.encode() in file.read(_BEGINNING)
    except OSError:
        return False  # which writing will tell
