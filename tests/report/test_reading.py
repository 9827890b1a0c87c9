"""Sentences about a run say no more than was measured."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report import json_text, latex_text, markdown_text, reading
from showthrough.report.html import html_text
from showthrough.report.html.verdicts import verdict
from showthrough.report.reading import may_leak
from showthrough.report.table import tables
from showthrough.report.terminal import show_comparisons
from showthrough.run.records import Score

NAME = Mention(0, 8, "PERSON", "DIRECT", "e1")
TOWN = Mention(12, 16, "LOC", "QUASI", "e2")
TEXT = "Ole Berg of Oslo came home"  # 6 tokens; marked: Ole, Berg and Oslo


def corpus(*layers: tuple[Mention, ...], documents: int = 2) -> Corpus:
    marks = tuple(Annotation(f"a{number}", layer) for number, layer in enumerate(layers))
    return Corpus([Document(f"d{number}", TEXT, marks) for number in range(documents)])


def masked(*masks: Mask, name: str = "one", documents: int = 2) -> Anonymization:
    return Anonymization({f"d{number}": list(masks) for number in range(documents)}, name)


def lines(run: Run) -> str:
    return "\n".join(reading(run))


def told(run: Run, name: str = "one") -> str:
    return "; ".join(map(str, verdict(run, name)))


ONLY_OLE = (Mask(0, 3),)
METRICS = ["er_di", "recall", "precision"]


def test_the_most_of_one_is_not_most() -> None:
    """One anonymization that hides a third hides no "most", and is compared with none."""
    run = evaluate(corpus((NAME, TOWN)), [masked(*ONLY_OLE)], METRICS, resamples=0)
    assert "one hides 33.3 % of the tokens that annotators marked; " in lines(run)  # Ole of Ole, Berg, Oslo
    assert "most" not in lines(run)
    assert "others" not in lines(run)
    assert lines(run).endswith("of the tokens that it masks, 0.0 % were not marked.")


def test_more_than_the_others_only_where_it_is_so() -> None:
    both = [masked(*ONLY_OLE, name="one"), masked(Mask(0, 26), name="two")]
    run = evaluate(corpus((NAME, TOWN)), both, METRICS, resamples=0)
    # Of 6 tokens that two masks, 3 were marked.
    assert "two hides more of what annotators marked than the others (100.0 % of the tokens); " in lines(run)
    assert lines(run).endswith("of the tokens that it masks, 50.0 % were not marked.")
    alike = [masked(*ONLY_OLE, name="one"), masked(*ONLY_OLE, Mask(17, 21), name="two")]
    run = evaluate(corpus((NAME, TOWN)), alike, METRICS, resamples=0)
    assert "one and two hide 33.3 % of the tokens that annotators marked; " in lines(run)
    assert lines(run).endswith("of the tokens that they mask, 0.0 % (one) and 50.0 % (two) were not marked.")
    three = [*alike, masked(name="three")]
    run = evaluate(corpus((NAME, TOWN)), three, METRICS, resamples=0)
    assert "one and two hide more" not in lines(run)  # three has no precision, and with it no price: two of two


def test_one_annotator_is_not_each_annotator() -> None:
    one = evaluate(corpus((NAME, TOWN)), [masked()], METRICS, resamples=0)
    assert "one leaks 2 direct identifiers in 2 documents: d0 (1), d1 (1)" in lines(one)
    two = evaluate(corpus((NAME,), (NAME,)), [masked()], METRICS, resamples=0)
    assert "one leaks 4 direct identifiers (one for each annotator who marked it) in 2 documents" in lines(two)
    assert "annotator" not in lines(one.without_text())  # the run knows that without the documents


def test_averages_are_said_to_be_averages() -> None:
    one = evaluate(corpus((NAME, TOWN)), [masked(*ONLY_OLE)], METRICS, resamples=0)
    two = evaluate(corpus((NAME,), ()), [masked(*ONLY_OLE)], METRICS, resamples=0)
    assert "average" not in lines(one) + told(one)
    assert lines(two).endswith("of the tokens that it masks, 50.0 % were not marked, on average over annotators.")
    assert told(two).endswith("of the tokens it masks were not marked, on average over annotators")


@pytest.mark.parametrize(
    ("metrics", "hides", "masks"),
    [
        (['recall(ignorable="skip")', "precision"], "33.3 % of the tokens that", "of the tokens that it masks"),
        (['recall(unit="mention")', "precision"], "0.0 % of the mentions that", "of the tokens that it masks"),
        (['recall(include="direct")', "precision"], "50.0 % of the tokens of direct identifiers that", "the tokens"),
        (["recall", 'precision(unit="mention")'], "33.3 % of the tokens that", "of its masks, 0.0 %"),
    ],
)
def test_a_metric_is_known_by_its_name_whatever_its_parameters(metrics: list[str], hides: str, masks: str) -> None:
    run = evaluate(corpus((NAME, TOWN)), [masked(*ONLY_OLE)], metrics, resamples=0)
    assert f"one hides {hides} annotators marked" in lines(run)
    assert masks in lines(run)
    assert "were not marked" in told(run)


def test_leaks_are_told_with_other_function_words_too() -> None:
    metric = 'er_di(function_words="spacy:no_such")'
    run = evaluate(corpus((NAME, TOWN)), [masked()], ["er_di"], resamples=0)
    records = [msgspec.structs.replace(run.metrics[0], text=metric)]
    scores = [msgspec.structs.replace(score, metric=metric) for score in run.scores]
    run = msgspec.structs.replace(run, metrics=records, scores=scores, rows={metric: run.rows["er_di"]})
    assert "one leaks 2 direct identifiers" in lines(run)
    assert told(run).startswith("leaves 2 direct identifiers readable in 2 of 2 documents")


def test_nothing_marked_is_no_assurance() -> None:
    """Where nobody marked a direct identifier, none was hidden either."""
    run = evaluate(corpus((TOWN,)), [masked()], ["er_di", "recall"], resamples=0)
    assert reading(run)[0] == "No direct identifier was marked, so nothing can be said about whether one leaks."
    assert verdict(run, "one") == []


def with_low(run: Run, low: float | None) -> Run:
    scores = [msgspec.structs.replace(one, low=low) if one.metric == "er_di" else one for one in run.scores]
    return msgspec.structs.replace(run, scores=scores)


def test_no_leak_is_told_with_what_it_leaves_open() -> None:
    run = evaluate(corpus((NAME, TOWN), documents=42), [masked(Mask(0, 8), documents=42)], ["er_di"], resamples=0)
    sure = with_low(run, None)
    clean = "leaves no direct identifier readable where it was marked, in the 42 documents that have any"
    assert lines(sure) == f"one {clean} (with none seen, more may leak than was seen)."
    assert told(sure) == f"{clean} (with none seen, more may leak than was seen)"
    # Of 42 documents none leaks: 0.05 ** (1 / 42) = 0.9312, so up to 6.88 %, rounded up.
    spotless = with_low(run, 0.05 ** (1 / 42))
    assert lines(spotless) == f"one {clean} (with none seen, up to 7 % may still leak)."
    assert told(spotless) == f"{clean} (with none seen, up to 7\u202f% may still leak)"
    both = evaluate(
        corpus((NAME, TOWN)), [masked(Mask(0, 8)), masked(name="two")], ["er_di"], resamples=0, references=False
    )
    assert lines(with_low(both, 0.5)).endswith(
        "; one leaves none readable where it was marked, in the 2 documents that have any "
        "(with none seen, up to 50 % may still leak)."
    )


@pytest.mark.parametrize(
    ("value", "low", "expected"),
    [(1.0, 0.931, "7 %"), (1.0, 0.94, "6 %"), (1.0, 0.9991, "1 %"), (0.9, 0.8, "")],
)
def test_what_is_left_open_is_rounded_up(value: float, low: float | None, expected: str) -> None:
    told = may_leak(Score("a", "er_di", "", value, low, 1.0, "", ""))
    assert told == (f"up to {expected} may still leak" if expected else "")


def test_notes_are_in_every_view() -> None:
    run = evaluate(corpus((NAME, TOWN)), [masked()], METRICS, resamples=0)
    run.notes = ["2 masks of a_b <i>\nwere guessed"]
    assert markdown_text(run).startswith("- note: 2 masks of a\\_b &lt;i&gt; were guessed\n")
    assert "\n% note: 2 masks of a_b <i> were guessed\n" in latex_text(run)
    assert '"notes": [\n  "2 masks of a_b <i>\\nwere guessed"\n ]' in json_text(run)
    page = html_text(run)
    assert page.index("2 masks of a_b &lt;i&gt;") < page.index('class="verdicts"')


def test_no_interval_is_promised_where_there_is_none() -> None:
    run = evaluate(corpus((NAME, TOWN)), [masked()], METRICS, resamples=0)
    assert "% intervals" not in html_text(run)
    assert "interval" not in markdown_text(run)


def test_what_a_detector_finds_is_told_and_nothing_found_is_not() -> None:
    texts = Corpus([Document("a", "Mr Ole Berg wrote to b@example.org."), Document("b", "It rained.")])
    masks = {"none": {"a": [], "b": []}, "all": {"a": [Mask(0, 34)], "b": []}}
    run = evaluate(texts, {name: Anonymization(masks[name]) for name in masks}, ["residual", "disagreement"])
    assert told(run, "none") == "leaves 2 places that look like an identifier to patterns, in 1 of 2 documents"
    assert told(run, "all") == ""
    page = html_text(run)
    assert "Residual finds, lower is better." in page
    assert "masked by another, higher is better" not in page  # nobody knows who is right


def test_parts_that_are_0_everywhere_are_told_and_not_shown() -> None:
    texts = Corpus([Document("a", "Mr Ole Berg wrote to b@example.org."), Document("b", "It rained.")])
    run = evaluate(texts, {"none": Anonymization({"a": [], "b": []})}, ["residual"])
    (parts,) = (table for table in tables(run) if table.title == "residual")
    assert [column.head for column in parts.columns] == ["EMAIL", "PERSON", "documents"]
    (line,) = (line for line in parts.remarks() if line.startswith("0 in every row: "))
    assert {"DATE", "PHONE"} < set(line.removeprefix("0 in every row: ").split(", "))
    assert line in html_text(run)
    assert line in markdown_text(run)


def test_what_only_describes_is_not_asked_to_be_better() -> None:
    texts = Corpus([Document(f"d{number}", "Ole Berg of Oslo") for number in range(8)])
    masks = {"one": [Mask(0, 8)], "two": [Mask(12, 16)]}
    both = {name: Anonymization({document.id: masks[name] for document in texts}) for name in masks}
    run = evaluate(texts, both, ["disagreement"])
    screen = Console(record=True, width=120, file=StringIO())
    show_comparisons(run, run.compare("disagreement", parts=False), 0.05, screen)
    text = screen.export_text()
    assert "does the row differ from the column?" in text
    assert "better" not in text
