from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from showthrough.cli.completion import systems_of_run
from showthrough.cli.consoles import PAGE, console, notes, show_notes
from showthrough.cli.options import CliOptions, MaxThresholds, MinThresholds, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.view_options import Views, show, view_options
from showthrough.core.errors import OutputError, PlanError, join_names, quote_value
from showthrough.report.files import VIEWS
from showthrough.report.terminal import show_signatures
from showthrough.run.gate.accepted import read_accepted
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checking import Gate
from showthrough.run.gate.parsing import parse_options, resolve_thresholds
from showthrough.run.pairing import RunPair, complete
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.storage.reading import stem
from showthrough.storage.writing import write_file

_ENDINGS = (".html", ".pdf", ".json")
_PAPERS = ("A4", "Letter")


@with_options(views=view_options())
def command(
    run_file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    least: MinThresholds = None,
    most: MaxThresholds = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the run again; with --without-text, to share it."),
    ] = None,
    summary: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write a release summary to sign, as .html, .pdf or .json; may be repeated."),
    ] = None,
    candidate: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The anonymization that is judged; else the best.",
            autocompletion=systems_of_run,
        ),
    ] = None,
    accepted: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Readable identifiers that somebody reviewed and accepted."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="An earlier run of the same corpus: what got worse speaks against a release."
        ),
    ] = None,
    paper: Annotated[str, typer.Option(metavar="A4|Letter", help="Paper of a summary in PDF.")] = _PAPERS[0],
    *,
    views: CliOptions,
) -> None:
    run, shown = Run.load(run_file), Views.of(views)
    release = _ReleaseSummaries(summary or [], paper)
    read = inputs([run_file, accepted, baseline])
    check_distinct((output, *release.files, *shown.paths), read)
    shown.check()
    release.check(shown.force)
    written = bool(output or release.files or any(shown.paths))
    if written and not (release.files or any(VIEWS[name].judged for name in shown.files)):
        _refuse({"candidate": candidate, "accepted": accepted, "baseline": baseline})
    check_file(output, shown.force)
    thresholds = resolve_thresholds(parse_options(least, most), run.metrics, slices=list(run.slices))
    results = Results(shown.force)
    gate = _gate(run, thresholds, candidate, accepted, baseline)
    release.write(run, gate, results, force=shown.force)
    if thresholds:
        run.thresholds = list(thresholds)
    if output:
        results.save(shown.redact(run), output)
    shown.write(run, results, read, gate=gate)
    screen = console(PAGE)
    _show(run, shown, screen, gate, written=written)
    results.tell(screen)
    if not run.complete:
        notes().print("this run was interrupted: complete it with evaluate --resume", markup=False)
        raise typer.Exit(1)


def _refuse(about: Mapping[str, object]) -> None:
    """Raises PlanError for an option that nothing uses which is to be written."""
    for name, value in about.items():
        if value is not None:
            raise PlanError("is for what judges a release; expected --html, --markdown or --summary FILE too", name)


def _gate(
    run: Run, thresholds: Sequence[Threshold], candidate: str | None, accepted: Path | None, baseline: Path | None
) -> Gate:
    allowed = None if accepted is None else read_accepted(accepted)
    earlier = None
    if baseline is not None:
        earlier = Baseline(RunPair(run, complete(Run.load(baseline), str(baseline)), stem(baseline)))
    return Gate(thresholds, [candidate] if candidate else (), baseline=earlier, accepted=allowed)


def _show(run: Run, shown: Views, screen: Console, gate: Gate, *, written: bool) -> None:
    """The run on the terminal; where it was written to files, its notes alone."""
    if not written:
        show(run, shown, screen, gate)
        return
    show_notes(run.notes)
    if shown.signatures:
        show_signatures(run, screen)


@dataclass(frozen=True)
class _ReleaseSummaries:
    """The release summary as files: the ending of each name says what is written."""

    files: Sequence[Path]
    paper: str

    def check(self, force: bool) -> None:
        """Raises PlanError or OutputError for what could not be written at the end."""
        if self.paper not in _PAPERS:
            raise PlanError(f"found {quote_value(self.paper)}; expected {' or '.join(_PAPERS)}", "paper")
        for path in self.files:
            if path.suffix.lower() not in _ENDINGS:
                raise OutputError(f"{path}: found {quote_value(path.suffix)}; expected {join_names(_ENDINGS)}")
            check_file(path, force)
        if any(path.suffix.lower() == ".pdf" for path in self.files):
            from showthrough.report.release.printing import find_browser  # here: only PDF needs one

            find_browser()

    def write(self, run: Run, gate: Gate, results: Results, *, force: bool) -> None:
        """Writes them. They hold no text of documents, so nobody has to keep them from others."""
        if not self.files:
            return
        from showthrough.report.release import release_summary, summary_json  # here: pages take a moment to import
        from showthrough.report.release.page import summary_html, summary_pdf

        summary = release_summary(
            run,
            candidate=next(iter(gate.names), None),
            thresholds=gate.thresholds,
            accepted=gate.accepted,
            baseline=gate.baseline,
        )
        for path in self.files:
            with results.record_line(f"written to {path}"):
                ending = path.suffix.lower()
                if ending == ".pdf":
                    content = summary_pdf(summary, "Letter" if self.paper == "Letter" else "A4")
                else:
                    content = (summary_json if ending == ".json" else summary_html)(summary).encode()
                write_file(path, content, force=force, private=False)
        results.lines.append(f"{summary.released.name}: {summary.state.title}. {summary.sentence}")
