"""Label Studio's JSON and JSON-MIN: annotators, what is left aside, what offsets count, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, read_anonymization, read_corpus, write_corpus
from showthrough.data.masks import ScoredMask, TypedMask

TEXT = "Mr John Doe of Oslo left."
EMOJI = "😀 Ann Ann"


def mark(start: Any, end: Any, covered: str | None = None, name: str = "a", kind: str = "labels", **more: Any) -> Any:
    value = {"start": start, "end": end, **({"text": covered} if covered else {}), kind: ["PERSON"], **more}
    return {"id": name, "type": kind, "from_name": "label", "to_name": "text", "value": value}


def task(text: str, *results: Any, data: Any = None, **more: Any) -> dict[str, Any]:
    annotation = {"id": 5, "completed_by": 1, "result": list(results), **more}
    return {"id": 1, "data": data or {"text": text}, "annotations": [annotation]}


def read(tmp_path: Path, *tasks: Any, **options: Any) -> Corpus:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks))
    return read_corpus(path, **options)


def spans(corpus: Corpus, number: int = 0) -> list[tuple[int, int]]:
    return [(one.start, one.end) for layer in corpus.documents[number].annotations for one in layer.mentions]


def exported(tmp_path: Path) -> Path:
    """As Label Studio 1.23 exports it: two annotators, one who skipped the task, one who found nothing, none."""
    annotation = {
        "was_cancelled": False, "ground_truth": False, "created_at": "2026-01-01", "updated_at": "2026-01-01",
        "draft_created_at": None, "lead_time": 3.2, "prediction": {}, "result_count": 1, "unique_id": "u",
        "import_id": None, "last_action": None, "bulk_created": False, "task": 1, "project": 1, "updated_by": 1,
        "parent_prediction": None, "parent_annotation": None, "last_created_by": None,
    }  # fmt: skip
    shared = {
        "file_upload": "x.json", "drafts": [], "predictions": [3], "meta": {}, "created_at": "2026-01-01",
        "updated_at": "2026-01-01", "inner_id": 1, "total_annotations": 1, "cancelled_annotations": 0,
        "total_predictions": 0, "comment_count": 0, "unresolved_comment_count": 0, "last_comment_updated_at": None,
        "project": 1, "updated_by": 1, "comment_authors": [], "allow_skip": True,
    }  # fmt: skip
    ann = {**mark(3, 6, "Ann"), "origin": "manual"}
    annotations = [
        {"id": 11, "completed_by": 1, "result": [ann, mark(7, 10, "Ann", "b")], **annotation},
        {"id": 12, "completed_by": {"id": 2, "email": "b@x.org"}, "result": [ann], **annotation},
        {"id": 13, "completed_by": 3, "result": [], **annotation, "was_cancelled": True},
    ]
    tasks = [
        {"id": 1, "annotations": annotations, **shared, "data": {"text": EMOJI, "case": "c1"}},
        {"id": 2, "annotations": [{"id": 14, "completed_by": 1, "result": [], **annotation}], **shared,
         "data": {"text": "Nothing"}},
        {"id": 3, "annotations": [], **shared, "data": {"text": "Not read"}},
    ]  # fmt: skip
    path = tmp_path / "project.json"
    path.write_text(json.dumps(tasks, ensure_ascii=False))
    return path


def test_an_export(tmp_path: Path) -> None:
    corpus = read_corpus(exported(tmp_path))
    one, two, three = corpus
    assert [(layer.annotator, [(m.start, m.end) for m in layer.mentions]) for layer in one.annotations] == [
        ("1", [(2, 5), (6, 9)]), ("b@x.org", [(2, 5)]),
    ]  # fmt: skip
    assert (two.annotations, three.annotations) == ((Annotation("1"),), ())
    assert corpus.notes == ("left aside: cancelled annotations (1)",)


def test_json_min_of_the_same(tmp_path: Path) -> None:
    """As Label Studio's converter makes it: a row an annotation, the cancelled one gone."""
    ann, again = (
        {"start": start, "end": start + 3, "text": "Ann", "labels": ["PERSON"]} for start in (3, 7)
    )  # UTF-16 units
    row = {"created_at": None, "updated_at": None, "lead_time": None}
    rows = [
        {"text": EMOJI, "case": "c1", "id": 1, "label": [ann, again], "annotator": 1, "annotation_id": 11, **row},
        {"text": EMOJI, "case": "c1", "id": 1, "label": [ann], "annotator": "b@x.org", "annotation_id": 12, **row},
        {"text": "Nothing", "id": 2, "annotator": 1, "annotation_id": 14, **row},
        {"text": "Not read", "id": 3, "annotator": None, "annotation_id": None, **row},
    ]
    corpus = read(tmp_path, *rows)
    whole = read_corpus(exported(tmp_path))
    assert [spans(corpus, number) for number in range(3)] == [spans(whole, number) for number in range(3)]
    assert [[layer.annotator for layer in one.annotations] for one in corpus] == [["1", "b@x.org"], ["1"], []]
    assert corpus.notes == ("not used, since the format does not know this key: case",)


