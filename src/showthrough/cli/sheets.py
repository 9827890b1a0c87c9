"""The options that write a sheet as files for readers, and an analysis as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

import msgspec
from msgspec import Meta

from showthrough.cli.options import CliOptions
from showthrough.cli.outputs import Results, check_file
from showthrough.core.errors import OutputError
from showthrough.evaluation.settings import Option, options_of
from showthrough.report.sheets.document import ReportDocument
from showthrough.report.sheets.latex import latex_of
from showthrough.report.sheets.markdown import markdown_of


@runtime_checkable
class Quoting(Protocol):
    """An analysis that quotes documents, and can leave that out."""

    def without_text(self) -> msgspec.Struct: ...


def _page(sheet: ReportDocument) -> str:
    from showthrough.report.sheets.page import page_of  # here: pages take a moment to import

    return page_of(sheet)


_VIEWS: dict[str, tuple[str, Callable[[ReportDocument], str]]] = {
    "html": ("Write one page to look at.", _page),
    "markdown": ("Write the tables as Markdown.", markdown_of),
    "latex": ("Write the tables as LaTeX (booktabs).", latex_of),
}
_JSON = "Write all numbers as JSON, in full precision."


def sheet_options() -> dict[str, Option]:
    """The files that a sheet can be written to."""
    helps = {name: view[0] for name, view in _VIEWS.items()} | {"json": _JSON}
    files = {name: Option(name, Path | None, None, text, "FILE") for name, text in helps.items()}
    return files | options_of(SheetViews)


@dataclass(frozen=True)
class SheetViews:
    """What is to be written of a sheet, and where."""

    files: dict[str, Path] = field(default_factory=dict)  # by view
    without_text: Annotated[bool, Meta(description="Write no word of the documents.")] = False
    force: Annotated[bool, Meta(description="Replace output files that exist.")] = False

    @classmethod
    def of(cls, options: CliOptions) -> SheetViews:
        """What the command line says."""
        files = {name: options[name] for name in (*_VIEWS, "json") if options.get(name) is not None}
        return cls(files, options.get("without_text", False), options.get("force", False))

    @property
    def paths(self) -> list[Path]:
        return list(self.files.values())

    def check(self) -> None:
        """Raises OutputError for what could not be written at the end."""
        for path in self.paths:
            check_file(path, self.force)

    def redact(self, sheet: ReportDocument) -> ReportDocument:
        """A sheet as anybody may see it who sees what is written."""
        return sheet.without_text() if self.without_text else sheet

    def write(self, sheet: ReportDocument, analysis: msgspec.Struct, results: Results) -> None:
        """Writes them; what holds text of documents is for its owner alone."""
        shown = self.redact(sheet)
        for name, path in self.files.items():
            if name == "json":
                self._write_json(path, analysis, sheet.private, results)
            else:
                results.write(path, _VIEWS[name][1](shown), private=shown.private)

    def _write_json(self, path: Path, analysis: msgspec.Struct, quoted: bool, results: Results) -> None:
        """`quoted` says whether the sheet quotes documents, for an analysis that does not say so itself."""
        private = quoted
        if isinstance(analysis, Quoting):
            bare = analysis.without_text()
            private = bare != analysis and not self.without_text
            analysis = bare if self.without_text else analysis
        elif quoted and self.without_text:
            with results.record_line(""):
                raise OutputError(f"{path}: the words of the documents cannot be left out of this JSON; not written")
            return
        text = msgspec.json.format(msgspec.json.encode(analysis), indent=1).decode() + "\n"
        results.write(path, text, private=private)
