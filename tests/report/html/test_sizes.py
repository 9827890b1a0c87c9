"""The page at every size, with one, five and nine anonymizations that have long names; and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from showthrough import evaluate, read_anonymization, read_background, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.report.html import html_text
from showthrough.run.run import Run

Open = Callable[..., Any]
# Alike at both ends, without a space, and one that nobody can break at a hyphen.
NAMES = [f"de-identification-pipeline-of-the-hospital-run-{number:02}-of-the-year" for number in range(6)]
NAMES += [f"department_of_clinical_informatics_anonymizer_v{number}_final" for number in range(3)]
METRICS = ["er_di", "er_qi", "recall_per_type", "precision", "trir"]
WIDTHS = (390, 1280, 1920)
COUNTS = (1, 5, 9)


@pytest.fixture(scope="module")
def runs() -> dict[int, Run]:
    """Of nine, four are the same as others: their points coincide."""
    corpus = read_corpus(demo.corpus_path(), name="demo")
    paths = list(demo.anonymization_paths().values())
    background = demo.background_path()
    found = {name: paths[place % len(paths)] for place, name in enumerate(NAMES)}
    return {
        count: evaluate(
            corpus, {name: read_anonymization(found[name], corpus, name=name) for name in NAMES[:count]}, METRICS,
            background=read_background(background), resamples=50,
        )
        for count in COUNTS
    }  # fmt: skip


@pytest.fixture(scope="module")
def pages(runs: dict[int, Run]) -> dict[int, str]:
    return {count: html_text(run) for count, run in runs.items()}


# The boxes of names and points in the plane: each name, and each group of points that stand together.
PLANE = """() => {
  const boxes = (one) => [...document.querySelectorAll(one)].map((found) => {
    const { left, right, top, bottom } = found.getBoundingClientRect();
    return [found.textContent || found.parentElement.getAttribute("aria-label"), left, right, top, bottom];
  });
  const [names, points] = [boxes("#plane-chart .label text"), boxes("#plane-chart .symbol")];
  return { names, points, frame: boxes("#plane-chart")[0] };
}"""


def cover(one: list[Any], two: list[Any]) -> bool:
    (_, left, right, top, bottom), (_, begin, end, high, low) = one, two
    return bool(left < end - 0.5 and begin < right - 0.5 and top < low - 0.5 and high < bottom - 0.5)


@pytest.mark.parametrize("count", COUNTS)
def test_nothing_is_cut_and_nothing_covers_another(window: Open, pages: dict[int, str], count: int) -> None:
    for width in WIDTHS:
        view = window(pages[count], viewport={"width": width, "height": 900})
        view.tab.locator(".count").first.click()
        for details in view.tab.locator("#methods details").all():
            details.locator("summary").click()
        assert view.tab.evaluate("document.documentElement.scrollWidth") <= width
        assert view.cut() == []
        assert (view.tab.locator("#plane").count() == 1) == (count > 1)  # one point is no picture
        if count == 1:
            continue
        plane = view.tab.evaluate(PLANE)
        for place, name in enumerate(plane["names"]):
            assert not [point for point in plane["points"] if cover(name, point)]
            assert not [other for other in plane["names"][:place] if cover(name, other)]
            assert plane["frame"][1] <= name[1]
            assert name[2] <= plane["frame"][2]
        # Every anonymization is named, by a name that no other has.
        names = [text for text, *_ in plane["names"]]
        assert len(set(names)) == len(names) == count
        assert ("one label lists their names (4 places)" in view.text("#plane-told")) == (count == 9)
        assert (view.errors, view.stopped()) == ([], [])


@pytest.mark.parametrize("count", COUNTS)
def test_the_first_screen_has_all_that_a_decision_needs(window: Open, pages: dict[int, str], count: int) -> None:
    """On a telephone the state and the three numbers."""
    parts = ".banner", ".tiles:not([hidden])", ".checklist", ".example:not([hidden])"
    for width, height, places in ((1280, 900, parts), (390, 844, parts[:2])):
        view = window(pages[count], viewport={"width": width, "height": height})
        for place in places:
            box = view.tab.locator(place).bounding_box()
            assert box["y"] + box["height"] <= height, (place, width)
        assert view.tab.locator(".tiles:not([hidden]) .tile").count() == 3
        assert view.tab.locator(".checklist li").count() == 10


@pytest.mark.parametrize("count", COUNTS)
def test_each_anonymization_has_a_line(window: Open, pages: dict[int, str], count: int) -> None:
    view = window(pages[count], viewport={"width": 1280, "height": 900})
    assert view.tab.locator(".verdicts .sentence").count() == count
    # A grade says what it is of, for whoever points at it, taps it or comes by with the keyboard.
    grade = view.tab.locator(".verdicts .grade").first
    grade.focus()
    view.tab.keyboard.press("Shift+Tab")
    view.tab.keyboard.press("Tab")
    assert re.search(r"(misses|meets|is not sure to meet) er_di ≥ 0.95: Direct identifiers hidden", view.text("#tip"))


def test_another_anonymization_is_chosen_with_a_click_or_a_key(window: Open, pages: dict[int, str]) -> None:
    """The numbers and the sentence change, and what the banner says of the candidate does not."""
    view = window(pages[5])
    shown = view.tab.locator("[data-panel]:not([hidden])")
    said, first = view.text(".banner .plainly"), view.text(".tiles:not([hidden])")
    assert [one.get_attribute("data-panel") for one in shown.all()] == ["0", "0"]
    view.tab.locator("#choose-system button").nth(2).click()
    assert [one.get_attribute("data-panel") for one in shown.all()] == ["2", "2"]
    assert view.text(".tiles:not([hidden])") != first
    view.tab.keyboard.press("ArrowRight")
    assert [one.get_attribute("data-panel") for one in shown.all()] == ["3", "3"]
    assert view.text(".banner .plainly") == said


def test_scores_have_room_or_are_cards(window: Open, pages: dict[int, str]) -> None:
    for width, cards in ((390, True), (1280, False)):
        view = window(pages[9], viewport={"width": width, "height": 900})
        assert ("as-cards" in view.tab.locator("#scores").get_attribute("class")) == cards
        view.tab.locator("#summary details.more").last.locator("summary").click()
        view.until(lambda view=view, width=width: view.tab.evaluate("document.documentElement.scrollWidth") <= width)
        assert view.tab.locator("#scores .sort", has_text="er_di").is_visible()  # it still sorts, and explains


@pytest.mark.parametrize("width", WIDTHS)
def test_matrices_tell_nine_anonymizations_apart(window: Open, pages: dict[int, str], width: int) -> None:
    view = window(pages[9], viewport={"width": width, "height": 900})
    heads = view.tab.locator("#parts-chart thead th").all_inner_texts()
    assert len({" ".join(head.split()) for head in heads}) == 9
    told = view.tab.locator("#parts-chart .key li").all_inner_texts()
    assert [text.split()[-1] for text in told] == NAMES  # and the numbers are told
    cards = view.tab.locator("#significance-chart .cards li")
    assert (cards.count() == 9) == (width == 390)
    if width == 390:
        # Each has been compared with all eight others.
        assert [card.locator(".pair").count() for card in cards.all()] == [8] * 9
        assert NAMES[0] in cards.first.locator("strong").inner_text().replace("\n", "")
    else:
        assert view.tab.locator("#significance-chart td.cell[data-tip]").count() == 72


def test_bars_of_attacks_reach_from_nobody_to_everybody(
    window: Open, pages: dict[int, str], runs: dict[int, Run]
) -> None:
    for width in WIDTHS:
        view = window(pages[5], viewport={"width": width, "height": 900})
        assert view.tab.locator("#attack-chart .ticks span").all_inner_texts() == [
            "0 %",
            "25 %",
            "50 %",
            "75 %",
            "100 %",
        ]
        wide = "(element) => element.getBoundingClientRect().width"
        tracks = view.tab.locator("#attack-chart .track").all()
        shares = [track.locator(".found").evaluate(wide) / track.evaluate(wide) for track in tracks]
        assert shares == pytest.approx([runs[5][name, "trir"].value for name in NAMES[:5]], abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "count"), [(390, 9), (1920, 9), (1280, 1)])
def test_nobody_is_kept_out_at_any_size(
    window: Open, pages: dict[int, str], scheme: str, width: int, count: int
) -> None:
    view = window(pages[count], color_scheme=scheme, viewport={"width": width, "height": 900})
    view.tab.locator(".count").first.click()
    assert view.violations() == []


def test_keys_reach_every_control(window: Open, pages: dict[int, str]) -> None:
    """Going on with Tab, and inside figures, choices and texts with arrows, one comes by everything."""
    view = window(pages[5])
    controls = "main button, main select, main input, main a, main summary, main [data-tip]"
    stops = view.tab.evaluate(f"document.querySelectorAll('{controls}').length")
    # What Tab passes by is one of a group of which another is a stop.
    alone = view.tab.locator(controls).evaluate_all(
        "all => all.filter(one => one.tabIndex < 0 && one.checkVisibility())"
        ".filter(one => !one.closest('.chart, .choice, .text')?.querySelector('[tabindex=\"0\"]'))"
        ".map(one => one.outerHTML)"
    )
    assert stops > 100
    assert alone == []


@pytest.mark.parametrize("count", COUNTS)
def test_two_pages_of_paper(window: Open, pages: dict[int, str], count: int) -> None:
    for width in (390, 1280):
        view = window(pages[count], viewport={"width": width, "height": 900}, color_scheme="dark")
        for paper in ("A4", "Letter"):
            drawn = view.tab.pdf(format=paper)
            assert len(re.findall(rb"/Type\s*/Page\b", drawn)) == 2
    view.tab.emulate_media(media="print")
    shown = [".banner", ".checklist", "#scores", "#attack-chart", "#paragraph", ".digests"]
    shown += ["#plane-chart svg"] if count > 1 else []
    assert all(view.tab.locator(one).is_visible() for one in shown)
    hidden = [".bar", "#failures", "#documents", "#parts", "#significance", ".controls >> nth=0"]
    assert not [one for one in hidden if view.tab.locator(one).is_visible()]
