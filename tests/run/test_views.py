"""What a run shows of itself: in notebooks little, and no word of a document; and the page."""

from __future__ import annotations

import pickle
import re
import stat
from pathlib import Path

import html5lib
import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, OutputError, Run, evaluate
from showthrough.report.html import html_text
from showthrough.run.records import Failure, MetricRecord, Score

METRICS = ["er_di", "er_qi", "precision", "recall_per_type"]
MASKS = {
    "some": {"d1": [Mask(0, 11)], "d2": [], "d3": []},
    "every": {"d1": [Mask(0, 11), Mask(15, 34)], "d2": [Mask(0, 17), Mask(23, 26)], "d3": [Mask(0, 7)]},
}


@pytest.fixture
def run(tiny: Corpus) -> Run:
    return evaluate(tiny, {name: Anonymization(masks) for name, masks in MASKS.items()}, METRICS, resamples=100)


def seen(html: str) -> str:
    """The text of a piece of HTML, which must be sound."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return " ".join("".join(parser.parseFragment(html).itertext()).split())


def test_a_notebook_shows_scores_and_how_to_go_on(run: Run) -> None:
    run.notes = ["a note\nand its second line"]
    run.failures = [Failure("tpi", "no model")]
    text = seen(run._repr_html_())
    score = run["some", "er_di"]
    for record in run.metrics[:3]:
        assert record.title in text
        assert record.text in text
    assert f"0.667{score.low:.3f}–{score.high:.3f}" in text
    assert "failed: tpi: no model" in text
    assert "note: a note" in text
    assert "second line" not in text
    assert text.index("every") < text.index("nothing maskedreference") < text.index("run.compare()")
    assert "run.to_html(" in text
    assert "interrupted" not in text


def test_no_word_of_a_document_and_no_id_is_shown(run: Run, tiny: Corpus) -> None:
    assert run.texts is not None
    shown = (run._repr_html_(), run["some"]._repr_html_(), repr(run["some"]), run.compare()._repr_html_())
    for text in map(seen, shown):
        assert not any(re.search(rf"\b{word}\b", text) for document in tiny for word in (document.id, "Doe", "Oslo"))


def test_a_note_that_names_documents_is_shown_without_them(run: Run) -> None:
    run.notes = ["2 documents are copies (d1, d2 (again)): they count once, as said (d3)"]
    assert "note: 2 documents are copies: they count once, as said" in seen(run._repr_html_())
    assert "d3" not in seen(run._repr_html_())


def test_names_from_files_are_text_and_never_markup(tiny: Corpus) -> None:
    name = "<script>alert(1)</script>\x1b[31m"
    bad = {name: Anonymization(MASKS["some"]), "&amp;": Anonymization(MASKS["every"])}
    run = evaluate(tiny, bad, METRICS, resamples=100)
    run.corpus = msgspec.structs.replace(run.corpus, name='<img src="x">')
    run.notes = ["<b>note</b>"]
    for html in (run._repr_html_(), run[name]._repr_html_(), run.compare()._repr_html_()):
        assert not re.search(r"<(script|img)", html)
        assert "\x1b" not in html
        assert '<img src="x">: 3 documents' in seen(html)
    assert "<script>alert(1)</script>\\x1b[31m" in seen(run._repr_html_())
    assert "<b>note</b>" in seen(run._repr_html_())


def test_nothing_in_it_runs_or_loads_or_sets_the_notebooks_colours(run: Run) -> None:
    for html in (run._repr_html_(), run["some"]._repr_html_(), run.compare()._repr_html_()):
        tags = set(re.findall(r"<(\w+)", html))
        assert tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "b", "br", "code", "small"}
        assert set(re.findall(r" (\w+)=", re.sub(r'"[^"]*"', "", html))) <= {"style", "scope", "title"}
        assert set(re.findall(r"(?:^|[\";])(color|background):([\w#]+)", html)) <= {
            ("color", "inherit"),
            ("background", "none"),
        }


def test_folders_are_left_out(run: Run) -> None:
    """A notebook is passed on with what it shows."""
    text = 'phi_oov(dictionary="/home/ann/words.txt")'
    record = MetricRecord(text, "phi_oov", 1, "Hard", "privacy", "higher", {"dictionary": "/home/ann/words.txt"})
    run.metrics.append(record)
    run.rows[text] = {}
    run.scores.append(Score("some", text, "", None, None, None, "nothing in /home/ann/words.txt", ""))
    run.failures = [Failure("tpi", "cannot read /home/ann/models/bert/x.bin")]
    for shown in (run._repr_html_(), run["some"]._repr_html_(), repr(run["some"])):
        assert "words.txt" in shown
        assert "/home" not in shown


def test_a_large_run_is_shown_small(run: Run) -> None:
    small = len(run._repr_html_())
    count = 99_999
    run.documents = [f"document {number}" for number in range(count)]
    run.rows = {text: {name: {column: (list(values) * count)[:count] for column, values in columns.items()}
                       for name, columns in by.items()} for text, by in run.rows.items()}  # fmt: skip
    assert len(run._repr_html_()) < small + 50
    inputs, scores = run.anonymizations[0], run["some"]
    run.anonymizations = [msgspec.structs.replace(inputs, name=f"system {number}") for number in range(300)]
    run.scores = [
        msgspec.structs.replace(score, anonymization=one.name)
        for one in run.anonymizations
        for score in scores.values()
    ]
    run.notes = [f"note {number} " + "x" * 10_000 for number in range(1000)]
    html = run._repr_html_()
    assert len(html) < 40_000
    text = seen(html)
    assert "more anonymizations in run.table(): 280" in text
    assert "more in run.notes: 995" in text
    assert ">system 19<" in html
    assert ">system 20<" not in html


def test_an_interrupted_run_says_so_everywhere(run: Run) -> None:
    run.complete = False
    run.documents = run.documents[:2]
    run.rows = {text: {name: {column: values[:2] for column, values in columns.items()} for name, columns in by.items()}
                for text, by in run.rows.items()}  # fmt: skip
    line = "tiny: 2 documents; intervals at 95 %; interrupted: only these of 3 documents"
    compared = run.compare()
    for shown in (seen(run._repr_html_()), seen(run["some"]._repr_html_()), repr(run["some"]), repr(compared)):
        assert line in shown
    assert "better" not in repr(compared)  # of a part of the documents nobody is


def test_one_systems_scores_as_text(run: Run) -> None:
    assert "0.667" in seen(run["some"]._repr_html_())
    title, *lines = repr(run["some"]).splitlines()
    score = run["some", "er_di"]
    assert title == "some on tiny: 3 documents; intervals at 95 %"
    assert lines[0].split() == ["er_di", "0.667", f"{score.low:.3f}–{score.high:.3f}"]
    assert lines[-1].split() == ["recall_per_type", "3", "parts"]


def test_what_failed_is_told_with_the_scores(run: Run) -> None:
    run.failures = [Failure("tpi", "no model")]
    assert repr(run["some"]).endswith("\nfailed: tpi: no model")
    assert "failed: tpi: no model" in seen(run["some"]._repr_html_())


def test_notes_are_not_forgotten_over_numbers(run: Run) -> None:
    for one in (run["some"], run.compare()):
        assert "run.notes" not in repr(one)
    run.notes = ["first", "second"]
    for one in (run["some"], run.compare()):
        assert "notes to read before you believe the numbers, in run.notes: 2" in repr(one)
        assert "notes to read before you believe the numbers, in run.notes: 2" in seen(one._repr_html_())


def test_a_score_that_is_undefined_says_why(tiny: Corpus) -> None:
    run = evaluate(tiny, {"nothing": Anonymization({"d1": [], "d2": [], "d3": []})}, ["precision"])
    reason = run["nothing", "precision"].reason
    assert f"precision: {reason}" in seen(run["nothing"]._repr_html_())
    assert reason in seen(run._repr_html_())


@pytest.fixture
def judged() -> Run:
    """Twenty documents, of which one system hides the only identifier, and another nothing; and a third like it."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    corpus = Corpus([Document(str(number), f"Ann left {number}.", marks) for number in range(20)], name="twenty")
    masks = {"good": [Mask(0, 3)], "bad": [], "idle": []}
    systems = {name: Anonymization({one.id: found for one in corpus}) for name, found in masks.items()}
    return evaluate(corpus, systems, ["er_di"], resamples=100)


