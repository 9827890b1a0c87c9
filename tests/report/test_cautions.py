"""What is told before everything else: who hides almost nothing, and whose attack is too weak to say anything."""

from __future__ import annotations

import io
import json

import msgspec
import pytest
from rich.console import Console

from showthrough import (
    Annotation,
    Anonymization,
    Attribute,
    Background,
    Corpus,
    Document,
    Mask,
    Mention,
    Run,
    Subject,
    evaluate,
    reidentify,
)
from showthrough.report import json_text, latex_text, markdown_text
from showthrough.report.cautions import cautions
from showthrough.report.findings import findings
from showthrough.report.html import html_text
from showthrough.report.summary import show_verdict
from showthrough.report.table import headlines
from showthrough.report.verdict import verdict

NAMES = [
    f"{first}{second}" for first in ("Berg", "Lind", "Kova", "Mora", "Tveit") for second in ("sen", "rik", "dal", "eva")
]
MAIL = "{}@mail.example.org"


def letters(marked: bool = True) -> Corpus:
    """Twenty letters, in each `Ms NAME` (marked with her title), an address, and forty words that tell nothing."""
    documents = []
    for at, name in enumerate(NAMES):
        text = f"Ms {name} wrote from {MAIL.format(name.lower())} that {'it rained and ' * 13}so on."
        marks = (Annotation("a", (Mention(0, 3 + len(name), "PERSON", "DIRECT"),)),) if marked else ()
        documents.append(Document(f"d{at:02}", text, marks))
    return Corpus(documents, "letters")


def masked(name: str, corpus: Corpus, count: int, *, mail: bool = False) -> Anonymization:
    """The names of the first so many letters, and their addresses."""
    masks: dict[str, list[Mask]] = {one.id: [] for one in corpus}
    for one, who in list(zip(corpus, NAMES, strict=True))[:count]:
        masks[one.id].append(Mask(3, 3 + len(who)))
        if mail:
            start = one.text.index(MAIL.format(who.lower()))
            masks[one.id].append(Mask(start, start + len(MAIL.format(who.lower()))))
    return Anonymization(masks, name)


@pytest.fixture(scope="module")
def marked() -> Run:
    """`none` hides no name of twenty, `light` all of them and nothing else: one word of forty-six."""
    corpus = letters()
    return evaluate(corpus, [masked("none", corpus, 0), masked("light", corpus, 20)], resamples=100)


@pytest.fixture(scope="module")
def unmarked() -> Run:
    """Of twenty addresses and as many names `few` hides one, `more` all but two."""
    corpus = letters(marked=False)
    given = [masked("few", corpus, 1), masked("more", corpus, 19, mail=True)]
    return evaluate(corpus, given, ["residual", 'tpi(ic="wordfreq", chunking="none")'], resamples=100)


def test_titles_hide_nobody_and_a_light_hand_is_no_fault(marked: Run) -> None:
    """By words doing nothing hides Ms, 20 of 40; beyond that `none` hides 0 of 20, `light` 20 of 20."""
    assert marked["none", "recall"].value == 0.5
    assert cautions(marked) == [
        "none hides almost nothing of what annotators marked (0.0 %, without what need not be masked): it "
        "keeps text without protecting anybody."
    ]


@pytest.mark.parametrize(("count", "said"), [(0, True), (1, False), (20, False)])
def test_less_than_a_twentieth_is_almost_nothing(count: int, said: bool) -> None:
    """1 of 20 is 5 %, which is more than almost nothing."""
    corpus = letters()
    run = evaluate(corpus, masked("one", corpus, count), ["recall"], resamples=0)
    assert bool(cautions(run)) is said


def test_identifiers_will_do_where_recall_was_not_asked_for() -> None:
    corpus = letters()
    for metric in ("er_di", "removed_di"):
        (line,) = cautions(evaluate(corpus, masked("one", corpus, 0), [metric], resamples=0))
        assert line.startswith("one hides almost no identifier where annotators marked it (0 of 20): ")
    run = evaluate(corpus, masked("one", corpus, 20), ["removed_di"], resamples=0)
    assert run["one", "removed_di"].value == 0  # names stand in the addresses too; that is no system that does nothing
    assert cautions(run) == []
    assert cautions(evaluate(corpus, masked("one", corpus, 2), ["er_di"], resamples=0, references=False)) == []


def test_what_a_detector_finds_stands_out_where_nobody_marked_anything(unmarked: Run) -> None:
    (line,) = cautions(unmarked)
    assert line.startswith("few hides almost nothing that looks like an identifier to patterns (1 of 40 places): ")
    told = [(one.name, one.what) for one in findings(unmarked)]
    assert told[0] == ("few", line.removeprefix("few ").partition(":")[0])
    looks = "places that look like an identifier to patterns"
    assert ("few", f"leaves 39 of 40 {looks}, in 20 of 20 documents") in told
    assert ("more", f"leaves 2 of 40 {looks}, in 1 of 20 documents") in told