BROWSER = [  # a text, where a mark is in it, and what a browser says is selected there
    ("a\n\nMr Ann\n  Lee.", (6, 15), "Ann\\nLee"),  # \n for a break, and white space beside it is gone
    ("Mr Ann\u00a0Lee.", (3, 10), "Ann Lee"),
    ("Mr Ann\u2009\u202f\u3000Lee.", (3, 12), "Ann Lee"),
    ("Mr Ann \t  Lee.", (3, 13), "Ann Lee"),
    ("Mr Ann\tLee.", (3, 10), "Ann\\tLee"),
    ("Mr Ann\r\nLee.", (3, 11), "Ann\\n\\nLee"),  # both of its characters are breaks
    ("Mr Ann\r\nLee.", (3, 10), "Ann Lee"),
    ("Mr Ann Lee .", (2, 11), "Ann Lee"),  # trimmed
    ("😀 Mr Ann\n\u00a0Lee.", (6, 14), "Ann\\n Lee"),  # UTF-16 units
    ("😀 Mr Ann\n\u00a0Lee.", (5, 13), "Ann Lee"),  # code points
]


@pytest.mark.parametrize(("text", "span", "covered"), BROWSER)
def test_white_space_is_as_a_browser_selects_it(tmp_path: Path, text: str, span: tuple[int, int], covered: str) -> None:
    result = mark(*span, covered)
    row = {"id": 1, "text": text, "label": [result["value"]], "annotator": 1, "annotation_id": 5}
    for record in (task(text, result), row):
        ((start, end),) = spans(read(tmp_path, record))
        assert "".join(text[start:end].split()) == "AnnLee"


def test_white_space_at_the_ends_does_not_blur_what_is_counted(tmp_path: Path) -> None:
    """As UTF-16 units the mark would be (2, 6), ' Ann'; as code points it reads exactly what it says."""
    assert spans(read(tmp_path, task("😀  Ann  Lee", mark(3, 7, "Ann ")))) == [(3, 7)]


@pytest.mark.parametrize("covered", ["Ann Le", "Ann-Lee", "AnnLea", "Lee Ann", "nAnn Lee"])
def test_another_text_is_refused_whatever_its_white_space(tmp_path: Path, covered: str) -> None:
    with pytest.raises(InputError, match="but the mark says"):
        read(tmp_path, task("Mr Ann\n Lee.", mark(3, 11, covered)))


def test_bytes_are_refused(tmp_path: Path) -> None:
    """Two bytes for the é move all that follows by one."""
    with pytest.raises(InputError, match="but the mark says"):
        read(tmp_path, task("René, Ann\nLee.", mark(7, 14, "Ann\\nLee")))


@pytest.mark.parametrize(
    ("text", "results", "found"),
    [
        (EMOJI, [mark(3, 6, "Ann"), mark(7, 10, "Ann", "b")], [(2, 5), (6, 9)]),  # UTF-16 units
        (EMOJI, [mark(2, 5, "Ann"), mark(6, 9, "Ann", "b")], [(2, 5), (6, 9)]),  # code points
        ("a\r\nb\r\nAnn", [mark(6, 9, "Ann")], [(6, 9)]),
        ("a\r\nb\r\nAnn", [mark(4, 7, "Ann")], [(6, 9)]),  # line breaks of two characters count one
        ("😀\r\nAnn\r\nLee", [mark(3, 10, "Ann\\nLee")], [(3, 11)]),  # both at once, and a break written as \n
        (TEXT, [mark("/p[1]/text()[1]", "/p[1]/text()[1]", "John Doe", "a", "hypertextlabels",
                     globalOffsets={"start": 3, "end": 11})], [(3, 11)]),
        (TEXT, [mark(3, 11)], [(3, 11)]),  # without the text that it covers, where it does not matter
    ],
)  # fmt: skip
def test_what_offsets_count_is_told_by_what_is_covered(
    tmp_path: Path, text: str, results: Any, found: list[tuple[int, int]]
) -> None:
    assert spans(read(tmp_path, task(text, *results))) == found


