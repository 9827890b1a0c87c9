"""The options that write a run as files for readers, made of the table of views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta
from rich.console import Console

from showthrough.cli.consoles import show_notes
from showthrough.cli.options import CliOptions
from showthrough.cli.outputs import Results, check_file, check_folder
from showthrough.core.errors import OutputError, ResourceError
from showthrough.evaluation.settings import Option, options_of
from showthrough.report.cautions import routine_notes
from showthrough.report.files import VIEWS
from showthrough.report.slices import show_slices
from showthrough.report.summary import show_short_verdict, show_verdict
from showthrough.report.systems import show_systems
from showthrough.report.terminal import show_run, show_signatures
from showthrough.report.verdict import judge, verdict
from showthrough.run.gate.checking import Gate
from showthrough.run.run import Run
from showthrough.storage.writing import ProtectedFiles


@dataclass(frozen=True, kw_only=True)
class Views:
    """What is to be written of a run, and where."""

    heading: ClassVar[str] = "Output"

    files: Mapping[str, Path] = field(default_factory=dict)  # by view
    plots: Annotated[
        Path | None, Meta(title="FOLDER", description="Write the figures as SVG, PNG and PDF, for papers.")
    ] = None
    without_text: Annotated[bool, Meta(description="Write no word of the documents.")] = False
    force: Annotated[bool, Meta(description="Replace output files that exist.")] = False
    parts: Annotated[bool, Meta(description="Print the parts of all metrics too, such as entity types.")] = False
    signatures: Annotated[bool, Meta(description="Print how exactly each metric's numbers were computed.")] = False
    verbose: Annotated[
        bool, Meta(description="Print everything: intervals, what was found, costs, tests, all notes.")
    ] = False

    @classmethod
    def of(cls, options: CliOptions) -> Views:
        """What the command line says."""
        files = {name: options[name] for name in VIEWS if options.get(name) is not None}
        return cls(files=files, **{name: value for name, value in options.items() if name not in VIEWS})

    @property
    def paths(self) -> list[Path]:
        return [*self.files.values(), *filter(None, [self.plots])]

    @property
    def show_documents(self) -> bool:
        """Whether they are made of the documents, and not of the numbers alone."""
        return self.plots is not None or any(VIEWS[name].shows_documents for name in self.files)

    def check(self) -> None:
        """Raises OutputError for what could not be written or drawn at the end."""
        for path in self.files.values():
            check_file(path, self.force)
        check_folder(self.plots)
        if self.plots is not None:
            from showthrough.report.charts.theme import check_installed  # here: charts take a moment to import

            try:
                check_installed()
            except ResourceError as error:  # nothing was scored yet: a bad request, and no metric that failed
                raise OutputError(str(error)) from error

    def redact(self, run: Run) -> Run:
        """What of a run is written."""
        return run.without_text() if self.without_text else run

    def write(self, run: Run, results: Results, read: ProtectedFiles, line: str = "", gate: Gate | None = None) -> None:
        """Writes them, each whether or not the others can be."""
        for name, path in self.files.items():
            private = VIEWS[name].is_private(run, self.without_text)
            results.write(path, VIEWS[name].text(run, self.without_text, gate), private=private, line=line)
        if self.plots is not None:
            from showthrough.report.figures import write_figures  # here: charts take a moment to import

            with results.record_line(f"written to {self.plots}"):
                drawn = run.without_folders() if self.without_text else run
                write_figures(drawn, self.plots, force=self.force, read=read)


def show(run: Run, views: Views, screen: Console, gate: Gate | None = None) -> None:
    """A run on the terminal: the verdict, the table, then notes; with --verbose notes first, and all the rest."""
    outcome = verdict(views.redact(run), judge(run, gate, without_text=views.without_text))
    if views.verbose:
        show_notes(run.notes)
        show_verdict(outcome, screen)
    else:
        show_short_verdict(outcome, screen)
    routine = routine_notes(run.notes)
    show_run(run, screen, parts=views.parts, short=not views.verbose, more_notes=len(routine))
    show_slices(views.redact(run), screen, short=not views.verbose)
    if views.verbose:
        show_systems(run, screen)
    else:
        show_notes(note for note in run.notes if note not in routine)
    if views.signatures:
        screen.print()
        show_signatures(run, screen)


def view_options(*names: str) -> dict[str, Option]:
    """All options of views, or some of them."""
    views = {
        name: Option(name, Path | None, None, view.help, "FILE", heading=Views.heading) for name, view in VIEWS.items()
    }
    options = views | options_of(Views)
    return {name: options[name] for name in names or options}
