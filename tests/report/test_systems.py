"""How systems were made, what they cost, and what other thresholds would give: tables of every view, and charts."""

from __future__ import annotations

import io
import json

import pytest
from msgspec.structs import replace
from rich.console import Console

from showthrough import Anonymization, Corpus, Mask, evaluate
from showthrough.data.masks import ScoredMask
from showthrough.data.provenance import Cost, Provenance
from showthrough.report.figures import figures
from showthrough.report.files import json_text, latex_text, markdown_text
from showthrough.report.sweeps import axes, curves, sweep_grids
from showthrough.report.systems import cost_grid, grids, provenance_grid, show_systems
from showthrough.run.records import Sweep
from showthrough.run.run import Run

COST = Cost(20.0, 100, 5_000, 3.21, 1_532_000_000, 560_400_000, 2, "cuda")
MADE = Provenance(
    anonymizer="models/crf|_x/", version=4, pinned={"model": "0123456789abcdef"}, replacement="surrogate",
    threshold=0.05, trained_on="train@fedcba9876543210", seen=7, cost=COST,
)  # fmt: skip


@pytest.fixture
def run(tiny: Corpus) -> Run:
    """One with scores that was trained, one that says little, and a file that says nothing."""
    scored = {
        "d1": [ScoredMask(0, 11, "X", "PERSON", 0.9), ScoredMask(15, 19, "Y", "LOC", 0.4)],
        "d2": [Mask(2, 9, "X"), ScoredMask(11, 15, "Y", "LOC", 0.123456789)],
        "d3": [],
    }
    plain = {"d1": [Mask(0, 11)], "d2": [], "d3": []}
    given = [
        Anonymization(scored, "crf", provenance=MADE),
        Anonymization(plain, "rules", provenance=Provenance(anonymizer="rules", version=3, cost=Cost(0.0, 3, 90))),
        Anonymization(plain, "file"),
    ]
    return evaluate(tiny, given, ["er_di", "recall", "precision"], resamples=0)


def table(run: Run, make: object) -> dict[str, dict[str, str]]:
    grid = make(run)  # type: ignore[operator]
    return {row.name: dict(zip(grid.heads, (one.text for one in row.entries), strict=True)) for row in grid.rows}


def shown(run: Run, width: int = 100) -> str:
    out = io.StringIO()
    show_systems(run, Console(file=out, width=width))
    return out.getvalue()


def test_how_they_were_made(run: Run) -> None:
    found = table(run, provenance_grid)
    assert found["crf"] == {
        "written as": "models/crf|_x/", "version": "4", "models and programs": "model 0123456789ab",
        "in place of masks": "surrogate", "threshold": "0.05", "trained on": "train (fedcba987654)",
        "seen in training": "7 of 100, so its numbers are too good",
    }  # fmt: skip
    assert found["rules"]["threshold"] == "all masks"
    assert found["rules"]["trained on"] == found["rules"]["models and programs"] == "–"
    assert set(found["file"].values()) == {"–"}
    unseen = replace(run.anonymizations[0], made=replace(MADE, seen=0))
    assert table(replace(run, anonymizations=[unseen]), provenance_grid)["crf"]["seen in training"] == "none of 100"


def test_what_they_cost(run: Run) -> None:
    found = table(run, cost_grid)
    assert found["crf"] == {
        "documents a second": "5.0", "to load": "3.2 s", "memory": "1.5 GB", "model": "560 MB", "device": "cuda",
    }  # fmt: skip
    assert found["rules"]["documents a second"] == found["rules"]["memory"] == found["rules"]["model"] == "–"


def test_every_dash_has_its_reason(run: Run) -> None:
    for grid in grids(run):
        dashes = [one for row in grid.rows for one in row.entries if one.value is None]
        assert dashes
        assert all(one.reason for one in dashes)
        assert "– file: its file does not say how it was made" in grid.dashes()
    bare = [replace(one, made=one.made and replace(one.made, cost=None)) for one in run.anonymizations]
    assert [grid.caption for grid in grids(replace(run, anonymizations=bare))] == ["How the systems were made"]


