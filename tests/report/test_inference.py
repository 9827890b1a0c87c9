"""Inference about people for readers: a table, sentences that claim no more than was shown, evidence."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import html5lib
import msgspec
import pytest
from rich.console import Console

from showthrough import Anonymization, Attribute, Corpus, Document, Mask, Run, Subject, evaluate
from showthrough.families.inference.report_sentences import inference_caveats, inference_clauses, inference_limits
from showthrough.families.inference.report_tables import (
    InferenceTable,
    attacker_name,
    inference_tables,
    strata_tables,
    usage_lines,
)
from showthrough.metrics import HEADLINE
from showthrough.models.chat.base import AnswerSource
from showthrough.report import csv_text, json_text, latex_text, markdown_text
from showthrough.report.findings import findings
from showthrough.report.html import _payload, html_text
from showthrough.report.summary import in_words
from showthrough.report.terminal import show_comparisons, show_run
from showthrough.report.verdict import verdict
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.thresholds import Threshold

Open = Callable[..., Any]
COUNT = 24
EVIL = "<img src=x onerror=alert(1)>"
SURNAMES = [
    f"{first}{second}"
    for first in ("Kova", "Berg", "Lind", "Mora")
    for second in ("rik", "sen", "dal", "ton", "eva", "nik")
]
CLAIMS = re.compile(r"\b(safe|hidden|anonymous|anonymized|protected|untraceable)\b", re.IGNORECASE)


def document(number: int) -> Document:
    """A name, an occupation and a place, all of which can be read; the place is an evil one."""
    name = f"Ann {SURNAMES[number]}"
    place = Attribute("LOCATION", "Oslo / Norway", 5, 1)
    told = (Attribute("NAME", name, 5, 1), Attribute("OCCUPATION", f"baker{EVIL}", 4, 2), place)
    text = f"📎 Case {number}. {name} is a baker{EVIL} in Oslo, Norway."
    return Document(f"d{number:02}", text, subjects=(Subject("ann", told),))


CORPUS = Corpus([document(number) for number in range(COUNT)], name="cases")


def masked(name: str, *words: str) -> Anonymization:
    masks = {}
    for one in CORPUS:
        found = [one.text.index(word) for word in words if word in one.text]
        masks[one.id] = [Mask(start, start + len(word), "[X]") for start, word in zip(found, words, strict=True)]
    return Anonymization(masks, name)


def names_masked() -> Anonymization:
    masks = {}
    for number, one in enumerate(CORPUS):
        start = one.text.index("Ann ")
        masks[one.id] = [Mask(start, start + len(f"Ann {SURNAMES[number]}"), "[NAME]")]
    return Anonymization(masks, "names")


def both(metrics: list[str], **settings: Any) -> Run:
    given = {"names": names_masked(), "places": masked("places", "Oslo, Norway")}
    return evaluate(CORPUS, given, metrics, **{"resamples": 100, **settings})


@pytest.fixture(scope="module")
def read() -> Run:
    return both(["cpr", "ipr"])


@pytest.fixture
def answered(tmp_path: Path) -> Callable[..., Run]:
    """A run whose attacker says what a function of the number of a document says; no line where that is nothing."""

    def run(says: Callable[[int], list[tuple[str, str]] | None], metrics: str = "cpr ipr", **settings: Any) -> Run:
        lines = []
        for number, one in enumerate(CORPUS):
            if (said := says(number)) is not None:
                piis = [{"tag": tag, "keyword": value, "certainty": 5, "hardness": 1} for tag, value in said]
                lines.append(json.dumps({"data_id": one.id, "subjects": [{"id": 0, "matches": "ann", "PIIs": piis}]}))
        path = tmp_path / "said.jsonl"
        path.write_text("\n".join(lines))
        asked = [f'{one}(attacker="answers:{path}")' for one in metrics.split()]
        return evaluate(CORPUS, {"names": names_masked()}, asked, **{"resamples": 100, **settings})

    return run


def said(run: Run, name: str) -> str:
    return "; ".join(map(str, inference_clauses(run, name)))


def shown(run: Run, width: int = 100, *, parts: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width, emoji=False)
    show_run(run, console, parts=parts)
    return console.file.getvalue()  # type: ignore[attr-defined]


def column(table: InferenceTable, head: str) -> list[str]:
    (found,) = (one for one in table.columns if one.head == head)
    return [cell.value for cell in found.cells]


def test_one_table_has_both_rates_the_control_and_the_risk(read: Run) -> None:
    """Of three attributes each, `names` leaves two; the occupation and the place stand in every other text too."""
    (table,) = inference_tables(read)
    assert [one.head for one in table.columns] == ["cpr", "ipr", "success", "control:other", "risk:other"]
    assert table.names == ("names", "places", "nothing masked", "everything masked")
    assert column(table, "cpr") == ["0.333", "0.333", "0.000", "1.000"]
    assert column(table, "success") == ["0.667", "0.667", "1.000", "0.000"]
    assert column(table, "control:other")[:2] == ["0.667", "0.333"]
    assert column(table, "risk:other")[:2] == ["0.000", "0.500"]
    assert [line for line in table.remarks() if line.startswith("names: the control is as good as the attack")]
    assert "people of whom everything that counts can be read off: 0 of 24 (names), 0 of 24 (places)" in table.remarks()


def test_it_fits_a_page_and_stands_once(read: Run) -> None:
    text = shown(read)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("cpr ↑") == text.count("risk:other") - 1 == 1  # the risk is explained below
    assert "by tag" not in text


def test_tags_stand_worst_first(read: Run) -> None:
    by_tag, *others = strata_tables(read)
    assert by_tag.title == "cpr by tag"
    assert by_tag.names == ("LOCATION", "NAME", "OCCUPATION")  # of the first two one system leaves all
    assert [one.head for one in by_tag.columns] == ["attributes", "names", "places", "nothing masked"]
    assert [cell.value for cell in by_tag.columns[0].cells] == ["24"] * 3
    assert [one.title for one in others] == [
        "cpr by certainty",
        "cpr by hardness",
        "ipr by certainty",
        "ipr by hardness",
    ]
    assert others[0].names == ("4", "5")
    assert [cell.value for cell in others[0].columns[0].cells] == ["24", "48"]
    assert others[2].columns[0].head == "people"
    assert "cpr by tag" in shown(read, parts=True)


def test_who_counts_people_alone_is_told_by_tag_too() -> None:
    assert strata_tables(both(["ipr"]))[0].title == "ipr by tag"


def test_sentences_say_what_was_read(read: Run) -> None:
    assert said(read, "names") == (
        "leaves 66.7 % of 72 attributes of 24 people to be simply read off; the control is as good as the attack: what "
        "was inferred may not come from the text"
    )
    assert said(read, "places").endswith(
        "from another document's text the same attacker has 33.3 %, a risk of 0.500 above this control"
    )


def test_two_documents_are_too_few_to_tell() -> None:
    """4 of 6 attributes are read off and none from the other's text: that is not as good, whatever the interval."""
    people = [("Ann Lund", "nurse", "Oslo"), ("Bert Falk", "baker", "Rome")]
    tags = ("NAME", "OCCUPATION", "LOCATION")
    documents = [
        Document(
            f"d{at}", f"{one[0]} is a {one[1]} of {one[2]}.", subjects=(Subject("0", tuple(map(Attribute, tags, one))),)
        )
        for at, one in enumerate(people)
    ]
    masks = {one.id: [Mask(0, len(who[0]))] for one, who in zip(documents, people, strict=True)}
    run = evaluate(Corpus(documents), Anonymization(masks, "names"), ["cpr"])
    assert (run["names", "cpr", "control:other"].value, run["names", "cpr", "risk:other"].low) == (0, 0)
    few = "too few documents to say whether the attack infers more than the control (2 documents)"
    assert said(run, "names").endswith(f"from another document's text the same attacker has nothing: {few}")
    (table,) = inference_tables(run)
    assert f"names: {few}" in table.remarks()
    assert "as good as" not in "\n".join([said(run, "names"), *table.remarks(), *run.notes])


