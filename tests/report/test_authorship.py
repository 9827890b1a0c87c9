"""Author masking for readers: one table, sentences that claim no more than was measured, passages side by side."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import html5lib
import msgspec
import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from showthrough import METRICS, Anonymization, Corpus, Document, Mask, Metric, Rows, Run, evaluate
from showthrough.core.arrays import Floats
from showthrough.data.authorship import Rating, Ratings
from showthrough.data.documents import Authorship
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.authorship.passages import passages
from showthrough.families.authorship.report_passages import MOST, changes, passages as rewritten
from showthrough.families.authorship.report_tables import (
    AUTHORS,
    AuthorsTable,
    author_caveats,
    author_clauses,
    masking_tables,
)
from showthrough.families.authorship.verifiers.base import Question
from showthrough.metrics import HEADLINE, Role, Totals
from showthrough.metrics.base import ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.report import csv_text, json_text, latex_text, markdown_text
from showthrough.report.html import html_text
from showthrough.report.table import every_table
from showthrough.report.terminal import show_comparisons, show_run
from showthrough.report.verdict import verdict
from showthrough.run.thresholds import Threshold

Open = Callable[..., Any]
EVIL = "</script><img src=x onerror=alert(1)>"
NAMES = [f"p{number}" for number in range(8)]


@dataclass(frozen=True)
class KeptWords(Metric):
    """A meaning that needs no dictionary: the share of a passage's words that stand in the new one, times 5."""

    group = "utility"
    title = "Words kept"
    undefined = "there is no passage"
    unbounded = (HEADLINE,)
    roles: ClassVar[tuple[Role, ...]] = ("meaning",)
    vectors: str = ""

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        def rows(anonymized: Anonymized) -> Rows:
            sums, evidence = [], {}
            for document in chunk.corpus:
                told = []
                for one in passages(document, anonymized.anonymization):
                    before = document.text[one.start : one.end].split()
                    kept = 5 * sum(word in one.written.split() for word in before) / max(1, len(before))
                    told.append({"start": one.start, "end": one.end, "value": kept})
                evidence[document.id] = {"passages": told}
                sums.append([sum(one["value"] for one in told), len(told)])
            made = Rows.of(sts=[each[0] for each in sums], passages=[each[1] for each in sums])
            return replace(made, evidence=evidence)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return {HEADLINE: ratio(totals["sts"], totals["passages"])}


def problem(number: int, same: bool | None = True) -> Document:
    text = f"The house number {number} is old. {'It stands there still. ' * 2}Nobody lives in it {EVIL}."
    return Document(f"p{number}", text, authorship=Authorship((f"I wrote that other one, number {number}.",), same))


def rewriting(corpus: Corpus, name: str, new: str) -> Rewriting:
    """Every first sentence written anew, the rest left as it is."""
    masks = {}
    for document in corpus:
        end = document.text.index(". ") + 1
        rest = document.text[end:]
        masks[document.id] = [Mask(0, end, new), Mask(end, len(document.text), rest)]
    return Rewriting(masks, name)


SURE = dict.fromkeys(NAMES, 0.9)  # of the originals
ANSWERS = {
    "keen": {
        "original": SURE,
        "A": {**SURE, "p0": 0.1, "p1": 0.5},  # one denied, one left open
        "B": {**SURE, **dict.fromkeys(NAMES[:5], 0.2)},
    },
    "dull": {
        "original": {**SURE, **dict.fromkeys(NAMES[:4], 0.3)},
        "A": dict.fromkeys(NAMES, 0.3),
        "B": dict.fromkeys(NAMES, 0.3),
    },
}


@pytest.fixture
def masked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    monkeypatch.setitem(METRICS, "kept", KeptWords())

    def run(answers: Any = None, truth: bool | None = True, other: bool = False, **settings: Any) -> Run:
        corpus = Corpus([problem(number, truth if number or not other else False) for number in range(8)], name="pan")
        made = [rewriting(corpus, "A", "A house is old."), rewriting(corpus, "B", "Pillow five sings.")]
        answers = answers or ANSWERS
        metrics = [f'safety(verifier="{", ".join(answers)}")', "kept"]
        return evaluate(corpus, made, metrics, answers=answers, resamples=100, **settings)

    return run


