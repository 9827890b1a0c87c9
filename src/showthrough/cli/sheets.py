"""The options that write a sheet as files for readers, and an analysis as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from showthrough.cli.options import Said
from showthrough.cli.outputs import Results, check_file
from showthrough.evaluation.settings import Option
from showthrough.report.sheets.sheet import Sheet

_VIEWS: dict[str, tuple[str, Callable[[Sheet], str]]] = {}
_JSON = "Write all numbers as JSON, in full precision."
_FORCE = "Replace output files that exist."


def sheet_options() -> dict[str, Option]:
    """The files that a sheet can be written to."""
    helps = {name: view[0] for name, view in _VIEWS.items()} | {"json": _JSON}
    files = {name: Option(name, Path | None, None, text, "FILE") for name, text in helps.items()}
    return files | {"force": Option("force", bool, False, _FORCE)}


@dataclass(frozen=True)
class SheetViews:
    """What is to be written of a sheet, and where."""

    files: dict[str, Path] = field(default_factory=dict)  # by view
    force: bool = False

    @classmethod
    def of(cls, said: Said) -> SheetViews:
        """What stands on the command line."""
        files = {name: path for name, path in said.items() if name != "force" and path is not None}
        return cls(files, said.get("force", False))

    @property
    def paths(self) -> list[Path]:
        return list(self.files.values())

    def check(self) -> None:
        """Raises OutputError for what could not be written at the end."""
        for path in self.paths:
            check_file(path, self.force)

    def write(self, sheet: Sheet, analysis: msgspec.Struct, results: Results) -> None:
        """Writes them; what holds text of documents is for its owner alone."""
        for name, path in self.files.items():
            if name == "json":
                text = msgspec.json.format(msgspec.json.encode(analysis), indent=1).decode() + "\n"
            else:
                text = _VIEWS[name][1](sheet)
            results.write(path, text, private=sheet.private)