def test_to_leave_all_as_it_was_is_best_of_nothing(unmarked: Run) -> None:
    columns = {column.head.partition("(")[0]: column for column in headlines(unmarked).columns}
    assert [cell.best for cell in columns["residual"].cells[:2]] == [False, True]
    few, more = (cell.score.value for cell in columns["tpi"].cells[:2] if cell.score)
    assert few is not None
    assert more is not None
    assert few > more
    assert not any(cell.best for cell in columns["tpi"].cells)


def test_the_best_of_those_that_hide_something_is_marked() -> None:
    corpus = letters(marked=False)
    given = [masked("none", corpus, 0), masked("ten", corpus, 10, mail=True), masked("all", corpus, 20, mail=True)]
    run = evaluate(corpus, given, ["residual", 'tpi(ic="wordfreq", chunking="none")'], resamples=0)
    (kept,) = [column for column in headlines(run).columns if column.group == "utility"]
    assert [cell.best for cell in kept.cells[:3]] == [False, True, False]


def test_without_marks_and_finds_the_share_of_the_text_tells() -> None:
    corpus = letters(marked=False)
    metric = 'tpi(ic="wordfreq", chunking="none")'
    share = len(NAMES[0]) / sum(len(one.text) for one in corpus)
    assert 0 < share < 0.005
    (line,) = cautions(evaluate(corpus, masked("one", corpus, 1), [metric], resamples=0))
    assert line.startswith("one masks almost nothing (0.1 % of the text): ")
    assert cautions(evaluate(corpus, masked("one", corpus, 20), [metric], resamples=0)) == []


def known(right: bool) -> Background:
    """What an attacker knows of the writers: their addresses, or nothing of them."""
    told = {one.id: MAIL.format(name.lower()) if right else "" for one, name in zip(letters(), NAMES, strict=True)}
    return Background({key: f"{text or 'somebody wrote'} {len(key)}" for key, text in told.items()})


def attacked(right: bool, corpus: Corpus | None = None) -> Run:
    texts = {one.id: "A letter." for one in letters()}
    return reidentify(known(right), {"all": texts}, "lexical", resamples=0, corpus=corpus)


def test_an_attack_that_finds_nobody_in_the_originals_says_nothing() -> None:
    (line,) = cautions(attacked(False, letters()))
    assert line.startswith("The attacks of trir ")
    assert " even in the originals (5.0 % of 20 documents; guessing 5.0 %)" in line
    assert line.endswith("if they find few people, that says nothing about any anonymization.")
    assert cautions(attacked(True, letters())) == []
    assert cautions(attacked(False)) == []  # nobody knows the originals


def test_two_people_are_too_few_to_tell() -> None:
    """Both are found and the control finds nobody, which two documents do not show to be more than luck."""
    corpus = Corpus(list(letters())[:2], "two")
    run = reidentify(
        {one.id: MAIL.format(name.lower()) for one, name in zip(corpus, NAMES, strict=False)},
        {"all": {one.id: "A letter." for one in corpus}},
        "lexical",
        resamples=0,
        corpus=corpus,
    )
    (line,) = cautions(run)
    assert "are not shown to find more than guessing does, even in the originals (100.0 % of 2 documents; " in line


def test_an_attacker_who_infers_nothing_from_the_originals_says_nothing() -> None:
    def run(value: str) -> Run:
        who = (Subject("0", (Attribute("OCCUPATION", value),)),)
        documents = [Document(f"d{at}", f"No. {at} is a baker.", subjects=who) for at in range(8)]
        return evaluate(Corpus(documents), Anonymization({f"d{at}": [Mask(0, 3)] for at in range(8)}, "a"), ["cpr"])

    lines = [line for line in cautions(run("surgeon")) if "infers" in line]
    assert [line.partition(" (")[0] for line in lines] == ["reader infers hardly anything even from the originals"]


def test_every_view_tells_it_first(marked: Run) -> None:
    (line,) = cautions(marked)
    console = Console(file=io.StringIO(), width=200)
    show_verdict(verdict(marked), console)
    state, caution = console.file.getvalue().splitlines()[:2]  # type: ignore[attr-defined]
    assert (state[:15], caution) == ("Do not release.", line)
    state, notes = markdown_text(marked).split("\n\n")[:2]
    assert (state[:17], notes.splitlines()[0]) == ("**Do not release.", f"- note: {line}")
    assert latex_text(marked).index(line) < latex_text(marked).index(r"\begin{table}")
    assert json.loads(json_text(marked))["cautions"] == [line]
    page = html_text(marked)
    assert 0 < page.index(line) < page.index('class="recommendation"')
    shown = marked._repr_html_()
    assert 0 < shown.index(line) < shown.index("<table")
    assert findings(marked)[0].name == "none"


def test_nothing_is_told_of_an_interrupted_run(marked: Run) -> None:
    assert cautions(msgspec.structs.replace(marked, complete=False)) == []