def test_a_dialogue(tmp_path: Path) -> None:
    data = {"text": [{"author": "A", "text": "Hi."}, {"author": "B", "text": "Mr Doe"}]}
    result = mark("1", "1", "Doe", "a", "paragraphlabels", startOffset=3, endOffset=6)
    corpus = read(tmp_path, task("", result, data=data))
    assert (corpus.documents[0].text, spans(corpus)) == ("Hi.\nMr Doe", [(7, 10)])
    assert corpus.notes == ("dialogues: their texts were put one a line, without who speaks (1)",)


def test_relations_and_choices(tmp_path: Path) -> None:
    relation = {"type": "relation", "from_id": "b", "to_id": "a", "direction": "right"}
    corpus = read(tmp_path, task(
        TEXT, mark(3, 11, "John Doe"), mark(15, 19, "Oslo", "b"), mark(20, 24, "left", "c"),
        {"id": "c", "type": "choices", "value": {"start": 20, "end": 24, "choices": ["NO_MASK"]}},
        {"id": "z", "type": "choices", "value": {"choices": ["DIRECT"]}},  # of the whole text
        {**relation, "labels": ["Same as"]}, {**relation, "labels": ["lives in"]}, relation,
    ))  # fmt: skip
    assert corpus.documents[0].annotations[0].mentions == (
        Mention(3, 11, "PERSON", "DIRECT", "a"), Mention(15, 19, "PERSON", "DIRECT", "a"),
        Mention(20, 24, "PERSON", "NO_MASK", "c"),
    )  # fmt: skip
    assert corpus.notes == (
        "left aside: results of type choices (1), relations lives in (1), relations without a label (1)",
    )


def test_a_mark_of_several_labels_is_one_entity(tmp_path: Path) -> None:
    result = mark(3, 11, "John Doe")
    result["value"]["labels"] = ["PERSON", "CODE"]
    row = {"id": 1, "text": TEXT, "label": [result["value"]], "annotator": 1, "annotation_id": 5}
    for record in (task(TEXT, result), row):
        mentions = read(tmp_path, record).documents[0].annotations[0].mentions
        assert [one.entity_type for one in mentions] == ["PERSON", "CODE"]
        assert len({one.entity_id for one in mentions} - {""}) == 1


def test_one_annotator_twice_is_two_layers(tmp_path: Path) -> None:
    twice = task(TEXT)
    twice["annotations"] = [{"id": n, "completed_by": 1, "result": []} for n in (4, 5)]
    assert [one.annotator for one in read(tmp_path, twice).documents[0].annotations] == ["1 (4)", "1 (5)"]


def test_old_files_and_predictions(tmp_path: Path) -> None:
    result = mark(3, 11, "John Doe")
    old = {"id": 1, "data": {"text": TEXT}, "completions": [{"id": 2, "result": [result]}]}
    assert spans(read(tmp_path, old)) == [(3, 11)]
    predicted = {"id": 1, "data": {"text": TEXT}, "annotations": [],
                 "predictions": [{"model_version": "m1", "score": 0.5, "result": [result]}]}  # fmt: skip
    corpus = read(tmp_path, predicted)
    assert (corpus.documents[0].annotations, corpus.notes) == ((), ("left aside: predictions of models (1)",))
    found = read_anonymization(tmp_path / "tasks.json", corpus)  # what a model predicts is a system's output
    assert [(one.start, one.end, one.entity_type) for one in found.of("1")] == [(3, 11, "PERSON")]


def test_scores_of_predictions(tmp_path: Path) -> None:
    results = [{**mark(3, 11, "John Doe"), "score": 0.25}, mark(15, 19, "Oslo", "b")]
    predicted = {"id": 1, "data": {"text": TEXT}, "predictions": [{"model_version": "m1", "result": results}]}
    corpus = read(tmp_path, predicted)
    found = read_anonymization(tmp_path / "tasks.json", corpus).of("1")
    assert found == [ScoredMask(3, 11, None, "PERSON", 0.25), TypedMask(15, 19, None, "PERSON")]
    results[0]["score"] = 25
    corpus = read(tmp_path, predicted)  # which knows nothing of it
    with pytest.raises(InputError, match=r"document 1: annotations\[0\]\.result\[0\]\.score: found 25; expected how"):
        read_anonymization(tmp_path / "tasks.json", corpus)


