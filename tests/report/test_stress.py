"""The sheet of a stress test: what is said of differences, in which order, and what is left out."""

from __future__ import annotations

from typing import Any

from showthrough.report.sheets.document import Grid
from showthrough.report.stress import stress_sheet
from showthrough.studies.stress.values import BrokenDocument, PerturbedCorpus, StressDifference, StressStudy


def difference(way: str, metric: str, **values: Any) -> StressDifference:
    usual = {"original": 0.9, "perturbed": 0.9, "difference": 0.0, "low": -0.1, "high": 0.1, "p_holm": 1.0}
    return StressDifference(
        "ner", way, metric, values.pop("part", ""), state=values.pop("state", "not shown"), **{**usual, **values}
    )


def changed(name: str, documents: int = 30, **control: float | None) -> PerturbedCorpus:
    return PerturbedCorpus(name, "what it does", "text", 1.0, documents, documents, 2 * documents, control)


STUDY = StressStudy(
    "cases", "d", "30 documents", 30, 0, 0.95, ["ner"],
    [changed("typos", removed_di=0.0), changed("ocr", removed_di=0.02), changed("dates", 0), changed("capitals")],
    [
        difference("typos", "removed_di", difference=-0.1, low=-0.15, high=-0.05, state="loss"),
        difference("typos", "removed_qi", difference=-0.2, low=-0.3, high=-0.01, state="unsure"),
        difference("typos", "precision", difference=0.1, low=0.05, high=0.15, state="gain"),
        *(difference("ocr", metric) for metric in ("removed_di", "removed_qi", "precision")),
        difference("capitals", "removed_di", difference=-0.5, low=-0.6, high=-0.4, state="loss"),
        difference("capitals", "removed_qi"),
        difference("capitals", "precision", perturbed=None, difference=None, low=None, high=None, p_holm=None,
                   state="unknown", note="nothing was masked"),
        difference("typos", "removed", part="PERSON", difference=-0.3, low=-0.4, high=-0.2, state="loss"),
    ],
    [BrokenDocument("d1", "ner", "capitals", 2, 3, ["ANN"])],
    ["a note"],
)  # fmt: skip


def grids(whole: bool = True) -> dict[str, Grid]:
    return {block.caption: block for block in stress_sheet(STUDY, whole=whole).blocks if isinstance(block, Grid)}


def test_the_largest_loss_comes_first_and_states_are_said() -> None:
    rows = grids()["ner: what each perturbation changes"].rows
    assert [row.name for row in rows] == ["(original)", "capitals", "typos", "ocr", "dates"]
    shown = {row.name: row.entries[-1] for row in rows}
    assert shown["typos"].text == "falls: removed_di; rises: precision; unsure: removed_qi"
    assert shown["ocr"].text == "no loss shown"
    assert shown["capitals"].text == "falls: removed_di; unknown: precision"
    assert shown["dates"].value is None
    assert shown["dates"].reason == "the perturbation changes nothing in this corpus"
    assert [entry.text for entry in rows[0].entries] == ["0.900", "0.900", "0.900", ""]
    assert rows[2].entries[0].interval == "-0.150 to -0.050"
    assert rows[1].entries[2].reason == "nothing was masked"


def test_the_lead_says_the_largest_loss() -> None:
    _, line = stress_sheet(STUDY).lead
    assert line == "ner loses most after capitals: removed_di changes by -0.500 (-0.600 to -0.400)."


def test_the_control_is_shown_where_it_moves() -> None:
    assert [row.name for row in grids()["Control: every mark masked"].rows] == ["ocr"]


def test_types_and_words_of_documents() -> None:
    types = grids()["ner: identifiers removed, by entity type"]
    assert (types.heads, types.rows[1].entries[0].text) == (("PERSON",), "-0.300")
    assert "ner: identifiers removed, by entity type" not in grids(whole=False)
    assert grids()["What is exposed in them"].private
    public = stress_sheet(STUDY).without_text()
    assert "ANN" not in str(public)
    assert "Documents that broke worst" in str(public)
