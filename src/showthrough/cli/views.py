"""The options that write a run as files for readers, made of the table of views."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from showthrough.cli import shared
from showthrough.files.writing import Read, write_file
from showthrough.report.views import VIEWS
from showthrough.run.run import Run

_Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="FOLDER", help="Write the figures as SVG, PNG and PDF, for papers.")
]


@dataclass(frozen=True)
class Views:
    """What is to be written of a run, and where."""

    files: Mapping[str, Path]  # by view
    plots: Path | None = None
    without_text: bool = False

    @property
    def paths(self) -> list[Path]:
        return [*self.files.values(), *filter(None, [self.plots])]

    @property
    def show_documents(self) -> bool:
        """Whether they are made of the documents, and not of the numbers alone."""
        return self.plots is not None or any(VIEWS[name].shows_documents for name in self.files)

    def check(self, force: bool) -> None:
        """Raises OutputError when one could not be written; better told before the work than after."""
        for path in self.files.values():
            shared.free(path, force)
        shared.free_folder(self.plots)

    def write(self, run: Run, force: bool, unwritten: shared.Unwritten, read: Read | None = None) -> list[Path]:
        """Writes them, each whether or not the others can be; those that were written."""
        written = []
        for name, path in self.files.items():
            with unwritten.noted():
                content = VIEWS[name].text(run, self.without_text).encode()
                private = VIEWS[name].is_private(run, self.without_text)
                write_file(path, content, force=force, private=private)
                written.append(path)
        if self.plots is not None:
            from showthrough.report.figures import write_figures  # here: charts take a moment to import

            with unwritten.noted():
                write_figures(run, self.plots, force=force, read=read)
                written.append(self.plots)
        return written


def with_views(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter `views` is an option for each view, the figures, and whether text is left out."""
    options: dict[str, Any] = {name: Annotated[Path | None, view_option(name)] for name in VIEWS}
    options |= {"plots": _Plots, "without_text": shared.WithoutText}
    parameters: list[inspect.Parameter] = []
    for one in inspect.signature(command, eval_str=True).parameters.values():
        parameters += [_parameter(*option) for option in options.items()] if one.name == "views" else [one]

    @wraps(command)
    def with_options(**given: Any) -> None:
        asked = {name: given.pop(name) for name in options}
        files = {name: asked[name] for name in VIEWS if asked[name] is not None}
        command(**given, views=Views(files, asked["plots"], asked["without_text"]))

    keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    with_options.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_options


def view_option(name: str) -> Any:
    return typer.Option(f"--{name}", metavar="FILE", help=VIEWS[name].help)


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    default = None if get_args(annotation)[0] is not bool else False
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
