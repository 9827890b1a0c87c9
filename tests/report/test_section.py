"""Sections of families that cannot be used keep nobody from reading the rest."""

from __future__ import annotations

from typing import Any

import pytest

from showthrough import Run
from showthrough.core.families import FAMILIES, Family
from showthrough.report import markdown_text
from showthrough.report.cautions import cautions


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
    assert markdown_text(demo_run).endswith(text[text.index("**") :])