def test_other_keys(tmp_path: Path) -> None:
    data = {"body": TEXT, "title": "x", "case": 7, "ward": "w"}
    corpus = read(tmp_path, task("", mark(3, 11, "John Doe"), data=data), id_column="case", text_column="body",
                  group_by="ward")  # fmt: skip
    assert (corpus.ids, corpus.survey.groups, spans(corpus)) == (("7",), ("w",), [(3, 11)])


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (task(TEXT, mark(3, 99, "John Doe")),
         "document 1: annotations[0].result[0].value: end 99 is past the end of the text (25 characters)"),
        (task(TEXT, mark(3, 10, "John Doe")),
         "document 1: annotations[0].result[0].value: the text at 3–10 is 'John Do' but the mark says 'John Doe'"),
        (task(EMOJI, mark(2, 5, "Ann"), mark(7, 10, "Ann", "b")),
         "document 1: annotations[0].result[1].value: end 10 is past the end of the text (9 characters); in utf-16 it "
         "is not: say --offsets utf-16 if that is what is counted"),
        (task(EMOJI, mark(2, 5)),
         "document 1: annotations[0].result[0].value: has no text, so nothing shows whether offsets count UTF-16 "
         "units or code points, and here it matters"),
        (task(TEXT, mark("/p[1]", "/p[1]", "John", "a", "hypertextlabels")),
         "document 1: annotations[0].result[0].value: found start /p[1], end /p[1], no places in a plain text; "
         "expected whole numbers, or globalOffsets"),
        (task(TEXT, {"type": "brush", "id": "q", "value": {"start": 1, "end": 3}}),
         "document 1: annotations[0].result[0]: marks text and is of type brush; expected labels, hypertextlabels, "
         "paragraphlabels"),
        (task(TEXT, {"type": "relation", "from_id": "b", "to_id": "a", "labels": ["coref"]}),
         "document 1: annotations[0].result[0]: is to b, which is no mark"),
        (task(TEXT, mark(3, 11, "John Doe"), mark(15, 19, "Oslo")),
         "document 1: annotations[0].result[1].value: its id a is that of another mark"),
        (task("", data={"a": TEXT, "b": "x"}), "document 1: data: has several texts: a, b; choose with --text-column"),
        ({"id": 1, "data": {"text": TEXT}, "annotations": [{"result": None}]},
         "document number 1: annotations[0].result: found null; expected a list […]"),
        ({"id": 1, "text": TEXT, "label": [{"start": 3, "end": 11, "labels": "P"}], "annotator": 1, "annotation_id": 4},
         "document 1: label[0].labels: found text; expected a list […] or null"),
        ({"id": 1, "label": [{"start": 3, "end": 11, "labels": ["P"]}], "annotator": 1, "annotation_id": 4},
         "document 1: has no text; there are id, label, annotator, annotation_id"),
        ({"id": 1, "text": TEXT, "annotator": 1.5, "annotation_id": 4},
         "row 1: annotator: expected text or a whole number"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, record: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, record)
    assert str(caught.value) == f"{tmp_path / 'tasks.json'}: {line}"


def test_rows_of_one_task_have_one_text(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": text, "annotator": 1, "annotation_id": 4} for text in (TEXT, "x")]
    with pytest.raises(
        InputError, match="document 1: occurs with different texts; expected one text, marked by several"
    ):
        read(tmp_path, *rows)


def test_layers_identifiers_and_entities_are_written(tmp_path: Path) -> None:
    mentions = (
        Mention(2, 5, "PERSON", "DIRECT", "e1"),
        Mention(6, 9, "PERSON", "QUASI", "e1"),
        Mention(0, 1, "", "NO_MASK", "e2"),
    )
    documents = [Document("x", EMOJI, (Annotation("a@b", mentions), Annotation("c")), "g"), Document("y", "Oslo")]
    write_corpus(Corpus(documents), tmp_path / "out.json", "label-studio")
    assert list(read_corpus(tmp_path / "out.json")) == documents