def test_of_whom_everything_is_told() -> None:
    run = evaluate(CORPUS, {"none": Anonymization({key: [] for key in CORPUS.ids})}, ["cpr", "ipr"], resamples=0)
    assert "all that counts can be read off of 24 of 24 people" in said(run, "none")


def test_nobody_is_said_to_be_hidden(read: Run) -> None:
    gone = {one.id: [Mask(0, len(one.text), "[X]")] for one in CORPUS}
    for run in (read, evaluate(CORPUS, {"gone": Anonymization(gone)}, ["cpr", "ipr"], resamples=100)):
        found = verdict(run)
        lines = [*found.caveats, found.recommendation, *(str(one) for each in found.systems for one in each.sentence)]
        assert [line for line in lines if CLAIMS.search(line)] == []
        assert "reader finds what can simply be read off; better attackers infer more." in found.caveats
    assert said(run, "gone").startswith("leaves nothing of 72 attributes of 24 people to be simply read off; up to ")


def test_meeting_a_threshold_is_told_with_its_limits() -> None:
    run = both(["cpr"])
    run.thresholds = [Threshold("cpr", "min", 0.2)]
    told = verdict(run).recommendation
    assert "no proof that a release is safe" in told
    assert "only what can simply be read off was looked for, not what can be inferred" in told
    assert "nobody tried to link documents to people" in told