def table_of(run: Run) -> AuthorsTable:
    (table,) = masking_tables(run)
    return table


def values(run: Run) -> dict[str, list[str]]:
    """By column, what stands in the rows of systems and verifiers."""
    table = table_of(run)
    return {column.head: [cell.value for cell in column.cells[: table.tested]] for column in table.columns}


def shown(run: Run, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, emoji=False)
    show_run(run, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_one_table_has_all_and_says_what_it_leaves_out(masked: Callable[..., Run]) -> None:
    """c@1 by hand: keen on A is right in 6 of 8 and leaves one open, (6 + 6/8)/8; on B right in 3."""
    run = masked()
    table, found = table_of(run), values(run)
    assert table.names[:6] == ("A", "A, keen", "A, dull", "B", "B, keen", "B, dull")
    assert list(found)[:3] == ["before", "c@1", "lost"]
    assert list(found)[-1] == "kept"
    assert found["c@1"] == ["0.844", "0.844", "0.000", "0.375", "0.375", "0.000"]
    assert found["before"] == ["", "1.000", "0.500", "", "1.000", "0.500"]
    assert found["lost"] == ["", "0.125", "1.000", "", "0.625", "1.000"]
    assert found["kept"] == ["3.750", "", "", "2.500", "", ""]
    assert "auc" not in found
    assert [line for line in table.remarks() if "auc, f0.5u, f1" in line and "these are all of one kind" in line]


def test_the_best_of_a_verifier_is_among_its_own(masked: Callable[..., Run]) -> None:
    (column,) = (column for column in table_of(masked()).columns if column.head == "c@1")
    assert [cell.best for cell in column.cells[:6]] == [False, False, False, True, True, False]


def test_with_two_kinds_of_problems_nothing_is_left_out(masked: Callable[..., Run]) -> None:
    assert {"auc", "f0.5u", "f1", "overall"} <= {*values(masked(other=True))}


def test_one_verifier_is_the_worst_case(masked: Callable[..., Run]) -> None:
    run = masked({"keen": ANSWERS["keen"]})
    assert table_of(run).names[:2] == ("A", "B")
    found = values(run)
    assert (found["before"], found["c@1"], found["lost"]) == (["1.000"] * 2, ["0.844", "0.375"], ["0.125", "0.625"])
    assert not [line for line in table_of(run).remarks() if "worst case" in line]


def test_a_verifier_that_did_not_answer_has_no_rows(masked: Callable[..., Run]) -> None:
    """Eight authors are too few to learn from: that is told, and no row of dashes."""
    corpus = Corpus([problem(number) for number in range(8)])
    made = [rewriting(corpus, "A", "A house.")]
    run = evaluate(corpus, made, ["safety"], answers={"keen": {key: ANSWERS["keen"][key] for key in ("original", "A")}})
    table = table_of(run)
    assert table.names[0] == "A"
    assert not [name for name in table.names if "adaptive" in name]
    assert [line for line in table.remarks() if line.startswith("left out: adaptive: it was not trained")]
    assert "none of these learned from masked texts" in " ".join(author_caveats(run))


def test_two_ways_to_ask_have_two_tables(masked: Callable[..., Run]) -> None:
    corpus = Corpus([problem(number) for number in range(8)])
    made = [rewriting(corpus, "A", "A house."), rewriting(corpus, "B", "Pillow.")]
    metrics = [f'safety(verifier="{name}")' for name in ANSWERS]
    one, two = masking_tables(evaluate(corpus, made, [*metrics, "kept"], answers=ANSWERS, resamples=0))
    assert (one.title, two.title) == tuple(f"{AUTHORS}, {text}" for text in metrics)
    assert one.columns[-1].head == "kept"
    assert "kept" not in [column.head for column in two.columns]


def test_on_the_terminal_it_stands_once(masked: Callable[..., Run]) -> None:
    text = shown(masked())
    assert text.count("8 documents, author masking") == 1
    assert text.count("8 documents") == 1  # headlines would say it again
    assert "found authors" in text
    assert "by category" not in text


def test_other_metrics_keep_their_table(masked: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus([problem(number) for number in range(8)])
    made = [rewriting(corpus, "A", "A house."), rewriting(corpus, "B", "Pillow.")]
    run = evaluate(
        corpus, made, ['safety(verifier="keen")', "known_words"], answers={"keen": ANSWERS["keen"]}, resamples=0
    )
    main = shown(run).split("8 documents")[2]
    assert "known_words" in main
    assert "safety" not in main


@pytest.mark.parametrize("view", [markdown_text, latex_text])
def test_other_views_have_it(masked: Callable[..., Run], view: Callable[[Run], str]) -> None:
    text = view(masked())
    assert AUTHORS in text
    assert "A, keen" in text
    assert "by category" not in text


def test_numbers_are_in_the_files_for_programs(masked: Callable[..., Run]) -> None:
    run = masked()
    assert f'A,"{run.metrics[0].text}"'.replace('"keen, dull"', '""keen, dull""') in csv_text(run)
    assert '"part": "lost:keen"' in json_text(run)


def test_runs_about_nothing_of_the_kind_have_none(demo_run: Run) -> None:
    assert masking_tables(demo_run) == []
    assert AUTHORS not in [table.title for table in every_table(demo_run)]
    assert 'id="authors"' not in html_text(demo_run)
    assert [*author_clauses(demo_run, "rules"), *author_caveats(demo_run)] == []


def test_sentences_say_what_was_measured(masked: Callable[..., Run]) -> None:
    """Of the 8 authors that keen found it finds 6 again on A: one is denied and one left open."""
    run = masked()
    said = "; ".join(map(str, author_clauses(run, "A")))
    assert said == (
        "leaves the verifier keen, the strongest one, a c@1 of 0.844, 1.000 on the originals; "
        "6 of the 8 (75 %) authors that it found before are still found; keeps 3.75 of 5 of the meaning by kept"
    )
    rests = " ".join(author_caveats(run))
    assert "Verifiers other than keen and dull may recognise more; none of these learned from masked texts" in rests
    assert "kept has no word vectors here" in rests
    (kept,) = [one for one in run.metrics if "meaning" in one.roles]
    others = {**kept.parameters, "similarity": "st:model"}  # which asks no dictionary
    run.metrics[run.metrics.index(kept)] = msgspec.structs.replace(kept, parameters=others)
    assert "no word vectors" not in " ".join(author_caveats(run))


def test_a_verifier_that_guesses_shows_nothing(masked: Callable[..., Run]) -> None:
    """It was right in half of the originals: that it errs now is no merit of anybody."""
    said = "; ".join(map(str, author_clauses(masked({"dull": ANSWERS["dull"]}), "A")))
    assert "0 of the 4 (0 %) authors that it found before are still found" in said
    assert "it is not shown to do better than guessing on the originals" in said
    assert "better than guessing" not in "; ".join(map(str, author_clauses(masked(), "A")))


CLAIMS = re.compile(r"\b(safe|hidden|anonymous|anonymized|protected|untraceable)\b", re.IGNORECASE)


@pytest.mark.parametrize("answers", [ANSWERS, {"dull": ANSWERS["dull"]}])
def test_nobody_is_said_to_be_hidden(masked: Callable[..., Run], answers: Any) -> None:
    run = masked(answers)
    run.thresholds = []
    found = verdict(run)
    said = [*found.caveats, found.recommendation, *(str(clause) for one in found.systems for clause in one.sentence)]
    assert [line for line in said if CLAIMS.search(line)] == []


def test_meeting_a_threshold_is_told_with_its_limits(masked: Callable[..., Run]) -> None:
    run = masked({"dull": ANSWERS["dull"]})
    run.thresholds = [Threshold(run.metrics[0].text, "max", 0.9)]
    found = verdict(run).recommendation
    assert "no proof that a release is safe" in found
    assert "another verifier may recognise more authors" in found


@pytest.mark.parametrize(
    ("before", "after", "one", "two"),
    [
        ("a b c", "a b c", "a b c", "a b c"),
        ("a b c", "a  b\nc", "a b c", "a  b\nc"),  # white space alone
        ("a b c", "", "[a b c]", ""),
        ("", "x", "", "[x]"),
        ("He came home.", "He went back home!", "He [came] home[.]", "He [went back] home[!]"),
        (" a b ", " x b ", " [a] b ", " [x] b "),
        ("b a ", "b x ", "b [a] ", "b [x] "),
    ],
)
def test_what_changed(before: str, after: str, one: str, two: str) -> None:
    def marked(stretches: Any) -> str:
        return "".join(f"[{text}]" if changed else text for text, changed in stretches)

    found = changes(before, after)
    assert (marked(found[0]), marked(found[1])) == (one, two)


@given(st.text("ab .", max_size=30), st.text("ab .", max_size=30))
def test_no_letter_is_lost(before: str, after: str) -> None:
    """Both sides are whole, and what is not marked is the same in both, white space aside."""
    one, two = changes(before, after)
    assert ("".join(each.text for each in one), "".join(each.text for each in two)) == (before, after)
    kept = ["".join("".join(each.text for each in side if not each.changed).split()) for side in (one, two)]
    assert kept[0] == kept[1]
    assert all(each.text for each in (*one, *two))


def test_long_passages_are_still_told() -> None:
    one, two = changes("same " * 10 + "x " * 2000 + "end", "same " * 10 + "y " * 2000 + "end")
    assert [each.changed for each in one] == [each.changed for each in two] == [False, True, False]


def test_the_page_is_valid_and_holds_no_markup_of_documents(masked: Callable[..., Run]) -> None:
    page = html_text(masked())
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    assert "onerror=alert" not in page


def test_without_text_there_are_no_passages(masked: Callable[..., Run]) -> None:
    page = html_text(masked(), without_text=True)
    assert 'id="authors"' in page
    assert 'id="passages-list"' not in page
    assert 'id="passages-list"' not in html_text(masked(texts=False))


def test_passages_in_a_browser(window: Open, masked: Callable[..., Run]) -> None:
    """The worst first, what changed marked on both sides, and a choice of whose are shown."""
    view = window(html_text(masked()))
    items = view.tab.locator("#passages-list li")
    values = [float(text.split()[0]) for text in view.tab.locator("#passages-list .value").all_inner_texts()]
    assert values == sorted(values)
    assert values[0] == 0
    assert items.first.locator("ins").all_inner_texts() == ["Pillow five sings"]
    assert items.first.locator("del").all_inner_texts() == ["The house number 0 is old"]
    assert items.count() == 32
    view.tab.locator("#passages-names button", has_text="A").last.click()
    assert {text.strip() for text in view.tab.locator("#passages-list .where bdi").all_inner_texts()} == {"A"}
    assert view.text("#passages-told") == "16 shown"
    assert view.errors == []


def test_of_each_system_no_more_than_a_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "kept", KeptWords())
    corpus = Corpus([Document(str(number), f"Word {number} stays. And more.") for number in range(40)])
    made = {name: Anonymization({str(number): [Mask(0, 4, name)] for number in range(40)}) for name in ("A", "B")}
    found = rewritten(evaluate(corpus, made, ["kept"], resamples=0))
    assert [sum(one[0] == system for one in found["passages"]) for system in (0, 1)] == [MOST, MOST]
    assert (found["found"], found["most"]) == (160, MOST)


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_nothing_is_cut_and_nobody_kept_out(window: Open, masked: Callable[..., Run], scheme: str, width: int) -> None:
    view = window(html_text(masked()), color_scheme=scheme, viewport={"width": width, "height": 900})
    view.until(lambda: view.tab.evaluate("document.documentElement.scrollWidth") <= width)
    assert view.cut() == []
    assert view.violations() == []


def test_for_others_it_tells_no_folder_of_a_model(tmp_path: Path) -> None:
    model = tmp_path / "ann" / "model"
    model.mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (model / name).write_text("no model")
    corpus = Corpus([Document("a", "One.")])
    run = evaluate(corpus, {"x": Anonymization({"a": []})}, [f'perplexity(lm="{model}")'], resamples=0)
    assert str(model.parent) in json_text(run)
    assert str(model.parent) not in json_text(run.without_text())


def test_where_nobody_answered_a_table_says_so() -> None:
    """Eight problems are too few to learn from, and nobody else was asked."""
    corpus = Corpus([problem(number) for number in range(8)], name="pan")
    run = evaluate(corpus, rewriting(corpus, "A", "A house is old."), ["safety"], resamples=0)
    assert values(run) == {"c@1": ["–"]}
    text = shown(run)
    assert "no verifier answered a question about these documents" in text
    assert "worst case" not in text
    assert "No verifier answered." in " ".join(author_caveats(run))
    assert "than none" not in " ".join(author_caveats(run))
    html_text(run)


def test_who_alone_answered_is_not_said_to_tell_most(masked: Callable[..., Run]) -> None:
    run = masked({"keen": ANSWERS["keen"]})
    corpus = Corpus([problem(number) for number in range(8)], name="pan")
    both = evaluate(
        corpus, rewriting(corpus, "A", "A house is old."), ["safety"],
        answers={"keen": {name: ANSWERS["keen"][name] for name in ("original", "A")}}, resamples=0,
    )  # fmt: skip
    for one in (run, both):  # in the second adaptive was asked too, and learned nothing
        assert "tells most" not in "; ".join(map(str, author_clauses(one, "A")))


def test_measures_that_are_undefined_are_told_together(masked: Callable[..., Run]) -> None:
    run, console = masked(), Console(file=io.StringIO(), width=300)
    show_comparisons(run, run.compare(run.metrics[0].text, shuffles=99), 0.05, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line for line in text.splitlines() if "undefined for one of the two" in line]
    assert len(lines) == 1
    assert all(f"{measure}:{one}" in lines[0] for measure in ("auc", "f1", "overall") for one in ("keen", "dull"))
    assert "c@1:keen: is the row better than the column?" in text


def test_it_is_said_how_many_people_rated_how_much(masked: Callable[..., Run]) -> None:
    def said(*raters: str) -> str:
        ratings = [
            Rating(document=f"p{number}", anonymization=name, item="1", rater=rater, value=1)
            for number in (0, 3)
            for name in "AB"
            for rater in raters
        ]
        return "; ".join(map(str, author_clauses(masked(ratings=Ratings(ratings)), "A")))

    assert said("r1").endswith("; in 2 of 8 documents one person rates its passages 1.00 of 2")
    assert said("r1", "r2").endswith("; in 2 of 8 documents 2 people rate its passages 1.00 of 2")


@dataclass(frozen=True)
class Sure:
    """A verifier that always says yes."""

    name: str = "sure"
    version: int = 1

    def answers(self, questions: Sequence[Question]) -> list[float]:
        return [0.9] * len(questions)


def test_documents_of_one_author_are_not_called_authors() -> None:
    documents = [Document(f"d{n}", f"{problem(n).text} {n // 2}", (), f"author {n // 4}") for n in range(8)]
    corpus = Corpus(documents, name="court")
    run = evaluate(corpus, rewriting(corpus, "A", "A house is old."), ["safety"], verifiers=[Sure()], resamples=0)
    assert "8 of the 8 (100 %) documents whose author it found before are still ascribed to that author" in "; ".join(
        map(str, author_clauses(run, "A"))
    )
