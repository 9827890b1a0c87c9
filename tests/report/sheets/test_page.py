"""A sheet's page in a real browser, without a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from showthrough.report.sheets import Bars, Case, Cases, Grid, GridRow, Heat, ReportDocument, count, share
from showthrough.report.sheets.page import page_of

Open = Callable[..., Any]
WIDTHS = (390, 1280, 1920)


@pytest.fixture(scope="module")
def large() -> ReportDocument:
    """Sixty columns, three hundred rows, matrices of 1 and of 900 cells, hundreds of cases."""
    heads = tuple(f"column {place}" for place in range(60))
    types = tuple(f"TYPE_NUMBER_{place}" for place in range(30))
    cases = tuple(Case("d", place, "before ", f"word{place}", " after") for place in range(300))
    return ReportDocument(
        "Much",
        (),
        (
            Grid("wide", heads, (GridRow("only row", tuple(map(count, range(60)))),), corner="kind"),
            Grid("long", ("n",), tuple(GridRow(f"row {place}", (count(place),)) for place in range(300))),
            Heat("30 × 30", types, types, tuple(tuple(map(float, range(place, place + 30))) for place in range(30))),
            Heat("1 × 1", ("A",), ("B",), ((0.5,),), kind="share"),
            Bars("bars", tuple("abcdefghij"), tuple((name, tuple(map(float, range(10)))) for name in types)),
            Cases("cases", cases),
        ),
    )


def test_it_opens_without_a_request_or_a_complaint(window: Open, sheet: ReportDocument) -> None:
    view = window(page_of(sheet))
    assert len(view.requests) == 1  # the file itself
    assert (view.errors, view.stopped()) == ([], [])
    assert view.tab.title() == "What the corpus holds"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_it(
    window: Open, sheet: ReportDocument, hostile: ReportDocument, width: int, theme: str
) -> None:
    for one in (sheet, hostile):
        view = window(page_of(one), viewport={"width": width, "height": 900}, color_scheme=theme)
        assert view.violations() == []


@pytest.mark.parametrize("width", WIDTHS)
def test_only_tables_scroll(
    window: Open, sheet: ReportDocument, hostile: ReportDocument, large: ReportDocument, width: int
) -> None:
    for one in (sheet, hostile, large):
        view = window(page_of(one), viewport={"width": width, "height": 900})
        assert view.tab.evaluate("document.documentElement.scrollWidth") == width
        outside = """() => [...document.querySelectorAll("h1, h2, p, li, table, .key, nav")]
          .filter(one => !one.closest(".skip, .scroll") && one.getBoundingClientRect().right > innerWidth + 1).length"""
        assert view.tab.evaluate(outside) == 0


def test_names_stay_in_sight_where_a_table_scrolls(window: Open, large: ReportDocument) -> None:
    view = window(page_of(large), viewport={"width": 390, "height": 844})
    for block in (1, 3):
        region = view.tab.locator(f"#block-{block} .scroll")
        region.evaluate("one => { one.scrollLeft = 400 }")
        name, frame = region.locator("tbody th").first.bounding_box(), region.bounding_box()
        assert abs(name["x"] - frame["x"]) < 3
        assert name["width"] < 0.6 * frame["width"]
    region = view.tab.locator("#block-2 .scroll")
    region.evaluate("one => { one.scrollTop = 1000 }")
    assert abs(region.locator("thead th").first.bounding_box()["y"] - region.bounding_box()["y"]) < 3


def test_what_scrolls_is_a_stop_for_the_keyboard_and_nothing_else(window: Open, large: ReportDocument) -> None:
    view = window(page_of(large), viewport={"width": 1280, "height": 900})
    stops = view.tab.locator(".scroll").evaluate_all("all => all.map(one => one.hasAttribute('tabindex'))")
    assert stops == [True, True, True, False, False, True]


def test_numbers_are_in_the_tables(window: Open, sheet: ReportDocument) -> None:
    tab = window(page_of(sheet)).tab
    row = tab.locator("#block-1 tbody tr").nth(1)
    assert row.locator("th").inner_text() == "DATETIME"
    assert [cell.split("\n") for cell in row.locator("td").all_inner_texts()] == [
        ["107"], ["0.100", "0.050–0.120"], ["0.310", "-0.020 to 0.550"],
    ]  # fmt: skip
    total = tab.locator("#block-1 .total")
    assert total.locator("td").last.get_attribute("title") == "no document says in which split it is"
    assert "– κ of annotators: no document says in which split it is" in tab.locator("#block-1 .remarks").inner_text()


def test_colours_of_a_matrix_follow_its_counts(window: Open) -> None:
    heat = Heat("h", ("A", "B"), ("x", "y"), ((0, 1), (50, 100)))
    tab = window(page_of(ReportDocument("t", (), (heat,)))).tab
    seen = tab.locator(".heat .cell").evaluate_all("all => all.map(one => [one.textContent, one.className])")
    assert seen == [["0", "cell heat-0"], ["1", "cell heat-1"], ["50", "cell heat-3"], ["100", "cell heat-4"]]
    colours = tab.locator(".heat .cell").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert len(set(colours)) == 4


def test_bars_are_as_long_as_their_numbers(window: Open) -> None:
    bars = Bars("b", ("x", "y"), (("A", (10, 30)), ("B", (20, 0)), ("C", (0, 0))))
    tab = window(page_of(ReportDocument("t", (), (bars,)))).tab
    widths = "all => all.map(one => [...one.children].map(part => part.getBoundingClientRect().width))"
    (a_x, a_y), (b_x, b_y), nothing = tab.locator(".stacked svg").evaluate_all(widths)
    assert a_y / a_x == pytest.approx(3, rel=0.01)
    assert b_x / a_x == pytest.approx(2, rel=0.01)
    assert [b_y, *nothing] == [0, 0, 0]
    drawn = tab.locator(".stacked rect").evaluate_all("all => all.map(one => getComputedStyle(one).fill)")
    keys = tab.locator(".key .glyph").evaluate_all("all => all.map(one => getComputedStyle(one).color)")
    assert drawn[:2] == keys


def test_cases_can_be_searched(window: Open, sheet: ReportDocument) -> None:
    tab = window(page_of(sheet)).tab
    tab.get_by_label("Show cases with").fill("SMITH 1")
    assert tab.locator(".cases li:visible").count() == 5  # 1 and 10 to 13
    assert tab.locator(".find-cases [role=status]").inner_text() == "5 of 14"
    assert tab.locator(".cases li:visible mark").all_inner_texts()[:2] == ["Smith 1", "Smith 10"]
    tab.get_by_label("Show cases with").fill("")
    assert tab.locator(".cases li:visible").count() == 14


def test_every_attempt_is_inert(window: Open, hostile: ReportDocument) -> None:
    view = window(page_of(hostile))
    tab = view.tab
    assert tab.evaluate("window.caught") is None
    assert (view.errors, view.stopped(), len(view.requests)) == ([], [], 1)
    assert tab.locator("img, iframe, object, form, base, body style, b").count() == 0
    assert tab.locator("script").count() == 2
    assert tab.locator("[onerror], [onload], [onmouseover], [style]").count() == 0
    assert tab.locator("#block-1 tbody th").first.text_content() == hostile.lead[0]
    assert tab.locator(".cases mark").first.text_content() == hostile.lead[0]
    assert "(no name)" in tab.locator("#block-1 tbody th").all_text_contents()
    assert "{{ 7 * 7 }}" in tab.locator("#block-1 tbody th").all_text_contents()
    assert "49" not in tab.locator("#block-1").inner_text()


def test_light_dark_and_paper(window: Open, sheet: ReportDocument) -> None:
    view = window(page_of(sheet), color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = view.tab.evaluate(ground)
    view.tab.locator("#theme").click()
    assert view.tab.evaluate(ground) != dark
    view.tab.locator("#theme").click()
    view.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not view.tab.evaluate("document.documentElement.classList.contains('dark')")
    view.tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert view.tab.evaluate(ground) == dark
    assert view.tab.pdf().startswith(b"%PDF")


def test_everything_is_there_without_a_script(browser: Any, sheet: ReportDocument, tmp_path: Any) -> None:
    (tmp_path / "page.html").write_text(page_of(sheet), encoding="utf-8")
    context = browser.new_context(offline=True, java_script_enabled=False)
    tab = context.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.locator("table").count() == 4
    assert tab.locator(".cases li:visible").count() == 14
    assert not tab.locator(".find-cases").is_visible()
    context.close()


def test_the_page_says_whether_it_holds_text(sheet: ReportDocument) -> None:
    assert "This file holds original text" in page_of(sheet)
    bare = page_of(sheet.without_text())
    assert "This file holds no document text." in bare
    assert "Smith" not in bare
    assert "left out, since they quote documents: Names that can be read" in bare


def test_a_sheet_of_nothing() -> None:
    page = page_of(
        ReportDocument("t", (), (Grid("g", ("n",), ()), Heat("h", (), (), ()), Bars("b", (), ()), Cases("c", ())))
    )
    assert page.count("None.") == 4
    assert "<h1" in page_of(ReportDocument("", (), ()))
    one = page_of(ReportDocument("t", (), (Grid("g", ("n",), (GridRow("a", (share(1.0),)),)),)))
    assert 'aria-label="Contents"' not in one
