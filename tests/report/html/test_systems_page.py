"""The page of systems that say how they were made, with scores on their masks: curves, tables, and every size."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from showthrough import Anonymization, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.masks import ScoredMask
from showthrough.data.provenance import Cost, Provenance
from showthrough.report.html import html_text
from showthrough.run.run import Run

Open = Callable[..., Any]
NAMES = [f"de-identification-pipeline-of-the-hospital-run-{number:02}-of-the-year" for number in range(6)]
NAMES += [f"department_of_clinical_informatics_anonymizer_v{number}_final" for number in range(3)]
FOLDER = "/home/ann/a-very-long-folder-of-the-department-of-clinical-informatics/models"


def made(number: int) -> Provenance:
    return Provenance(
        anonymizer=f"{FOLDER}/longformer-{number}/", version=2, pinned={"model": f"{number:032}", "torch": "2.13.0"},
        trained_on="train.json@0123456789abcdef", seen=number, cost=Cost(9.0, 42, 9_000, 3.0, 800_000_000, 600_000_000),
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> dict[int, Run]:
    """Every third has no scores and says nothing of itself."""
    corpus = read_corpus(demo.corpus_path(), name="demo")
    paths = list(demo.anonymization_paths().values())
    draw, found = random.Random(5), {}
    for place, name in enumerate(NAMES):
        given = read_anonymization(paths[place % len(paths)], corpus, name=name)
        scored = {
            key: [ScoredMask(one.start, one.end, one.replacement, "", draw.random()) for one in masks]
            for key, masks in given.masks.items()
        }
        found[name] = given if place % 3 == 2 else Anonymization(scored, provenance=made(place))
    metrics = ["er_di", "er_qi", "recall", "precision"]
    return {count: evaluate(corpus, dict(list(found.items())[:count]), metrics, resamples=20) for count in (1, 9)}


@pytest.fixture(scope="module")
def pages(runs: dict[int, Run]) -> dict[int, str]:
    return {count: html_text(run) for count, run in runs.items()}


def test_a_curve_is_drawn_for_each(window: Open, runs: dict[int, Run], pages: dict[int, str]) -> None:
    run, view = runs[9], window(pages[9])
    points = sum(len(sweep.thresholds) for sweep in run.sweeps.values()) + 3
    assert view.tab.locator("#sweeps-chart .point").count() == points
    assert view.tab.locator("#sweeps-chart .symbol").count() == 9
    assert view.tab.locator("#sweeps-key li").count() == 9
    # More recall is to the right: a curve begins at all masks, and no mask less hides more.
    for line in view.tab.locator("#sweeps-chart .curve").all():
        across = [float(pair.split(",")[0]) for pair in line.get_attribute("points").split()]
        assert all(one >= two - 0.01 for one, two in pairwise(across))
    view.tab.locator("#sweeps-across").select_option("recall")
    assert view.text("#sweeps-across-title").startswith("Marked words hidden (recall)")
    assert not view.tab.locator("#sweeps-up").is_visible()  # there is one precision alone
    assert (view.errors, view.stopped()) == ([], [])


def test_what_a_point_says(window: Open, runs: dict[int, Run], pages: dict[int, str]) -> None:
    run, view = runs[1], window(pages[1])
    sweep, name = run.sweeps[NAMES[0]], NAMES[0]
    view.tab.locator("#sweeps-chart .point").first.focus()
    view.tab.keyboard.press("ArrowRight")
    view.tab.keyboard.press("ArrowLeft")
    assert view.text("#tip").split("\n") == [
        f"{name}, threshold 0 (all masks): {sweep.masks[0]:,} masks",
        f"Direct identifiers hidden where marked (er_di) {run[name, 'er_di'].value:.3f}",
        f"Masked words that were marked (precision) {run[name, 'precision'].value:.3f}",
    ]
    view.tab.keyboard.press("ArrowRight")
    assert f"threshold {sweep.thresholds[1]}: {sweep.masks[1]:,} masks" in view.text("#tip")


def test_the_same_in_numbers(window: Open, runs: dict[int, Run], pages: dict[int, str]) -> None:
    run, view = runs[9], window(pages[9])
    told = view.tab.locator("#sweeps details")
    assert told.count() == len(run.sweeps)
    told.first.locator("summary").click()
    rows = told.first.locator("tbody tr").all_inner_texts()
    sweep = run.sweeps[NAMES[0]]
    assert len(rows) == len(sweep.thresholds)
    assert rows[0].split() == [
        "0", "(all", "masks)", f"{sweep.masks[0]:,}", *(f"{values[0]:.3f}" for values in sweep.values.values()),
    ]  # fmt: skip
    assert "Choose it on other documents" in view.text("#sweeps figcaption")


def test_how_they_were_made_and_what_they_cost(window: Open, pages: dict[int, str]) -> None:
    view = window(pages[9])
    made_by, cost = view.tab.locator("#systems table").all()
    assert f"{FOLDER}/longformer-1/" in made_by.inner_text()
    assert "1 of 42, so its numbers are too good" in made_by.inner_text()
    first = " ".join(cost.locator("tbody tr").first.inner_text().split())
    assert first.endswith(f"{NAMES[0]} 4.7 3.0 s 800 MB 600 MB cpu")
    dash = cost.locator("tbody tr").nth(2).locator("td").first
    dash.hover()
    assert view.text("#tip") == "its file does not say how it was made"


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("count", [1, 9])
def test_nothing_is_cut(window: Open, pages: dict[int, str], count: int, width: int) -> None:
    view = window(pages[count], viewport={"width": width, "height": 900})
    for details in view.tab.locator("#sweeps details").all():
        details.locator("summary").click()
    view.until(lambda: view.tab.evaluate("document.documentElement.scrollWidth") <= width)
    assert view.cut() == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1360)])
def test_nothing_serious_keeps_anybody_out(window: Open, runs: dict[int, Run], scheme: str, width: int) -> None:
    view = window(html_text(runs[9], without_text=True), color_scheme=scheme, viewport={"width": width, "height": 900})
    view.tab.locator("#sweeps summary").first.click()
    assert view.violations() == []


def test_it_prints_on_two_pages(window: Open, pages: dict[int, str]) -> None:
    view = window(pages[9])
    paper = view.tab.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", paper)) == 2


def test_for_others_it_tells_no_folder(runs: dict[int, Run]) -> None:
    page = html_text(runs[9], without_text=True)
    assert "/home/ann" not in page
    assert "longformer-1/" in page