def test_comparisons_say_who_is_better_and_nothing_more(judged: Run) -> None:
    compared = judged.compare("er_di")
    said = {(one.first, one.second): line for one, line in zip(compared, repr(compared).splitlines()[1:], strict=False)}
    assert said["good", "bad"].endswith("good is better")
    assert "+1.000" in said["good", "bad"]
    assert "better" not in said["bad", "idle"]
    assert "good is better" in seen(compared._repr_html_())
    assert compared == list(compared)
    assert pickle.loads(pickle.dumps(compared)) == compared  # noqa: S301 (our own)
    assert msgspec.json.encode(compared) == msgspec.json.encode(list(compared))


def test_lower_is_better_where_it_is(judged: Run) -> None:
    judged.metrics = [msgspec.structs.replace(judged.metrics[0], better="lower")]
    assert "bad is better" in repr(judged.compare("er_di"))
    assert "good is better" not in repr(judged.compare("er_di"))


def test_what_only_describes_makes_nobody_better(judged: Run) -> None:
    judged.metrics = [msgspec.structs.replace(judged.metrics[0], neutral=("",))]
    assert "they differ" in repr(judged.compare("er_di"))
    assert "is better" not in repr(judged.compare("er_di"))


def test_the_plain_test_makes_nobody_better(judged: Run) -> None:
    assert "good is better" not in repr(judged.compare("er_di", test="plain"))
    assert "finds too many differences" in repr(judged.compare("er_di", test="plain"))


