"""Sentences about a run say no more than was measured."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.report import json_text, latex_text, markdown_text
from showthrough.report._sentences import caveats, sentence
from showthrough.report.html import html_text
from showthrough.report.table import tables
from showthrough.report.terminal import show_comparisons
from showthrough.report.wording import may_leak
from showthrough.run.records import Score

NAME = Mention(0, 8, "PERSON", "DIRECT", "e1")
TOWN = Mention(12, 16, "LOC", "QUASI", "e2")
TEXT = "Ole Berg of Oslo came home"  # 6 tokens; marked: Ole, Berg and Oslo


def corpus(*layers: tuple[Mention, ...], documents: int = 2) -> Corpus:
    marks = tuple(Annotation(f"a{number}", layer) for number, layer in enumerate(layers))
    return Corpus([Document(f"d{number}", TEXT, marks) for number in range(documents)])


def masked(*masks: Mask, name: str = "one", documents: int = 2) -> Anonymization:
    return Anonymization({f"d{number}": list(masks) for number in range(documents)}, name)


def told(run: Run, name: str = "one") -> str:
    return "; ".join(map(str, sentence(run, name)))


ONLY_OLE = (Mask(0, 3),)
METRICS = ["er_di", "recall", "precision"]


def test_one_annotator_is_not_each_annotator() -> None:
    """Of two documents with a name each: 2 of 2, all of them PERSON; two annotators count it twice."""
    one = evaluate(corpus((NAME, TOWN)), [masked()], METRICS, resamples=0)
    assert told(one) == "leaves 2 of 2 direct identifiers readable, in 2 of 2 documents; all names (PERSON)"
    two = evaluate(corpus((NAME,), (NAME,)), [masked()], METRICS, resamples=0)
    assert told(two).startswith("leaves 4 of 4 direct identifiers readable, in 2 of 2 documents; all names")
    assert "counts once for each of them" in " ".join(caveats(two))
    assert "once for each" not in " ".join(caveats(one.without_text()))  # the run knows that without the documents


def test_most_is_more_than_half() -> None:
    """Two names and one code in each document: two thirds are names."""
    code = Mention(17, 21, "CODE", "DIRECT", "e3")
    name = Mention(22, 26, "PERSON", "DIRECT", "e4")
    run = evaluate(corpus((NAME, code, name)), [masked()], ["er_di"], resamples=0)
    assert told(run) == "leaves 6 of 6 direct identifiers readable, in 2 of 2 documents; mostly names (PERSON)"
    run = evaluate(corpus((NAME, code)), [masked()], ["er_di"], resamples=0)
    assert told(run) == "leaves 4 of 4 direct identifiers readable, in 2 of 2 documents"
    run = evaluate(corpus((NAME, code)), [masked(Mask(0, 8))], ["er_di"], resamples=0)
    assert told(run).endswith("leaves 2 of 4 direct identifiers readable, in 2 of 2 documents; "
                              "all codes such as case numbers (CODE)")  # fmt: skip


def test_averages_are_said_to_be_averages() -> None:
    one = evaluate(corpus((NAME, TOWN)), [masked(*ONLY_OLE)], METRICS, resamples=0)
    two = evaluate(corpus((NAME,), ()), [masked(*ONLY_OLE)], METRICS, resamples=0)
    assert "average" not in told(one)
    assert told(two).endswith("50 % of the words it masks were not marked, on average over annotators")


@pytest.mark.parametrize(
    ("metrics", "hides", "masks"),
    [
        (['recall(ignorable="skip")', "precision"], "33 % of the words that", "of the words it masks"),
        (['recall(unit="mention")', "precision"], "0 % of the places that", "of the words it masks"),
        (['recall(include="direct")', "precision"], "50 % of the words of direct identifiers that", "the words"),
        (["recall", 'precision(unit="mention")'], "33 % of the words that", "0 % of its masks"),
    ],
)
def test_a_metric_is_known_by_its_name_whatever_its_parameters(metrics: list[str], hides: str, masks: str) -> None:
    """Ole is masked, of Ole, Berg and Oslo."""
    run = evaluate(corpus((NAME, TOWN)), [masked(*ONLY_OLE)], metrics, resamples=0)
    assert f"hides {hides} annotators marked" in told(run)
    assert masks in told(run)
    assert "were not marked" in told(run)


def test_leaks_are_told_with_other_function_words_too() -> None:
    metric = 'er_di(function_words="spacy:no_such")'
    run = evaluate(corpus((NAME, TOWN)), [masked()], ["er_di"], resamples=0)
    records = [msgspec.structs.replace(run.metrics[0], text=metric)]
    scores = [msgspec.structs.replace(score, metric=metric) for score in run.scores]
    run = msgspec.structs.replace(run, metrics=records, scores=scores, rows={metric: run.rows["er_di"]})
    assert told(run).startswith("leaves 2 of 2 direct identifiers readable, in 2 of 2 documents")


def test_nothing_marked_is_no_assurance() -> None:
    """Where nobody marked a direct identifier, none was hidden either."""
    run = evaluate(corpus((TOWN,)), [masked()], ["er_di"], resamples=0)
    assert sentence(run, "one") == []


def with_low(run: Run, low: float | None) -> Run:
    scores = [msgspec.structs.replace(one, low=low) if one.metric == "er_di" else one for one in run.scores]
    return msgspec.structs.replace(run, scores=scores)


def test_no_leak_is_told_with_what_it_leaves_open() -> None:
    run = evaluate(corpus((NAME, TOWN), documents=42), [masked(Mask(0, 8), documents=42)], ["er_di"], resamples=0)
    clean = "leaves none of 42 direct identifiers readable where they were marked"
    assert told(with_low(run, None)) == f"{clean}; more may leak than was seen"
    # Of 42 documents none leaks: 0.05 ** (1 / 42) = 0.9312, so up to 6.88 %, rounded up.
    assert told(with_low(run, 0.05 ** (1 / 42))) == f"{clean}; up to 7 % may still leak"


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
    assert "\n- note: 2 masks of a\\_b &lt;i&gt; were guessed\n" in f"\n{markdown_text(run)}"
    assert "\n% note: 2 masks of a_b <i> were guessed\n" in latex_text(run)
    assert '"notes": [\n  "2 masks of a_b <i>\\nwere guessed"\n ]' in json_text(run)
    page = html_text(run)
    assert "2 masks of a_b &lt;i&gt;" in page


def test_no_interval_is_promised_where_there_is_none() -> None:
    run = evaluate(corpus((NAME, TOWN), documents=1), [masked(documents=1)], METRICS, resamples=0)
    assert "% intervals" not in html_text(run)
    assert "interval" not in markdown_text(run)


def test_what_a_detector_finds_is_told_and_nothing_found_is_not() -> None:
    texts = Corpus([Document("a", "Mr Ole Berg wrote to b@example.org."), Document("b", "It rained.")])
    masks = {"none": {"a": [], "b": []}, "all": {"a": [Mask(0, 34)], "b": []}}
    run = evaluate(texts, {name: Anonymization(masks[name]) for name in masks}, ["residual", "disagreement"])
    assert told(run, "none") == "leaves 2 of 2 places that look like an identifier to patterns, in 1 of 2 documents"
    assert told(run, "all") == ""
    page = html_text(run)
    assert "Likely identifiers left, per 1,000 words, lower is better." in page
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
