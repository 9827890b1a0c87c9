"""The risk annex for readers: what it says, what it never says, and its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from inferring import CENSUS, run_of
from showthrough import Background, Population, risk_annex
from showthrough.report.annex import annex_sheet
from showthrough.report.sheets import Grid, ReportDocument
from showthrough.report.sheets.markdown import markdown_of
from showthrough.report.sheets.page import page_of
from showthrough.run.run import Run
from showthrough.studies.agreement.values import Estimate

Open = Callable[..., Any]
SECRETS = ("Ole Berg", "Ytterøy", "marksheider", "77123")
HOSTILE = "<script>window.caught = 1</script>"


def census() -> Population:
    keys, *rows = (line.split(",") for line in CENSUS.splitlines())
    columns = dict(zip(keys, zip(*rows, strict=True), strict=True))
    counts = [int(cell) for cell in columns.pop("count")]
    return Population.of(columns, counts, "census")


@pytest.fixture(scope="module")
def run() -> Run:
    known = [
        ("0", "NAME", "Ole Berg", "Ole Berg", 1.0), ("0", "LOCATION", "Ytterøy / Norway", "Ytterøy / Norway", 1.0),
        ("0", "OCCUPATION", "marksheider", "marksheider", 1.0), ("0", "PHONE_NUMBER", "77123", "77123", 1.0),
    ]  # fmt: skip
    background = Background({f"d{at}": f"Ole Berg {at}" for at in range(20)})
    metrics = ['recall_per_type(unit="mention")', "trir"]
    return run_of([known, *[[]] * 19], [3] * 20, metrics=metrics, background=background)


@pytest.fixture(scope="module")
def sheet(run: Run) -> ReportDocument:
    return annex_sheet(risk_annex(run, census()))


def grid(sheet: ReportDocument, start: str) -> Grid:
    (found,) = [block for block in sheet.blocks if block.caption.startswith(start)]
    assert isinstance(found, Grid)
    return found


def test_all_sections_are_there_in_whatever_run(sheet: ReportDocument) -> None:
    starts = ("Singling out", "Linkability", "Inference", "Authorship", "Safe Harbor", "Signatures")
    assert [block.caption.partition(":")[0] for block in sheet.blocks] == list(starts)
    bare = run_of([[]], [1])
    bare.metrics, bare.scores, bare.rows, bare.evidence, bare.texts = [], [], {}, {}, None
    empty = annex_sheet(risk_annex(bare))
    assert [block.caption.partition(":")[0] for block in empty.blocks] == list(starts[:-1])
    for block in empty.blocks:
        assert isinstance(block, Grid)
        assert [row.name for row in block.rows] == ["not measured"]
        assert not block.command  # nobody knows its files
    assert empty.lead[-1].startswith("Not measured: singling out, linkability, inference, authorship, Safe Harbor")


def test_it_decides_nothing(sheet: ReportDocument) -> None:
    said = markdown_of(sheet)
    assert "does not determine that a release is anonymous" in said
    assert "45 CFR 164.514(b)(1)" in said
    assert "Opinion 05/2014" in said
    assert "EMA/90915/2016" in said
    assert not re.search(
        r"\b(safe|secure|compliant|anonymous enough|passes|no risk)\b", said.replace("Safe Harbor", ""), re.I
    )


def test_a_threshold_is_told_with_its_interval_and_names_beside_it(sheet: ReportDocument) -> None:
    (line,) = [line for line in sheet.lead if "above 0.09" in line]
    share = r"\d+\.\d+ % \(\d+\.\d+ % to \d+\.\d+ %\)"
    assert re.search(rf"1/k is above 0\.09 for {share} of 60 people, as far as this attacker infers", line)
    assert re.search(
        rf"For {share} the attacker inferred a name, .* whatever k is\. For {share} one or the other", line
    )


def test_other_risks_stand_beside_it(sheet: ReportDocument) -> None:
    """A small share above 0.09 is not read alone."""
    said = "\n".join(sheet.lead)
    assert re.search(r"the worst attack of trir links \d+\.\d+ %.* of documents to the right person\.", said)
    assert (
        "the attacker of cpr infers 60.0 % (0.0 % to 100.0 %) of what is true of people; another may infer more."
        in said
    )


def test_a_mean_over_people_is_told_as_one(run: Run) -> None:
    annex = risk_annex(run, census())
    figures = tuple(replace(one, metric="ipr(certainty=1)") for one in annex.inference.figures)
    said = "\n".join(annex_sheet(replace(annex, inference=replace(annex.inference, figures=figures))).lead)
    assert "infers 60.0 % (0.0 % to 100.0 %) of what is true of each person, on average; another may" in said


def test_no_value_of_anybody_is_in_it(run: Run, sheet: ReportDocument) -> None:
    annex = risk_annex(run, census())
    for text in (page_of(sheet), markdown_of(sheet), msgspec.json.encode(annex).decode()):
        assert not [secret for secret in SECRETS if secret in text]
        assert "OCCUPATION" in text
    assert not sheet.private


def test_every_row_has_a_signature(sheet: ReportDocument) -> None:
    lines = {row.name for row in grid(sheet, "Signatures").rows}
    for start in ("Singling out", "Linkability", "Inference"):
        assert {re.findall(r"\[\d+\]$", row.name)[0] for row in grid(sheet, start).rows} <= lines
    harbor = grid(sheet, "Safe Harbor")
    told = [row.entries[0].text for row in harbor.rows if row.entries[1].value is not None]
    measured = [name for name in told if name != "nothing masked"]
    assert len(told) == 2 * len(measured)  # what is told of a system is told of the originals beside it
    assert {re.findall(r"\[\d+\]$", name)[0] for name in measured} <= lines
    assert len({row.name for row in harbor.rows}) == 18


def test_what_may_be_missed_is_the_upper_end(sheet: ReportDocument) -> None:
    rows = {row.name: row for row in grid(sheet, "Safe Harbor").rows if row.entries[0].text != "nothing masked"}
    recall, most = rows["(A) names"].entries[1:3]
    assert (recall.value, recall.low) == (1.0, pytest.approx(0.05 ** (1 / 20)))
    assert (most.value, most.text) == (0.14, "0.140")  # 1 − 0.05^(1/20) = 0.1391, rounded up
    assert rows["(F) e-mail addresses"].entries[0].text == "not measured"


def test_ends_are_rounded_outwards(run: Run) -> None:
    """0.99999996 is no number for readers, and 1.000 is no less true of what is missed at most."""
    annex = risk_annex(run, census())
    names, *others = annex.safe_harbor.identifiers
    wide = Estimate(0.5, 0.00000004, 0.99999996)
    hidden = tuple(replace(one, recall=wide, missed=wide) for one in names.hidden)
    harbor = replace(annex.safe_harbor, identifiers=(replace(names, hidden=hidden), *others))
    figures = tuple(replace(one, estimate=wide) for one in annex.linkability.figures)
    sheet = annex_sheet(replace(annex, safe_harbor=harbor, linkability=replace(annex.linkability, figures=figures)))
    row = grid(sheet, "Safe Harbor").rows[0]
    assert [entry.text for entry in row.entries[1:3]] == ["0.500", "1.000"]
    assert "links 50.0 % (0.0 % to 100.0 %) of documents" in "\n".join(sheet.lead)


def test_names_are_escaped(window: Open) -> None:
    hostile = run_of([[("0", HOSTILE, "x", "x", 1.0), ("0", "SEX", "m", "m", 1.0)]])
    hostile.corpus = msgspec.structs.replace(hostile.corpus, name=HOSTILE)
    people = Population.of({"SEX": ["m"], HOSTILE + "x": ["y"]}, [3], HOSTILE)
    page = page_of(annex_sheet(risk_annex(hostile, people)))
    assert HOSTILE not in page
    view = window(page)
    assert (view.errors, view.stopped()) == ([], [])
    assert view.tab.evaluate("window.caught") is None


@pytest.mark.parametrize("width", [390, 1280])
def test_everybody_can_read_it(window: Open, sheet: ReportDocument, width: int) -> None:
    view = window(page_of(sheet), viewport={"width": width, "height": 900})
    assert view.tab.evaluate("document.documentElement.scrollWidth") == width
    assert view.violations() == []
    assert "This file holds no document text." in view.tab.inner_text("main")


def test_without_an_interval_none_is_told(run: Run) -> None:
    annex = risk_annex(run, census())
    (one,) = annex.singling_out.figures
    bare = msgspec.structs.replace(one, above=Estimate(0.2), named=Estimate(0.0))
    told = msgspec.structs.replace(annex, singling_out=msgspec.structs.replace(annex.singling_out, figures=(bare,)))
    (line,) = [line for line in annex_sheet(told).lead if "above 0.09" in line]
    assert line.endswith("for 20.0 % of 60 people, as far as this attacker infers; a better one may infer more.")
