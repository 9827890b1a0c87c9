"""Sentences and tables about rules: right numbers, nothing hidden, no words where there shall be none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.report.html import _page, html_text
from showthrough.report.rules import worth_blocks, worth_sentences
from showthrough.run.run import Run
from showthrough.studies.rules import Rule, Step, SystemScores, Weights, Worth, rules_worth

BEFORE = SystemScores(0.9, 0.8121, 0.8, 0.753, 9, 812)
YEARS = Step(Rule("pattern", "years"), 14, 9, 0, 68, SystemScores(0.9, 0.8801, 0.85, 0.75, 9, 880))
OSLO = Step(Rule("string", text="Oslo"), 1, 1, 0, 0, SystemScores(0.9, 0.8801, 0.86, 0.75, 9, 880))
COURT = Step(Rule("pattern", "ending with", "Court"), 3, 2, 1, 1, SystemScores(1.0, 0.8802, 0.87, 0.7601, 10, 881))
ORG = Step(Rule("type", "a|b_&\n"), 3, 2, 1, 1, SystemScores(1.0, 0.9, 0.9, 0.7, 10, 900), BEFORE)
WORTH = Worth(
    "one", 100, 100, {"direct": "er_di", "quasi": "er_qi", "recall": "recall", "precision": "precision"},
    Weights(), 10, 1000, 300, 0, BEFORE, (YEARS, OSLO, COURT), (ORG,),
)  # fmt: skip


def changed(**fields: object) -> Worth:
    return msgspec.structs.replace(WORTH, **fields)


def test_a_sentence_a_rule() -> None:
    assert worth_sentences(WORTH) == (
        "Masking the 14 remaining years (in 9 documents) lifts er_qi from 0.812 to 0.880 and costs 0.3 points of "
        "precision.",
        "Then masking the remaining place with “Oslo” (in 1 document) lifts recall from 0.850 to 0.860 (it alone "
        "hides no identifier everywhere) and costs no precision.",
        "Then masking the 3 remaining places with capitalised words or numbers before “Court”, with it (in 2 "
        "documents) lifts er_di from 0.900 to 1.000 and er_qi from 0.8801 to 0.8802 and wins 1.0 point of precision.",
    )


def test_what_was_masked_in_vain_before_anything_is_no_cost() -> None:
    """With nothing masked there is no precision that could be lost."""
    nothing = msgspec.structs.replace(BEFORE, precision=None)
    (told,) = worth_sentences(changed(before=nothing, rules=(YEARS,)))
    assert told.endswith("from 0.812 to 0.880, with a precision of 0.750.")


def test_what_is_lost_beside_is_said() -> None:
    """Masks that are joined may show what one of them hid."""
    step = msgspec.structs.replace(YEARS, after=SystemScores(0.8, 0.8801, 0.85, 0.75, 8, 880))
    (told,) = worth_sentences(changed(rules=(step,)))
    assert "lifts er_qi from 0.812 to 0.880, but lowers er_di from 0.900 to 0.800, and costs" in told


def test_nothing_to_win_is_said() -> None:
    assert worth_sentences(changed(leaking=0, rules=())) == (
        "one leaves nothing readable here that annotators want masked: no rule can win anything.",
    )
    assert worth_sentences(changed(rules=())) == ("No string or pattern was found that wins more than it costs.",)


def test_where_nothing_is_marked_nothing_is_said_of_rules() -> None:
    bare = changed(rules=(), leaking=0, direct_total=0, quasi_total=0)
    assert worth_sentences(bare) == ("Nothing is marked to be masked here, so nothing shows what a rule would win.",)


def test_numbers_of_some_documents_are_not_taken_for_the_runs() -> None:
    notes = worth_blocks(changed(corpus=5000))[0].notes
    assert any("of the 100 documents that the run keeps, of 5,000: they are not the run's own" in one for one in notes)
    assert not any("the run keeps" in one for one in worth_blocks(WORTH)[0].notes)


def test_what_no_mask_can_hide_is_counted() -> None:
    notes = worth_blocks(changed(repeated=120))[0].notes
    assert any(
        one.startswith("In 120 of the 300 mentions that can be read the replacements repeat words") for one in notes
    )


def test_tables_say_what_stands_after_each_rule() -> None:
    rules, types = worth_blocks(WORTH)
    assert rules.heads == ("er_di", "er_qi", "precision", "masks", "documents", "direct hidden", "quasi hidden")
    assert [[entry.text for entry in row.entries] for row in rules.rows[:2]] == [
        ["0.900", "0.812", "0.753", "", "", "", ""],
        ["0.900", "0.880", "0.750", "14", "9", "0", "68"],
    ]
    assert [row.name for row in rules.rows] == [
        "as it is", "1. years", "2. “Oslo”", "3. capitals before “Court”, with it",
    ]  # fmt: skip
    assert types.heads == rules.heads


def test_words_of_the_tables_are_explained_once_and_only_where_they_stand() -> None:
    rules, types = worth_blocks(WORTH)
    told = " ".join(rules.notes)
    assert "Masks: places" in told
    assert "Capitals: up to five" in told
    assert "--json FILE also says what each would win alone" in told
    assert len(types.notes) == 1
    years = " ".join(worth_blocks(changed(rules=WORTH.rules[:1], types=()))[0].notes)
    assert "Capitals" not in years
    assert "alone, without those above it" not in years


def test_undefined_numbers_are_dashes_with_their_reason() -> None:
    bare = SystemScores(None, None, None, None, 0, 0)
    grid = worth_blocks(changed(before=bare, rules=(), types=()))[0]
    assert grid.reasons() == {
        "no direct identifier was marked": "er_di",
        "no indirect identifier was marked": "er_qi",
        "nothing is masked": "precision",
    }


def test_words_of_documents_make_a_table_private_and_can_be_left_out() -> None:
    rules, types = worth_blocks(WORTH)
    assert (rules.private, types.private) == (True, False)
    bare = worth_blocks(WORTH.without_text())[0]
    assert not bare.private
    assert "Oslo" not in str(bare)
    assert "Court" not in str(bare)
    assert [row.name for row in bare.rows][1:] == [
        "1. years",
        "2. a string",
        "3. capitals before a word, with it",
    ]
    assert worth_sentences(WORTH.without_text())[1].startswith("Then masking the remaining place with a string that is")


@pytest.fixture
def hostile() -> Run:
    text = "<script>alert(1)</script> met <b>Ole</b> & Ann"
    at = text.index("<b>Ole")
    marks = (Mention(0, 25, "<i>", "DIRECT", "1"), Mention(at, at + 10, "", "QUASI", "2"))
    corpus = Corpus([Document("d", text, (Annotation("a", marks),))])
    return evaluate(corpus, {"<one>": Anonymization({"d": [Mask(26, 29)]})}, ["er_di", "precision"], resamples=0)


def test_the_page_tells_rules_and_escapes_them(hostile: Run) -> None:
    page = html_text(hostile)
    assert "What one more rule would win: &lt;one&gt;" in page
    assert "“&lt;script&gt;alert(1)&lt;/script&gt;”" in page
    assert "<script>alert" not in page


def test_a_page_without_text_has_no_words_of_rules(hostile: Run) -> None:
    assert {step.rule.text for step in rules_worth(hostile, "<one>").rules} == {
        "<script>alert(1)</script>",
        "<b>Ole</b>",
    }
    page = html_text(hostile, without_text=True)
    assert "What one more rule would win: &lt;one&gt;" in page
    assert "alert" not in page
    assert "1. a string" in page


def test_a_page_of_much_text_says_who_tells(hostile: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_page, "_CHARACTERS", 10)
    page = " ".join(html_text(hostile).split())
    assert "<code>showthrough errors RUN --anonymization NAME</code> does" in page


def test_rules_with_long_names_fit_any_screen(window: Callable[..., Any]) -> None:
    name, kind = "system" * 20, "TYPE" * 50
    text = f"{'Ole' * 50} met {'Ann' * 50}"
    corpus = Corpus([Document("d", text, (Annotation("a", (Mention(0, 150, kind, "DIRECT", "1"),)),))])
    page = html_text(evaluate(corpus, {name: Anonymization({"d": []})}, ["er_di", "precision"], resamples=0))
    for width in (390, 1280):
        view = window(page, viewport={"width": width, "height": 900})
        view.tab.locator(".rules summary").first.click()
        assert view.tab.locator(".rules table").count() == 2
        assert view.tab.evaluate("document.documentElement.scrollWidth") <= width
        assert view.violations() == []
