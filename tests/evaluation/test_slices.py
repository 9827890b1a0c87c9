"""Groups of documents from the file to the gate."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Interrupted,
    Mask,
    Mention,
    PlanError,
    Run,
    evaluate,
    read_corpus,
)
from showthrough.cli import app
from showthrough.formats.people.names import read_names
from showthrough.report import json_text, latex_text, markdown_text
from showthrough.report.html import html_text
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.gate.grading import Demand, grade_demand
from showthrough.run.slices import largest_difference, worst_group
from showthrough.run.thresholds import Threshold

METRICS = ["er_di", "removed_di", "precision", "f1"]


def corpus_of(groups: dict[str, int], leaks: dict[str, int], shared: bool = False) -> tuple[Corpus, Anonymization]:
    """So many documents a group, each with one name; so many of them leak. Texts are unlike each other."""
    documents, masks = [], {}
    for group, size in groups.items():
        for number in range(size):
            key, name = f"{group}-{number:03}", f"{group.title()}name{number}x"
            words = " ".join(f"{group}{number}word{place}" for place in range(8))
            text = f"{name} wrote {words}."
            mention = Mention(0, len(name), "PERSON", "DIRECT", "e1")
            people = f"p{number}" if shared else ""
            fields = {"ward": group, "meta": {"seen": f"20{10 + number % 2}-01-01"}}
            documents.append(Document(key, text, (Annotation("ann", (mention,)),), people, fields=fields))
            masks[key] = [] if number < leaks.get(group, 0) else [Mask(0, len(name))]
    return Corpus(documents, "made"), Anonymization(masks, "tool")


def run_of(groups: dict[str, int], leaks: dict[str, int], slices: list[str], shared: bool = False) -> Run:
    corpus, tool = corpus_of(groups, leaks, shared)
    return evaluate(corpus, tool, METRICS, slices=slices, resamples=100)


def test_groups_have_the_numbers_of_their_documents_alone() -> None:
    run = run_of({"a": 12, "b": 8}, {"a": 3, "b": 0}, ["ward"])
    scores = {score.group: score for score in run.slices["ward"].of("tool", "er_di")}
    assert (scores["a"].value, scores["b"].value) == (9 / 12, 1.0)
    assert scores["a"].difference == pytest.approx(9 / 12 - 1)
    assert (scores["a"].units, scores["b"].units) == (12, 8)
    corpus, tool = corpus_of({"a": 12, "b": 8}, {"a": 3})
    some = Corpus([document for document in corpus if document.id.startswith("a")], "a")
    alone = evaluate(some, Anonymization({key: tool.of(key) for key in some.ids}, "tool"), METRICS, resamples=100)
    for metric in METRICS:
        of_group = next(score for score in run.slices["ward"].of("tool", metric) if score.group == "a")
        score = alone["tool", metric]
        assert of_group.value == pytest.approx(score.value)
        assert of_group.low == pytest.approx(score.low, abs=0.05)  # there from resamples, here from their expectation


def test_the_worst_group_and_the_largest_difference() -> None:
    run = run_of({"a": 40, "b": 40, "c": 40, "d": 2}, {"a": 20, "b": 2, "c": 1, "d": 2}, ["ward"])
    scores = run.slices["ward"].of("tool", "removed_di")
    worst, apart = worst_group(scores, "higher"), largest_difference(scores)
    assert worst is not None
    assert (worst.group, worst.value) == ("a", 0.5)
    assert apart is not None
    assert apart.group == "a"
    assert apart.p_holm is not None
    assert apart.p_holm <= 0.01
    small = scores[-1]
    assert (small.group, small.value, small.p) == ("d", 0.0, None)
    assert small.untested == "too few to say: 2 documents in the group, and 5 are needed"


def test_two_groups_are_one_test() -> None:
    run = run_of({"a": 20, "b": 20}, {"a": 6, "b": 1}, ["ward"])
    scores = run.slices["ward"].of("tool", "er_di")
    assert all(score.p_holm == score.p for score in scores)
    assert scores[0].difference == pytest.approx(-(scores[1].difference or 0))


def test_documents_of_one_person_are_one_unit() -> None:
    """Each person has a document in either group: eight units, which exchange their sides."""
    run = run_of({"a": 8, "b": 8}, {"a": 3}, ["ward"], shared=True)
    cut = run.slices["ward"]
    assert [(group.documents, group.units) for group in cut.groups] == [(8, 8), (8, 8)]
    assert [score.units for score in cut.of("tool", "er_di")] == [8, 8]


def test_slices_change_no_other_number() -> None:
    corpus, tool = corpus_of({"a": 8, "b": 8}, {"a": 3})
    plain, cut = (evaluate(corpus, tool, METRICS, slices=names, resamples=50) for names in ([], ["ward"]))
    assert plain.scores == cut.scores
    assert plain.rows == cut.rows


def test_the_order_of_documents_does_not_matter() -> None:
    corpus, tool = corpus_of({"a": 12, "b": 9}, {"a": 3, "b": 2})
    turned = Corpus(list(corpus)[::-1], "made")
    one, other = (evaluate(documents, tool, METRICS, slices=["ward"], resamples=50) for documents in (corpus, turned))
    assert one.slices == other.slices


def test_what_nobody_counts_stays_undefined() -> None:
    documents = [
        Document(f"{ward}{n}", f"Doe{n:02} of {ward}{n} and so on", (Annotation("ann", marks),), fields={"ward": ward})
        for ward, marks in (("a", (Mention(0, 5, "PERSON", "DIRECT"),)), ("b", ()))
        for n in range(12)
    ]
    tool = Anonymization({document.id: [Mask(0, 5)] for document in documents}, "tool")
    run = evaluate(Corpus(documents), tool, ["er_di"], slices=["ward"], resamples=50)
    scores = {score.group: score for score in run.slices["ward"].of("tool", "er_di")}
    assert (scores["b"].value, scores["b"].reason) == (None, "no annotator marked an entity of this kind")
    assert scores["a"].untested == "it is undefined outside the group"
    grading = grade_demand(run, "tool", Demand(Threshold("er_di", "min", 0.1, slice="ward")))
    assert (grading.grade, grading.why) == (
        "unsure",
        "there is no number for b: no annotator marked an entity of this kind",
    )


GATE = [
    ({"a": 100, "b": 100}, {}, 0.9, "met", ""),
    ({"a": 100, "b": 100}, {"b": 20}, 0.9, "missed", ""),
    ({"a": 100, "b": 100, "c": 3}, {}, 0.9, "unsure", "too few documents to tell in c: 5 are needed in a group"),
    ({"a": 100, "b": 100, "c": 3}, {"c": 3}, 0.9, "unsure", "too few documents to tell in c"),
    ({"a": 100, "b": 12}, {}, 0.9, "unsure", "the interval of b reaches down to 0.779"),  # 0.05 ** (1 / 12)
    ({"a": 100, "b": 8}, {}, 0.5, "unsure", "in b a few documents weigh most, as if there were only 8.0"),
    ({"a": 3, "b": 4}, {}, 0.5, "unknown", "no group has a number and 5 documents"),
]


@pytest.mark.parametrize(("groups", "leaks", "limit", "grade", "why"), GATE)
def test_the_worst_group_is_graded_by_every_group(
    groups: dict[str, int], leaks: dict[str, int], limit: float, grade: str, why: str
) -> None:
    corpus, tool = corpus_of(groups, leaks)
    run = evaluate(corpus, tool, ["removed_di"], slices=["ward"], resamples=50)
    grading = grade_demand(run, "tool", Demand(Threshold("removed_di", "min", limit, slice="ward")))
    assert grading.grade == grade
    assert grading.why.startswith(why) if why else not grading.why


def test_one_group_is_graded_by_itself() -> None:
    run = run_of({"a": 100, "b": 100}, {"b": 20}, ["ward"])
    grades = {
        group: grade_demand(run, "tool", Demand(Threshold("removed_di", "min", 0.9, slice="ward", group=group))).grade
        for group in ("a", "b")
    }
    assert grades == {"a": "met", "b": "missed"}


def test_a_gate_names_the_group_and_leaves_the_usual_threshold_alone() -> None:
    run = run_of({"a": 100, "b": 100}, {"b": 20}, ["ward"])
    outcome = check_run(run, Gate([Threshold("removed_di", "min", 0.9, slice="ward")]))
    checks = {check.asked: check for check in outcome.anonymizations[0].checks}
    assert checks["removed_di@worst(ward) ≥ 0.9"].said == "missed: 0.800 in b"
    assert "removed_di ≥ 0.95" in checks  # a limit on groups is none on all documents
    reasons = outcome.anonymizations[0].reasons
    assert any("Direct identifiers removed (in groups by ward: b): 80 %" in reason for reason in reasons)


def test_a_gate_refuses_groups_that_a_run_does_not_have() -> None:
    run = run_of({"a": 8, "b": 8}, {}, ["ward"])
    with pytest.raises(PlanError, match="the slice ward has no group c; there are a, b"):
        check_run(run, Gate([Threshold("removed_di", "min", 0.9, slice="ward", group="c")]))
    with pytest.raises(PlanError, match="no slice year; there are ward; evaluate with --slice year"):
        check_run(run, Gate([Threshold("removed_di", "min", 0.9, slice="year")]))


def test_limits_on_groups_are_checked_before_anything_is_scored() -> None:
    corpus, tool = corpus_of({"a": 8, "b": 8}, {})
    for target, says in {
        "er_di@worst(year)": "no groups by year are scored; there are ward; add --slice year",
        "er_di@ward=c": "found the group c; expected one of a, b",
        "er_di@year=2010": "no groups by year are scored",
    }.items():
        with pytest.raises(InputError) as caught:
            evaluate(corpus, tool, METRICS, slices=["ward"], thresholds={"min": {target: 0.5}})
        assert says in str(caught.value)


def test_an_unknown_field_is_refused_before_anything_is_scored() -> None:
    corpus, tool = corpus_of({"a": 8}, {})
    with pytest.raises(InputError, match="slice height: no document has this field; there are meta, "):
        evaluate(corpus, tool, METRICS, slices=["height"])


def test_a_run_keeps_its_groups_and_views_show_them(tmp_path: Path) -> None:
    run = run_of({"St Mary": 9, "north": 9, "tiny": 2}, {"north": 5}, ["ward"])
    run.save(tmp_path / "run.json")
    loaded = Run.load(tmp_path / "run.json")
    assert loaded.slices == run.slices
    for text in (markdown_text(loaded), latex_text(loaded), html_text(loaded)):
        assert "St Mary" in text
        assert "north" in text
        assert "Too few to say: tiny has fewer than 5 documents" in text
    assert json.loads(json_text(loaded))["slices"][0]["field"] == "ward"


def test_without_text_groups_have_numbers_for_names(tmp_path: Path) -> None:
    corpus, tool = corpus_of({"St Mary": 9, "north": 9}, {"north": 5})
    limits = {"min": {"er_di@ward=north": 0.1}}
    run = evaluate(corpus, tool, METRICS, slices=["ward"], thresholds=limits, resamples=50)
    bare = run.without_text()
    assert [group.name for group in bare.slices["ward"].groups] == ["group 1", "group 2"]
    assert [threshold.what for threshold in bare.thresholds] == ["er_di@ward=group 2"]
    assert [score.value for score in bare.slices["ward"].scores] == [s.value for s in run.slices["ward"].scores]
    grades = [grade_demand(each, "tool", Demand(each.thresholds[0])).grade for each in (run, bare)]
    assert grades[0] == grades[1]
    bare.save(tmp_path / "bare.json")
    assert "St Mary" not in (tmp_path / "bare.json").read_text(encoding="utf-8").replace("St Mary-", "")
    assert "north</bdi>" not in html_text(run, without_text=True)


def test_a_slice_of_an_unfinished_run_is_made_when_it_is_resumed() -> None:
    corpus, tool = corpus_of({"a": 9, "b": 9}, {"a": 2})

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        evaluate(corpus, tool, METRICS, resamples=50, progress=stop)
    resumed = evaluate(corpus, tool, METRICS, resamples=50, slices=["ward"], resume=caught.value.partial)
    assert resumed.slices == evaluate(corpus, tool, METRICS, resamples=50, slices=["ward"]).slices


def test_rows_in_files_give_the_same_slices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus, tool = corpus_of({"b": 12, "a": 9}, {"a": 2, "b": 5}, shared=True)
    run = evaluate(corpus, tool, METRICS, slices=["ward", "seen"], resamples=50)
    monkeypatch.setattr("showthrough.run.journal.LARGE", 10)
    large = evaluate(corpus, tool, METRICS, slices=["ward", "seen"], resamples=50)
    assert large.in_files
    assert large.slices == run.slices
    large.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json").slices == run.slices


def test_a_table_of_people_makes_groups_of_the_documents_that_name_them(tmp_path: Path) -> None:
    """Names are read without accents and capitals; a document that names two people is in both groups."""
    table = tmp_path / "names.csv"
    table.write_text("name,origin\nAy\u015fe Demir,Turkish\nJOHN DOE,English\nOslo,city\n", encoding="utf-8")
    texts = {"a": "Ayse Demir left.", "b": "John Doe of Oslo met AY\u015eE DEMIR.", "c": "Nobody came here."}
    people = {"a": ["Ayse Demir"], "b": ["John Doe", "AY\u015eE DEMIR"], "c": []}
    documents = []
    for key, text in texts.items():
        marks = [Mention(text.index(name), text.index(name) + len(name), "PER", "DIRECT") for name in people[key]]
        marks += [Mention(12, 16, "LOC")] if key == "b" else []
        documents.append(Document(key, text, (Annotation("ann", tuple(marks)),)))
    tool = Anonymization({key: [] for key in texts}, "tool")
    run = evaluate(Corpus(documents), tool, ["er_di"], slices=["origin"], names=table, resamples=50)
    groups = {group.name: group.documents for group in run.slices["origin"].groups}
    assert groups == {"English": 1, "Turkish": 2, "(missing)": 1}  # a town of that name is nobody


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("person,origin\nA,x\n", "found the columns person, origin; expected"),
        ("doc_id,origin\nzzz,x\n", "column doc_id: found zzz; expected ids of the corpus, such as a"),
        ("name,origin\nAnn,x\nANN,y\n", "line 3: column name: found 'ANN' twice"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text(content, encoding="utf-8")
    corpus = Corpus([Document("a", "Mr Doe left."), Document("b", "Ms Roe came.")])
    with pytest.raises(InputError) as caught:
        read_names(tmp_path / "names.csv", corpus)
    assert says in str(caught.value)


def typed_corpus(size: int) -> tuple[Corpus, Anonymization]:
    """Each document has a name and a town, both direct, and a date, which is not; names of the first three leak."""
    documents, masks = [], {}
    for number in range(size):
        name, town = f"Name{number}x", f"Town{number}y"
        text = f"{name} of {town} wrote on 3 May about {' '.join(f'w{number}v{place}' for place in range(8))}."
        start = len(name) + 4
        marks = (
            Mention(0, len(name), "PERSON", "DIRECT", "e1"),
            Mention(start, start + len(town), "LOC", "DIRECT", "e2"),
            Mention(text.index("3 May"), text.index("3 May") + 5, "DATETIME", "QUASI", "e3"),
        )
        key = f"d{number:03}"
        documents.append(Document(key, text, (Annotation("ann", marks),)))
        masks[key] = [Mask(start, start + len(town)), *([] if number < 3 else [Mask(0, len(name))])]
    return Corpus(documents, "typed"), Anonymization(masks, "tool")


def test_entities_in_groups_by_type_and_identifier() -> None:
    corpus, tool = typed_corpus(12)
    run = evaluate(corpus, tool, ["removed_di", "er_di", "er", "recall", "precision"], slices=["type", "identifier"])
    cut = run.slices["type"]
    assert [(group.name, group.documents) for group in cut.groups] == [("DATETIME", 12), ("LOC", 12), ("PERSON", 12)]
    for metric in ("removed_di", "er_di"):
        values = {score.group: score.value for score in cut.of("tool", metric)}
        assert values == {"PERSON": 9 / 12, "LOC": 1.0, "DATETIME": None}
    person = cut.of("tool", "er_di")[-1]
    assert (person.group, person.difference) == ("PERSON", pytest.approx(9 / 12 - 1))
    assert cut.left_out == {"precision": "it does not count marked entities one by one"}
    # Words: 12 names, of which 9 are covered, and 12 towns; dates have two words each, none of them covered.
    recall = {score.group: score.value for score in run.slices["identifier"].of("tool", "recall")}
    assert recall == {"direct": 21 / 24, "quasi": 0.0}
    whole = run["tool", "recall"].value
    assert whole == pytest.approx(21 / 48)


def test_a_slice_without_any_number_says_so() -> None:
    corpus, tool = typed_corpus(6)
    run = evaluate(corpus, tool, ["precision"], slices=["type"], resamples=50)
    for text in (markdown_text(run), html_text(run), latex_text(run)):
        assert "precision has no groups: it does not count marked entities one by one" in text
    assert "no metric has numbers there" in markdown_text(run)


def test_a_type_that_a_number_does_not_count_is_no_doubt() -> None:
    corpus, tool = typed_corpus(60)
    masks = {key: [Mask(0, len(f"Name{int(key[1:])}x")), *tool.of(key)[:1]] for key in corpus.ids}
    run = evaluate(corpus, Anonymization(masks, "tool"), ["removed_di"], slices=["type"], resamples=50)
    grading = grade_demand(run, "tool", Demand(Threshold("removed_di", "min", 0.9, slice="type")))
    assert (grading.grade, grading.why) == ("met", "")


def test_rows_hang_on_groups_of_entities() -> None:
    corpus, tool = typed_corpus(12)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        evaluate(corpus, tool, ["er_di"], resamples=50, progress=stop)
    with pytest.raises(PlanError, match="slice"):
        evaluate(corpus, tool, ["er_di"], resamples=50, slices=["type"], resume=caught.value.partial)
    with pytest.raises(Interrupted) as caught:
        evaluate(corpus, tool, ["er_di"], resamples=50, slices=["type"], progress=stop)
    resumed = evaluate(corpus, tool, ["er_di"], resamples=50, slices=["type"], resume=caught.value.partial)
    assert resumed.slices == evaluate(corpus, tool, ["er_di"], resamples=50, slices=["type"]).slices


def test_groups_of_entities_need_marks() -> None:
    corpus = Corpus([Document("a", "Mr Doe left."), Document("b", "Ms Roe came.")])
    with pytest.raises(InputError, match="slice type: nothing is marked in any document"):
        evaluate(corpus, Anonymization({"a": [], "b": []}, "tool"), ["inconsistent"], slices=["type"])


FILES = {
    "notes.csv": "doc_id,text,ward\na,Mr Doe left.,north\nb,Ms Roe came.,south\n",
    "notes.jsonl": '{"doc_id": "a", "text": "Mr Doe left.", "ward": "north"}\n'
    '{"doc_id": "b", "text": "Ms Roe came.", "ward": "south"}\n',
    "notes.json": '[{"doc_id": "a", "text": "Mr Doe left.", "ward": "north"},'
    '{"doc_id": "b", "text": "Ms Roe came.", "ward": "south"}]',
    "tab.json": '[{"doc_id": "a", "text": "Mr Doe left.", "annotations": {}, "ward": "north"},'
    '{"doc_id": "b", "text": "Ms Roe came.", "annotations": {}, "ward": "south"}]',
    "records.xml": '<ROOT><RECORD ID="a" ward="north"><TEXT>Mr Doe left.</TEXT></RECORD>'
    '<RECORD ID="b" ward="south"><TEXT>Ms Roe came.</TEXT></RECORD></ROOT>',
}


@pytest.mark.parametrize("name", FILES)
def test_formats_keep_the_fields_that_are_asked_for(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    corpus = read_corpus(tmp_path / name, fields=["ward"])
    assert [document.field_values("ward") for document in corpus] == [("north",), ("south",)]
    assert not any("not used" in note for note in corpus.notes)
    assert [document.field_values("ward") for document in read_corpus(tmp_path / name)] == [(), ()]


def test_a_frame_keeps_its_columns() -> None:
    rows = [{"doc_id": f"d{n}", "text": f"Mr Doe{n} left {n} times", "ward": "ab"[n % 2]} for n in range(12)]
    masks = Anonymization({f"d{n}": [Mask(3, 6 + len(str(n)))] for n in range(12)}, "tool")
    run = evaluate(rows, masks, ["inconsistent"], slices=["ward"])
    assert [group.name for group in run.slices["ward"].groups] == ["a", "b"]


def test_the_command_line_and_its_exit_status(tmp_path: Path) -> None:
    corpus, tool = corpus_of({"north": 100, "south": 100}, {"south": 20})
    documents = [
        {
            "doc_id": document.id,
            "text": document.text,
            "ward": document.fields["ward"],
            "annotations": {
                "ann": {
                    "entity_mentions": [
                        {
                            "entity_type": "PERSON",
                            "start_offset": mention.start,
                            "end_offset": mention.end,
                            "identifier_type": "DIRECT",
                            "entity_id": "e1",
                        }
                        for mention in document.annotations[0].mentions
                    ]
                }
            },
        }
        for document in corpus
    ]
    (tmp_path / "corpus.json").write_text(json.dumps(documents), encoding="utf-8")
    lines = [{"doc_id": key, "masks": [[mask.start, mask.end] for mask in tool.of(key)]} for key in corpus.ids]
    (tmp_path / "tool.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    run = tmp_path / "run.json"
    paths = [str(tmp_path / "corpus.json"), f"tool={tmp_path / 'tool.jsonl'}", "--metric", "removed_di"]
    arguments = ["evaluate", *paths, "--slice", "ward", "--slice", "id:^(.{2,3})r?th-", "-o", str(run)]
    limit = ["--min", "removed_di@worst(ward)=0.9"]
    result = CliRunner().invoke(app, [*arguments, *limit])
    assert result.exit_code == 1
    assert "Groups by ward: 2, one for each value" in result.output
    assert list(Run.load(run).slices) == ["ward", "id:^(.{2,3})r?th-"]  # a comma in it is no comma between two
    statuses = {
        limit: CliRunner().invoke(app, ["check", str(run), "--only", "--min", limit]).exit_code
        for limit in ("removed_di@ward=north=0.9", "removed_di@ward=south=0.9", "removed_di@ward=south=0.75")
    }
    assert list(statuses.values()) == [0, 1, 3]
    refused = CliRunner().invoke(app, ["evaluate", *paths, "--slice", "height"])
    assert "slice height: no document has this field" in str(refused.exception)


def test_scores_as_a_table_have_no_groups_in_them() -> None:
    from showthrough.report import csv_text

    run = run_of({"a": 8, "b": 8}, {}, ["ward"])
    rows = list(csv.DictReader(csv_text(run).splitlines()))
    assert {row["metric"] for row in rows} == set(METRICS)
