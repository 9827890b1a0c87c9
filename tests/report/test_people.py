"""What people reach against each other, beside what systems reach: in words, in figures and on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from showthrough import evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.documents import Annotation, Corpus, Document
from showthrough.report._people import against_each_other, people
from showthrough.report.charts._plane import plane_charts
from showthrough.report.files import VIEWS
from showthrough.report.html import html_text
from showthrough.report.privacy_utility import plane_metrics
from showthrough.report.verdict import verdict
from showthrough.run.records import Ceiling, Human
from showthrough.run.run import Run

LSA = 'nmi(embedding="lsa")'  # compares texts, and asks nobody what was marked
STRANGE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def run() -> Run:
    """The demonstration, marked by one, and by another who has seen twenty documents and left out every fifth mark."""
    corpus = read_corpus(demo.corpus_path(), name="demo")

    def twice(number: int, one: Document) -> Document:
        first = one.annotations[0]
        second = Annotation(STRANGE, tuple(mark for place, mark in enumerate(first.mentions) if place % 5))
        return replace(one, annotations=(first, second) if number < 20 else (first,))

    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    read = Corpus([twice(number, one) for number, one in enumerate(corpus)])
    return evaluate(read, found, ["er_di", "er_qi", "precision", LSA], resamples=100)


def test_the_plane_knows_people_where_a_metric_does(run: Run) -> None:
    assert run.ceiling is not None
    found = {one.record.text: one.people for one in plane_metrics(run)}
    here = found["precision"]
    assert here is not None
    one = run.ceiling.people["precision"]
    assert here.value == (one.value, one.low, one.high)
    assert (here.sample, len(here.each), here.more) == (f"20 of {len(run.documents)} documents", 2, 0)
    assert found[LSA] is None
    assert people(replace(run, ceiling=None), "precision") is None


def test_a_number_without_an_interval_is_a_line_without_a_band(run: Run) -> None:
    bare = Ceiling({}, {"er_di": Human(0.5, None, None, 2), "er_qi": Human(None, None, None, 2, "why")}, 2, readers=60)
    alone = replace(run, ceiling=bare)
    found = people(alone, "er_di")
    assert found is not None
    assert (found.value, found.more) == ((0.5, 0.5, 0.5), 60)
    assert people(alone, "er_qi") is None
    assert "People reach er_di 0.500 when" in against_each_other(alone)[0]


def test_the_sentence_says_on_which_documents(run: Run) -> None:
    assert run.ceiling is not None
    [line] = against_each_other(run)
    direct = run.ceiling.people["er_di"]
    assert direct.value is not None
    assert line.startswith(f"People reach er_di {direct.value:.3f} (")
    assert "on the 20 of 42 documents that several marked; systems are scored on all" in line
    assert line in verdict(run).caveats
    everywhere = replace(run, ceiling=replace(run.ceiling, documents=len(run.documents)))
    assert "(on all 42 documents)." in against_each_other(everywhere)[0]


def test_nothing_is_said_where_nobody_could_be_scored(run: Run) -> None:
    assert against_each_other(replace(run, ceiling=None)) == []
    assert against_each_other(replace(run, ceiling=Ceiling({}, {}, 0, "why"))) == []


def test_the_figure_has_a_line_for_each_axis_that_can_tell(run: Run) -> None:
    [chart] = plane_charts(run).values()
    data = chart.to_dict()["datasets"]
    assert run.ceiling is not None
    assert data["people_x"][0]["x"] == run.ceiling.people["er_di"].value
    assert data["people_y"][0]["y_high"] == run.ceiling.people["precision"].high
    assert STRANGE not in str(data)  # figures are passed on
    [none] = plane_charts(replace(run, ceiling=None)).values()
    assert not [name for name in none.to_dict()["datasets"] if name.startswith("people")]


def test_the_scores_as_json_have_it(run: Run) -> None:
    content = msgspec.json.decode(VIEWS["json"].text(run, without_text=False))
    assert msgspec.convert(content["ceiling"], Ceiling) == run.ceiling
    assert STRANGE not in VIEWS["json"].text(run, without_text=True)


def test_a_page_for_others_names_no_annotator(run: Run, window: Callable[..., Any]) -> None:
    view = window(html_text(run, without_text=True))
    view.tab.locator("#plane-chart .people").first.focus()
    assert "annotator 2 " in view.text("#tip")
    assert "onerror" not in view.text("#tip")


BOXES = """() => {
  const boxes = (which) => [...document.querySelectorAll(which)].map((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { left, right, top, bottom };
  });
  return { words: boxes("#plane-chart .people text"), names: boxes("#plane-chart .label text"),
    points: boxes("#plane-chart .symbol"), frame: boxes("#plane-chart")[0],
    wide: document.documentElement.scrollWidth };
}"""


def apart(one: dict[str, float], two: dict[str, float]) -> bool:
    across = one["right"] <= two["left"] or two["right"] <= one["left"]
    return across or one["bottom"] <= two["top"] + 1 or two["bottom"] <= one["top"] + 1


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_at_what_people_reach(run: Run, window: Callable[..., Any], width: int, scheme: str) -> None:
    view = window(html_text(run), viewport={"width": width, "height": 900}, color_scheme=scheme)
    found = view.tab.evaluate(BOXES)
    assert len(found["words"]) == 2
    assert found["wide"] <= width
    assert apart(*found["words"])
    for word in found["words"]:
        assert found["frame"]["left"] <= word["left"]
        assert word["right"] <= found["frame"]["right"]
        assert all(apart(word, other) for other in (*found["names"], *found["points"]))
    assert view.text("#plane-told").startswith(
        "Grey lines: what people reach, each scored against the others, on 20 of 42 documents; the bands are their"
    )
    assert view.violations() == []
    assert not view.errors


def test_lines_follow_the_axes_and_tell_of_each_annotator(run: Run, window: Callable[..., Any]) -> None:
    view = window(html_text(run))
    assert run.ceiling is not None
    lines = view.tab.locator("#plane-chart .people")
    lines.first.focus()
    tip = view.text("#tip")
    told = run.ceiling.annotators[STRANGE]["precision"]
    assert told.value is not None
    assert f"{STRANGE} {told.value:.3f} (" in tip  # a name is text, whatever it looks like
    assert "20 documents" in tip
    view.tab.locator("#plane-across").select_option(LSA)
    assert lines.count() == 1
    assert view.text("#plane-told").startswith("Grey line: what people reach")
    view.tab.locator("#plane-up").select_option("er_qi")
    assert run.ceiling.people["er_qi"].value is not None
    assert f"{run.ceiling.people['er_qi'].value:.3f}" in str(lines.first.get_attribute("data-tip"))
    assert not view.errors


def test_without_people_there_is_no_line(run: Run, window: Callable[..., Any]) -> None:
    view = window(html_text(replace(run, ceiling=None)))
    assert view.tab.locator("#plane-chart .people").count() == 0
    assert "people" not in view.text("#plane")
