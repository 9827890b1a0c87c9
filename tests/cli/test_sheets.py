"""The options that write a sheet: which files, whose eyes they are for, and what is left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import typer

from showthrough.cli.outputs import Results
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.core.errors import OutputError
from showthrough.report.sheets import Case, Cases, Grid, GridRow, ReportDocument, count

GRID = Grid("types", ("n",), (GridRow("PERSON", (count(1),)),))
QUOTING = ReportDocument("t", (), (GRID, Cases("places", (Case("d", 0, "", "SECRET", ""),))))
PLAIN = ReportDocument("t", (), (GRID,))
VIEWS = ("html", "markdown", "latex", "json")


class Counts(msgspec.Struct):
    n: float


class Places(msgspec.Struct):
    n: float
    words: list[str]

    def without_text(self) -> Places:
        return Places(self.n, [])


class Screen:
    def print(self, *_: object, **__: object) -> None:
        """Nobody looks."""


def written(
    folder: Path, sheet: ReportDocument, analysis: msgspec.Struct, **said: object
) -> dict[str, tuple[str, bool]]:
    """What each file holds, and whether it is for its owner alone."""
    paths = {name: folder / name for name in VIEWS}
    views = SheetViews.of({**paths, **said})
    views.check()
    results = Results(views.force)
    views.write(sheet, analysis, results)
    results.tell(Screen())  # type: ignore[arg-type]
    return {
        name: (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o077 == 0)
        for name, path in paths.items()
        if path.exists()
    }


def test_the_options() -> None:
    assert list(sheet_options()) == [*VIEWS, "without_text", "force"]


def test_what_quotes_is_for_its_owner_alone(tmp_path: Path) -> None:
    files = written(tmp_path, QUOTING, Places(0.1, ["SECRET"]))
    assert {name: ("SECRET" in text, private) for name, (text, private) in files.items()} == dict.fromkeys(
        VIEWS, (True, True)
    )


def test_without_text_there_is_none(tmp_path: Path) -> None:
    files = written(tmp_path, QUOTING, Places(0.1, ["SECRET"]), without_text=True)
    assert {name: ("SECRET" in text, private) for name, (text, private) in files.items()} == dict.fromkeys(
        VIEWS, (False, False)
    )


def test_what_does_not_quote_is_for_everybody(tmp_path: Path) -> None:
    files = written(tmp_path, PLAIN, Counts(1 / 3))
    assert not any(private for _, private in files.values())
    assert msgspec.json.decode(files["json"][0]) == {"n": 1 / 3}


def test_an_analysis_may_quote_what_its_sheet_does_not(tmp_path: Path) -> None:
    files = written(tmp_path, PLAIN, Places(0.1, ["SECRET"]))
    assert {name: private for name, (_, private) in files.items()} == dict.fromkeys(VIEWS, False) | {"json": True}


def test_an_analysis_that_cannot_leave_its_text_out_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit):
        written(tmp_path, QUOTING, Counts(1), without_text=True)
    assert not (tmp_path / "json").exists()
    assert (tmp_path / "html").exists()
    assert "the words of the documents cannot be left out of this JSON; not written" in capsys.readouterr().err


def test_a_file_that_exists_is_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        SheetViews.of({"html": tmp_path / "page.html"}).check()
    SheetViews.of({"html": tmp_path / "page.html", "force": True}).check()