def test_nothing_is_said_where_no_system_says_it(run: Run, demo_run: Run) -> None:
    assert grids(demo_run) == sweep_grids(demo_run) == []
    assert axes(demo_run) == ([], [])
    assert shown(demo_run) == ""
    assert "systems" not in markdown_text(demo_run)
    assert "systems" not in latex_text(demo_run)


def test_on_the_terminal(run: Run) -> None:
    lines = shown(run)
    assert "What the systems cost" in lines
    assert "1.5 GB" in lines
    assert "masks of crf have scores; --html shows the results of other thresholds" in " ".join(lines.split())
    assert max(map(len, shown(run, 40).split("\n"))) <= 40


def test_in_files(run: Run) -> None:
    markdown, latex = markdown_text(run), latex_text(run)
    assert "models/crf\\|\\_x/" in markdown
    assert "| crf | 5.0 | 3.2 s | 1.5 GB | 560 MB | cuda |" in markdown
    assert r"crf & 5.0 & 3.2 s & 1.5 GB & 560 MB & cuda \\" in latex
    assert r"\label{tab:what-the-systems-cost}" in latex
    content = json.loads(json_text(run))
    assert content["anonymizations"][0]["made"]["cost"]["peak_bytes"] == COST.peak_bytes
    assert content["sweeps"]["crf"]["thresholds"] == [0.0, 0.4, 0.9]


def test_curves_begin_at_the_scores(run: Run) -> None:
    (direct, recall), (precision,) = axes(run)
    assert [record.text for record in (direct, recall, precision)] == ["er_di", "recall", "precision"]
    found = {curve.name: curve.points for curve in curves(run, recall, precision)}
    assert list(found) == ["crf", "rules", "file"]
    assert [point.threshold for point in found["crf"]] == [0.0, 0.4, 0.9]
    assert [point.masks for point in found["crf"]] == [4, 3, 2]
    for name, points in found.items():
        assert (points[0].x, points[0].y) == (run[name, "recall"].value, run[name, "precision"].value)
    assert len(found["rules"]) == 1


def test_a_point_without_a_number_is_left_out(run: Run) -> None:
    values = {"er_di": [1.0, 0.5], "recall": [1.0, 0.5], "precision": [0.5, None]}
    hollow = replace(run, sweeps={"crf": Sweep([0.0, 0.5], [2, 0], values)})
    recall, (precision,) = axes(hollow)
    assert len(curves(hollow, recall[0], precision)[0].points) == 1
    grid = sweep_grids(hollow)[0]
    assert [one.text for one in grid.rows[1].entries] == ["0", "0.500", "0.500", "–"]


def test_without_precision_there_is_no_curve(tiny: Corpus) -> None:
    masks = {"d1": [ScoredMask(0, 11, "X", "", 0.9), ScoredMask(15, 19, "Y", "", 0.4)], "d2": [], "d3": []}
    run = evaluate(tiny, {"x": Anonymization(masks)}, ["recall"], resamples=0)
    assert run.sweeps["x"].values.keys() == {"recall"}
    assert axes(run) == ([], [])


def test_in_numbers(run: Run) -> None:
    (grid,) = sweep_grids(run)
    assert (grid.caption, grid.heads) == ("crf", ("masks", "er_di", "recall", "precision"))
    assert [row.name for row in grid.rows] == ["0 (all masks)", "0.4", "0.9"]
    told = " ".join(grid.notes)
    assert "1 mask has no score and is never left out." in told
    assert "anonymize --threshold may write others" in told  # surrogates hang on what else is masked


def test_figures_for_papers(run: Run) -> None:
    pytest.importorskip("altair")
    drawn = dict(figures(run))
    assert {"sweeps er_di", "sweeps recall"} <= set(drawn)
    data = drawn["sweeps recall"].to_dict()["datasets"]
    assert [(one["name"], one["place"]) for one in data["lines"][:3]] == [("crf", 0), ("crf", 1), ("crf", 2)]
    assert [one["name"] for one in data["ends"]] == ["crf", "rules", "file"]
    assert data["ends"][0]["x"] == run["crf", "recall"].value
