"""Sections of families that cannot be used keep nobody from reading the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run, risk_annex
from showthrough.core.families import FAMILIES, Family
from showthrough.report import markdown_text
from showthrough.report.annex import annex_sheet
from showthrough.report.cautions import cautions
from showthrough.report.html import html_text
from showthrough.report.section import Section, sections


class _Broken(Family):
    @property
    def section(self) -> Any:
        raise ImportError("needs a library that is not here")


class _Other(Family):
    @property
    def section(self) -> Any:
        return "a table"


@pytest.mark.parametrize(
    ("family", "why"),
    [
        (_Broken("ours"), "ImportError: needs a library that is not here"),
        (_Other("ours"), "found a value of type str, expected a Section"),
    ],
)
def test_readers_hear_of_a_section_that_cannot_be_used(
    family: Family, why: str, demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cautions(demo_run)
    text = markdown_text(demo_run)
    monkeypatch.setitem(FAMILIES, "ours", family)
    caution = f"The report section of the family ours cannot be used: {why}."
    assert cautions(demo_run) == [*before, caution]
    assert markdown_text(demo_run).endswith(text[text.index("\n**") :])


def fail_to_tell(*arguments: Any, **options: Any) -> Any:
    raise ValueError("the very text that must not leak")


def tell_numbers(*arguments: Any, **options: Any) -> Any:
    yield 7


def bring_section(monkeypatch: pytest.MonkeyPatch, **members: Any) -> None:
    """A package brings a section with these methods and attributes."""
    section = type("Ours", (Section,), members)()
    family = type("OurFamily", (Family,), {"section": section})("ours")
    monkeypatch.setitem(FAMILIES, "ours", family)


IN_REPORTS = ["tables", "part_tables", "place_of", "clauses", "caveats", "cautions", "limits", "findings", "page_data"]


@pytest.mark.parametrize("method", IN_REPORTS)
def test_a_method_that_fails_stops_no_report(method: str, demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before, text = cautions(demo_run), markdown_text(demo_run)
    bring_section(monkeypatch, **{method: fail_to_tell})
    (caution,) = cautions(demo_run)[len(before) :]
    start = f"The report section of the family ours cannot be used: {method} raised ValueError (test_section.py, line "
    assert caution.startswith(start)
    assert markdown_text(demo_run).endswith(text[text.index("\n**") :])
    assert caution in markdown_text(demo_run).replace("\\_", "_")
    assert caution in html_text(demo_run)


@pytest.mark.parametrize("method", [one for one in IN_REPORTS if one not in ("place_of", "page_data")])
def test_values_of_another_type_are_refused(method: str, demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before, text = cautions(demo_run), markdown_text(demo_run)
    bring_section(monkeypatch, **{method: tell_numbers})
    (caution,) = cautions(demo_run)[len(before) :]
    assert f"the family ours cannot be used: {method} gave a value of type int, expected " in caution
    assert markdown_text(demo_run).endswith(text[text.index("\n**") :])


def test_data_that_the_page_cannot_hold_is_refused(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bring_section(monkeypatch, page_data=lambda *_, **__: {"ours": object()})
    assert "the family ours cannot be used: page_data raised TypeError" in html_text(demo_run)


def test_a_template_that_fails_leaves_one_line(demo_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ours.html").write_text("{{ nothing.of_this }}")
    bring_section(monkeypatch, title="Our <part>", template=tmp_path / "ours.html")
    page = html_text(demo_run)
    assert "<h2>Our &lt;part&gt;</h2>" in page
    assert "the family ours cannot be used: its template raised UndefinedError" in page


@pytest.mark.parametrize(
    ("method", "ask"),
    [
        ("risk_lead", lambda run: annex_sheet(risk_annex(run)).lead),
        ("risk_grids", lambda run: annex_sheet(risk_annex(run)).lead),
        ("comparison_notes", lambda run: [note for one in sections() for note in one.comparison_notes(run)]),
    ],
)
def test_annex_and_comparison_say_what_failed(
    method: str, ask: Callable[[Run], Any], demo_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(ask(demo_run))
    bring_section(monkeypatch, **{method: fail_to_tell})
    (line,) = (line for line in ask(demo_run) if line not in before)
    assert f"the family ours cannot be used: {method} raised ValueError" in line


def test_what_works_is_told_beside_what_fails(demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    bring_section(monkeypatch, tables=fail_to_tell, caveats=lambda *_: ["Ours rests on nothing."])
    assert "Ours rests on nothing." in html_text(demo_run)