def test_the_gate_asks_for_cpr(read: Run) -> None:
    """One of three attributes is not inferred, in each of 24 documents: 0.333, from 0.156 on."""
    for limit, status in {0.9: 1, 0.3: 3, 0.1: 0}.items():
        assert check_run(read, Gate(thresholds=[Threshold("cpr", "min", limit)])).status == status


def test_documents_without_an_answer_are_no_ground_for_a_gate(answered: Callable[..., Run]) -> None:
    """Five of 24 were answered, and nothing was inferred: a gate that asks for 20 documents must not pass."""
    run = answered(lambda number: [] if number < 5 else None)
    (record, _) = run.metrics
    assert run["names", record.text].value == 1
    outcome = check_run(run, Gate(thresholds=[Threshold(record.text, "min", 0.5)]))
    assert not outcome.passed
    assert "19 of 24 documents have no answer and count nowhere" in said(run, "names")


def test_another_attacker_is_named(answered: Callable[..., Run]) -> None:
    run = answered(lambda number: [("NAME", f"Ann {SURNAMES[number]}")])
    told = said(run, "names")
    assert told.startswith("lets the source of the recorded answers infer 33.3 % of 72 attributes of 24 people")
    risk = run.parts("names", run.metrics[0].text)["risk:other"].value
    assert told.endswith(f"a risk of {risk:.3f} above this control")
    assert inference_limits(run) == ["another attacker may infer more"]
    assert "Another attacker than the source of the recorded answers may infer more." in inference_caveats(run)
    assert not [line for line in inference_caveats(run) if "reader" in line]
    (table,) = inference_tables(run)
    assert [line for line in table.remarks() if re.fullmatch(r"asked answers:.*: answers [0-9a-f]{8}", line)]


def test_a_control_that_infers_everything_leaves_nothing_to_tell(read: Run) -> None:
    """Then there is no risk above it: that must not read as if nobody had been asked."""
    gone = {("cpr", "control:other"): {"value": 1.0}, ("cpr", "risk:other"): {"value": None, "low": None, "high": None}}
    scores = [msgspec.structs.replace(one, **gone.get((one.metric, one.part), {})) for one in read.scores]
    assert said(msgspec.structs.replace(read, scores=scores), "places").endswith("may not come from the text")


def test_without_a_control_that_is_said(answered: Callable[..., Run]) -> None:
    run = answered(lambda number: [("NAME", f"Ann {SURNAMES[number]}")])
    gone = {"value": None, "low": None, "high": None, "reason": "nobody answered"}
    no_control = [
        msgspec.structs.replace(one, **gone) if one.part.startswith(("control:", "risk:")) else one
        for one in run.scores
    ]
    run = msgspec.structs.replace(run, scores=no_control)
    assert said(run, "names").endswith("no control was answered, so it is not known how much of it is guessed")
    (table,) = inference_tables(run)
    assert "no control: nobody answered" in table.remarks()
    assert [one.head.partition("(")[0] for one in table.columns] == ["cpr", "ipr", "success"]


def test_the_attacker_that_infers_most_is_the_one_to_tell(answered: Callable[..., Run]) -> None:
    asked = answered(lambda number: []).metrics[0].text
    run = evaluate(CORPUS, {"names": names_masked()}, [asked, "cpr"], resamples=0)
    assert [table.title.partition(", ")[2] for table in inference_tables(run)][1] == "reader"
    assert said(run, "names").startswith(
        "leaves 66.7 % of 72 attributes of 24 people to be simply read off, more than any"
    )


def test_who_was_asked_stands_in_a_line(read: Run) -> None:
    asked = AnswerSource(
        "llm:m",
        model="m-2026",
        prompts={"subjects": "abcdef1234"},
        calls=49,
        tokens_in=12345,
        tokens_out=678,
        unanswered={"too long": 2},
    )
    record = msgspec.structs.replace(read.metrics[0], parameters={**read.metrics[0].parameters, "attacker": "llm:m"})
    other = msgspec.structs.replace(read, asked=[asked, AnswerSource("llm:other")])
    assert list(usage_lines(other, [record])) == [
        "asked llm:m (the server says m-2026): prompt subjects abcdef12; 49 calls, 12,345 tokens sent, 678 received; "
        "2 without an answer (too long)"
    ]


def test_what_stands_out(read: Run) -> None:
    told = [in_words(one) for one in findings(read)]
    assert "places leaves 24 of 24 values of NAME to be read off, in 24 of 24 documents (most: d00, d01, d02)." in told


