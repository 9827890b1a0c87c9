"""The page in a real browser, without a network: everything that a reader does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.report.html import html_text
from showthrough.run.run import Run

Open = Callable[..., Any]


def test_it_opens_without_a_request_or_a_complaint(window: Open, demo_page: str) -> None:
    view = window(demo_page)
    assert len(view.requests) == 1  # the file itself
    assert view.requests[0].startswith("file://")
    assert view.tab.evaluate("performance.getEntriesByType('resource').length") == 0
    assert (view.errors, view.stopped()) == ([], [])
    for chart in ("plane-chart svg", "parts-chart table", "significance-chart table"):
        view.tab.locator(f"#{chart}").wait_for()  # and fails if there are two


def test_axes_can_be_switched(window: Open, demo_page: str, demo_run: Run) -> None:
    view = window(demo_page)
    titles = {one.text: f"{one.title} ({one.text})" for one in demo_run.metrics}
    assert titles["removed_di"] in view.text("#plane-across-title")
    view.tab.locator("#plane-across").select_option("recall")
    view.tab.locator("#plane-up").select_option(label=titles["er_qi"])
    assert view.text("#plane-across-title") == f"{titles['recall']}, higher is better →"
    assert view.text("#plane-up-title") == f"↑ {titles['er_qi']}, higher is better"
    told = view.tab.locator("#plane-chart svg").get_attribute("aria-label")
    assert f"ner, {titles['recall']} {demo_run['ner', 'recall'].value:.3f} (" in told
    assert "removed_di" not in told
    # A metric against itself says nothing: they change places.
    view.tab.locator("#plane-up").select_option("recall")
    assert view.tab.locator("#plane-across").input_value() == "er_qi"


@pytest.mark.parametrize("section", ["compare", "documents"])
def test_an_address_leads_to_its_section_though_much_is_drawn_above_it(
    window: Open, demo_page: str, section: str
) -> None:
    view = window(demo_page, f"#{section}")
    assert 0 <= view.tab.locator(f"#{section}").evaluate("one => one.getBoundingClientRect().top") < 120


def test_better_is_up_and_to_the_right(window: Open, demo_page: str, demo_run: Run) -> None:
    view = window(demo_page)
    place = "one => [one.getAttribute('aria-label'), one.querySelector('.symbol').getBoundingClientRect().x]"
    places = [point.evaluate(place) for point in view.tab.locator("#plane-chart .point").all()]
    by_place = [name for name, _ in sorted(places, key=lambda pair: pair[1])]
    assert by_place == sorted(by_place, key=lambda name: demo_run[name, "removed_di"].value or 0.0)
    assert len(by_place) == len(demo_run.names)  # references are no points


def test_a_chart_tells_what_is_under_the_mouse(window: Open, demo_page: str) -> None:
    view = window(demo_page)
    view.tab.locator("#parts-chart").scroll_into_view_if_needed()
    view.tab.locator("#parts-chart td.cell").first.hover()
    view.tab.locator("#tip:not([hidden])").wait_for()
    assert view.text("#tip").startswith("rules, CODE\n1.000 (")


def test_tips_for_keys(window: Open, demo_page: str) -> None:
    """One stop for a figure, and arrows inside it; what is focused is described by the tip."""
    view = window(demo_page, viewport={"width": 1360, "height": 500})
    cells = view.tab.locator("#parts-chart td.cell")
    assert view.tab.locator("#parts-chart [tabindex='0']").count() == 1
    view.tab.locator("#parts-metric").focus()
    view.tab.keyboard.press("Tab")
    assert view.text("#tip").startswith("rules, CODE\n")
    assert cells.first.get_attribute("aria-describedby") == "tip"
    view.tab.keyboard.press("ArrowRight")
    assert view.text("#tip").startswith("ner, CODE\n")
    view.tab.keyboard.press("ArrowDown")
    assert view.text("#tip").startswith("ner, LOC\n")
    assert cells.first.get_attribute("aria-describedby") is None
    view.tab.mouse.wheel(0, 40)  # it goes with what it is about
    view.tab.wait_for_timeout(200)
    assert view.tab.locator("#tip").is_visible()
    view.tab.keyboard.press("Escape")
    assert not view.tab.locator("#tip").is_visible()
    view.tab.locator("#plane-across").focus()
    view.tab.keyboard.press("Tab")
    assert view.text("#tip").startswith("rules\n")
    view.tab.locator(".pane mark[tabindex='0']").first.focus()
    assert view.tab.locator("#tip").is_visible()


def test_tips_for_fingers(window: Open, demo_page: str) -> None:
    view = window(demo_page, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    cells = view.tab.locator("#parts-chart td.cell")
    for element, words in ((cells.first, "rules, CODE"), (cells.nth(1), "ner, CODE")):
        element.tap()
        assert view.text("#tip").startswith(words)
    view.tab.evaluate("scrollBy(0, 30)")
    view.tab.wait_for_timeout(200)
    assert view.text("#tip").startswith("ner, CODE")
    cells.nth(1).tap()
    assert not view.tab.locator("#tip").is_visible()
    view.tab.locator("#plane-chart .point").first.tap()
    assert view.text("#tip").startswith("rules\n")
    view.tab.locator("#compare-title").tap()
    assert not view.tab.locator("#tip").is_visible()


def test_bars_of_failures_are_scaled_for_each_anonymization(window: Open, demo_page: str) -> None:
    """The longest fills its cell whichever anonymization is chosen, and no row is of types that others fail in."""
    view = window(demo_page)
    longest: dict[str, float] = {}
    for name in ("rules", "ner", "overmask"):
        view.tab.locator("#failures-names").get_by_role("radio", name=name).click()
        found = view.tab.locator("#failures-table tbody tr:not(.sum)").evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => "
            "[Number(cell.textContent.replace(',', '')), parseFloat(getComputedStyle(cell, '::before').width), "
            "cell.clientWidth]))"
        )
        assert all(any(count for count, _, _ in row) for row in found)
        cells = [(count, length / width) for row in found for count, length, width in row if count]
        most = max(count for count, _ in cells)
        assert f"The longest bar of {name} is {most:,}; " in view.text("#failures-scale")
        longest[name] = next(share for count, share in cells if count == most)
        assert all(abs(share - longest[name] * count / most) < 0.05 for count, share in cells)
    assert max(longest.values()) - min(longest.values()) < 0.05


def test_a_direct_identifier_looks_the_same_everywhere(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner")
    view.tab.locator("#failures-names").get_by_role("radio", name="ner").click()
    view.tab.get_by_role("button", name="missed, CODE").click()
    look = "one => { const look = getComputedStyle(one); return [look.backgroundColor, look.color, look.fontWeight]; }"
    for level, words in (("direct", "direct identifier"), ("quasi", "indirect identifier")):
        if level == "quasi":
            view.tab.get_by_role("button", name="missed, LOC").click()
        assert view.text(".examples .identifier") == words
        places = (".examples", ".pane .text", ".legend", ".ids")
        looks = [view.tab.locator(f"{place} mark.leaked.{level}").first.evaluate(look) for place in places]
        assert looks == looks[:1] * 4


def test_the_table_sorts_by_any_column(window: Open, demo_page: str, demo_run: Run) -> None:
    view = window(demo_page)
    heading = view.tab.locator("#scores .sort", has_text="er_qi")

    def names() -> list[str]:
        return [name.split()[-1] for name in view.tab.locator("#scores tbody:not(.references) th").all_inner_texts()]

    by_value = sorted(demo_run.names, key=lambda name: demo_run[name, "er_qi"].value or 0.0)
    heading.click()
    assert names() == by_value[::-1]
    heading.click()
    assert names() == by_value
    assert view.tab.locator("#scores th[aria-sort]").get_attribute("aria-sort") == "ascending"
    view.tab.locator("#scores .sort", has_text="anonymization").click()
    assert names() == demo_run.names
    # References stay below, whatever the others are sorted by.
    heading.click()
    last = view.tab.locator("#scores tbody tr").all_inner_texts()[-2:]
    assert [line.split("\t")[0].strip() for line in last] == ["nothing masked", "everything masked"]


def test_a_heading_explains_its_metric(window: Open, demo_page: str) -> None:
    view = window(demo_page)
    view.tab.locator("#scores .sort", has_text="er_di").hover()
    assert "Share of direct identifiers that are covered at every place" in view.text("#tip")
    view.tab.keyboard.press("Escape")
    assert not view.tab.locator("#tip").is_visible()
    view.tab.locator("#scores .sort").first.focus()
    view.tab.keyboard.press("Tab")
    assert "Direct identifiers removed, higher is better." in view.text("#tip")


def test_a_count_of_failures_leads_to_a_place_in_a_document(window: Open, demo_page: str) -> None:
    view = window(demo_page)
    view.tab.locator("#failures-names").get_by_role("radio", name="ner").click()
    view.tab.get_by_role("button", name="under-masked, PERSON").click()
    example = view.tab.locator(".examples li").first
    document, middle = example.locator("a").inner_text(), example.locator("mark").inner_text()
    example.locator("a").click()
    view.tab.locator(".title", has_text=document).wait_for()
    current = view.tab.locator(".pane").first.locator("mark.current")
    current.first.wait_for()
    assert "anonymization=ner" in view.tab.url
    assert all(text.strip() in middle for text in current.all_inner_texts())
    assert view.tab.locator("select[aria-label=Anonymization]").input_value() == "ner"


def test_the_riskiest_document_comes_first(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=lives-01&anonymization=ner")
    risks = view.tab.locator(".ids .risk").all_text_contents()
    direct = [int(text.split()[0]) if "direct" in text else 0 for text in risks]
    assert direct == sorted(direct, reverse=True)
    assert direct[0] > 0
    assert view.text(".title") == "lives-01"
    view.tab.locator("select[aria-label^=Order]").select_option("corpus")
    assert view.tab.locator(".ids .id").first.text_content() == "court-01"
    view.tab.locator("input[type=search]").fill("clinic-1")
    assert view.tab.locator(".ids .id").all_text_contents() == [f"clinic-1{digit}" for digit in range(5)]


def test_the_texts_are_those_of_the_corpus(window: Open, demo_page: str, demo_run: Run) -> None:
    """Letter for letter, with whatever lies beyond the basic plane in them."""
    assert demo_run.texts is not None
    beyond = next(one for one in demo_run.texts.documents if any(ord(letter) > 0xFFFF for letter in one.text))
    view = window(demo_page, f"#doc={beyond.id}&anonymization=annotator")
    view.tab.locator(".title", has_text=beyond.id).wait_for()
    assert view.tab.locator(".pane .text").first.text_content() == beyond.text
    number = demo_run.documents.index(beyond.id)
    for mask in demo_run.texts.masks["annotator"][number][:5]:
        marked = "".join(
            view.tab.locator(".pane")
            .first.locator("mark.hidden")
            .evaluate_all(
                "(marks, [start, end]) => marks.filter(mark => mark.dataset.start >= start && mark.dataset.end <= end)"
                ".map(mark => mark.textContent)",
                [mask.start, mask.end],
            )
        )
        assert marked == beyond.text[mask.start : mask.end]


BEFORE = """one => {
    const range = document.createRange();
    range.setStart(one.closest(".text"), 0);
    range.setEndBefore(one);
    return range.toString().length;
}"""  # where a mark stands in its text


def test_keys_step_through_documents_and_leaks(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner")
    view.tab.locator(".title", has_text="clinic-03").wait_for()
    order = view.tab.locator(".ids .id").all_text_contents()
    place = order.index("clinic-03")
    view.tab.keyboard.press("j")
    view.tab.locator(".title", has_text=order[place + 1]).wait_for()
    view.tab.keyboard.press("k")
    view.tab.locator(".title", has_text="clinic-03").wait_for()
    count = int(view.text(".status").split()[0])
    starts = []
    for number in range(1, count + 1):
        view.tab.keyboard.press("n")
        assert view.text(".status").startswith(f"leak {number} of {count}: ")
        current = view.tab.locator(".pane").first.locator("mark.current").first  # also what is left where nobody marked
        starts.append(current.evaluate(BEFORE))
        assert current.is_visible()
    assert starts == sorted(starts)
    view.tab.keyboard.press("n")
    assert view.text(".status").startswith(f"leak 1 of {count}")  # round again
    view.tab.keyboard.press("p")
    assert view.text(".status").startswith(f"leak {count} of {count}")


def test_keys_are_letters_where_one_types(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner")
    view.tab.locator("input[type=search]").press_sequentially("jn")
    assert view.text(".title") == "clinic-03"
    assert view.text(".status").startswith("11 leaks")


def heads(view: Any) -> list[str]:
    return [" ".join(text.split()) for text in view.tab.locator(".pane h4").all_inner_texts()]


def test_two_anonymizations_side_by_side(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner")
    view.until(lambda: view.tab.locator(".pane").count() == 2)  # original and released
    view.tab.locator("select[aria-label^=Second]").select_option("overmask")
    view.tab.locator(".pane h4", has_text="overmask").wait_for()
    assert heads(view) == ["■ ner original, marked", "▲ overmask original, marked"]
    view.until(lambda: view.tab.locator(".pane").nth(1).locator("mark.needless").count() > 10)
    assert "with=overmask" in view.tab.url
    view.tab.get_by_role("radio", name="released").click()
    view.tab.locator(".pane h4", has_text="as released").first.wait_for()
    view.until(lambda: view.tab.locator(".pane").first.locator("ins.replacement").count() > 0)


def test_an_anonymization_can_be_switched(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner")
    view.tab.locator(".pane mark.leaked").first.wait_for()
    view.tab.locator("select[aria-label=Anonymization]").select_option("annotator")
    view.tab.locator(".pane h4", has_text="annotator").first.wait_for()
    view.until(lambda: view.tab.locator(".pane mark.hidden").count() > 0)
    assert view.tab.locator(".pane mark.leaked.direct").count() == 0
    assert "anonymization=annotator" in view.tab.url


def test_what_a_replacement_repeats_is_a_leak(window: Open) -> None:
    marks = (Mention(0, 8, "PERSON", "DIRECT", "e"), Mention(12, 16, "LOC", "QUASI", "f"))
    corpus = Corpus([Document("d", "John Doe of Oslo", (Annotation("a", marks),))])
    masks = Anonymization({"d": [Mask(0, 8, "John Smith"), Mask(12, 16, "TOWN")]}, "one")
    view = window(html_text(evaluate(corpus, masks, "er", resamples=0)), "#doc=d")
    marked = view.tab.locator(".pane mark")
    marked.first.wait_for()
    found = [(mark.inner_text(), mark.get_attribute("class")) for mark in marked.all()]
    assert found == [("John", "partly direct"), (" Doe", "hidden direct split"), ("Oslo", "hidden quasi")]
    assert view.tab.locator("ins.repeating").all_inner_texts() == ["John Smith"]
    assert view.text(".status") == "1 leak"
    assert view.errors == []


def test_annotators_can_be_left_out(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=overmask&view=original")
    view.tab.locator(".pane mark.hidden").first.wait_for()
    before = view.tab.locator(".pane mark.needless").count()
    boxes = view.tab.locator(".readers input")
    assert boxes.count() == 3
    for place in range(3):
        boxes.nth(place).uncheck()
    # Nobody reads: nothing was wanted, and nobody can say what was needless.
    view.until(lambda: view.tab.locator(".pane mark.hidden, .pane mark.needless").count() == 0)
    boxes.nth(0).check()
    view.until(lambda: view.tab.locator(".pane mark.needless").count() >= before > 0)


def test_a_link_leads_to_a_document(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=court-06&anonymization=rules&with=replace&view=released")
    view.tab.locator(".title", has_text="court-06").wait_for()
    assert heads(view) == ["● rules as released", "◆ replace as released"]
    assert view.tab.evaluate("document.querySelector('#documents').getBoundingClientRect().top < innerHeight")
    view.tab.evaluate("location.hash = '#doc=lives-04&anonymization=ner'")
    view.tab.locator(".title", has_text="lives-04").wait_for()
    assert heads(view) == ["■ ner original, marked", "■ ner as released"]


@pytest.mark.parametrize("fragment", ["#doc=nobody", "#doc=court-01&anonymization=nobody&at=x", "#%%%", "#failures"])
def test_a_link_to_nowhere_is_harmless(window: Open, demo_page: str, fragment: str) -> None:
    view = window(demo_page, fragment)
    view.tab.locator(".pane .text").first.wait_for()
    assert view.errors == []


def test_light_and_dark(window: Open, demo_page: str) -> None:
    def ground(view: Any) -> int:
        shade = view.tab.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, shade.removeprefix("rgb(").removesuffix(")").split(",")))

    dark = window(demo_page, color_scheme="dark")
    light = window(demo_page, color_scheme="light")
    assert ground(dark) < 120 < 700 < ground(light)
    label = "getComputedStyle(document.querySelector('#plane-chart svg text')).fill"
    before = light.tab.evaluate(label)
    light.tab.locator("#theme").click()
    assert ground(light) < 120
    light.until(lambda: light.tab.evaluate(label) != before)
    dark.tab.emulate_media(color_scheme="light")
    dark.until(lambda: ground(dark) > 700)


def test_a_phone_need_not_scroll_sideways(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner", viewport={"width": 390, "height": 844})
    assert view.tab.evaluate("document.documentElement.scrollWidth") == 390
    view.tab.mouse.wheel(0, 2500)
    view.until(lambda: view.tab.evaluate("scrollY") > 0)
    legend = view.tab.locator(".legend")
    view.until(lambda: 0 <= (legend.bounding_box() or {"y": -1})["y"] < 844)  # the legend stays in sight


def test_the_legend_stays_in_sight(window: Open, demo_page: str) -> None:
    view = window(demo_page, "#doc=clinic-03&anonymization=ner", viewport={"width": 1360, "height": 700})
    view.tab.locator(".pane mark.leaked").first.wait_for()

    def in_sight() -> bool:
        box = view.tab.locator(".legend").bounding_box()
        return box is not None and 0 <= box["y"] < 700

    for _ in range(4):
        view.tab.keyboard.press("n")
        view.until(in_sight)


def test_the_paragraph_is_copied(window: Open, demo_page: str) -> None:
    view = window(demo_page, permissions=["clipboard-read", "clipboard-write"])
    view.tab.get_by_role("button", name="Copy this paragraph").click()
    view.tab.get_by_text("Copied.").wait_for()
    assert view.tab.evaluate("navigator.clipboard.readText()") == view.tab.locator("#paragraph").text_content()


def test_without_text_there_is_no_viewer(window: Open, demo_run: Run) -> None:
    view = window(html_text(demo_run, without_text=True))
    assert view.tab.locator("#documents").count() == 0
    assert view.tab.locator("#failures-table td.number").count() > 0
    assert view.tab.locator("#failures-table button").count() == 0
    assert (view.errors, view.stopped()) == ([], [])


def test_one_anonymization_alone(window: Open, demo_run: Run) -> None:
    assert demo_run.texts is not None
    alone = msgspec.structs.replace(
        demo_run,
        anonymizations=demo_run.anonymizations[:1],
        scores=[score for score in demo_run.scores if score.anonymization == "rules"],
        rows={metric: {"rules": by["rules"]} for metric, by in demo_run.rows.items()},
        texts=msgspec.structs.replace(demo_run.texts, masks={"rules": demo_run.texts.masks["rules"]}),
    )
    view = window(html_text(alone))
    assert view.tab.locator("#significance-chart").count() == 0
    assert not view.tab.locator("select[aria-label^=Second]").is_visible()
    assert view.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1360])
def test_nothing_serious_keeps_anybody_out(window: Open, demo_page: str, scheme: str, width: int) -> None:
    view = window(
        demo_page, "#doc=clinic-03&anonymization=ner&with=overmask&view=original",
        color_scheme=scheme, viewport={"width": width, "height": 900},
    )  # fmt: skip
    for details in view.tab.locator("details").all():
        details.locator("summary").click()
    view.tab.get_by_role("button", name="missed, LOC").click()
    assert view.violations() == []
