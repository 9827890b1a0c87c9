"""A view and a chart from outside: a function, and a line in a table."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from showthrough import Run
from showthrough.cli import report
from showthrough.report import latex_text
from showthrough.report.charts import CHARTS
from showthrough.report.figures import figures
from showthrough.report.files import VIEWS, View


def names_text(run: Run) -> str:
    return "\n".join(run.names)


def words_text(run: Run, *, without_text: bool) -> str:
    return "" if without_text or run.texts is None else run.texts.documents[0].text


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """`showthrough report` with two views that somebody adds."""
    monkeypatch.setitem(VIEWS, "names", View("Write the names.", names_text))
    monkeypatch.setitem(VIEWS, "words", View("Write the words.", words_text, shows_documents=True))
    app = typer.Typer()
    app.command()(run_path(report.__file__)["command"])  # anew: options are made when it is imported
    return app


def test_a_view_is_an_option(command: typer.Typer, demo_run: Run, tmp_path: Path) -> None:
    demo_run.save(tmp_path / "run.json")
    asked = ["--names", str(tmp_path / "names.txt"), "--words", str(tmp_path / "words.txt")]
    result = CliRunner().invoke(command, [str(tmp_path / "run.json"), *asked], catch_exceptions=False)
    assert result.exit_code == 0
    assert (tmp_path / "names.txt").read_text() == "rules\nner\novermask\nreplace\nannotator"
    assert demo_run.texts is not None
    assert (tmp_path / "words.txt").read_text(encoding="utf-8") == demo_run.texts.documents[0].text
    assert (tmp_path / "words.txt").stat().st_mode & 0o077 == 0  # for its owner alone
    assert "Write the names." in CliRunner().invoke(command, ["--help"]).output


def test_a_view_without_text_sees_none(command: typer.Typer, demo_run: Run, tmp_path: Path) -> None:
    demo_run.save(tmp_path / "run.json")
    asked = ["--words", str(tmp_path / "words.txt"), "--without-text"]
    CliRunner().invoke(command, [str(tmp_path / "run.json"), *asked], catch_exceptions=False)
    assert (tmp_path / "words.txt").read_text() == ""
    seen: list[Run] = []
    View("", lambda run: str(seen.append(run))).text(demo_run, without_text=True)
    assert seen[0].texts is None


def test_a_chart_is_a_figure(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHARTS, "names", lambda run: {"er_di": run.names, "": "all"})
    run = msgspec.structs.replace(demo_run, metrics=[], texts=None, scores=[])
    assert dict(figures(run)) == {"names er_di": run.names, "names": "all"}


@pytest.mark.parametrize("name", ["[x]", "*", " [2pt]"])
def test_no_row_of_latex_is_an_argument_of_the_line_before(demo_run: Run, name: str) -> None:
    """`\\\\[x]` and `\\midrule[x]` would be a length, `\\\\*` a line that may not end the page."""
    inputs = [msgspec.structs.replace(demo_run.anonymizations[0], name=name), *demo_run.anonymizations[1:]]
    scores = [
        msgspec.structs.replace(one, anonymization=name if one.anonymization == "rules" else one.anonymization)
        for one in demo_run.scores
    ]
    rows = {
        text: {name if key == "rules" else key: columns for key, columns in by_name.items()}
        for text, by_name in demo_run.rows.items()
    }
    lines = latex_text(msgspec.structs.replace(demo_run, anonymizations=inputs, scores=scores, rows=rows)).split("\n")
    assert "\n".join(lines).count(f"\n{{}}{name.strip()} & ") > 1
    assert not [line for line in lines if line.lstrip().startswith(("[", "*"))]