@pytest.mark.parametrize("view", [markdown_text, latex_text])
def test_other_views_have_the_tables(read: Run, view: Callable[[Run], str]) -> None:
    text = view(read)
    assert "inference about people" in text
    assert "cpr by tag" in text
    assert "by category" not in text
    assert "OCCUPATION" in text


def test_numbers_are_in_the_files_for_programs(read: Run) -> None:
    assert "names,cpr,tag:NAME,1.0," in csv_text(read)
    assert '"part": "risk:other"' in json_text(read)


def test_comparisons_can_be_read(read: Run) -> None:
    console = Console(file=io.StringIO(), width=100)
    show_comparisons(read, read.compare("cpr", shuffles=99), 0.05, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "cpr: is the row better than the column?" in text
    assert "cpr, success: does the row differ from the column?" in text
    assert "places > names (p = 0.0100, by 1.000" in text.partition("cpr, tag:LOCATION: is the row better")[2]


def test_runs_about_nothing_of_the_kind_have_none(demo_run: Run) -> None:
    assert [*inference_tables(demo_run), *strata_tables(demo_run)] == []
    assert 'id="people"' not in html_text(demo_run)
    assert [*inference_clauses(demo_run, "rules"), *inference_caveats(demo_run), *inference_limits(demo_run)] == []


def test_files_of_answers_go_without_their_paths() -> None:
    assert "/home" not in attacker_name("answers:/home/ann/said.jsonl")


def test_without_text_nothing_of_it_is_on_the_page(read: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_payload, "pack", repr)  # to be read as it is
    assert "Ann Kovarik" in html_text(read)
    for page in (html_text(read, without_text=True), html_text(read.without_text())):
        assert 'id="people"' in page
        assert "Kovarik" not in page
        assert "Oslo" not in page


def test_the_page_is_valid_and_holds_no_markup_of_documents(read: Run) -> None:
    page = html_text(read)
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert "onerror=alert" not in page


def test_evidence_stands_beside_the_document(window: Open, read: Run) -> None:
    """Both metrics tell the same once; the place is marked in the released text, behind masks and an emoji."""
    view = window(html_text(read), "#doc=d03&anonymization=names")
    (listed,) = view.tab.locator(".evidence .attack").all_inner_texts()
    words = " ".join(listed.split())
    assert words.startswith("Inferred. cpr, ipr on names: 2 attributes of one person person ann")
    assert f"OCCUPATION: baker{EVIL} was inferred where" in words
    marked = view.tab.locator('.pane[data-kind="released"] .read').all_inner_texts()
    assert "Oslo" in " ".join(marked)
    assert not view.tab.locator('.pane[data-kind="original"] .read').count()
    view.tab.locator(".inferred li li", has_text="LOCATION").locator(".where").click()
    assert "Oslo" in view.text('.pane[data-kind="released"] .read.current')
    assert view.tab.locator(".ids [aria-current] .risk").inner_text() == "2 inferred"
    assert "Not found" not in view.text(".evidence")
    assert view.errors == []
    assert view.stopped() == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_nothing_is_cut_and_nobody_kept_out(window: Open, read: Run, scheme: str, width: int) -> None:
    view = window(html_text(read), color_scheme=scheme, viewport={"width": width, "height": 900})
    view.until(lambda: view.tab.evaluate("document.documentElement.scrollWidth") <= width)
    assert view.cut() == []
    assert view.violations() == []


def test_authors_have_a_table_of_their_own(tmp_path: Path) -> None:
    """Of two attributes of each the first guess names one, the second the other."""
    told = (Attribute("sex", "female"), Attribute("age", "30"))
    corpus = Corpus([Document(f"p{n}", "So be it.", subjects=(Subject("author", told),)) for n in range(6)])
    line = {"sex": {"guesses": ["female"]}, "age": {"guesses": ["70", "30"]}}
    path = tmp_path / "said.jsonl"
    path.write_text("\n".join(json.dumps({"profile": key, "attributes": line}) for key in corpus.ids))
    metric = f'attributes(attacker="answers:{path}")'
    run = evaluate(corpus, {"x": Anonymization({key: [] for key in corpus.ids})}, [metric], resamples=50)
    (table,) = inference_tables(run)
    assert table.title == "inference about authors"
    assert [one.head for one in table.columns][:2] == [metric, "top-3"]
    assert said(run, "x").startswith(
        "lets the source of the recorded answers infer 50.0 % of 12 attributes of 6 authors with the first "
        "guess, 100.0 % in three"
    )
    assert [one.title for one in strata_tables(run)][:2] == [
        "attributes by tag, first guess",
        "attributes by tag, three guesses",
    ]
    assert strata_tables(run)[0].names == ("sex", "age")  # most inferred first
    assert run["x", metric].part == HEADLINE
