"""Text is data: a corpus whose every string is an attempt at markup renders as the text it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.data.masks import ScoredMask
from showthrough.data.provenance import Cost, Provenance
from showthrough.report.html import html_text
from showthrough.run.records import Failure
from showthrough.run.run import Run

ATTEMPTS = [
    "<script>window.caught = 1</script>",
    "</script><script>window.caught = 1</script>",
    "<img src=x onerror='window.caught = 1'>",
    "\"'><svg onload=window.caught=1>",
    "javascript:window.caught=1",
    "<!-- <script> ]]> --> &lt;b&gt; {{ 7 * 7 }} {% raw %} ${window.caught=1}",
    "</style><style>body{display:none}</style>",
    "\u2028\u2029\u0000\x1b[31m\ufeff \u202e esrever",
    "' onmouseover='window.caught=1' x='",
    "https://example.org/track.png",
    "__proto__",
    "constructor",
]


@pytest.fixture(scope="module")
def hostile() -> Run:
    """Ids, texts, annotators, entity types, identifiers, replacements, names: all of them attempts."""
    documents = []
    masks: dict[str, dict[str, list[Mask]]] = {name: {} for name in ATTEMPTS}
    for number, attempt in enumerate(ATTEMPTS):
        text = f"{attempt} met {ATTEMPTS[number - 1]} in <b>Oslo</b>."
        mentions = (
            Mention(0, len(attempt), attempt, "DIRECT", attempt),
            Mention(len(attempt) + 5, len(attempt) + 9, ATTEMPTS[number - 2], "QUASI", "b"),
        )
        documents.append(Document(attempt, text, (Annotation(attempt, mentions), Annotation("plain", mentions))))
        for place, name in enumerate(ATTEMPTS):
            score = (number + place) % 5 / 4 if place < 3 else None
            own: list[Mask] = [ScoredMask(len(text) - 12, len(text), attempt, attempt, score)]
            masks[name][attempt] = own if place % 2 else [*own, Mask(0, max(1, len(attempt) // 2), name)]
    corpus = Corpus(documents, ATTEMPTS[0], ATTEMPTS[1])
    made = {
        name: Provenance(
            anonymizer=name, version=1, parameters={name: name}, pinned={name: name}, replacement=name, trained_on=name,
            cost=Cost(1.0, 12, 100, device=name),
        )
        for name in ATTEMPTS[1:]
    }  # fmt: skip
    given = [Anonymization(masks[name], name, name, provenance=made.get(name)) for name in ATTEMPTS]
    run = evaluate(corpus, given, resamples=20)
    assert len(run.sweeps) == 3
    run.failures = [Failure(attempt, attempt) for attempt in ATTEMPTS]
    records = [msgspec.structs.replace(one, explanation=" ".join(ATTEMPTS)) for one in run.metrics]
    return msgspec.structs.replace(run, metrics=records, provenance=run.provenance | {"platform": ATTEMPTS[2]})


def test_every_attempt_is_inert(window: Callable[..., Any], hostile: Run) -> None:
    view = window(html_text(hostile))
    tab = view.tab
    assert hostile.texts is not None

    # Look at everything there is to look at.
    for details in tab.locator("details").all():
        details.locator("summary").click()
    for heading in tab.locator("#scores .sort").all():
        heading.hover()
    for radio in tab.locator("#failures-names button").all()[:4]:
        radio.click()
        for count in tab.locator("#failures-table .count").all()[:6]:
            count.click()
    for select in ("#plane-across", "#plane-up", "#significance-metric", "#sweeps-across"):
        tab.locator(select).select_option(index=1)
    for number, document in enumerate(hostile.texts.documents):
        name = ATTEMPTS[number]
        address = {"doc": document.id, "anonymization": name, "with": ATTEMPTS[number - 1], "view": "original"}
        tab.evaluate("hash => { location.hash = hash }", urlencode(address))
        tab.locator(".pane").nth(1).wait_for()
        view.until(lambda wanted=document.id: tab.locator(".title").text_content() == wanted)
        # The text stands there as it is, letter for letter. (Line ends are not touched: none is in it.)
        assert tab.locator(".pane .text").first.text_content() == document.text
        for mark in tab.locator(".pane mark").all()[:3]:
            mark.hover()
        tab.get_by_role("radio", name="released").click()
        tab.keyboard.press("n")
    tab.wait_for_timeout(300)

    assert tab.evaluate("window.caught") is None
    assert (view.errors, view.stopped()) == ([], [])
    assert len(view.requests) == 1
    assert tab.locator("img, iframe, object, embed, form, base, body style, b:not(.telling)").count() == 0
    assert tab.locator("svg").count() == tab.locator(".chart svg, svg.scale").count()
    assert tab.locator("[onerror], [onload], [onmouseover], [onclick]").count() == 0
    links = tab.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)
    assert tab.title() == f"{ATTEMPTS[0]}: what shows through"


def test_the_policy_stops_what_gets_in_all_the_same(window: Callable[..., Any], demo_page: str) -> None:
    """Were a script or a picture to slip in, it would neither run nor load."""
    view = window(demo_page)
    view.tab.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.caught = 1";
          document.body.append(script);
          const picture = "<img src='https://example.org/a.png' onerror='window.caught = 1'>";
          document.body.insertAdjacentHTML("beforeend", picture);
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          document.body.append(style);
        }"""
    )
    view.until(lambda: {"script-src-elem", "img-src", "style-src-elem"} <= set(view.stopped()))
    view.tab.wait_for_timeout(300)  # for a handler to run, if one could
    assert view.tab.evaluate("window.caught") is None
    assert view.tab.locator("#summary-title").is_visible()


def test_expressions_cannot_be_compiled(window: Callable[..., Any], demo_page: str) -> None:
    view = window(demo_page)
    view.tab.evaluate("() => { setTimeout('window.caught = 1') }")
    view.until(lambda: "script-src" in view.stopped())
    assert view.tab.evaluate("window.caught") is None
