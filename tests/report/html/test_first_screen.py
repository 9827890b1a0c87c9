"""The first screen of the page: what it says, to whom, and what it never says."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from msgspec.structs import replace

from showthrough import Run, evaluate
from showthrough.report.html import html_text
from showthrough.run.gate.accepted import Accepted, AcceptedIdentifier
from showthrough.run.gate.baseline import Baseline
from showthrough.run.gate.checking import Gate
from showthrough.run.gate.state import decide
from showthrough.run.pairing import RunPair
from situations import METRICS, SITUATIONS, corpus_of, letters, release, run_of

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def several() -> Run:
    """Of forty letters `none` leaves no name, `two` and `nine` as many."""
    made = letters(40)
    masks = {
        name: release(made, lambda at, one, count=count: one.masks[1:] if at < count else one.masks)  # type: ignore[misc]
        for name, count in {"nine": 9, "none": 0, "two": 2}.items()
    }
    return evaluate(corpus_of(made), masks, METRICS[:3], resamples=50)


def banner(page: str) -> str:
    part = page[page.index("<h2", page.index('id="decision"')) : page.index('<div class="first-screen"')]
    return unescape(" ".join(re.sub(r"<[^>]+>", "", part).split()))


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_banner_says_the_state(name: str) -> None:
    situation = SITUATIONS[name]()
    run = replace(situation.run, thresholds=list(situation.thresholds))
    page = html_text(run, gate=Gate(baseline=situation.baseline))
    said = banner(page).replace("\u00a0", " ")
    assert situation.state.title in said
    assert situation.says in said
    assert not re.search(r"[≥≤]", said)


def test_the_best_goes_first_and_those_that_leave_names_are_folded(several: Run) -> None:
    page = html_text(several)
    assert banner(page).startswith("? Not enough evidence In the best candidate, ")
    assert "About none, the best of 3 by these checks." in banner(page)
    rows = re.findall(r'<li class="(do-not|not-enough)">\s*<span class="name">.*?<bdi>(\w+)</bdi>', page, re.DOTALL)
    assert rows == [("not-enough", "none"), ("do-not", "two"), ("do-not", "nine")]
    assert page.index("<bdi>none</bdi>") < page.index('<details class="folded">') < page.rindex("<bdi>two</bdi>")
    assert "2 more leave direct identifiers readable:" in page


def test_the_candidate_that_is_named_goes_first_and_is_not_folded(several: Run) -> None:
    page = html_text(several, gate=Gate(names=["nine"]))
    assert "In “nine”, 9 of 80 direct identifiers can still be read" in banner(page)
    assert "1 more leaves direct identifiers readable:" in page


def test_one_anonymization_has_no_choice_and_no_picture(several: Run) -> None:
    page = html_text(run_of(letters(20), metrics=METRICS))
    assert 'id="choose-system"' not in page
    assert 'id="plane"' not in page
    assert 'id="choose-system"' in html_text(several)


def test_what_was_not_tested_shows_the_command_that_would(several: Run) -> None:
    page = html_text(several)
    absent = re.findall(r'<li class="absent">.*?</li>', page, re.DOTALL)
    assert len(absent) == 6
    commands = [unescape(found[1]) for one in absent if (found := re.search(r"<code>([^<]+)</code>", one))]
    assert len(commands) == 6
    assert all(one.startswith("showthrough evaluate ") for one in commands)


def test_a_tick_of_the_checklist_is_no_success(several: Run) -> None:
    """Of `nine` nine names can be read, and the search of its release was made all the same."""
    page = html_text(several, gate=Gate(names=["nine"]))
    part = page[
        page.index('<section class="checklist"') : page.index("</ul>", page.index('<section class="checklist"'))
    ]
    assert "What was tested <small>✓ done, whatever it found; ? too little; ○ not done</small>" in part
    assert "<strong>Search of the release</strong>" in part
    assert "emoved" not in part


def test_marks_that_were_left_out_are_no_tick_in_the_checklist() -> None:
    made = letters(40)
    run = evaluate(corpus_of(made), release(made), METRICS[:3], resamples=50, ignore=["PERSON"])
    page = html_text(run)
    assert "? Not enough evidence Nobody looked at PERSON" in banner(page)
    weak = re.findall(r'<li class="weak">.*?</li>', page, re.DOTALL)
    assert "Nobody looked at PERSON" in weak[0]


def accepted_list(why: str) -> Accepted:
    one = letters()[7]
    entry = AcceptedIdentifier(document="letter-007", by="N. N.", when="2026-11-18", why=why, text=one.name)
    return Accepted((entry,), "accepted.json")


def test_one_readable_name_within_the_limit_says_why_it_is_too_many() -> None:
    """0.25 % is readable and 5 % may be, by its limit: the cross needs its reason, also for who hears the page."""
    made, rule = letters(), "no direct identifier may be readable unless somebody accepted it"
    run = run_of(made, release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks), metrics=METRICS[:3])
    page = html_text(run)
    assert page.count(f"<span>{rule.capitalize()}.</span>") == 1
    assert f"(fails: {rule})" in page
    assert "(missed its limit)" not in page
    tile = page[page.index('<div class="tile missed">') : page.index("</div>", page.index('<div class="tile missed">'))]
    assert "1 of 400<small>, 0.2 %</small>" in tile  # 0.25 %
    assert "limit: " not in tile  # 5 % beside it would contradict the rule
    assert rule not in html_text(run, gate=Gate(accepted=accepted_list("public"))).lower()


def test_what_was_accepted_is_told_and_never_disclosed() -> None:
    made, why = letters(), "a well known reason"
    run = run_of(made, release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks), metrics=METRICS[:3])
    gate = Gate(accepted=accepted_list(why))
    page = html_text(run, gate=gate)
    assert "1 readable identifier accepted by N. N.." in banner(page)
    assert banner(page).startswith("✓ No objection found")
    without = html_text(run, without_text=True, gate=gate)
    assert banner(without) == banner(page)
    for word in (*made[7].name.split(), why):
        assert word not in without


def test_a_page_without_text_names_no_folder(several: Run) -> None:
    """Neither in what a threshold is on, nor in what is said of it; and the numbers keep their grades."""
    former, called = "removed_di", 'removed_di(dictionary="/home/ann/words.txt")'

    def renamed(text: str) -> str:
        return called if text == former else text

    run = replace(
        several,
        metrics=[
            replace(record, text=called, parameters={**record.parameters, "dictionary": "/home/ann/words.txt"})
            if record.text == former
            else record
            for record in several.metrics
        ],
        scores=[replace(score, metric=renamed(score.metric)) for score in several.scores],
        rows={renamed(text): rows for text, rows in several.rows.items()},
        evidence={renamed(text): found for text, found in several.evidence.items()},
    )
    assert "/home/ann" in html_text(run)
    page = html_text(run, without_text=True)
    assert "/home" not in page
    assert page.count('class="tile missed"') == 2  # of `two` and `nine`
    assert banner(page) == banner(html_text(run)).replace("/home/ann/", "")


def test_a_page_without_text_shows_no_sentence(several: Run) -> None:
    page = html_text(several, without_text=True)
    assert "Not in this file: it holds no word of the documents." in page
    assert "<blockquote>" not in page[page.index('id="decision"') : page.index('id="systems-title"')]


def test_what_moved_since_the_earlier_run_is_told(several: Run) -> None:
    made = letters(40)
    now = run_of(made, release(made, lambda at, one: one.masks[1:] if at < 4 else one.masks), metrics=METRICS[:3])
    baseline = Baseline(RunPair(now, run_of(made, metrics=METRICS[:3]), "last"), shuffles=99)
    page = html_text(now, gate=Gate(baseline=baseline))
    assert "worse: was 0.0 % in the earlier release" in page
    assert "The earlier release is last." in banner(page)
    assert "The earlier release is" not in html_text(now)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["all safe", "no annotations", "one name left"])
def test_nobody_is_kept_out(window: Open, name: str, scheme: str) -> None:
    view = window(html_text(SITUATIONS[name]().run), color_scheme=scheme)
    view.tab.locator(".banner").wait_for()
    assert view.violations() == []
    assert (view.errors, view.stopped()) == ([], [])


def test_the_sentence_leads_to_its_document(window: Open, several: Run) -> None:
    view = window(html_text(several, gate=Gate(names=["two"])))
    link = view.tab.locator(".example:not([hidden]) a")
    document = link.inner_text()
    link.click()
    view.until(lambda: document in view.text("#viewer .title"))


def test_the_page_and_the_gate_say_the_same(several: Run) -> None:
    for name in several.names:
        decision = decide(several, candidate=name)
        said = banner(html_text(several, gate=Gate(names=[name]))).replace("\u00a0", " ")
        assert decision.state.title in said
        assert decision.sentence in said