def test_one_system_alone_is_compared_with_nobody(tiny: Corpus) -> None:
    alone = evaluate(tiny, {"some": Anonymization(MASKS["some"])}, ["er_di"]).compare()
    assert alone == []
    assert "a comparison needs two anonymizations" in repr(alone)
    assert "a comparison needs two anonymizations" in seen(alone._repr_html_())


def test_long_lists_of_comparisons_are_cut(judged: Run) -> None:
    compared = judged.compare("er_di")
    compared.extend(compared[:1] * 100)
    assert len(repr(compared).splitlines()) < 50
    assert "shows those of one metric): 63" in repr(compared)  # 103, of which 40 are shown


def test_the_page_as_text_and_as_a_file(run: Run, tmp_path: Path) -> None:
    assert run.to_html() == html_text(run)
    assert run.to_html(without_text=True) == html_text(run, without_text=True)
    assert run.to_html(tmp_path / "page.html") is None
    assert (tmp_path / "page.html").read_text("utf-8") == html_text(run)
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600
    run.to_html(str(tmp_path / "open.html"), without_text=True)
    assert stat.S_IMODE((tmp_path / "open.html").stat().st_mode) & 0o400
    assert (tmp_path / "open.html").read_text("utf-8") == html_text(run, without_text=True)


def test_a_page_with_text_is_for_its_owner_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    (tmp_path / "page.html").chmod(0o644)
    run.to_html(tmp_path / "page.html", force=True)
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600


def test_no_page_over_a_file_that_is_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("precious")
    with pytest.raises(OutputError, match="exists already"):
        run.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "precious"
    run.to_html(tmp_path / "page.html", force=True)
    assert (tmp_path / "page.html").read_text("utf-8") == html_text(run)


def test_a_name_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    run.corpus = msgspec.structs.replace(run.corpus, name="\ud800")
    with pytest.raises(OutputError, match="half of a surrogate pair"):
        run.to_html(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
    run._repr_html_().encode()
