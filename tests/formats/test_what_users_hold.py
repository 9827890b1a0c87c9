"""Files as users hold them: marks are found wherever they begin, and what cannot be read says what is nearest."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import FORMATS, Corpus, Document, InputError, read_anonymization, read_corpus
from showthrough.formats.registry import recognise_format
from showthrough.formats.samples import example
from showthrough.storage.file_heads import PEEK, Head

TEXT = "Mr John Doe of Oslo left."
OTHER = "😀 Ann Lee left."
DOE = {"start": 3, "end": 11, "label": "PERSON"}
LEE = {"start": 2, "end": 9, "label": "PERSON"}
CORPUS = Corpus([Document("a", TEXT), Document("b", OTHER)])


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def annotated(marks: list[tuple[int, int]], annotator: str = "ann") -> dict[str, Any]:
    found = [{"start_offset": start, "end_offset": end, "entity_type": "PERSON"} for start, end in marks]
    return {annotator: {"entity_mentions": found}}


def spans(path: Path, **asked: Any) -> list[list[tuple[int, int]]]:
    """What is masked in both documents."""
    system = read_anonymization(path, CORPUS, **asked)
    return [[(mask.start, mask.end) for mask in system.of(key)] for key in ("a", "b")]


def one_file(name: str) -> tuple[str, Any] | None:
    """The sample of a format whose files are JSON objects, decoded."""
    files = example(FORMATS[name])
    for file, content in files.items():
        if len(files) == 1 and file.endswith((".json", ".jsonl")):
            rows = [json.loads(line) for line in content.splitlines()] if file.endswith("l") else json.loads(content)
            return file, rows
    return None


JSON = [name for name in FORMATS.built_in if one_file(name)]
RECORDS = [name for name in JSON if name not in ("masks", "showthrough", "texts", "spacy-pairs")]


def first_and_long(record: dict[str, Any], long: str) -> dict[str, Any]:
    """A record that begins with its text, which is longer than what is looked at."""
    grown = json.loads(json.dumps(record).replace(json.dumps(TEXT), json.dumps(long)))
    return dict(sorted(grown.items(), key=lambda item: long not in json.dumps(item[1])))


@pytest.mark.parametrize("name", JSON)
def test_only_the_right_format_takes_a_sample(tmp_path: Path, name: str) -> None:
    file, rows = one_file(name) or ("", None)
    kinds: list[Any] = [rows]
    if name in RECORDS:
        kinds += [[{**row, "zzz": "q"} for row in rows], [{"zzz": "q", **row} for row in rows]]
        kinds += [[dict(reversed(row.items())) for row in rows], [dict(sorted(row.items())) for row in rows]]
    for kind in kinds:
        path = tmp_path / file
        path.write_text("\n".join(map(json.dumps, kind)) if file.endswith("l") else json.dumps(kind))
        for task in ("read", "read_anonymization"):
            if getattr(FORMATS[name], task) is not None:
                assert recognise_format(Head(path), task) == name  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RECORDS)
def test_keys_behind_a_long_text_tell(tmp_path: Path, name: str) -> None:
    file, rows = one_file(name) or ("", None)
    long = TEXT + " x" * PEEK
    grown = [first_and_long(row, long) for row in rows]
    path = tmp_path / file
    path.write_text("\n".join(map(json.dumps, grown)) if file.endswith("l") else json.dumps(grown))
    unmarked = ("records", "spia", "profiles")
    expected = 0 if name in unmarked else 1 if name in ("dlp", "azure") else 2  # what the samples show
    assert read_corpus(path).survey.mentions == expected
    if FORMATS[name].read_anonymization is not None:
        system = read_anonymization(path, Corpus([Document("case-1", long)]))
        assert len(system.of("case-1")) == expected


@pytest.mark.parametrize(
    ("name", "content"), [("x.jsonl", "[{}, {}]"), ("x.json", "{}\n{}"), ("x.jsonl", "[\n {},\n {}\n]")]
)
def test_the_ending_does_not_matter(tmp_path: Path, name: str, content: str) -> None:
    one, two = ({"id": key, "text": text} for key, text in (("a", TEXT), ("b", OTHER)))
    head, _, rest = content.partition("{}")
    between, _, tail = rest.partition("{}")
    (tmp_path / name).write_text(head + json.dumps(one) + between + json.dumps(two) + tail)
    assert list(read_corpus(tmp_path / name)) == list(CORPUS)


@pytest.mark.parametrize("first", [{}, {"spans": None}, {"spans": []}])
def test_the_first_record_may_have_no_spans(tmp_path: Path, first: dict[str, Any]) -> None:
    """An id is one whoever's spans they are."""
    for key in ("id", "doc_id"):
        records = {key: "a", "text": TEXT, **first}, {key: "b", "text": OTHER, "spans": [LEE]}
        path = lines(tmp_path / "x.jsonl", *records)
        assert spans(path) == [[], [(2, 9)]]
        corpus = read_corpus(path)
        assert (corpus.ids, corpus.survey.mentions, corpus.notes) == (("a", "b"), 1, ())
        (tmp_path / "x.json").write_text(json.dumps(records))
        assert spans(tmp_path / "x.json") == [[], [(2, 9)]]


def test_what_prodigy_tells_texts_by_goes_before_an_id(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", {"_input_hash": 7, "id": "a", "text": TEXT, "spans": [DOE], "answer": "accept"})
    corpus = read_corpus(path)
    assert corpus.ids == ("7",)
    assert corpus.notes == ("not used, since the format does not know this key: id",)


def test_spans_in_a_string_beside_our_own_keys(tmp_path: Path) -> None:
    row = {"doc_id": "a", "text": TEXT, "spans": str([DOE])}, {"doc_id": "b", "text": OTHER, "spans": "[]"}
    assert spans(lines(tmp_path / "x.jsonl", *row)) == [[(3, 11)], []]
    assert read_corpus(tmp_path / "x.jsonl").survey.mentions == 1


def test_tags_beside_our_own_keys(tmp_path: Path) -> None:
    tokens, tags = TEXT.split(), ["O", "B-PER", "I-PER", "O", "B-LOC", "O"]
    path = lines(tmp_path / "x.jsonl", {"doc_id": "a", "text": TEXT, "tokens": tokens, "ner_tags": tags})
    assert read_corpus(path).survey.mentions == 2


MARKS = {
    "label": [{**DOE, "labels": ["PERSON"], "text": "John Doe"}],  # as Label Studio's own CSV has them
    "entities": [[3, 11, "PERSON"]],
    "results": [{"entity_type": "PERSON", "start": 3, "end": 11, "score": 0.85}],
    "spans": [DOE],
}


@pytest.mark.parametrize("printed", [json.dumps, str])
@pytest.mark.parametrize("column", MARKS)
def test_marks_in_cells_of_a_table(tmp_path: Path, column: str, printed: Any) -> None:
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("doc_id", "text", column), ("a", TEXT, printed(MARKS[column])), ("b", OTHER, "[]")]
        )
    assert spans(path) == [[(3, 11)], []]
    assert read_corpus(path).survey.mentions == 1


def test_a_text_that_looks_like_a_list_stays_a_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id,text,spans\na,"[[1, 2, ""x""]]","[[2, 3, ""A""]]"\n')
    assert [one.text for one in read_corpus(path)] == ['[[1, 2, "x"]]']


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_annotations_of_a_system_are_not_taken_for_released_texts(tmp_path: Path, name: str) -> None:
    """As a program's marks; but people's, in texts that are all there, hide nothing and must not look so."""
    (layer,) = annotated([(3, 11)]).values()
    path = tmp_path / name

    def write(annotator: str) -> None:
        records = [
            {"doc_id": "a", "text": TEXT, "annotations": {annotator: layer}},
            {"doc_id": "b", "text": OTHER, "annotations": None},
        ]
        path.write_text(json.dumps(records) if name == "x.json" else "\n".join(map(json.dumps, records)))

    write("silver(rules.v1)")
    assert spans(path) == [[(3, 11)], []]
    notes = read_anonymization(path, CORPUS).notes
    assert notes == ("its texts are the corpus's: what programs annotated in them was taken as masked",)
    write("Ann")
    with pytest.raises(InputError, match=r"annotated by Ann: nothing in them is hidden; .* --to masks"):
        read_anonymization(path, CORPUS)


def test_annotations_that_were_handed_on_mask_nothing(tmp_path: Path) -> None:
    """Whoever writes the corpus again has hidden nothing, and is not to be praised for its annotations."""
    path = lines(tmp_path / "gold.jsonl", {"doc_id": "a", "text": TEXT, "annotations": annotated([(3, 11)])})
    gold = read_corpus(path)
    again = lines(tmp_path / "again.jsonl", json.loads(path.read_text()))
    same = read_anonymization(again, gold)
    assert (list(same.of("a")), same.notes) == (
        [], ("its texts and annotations are the corpus's own: nothing is masked",),
    )  # fmt: skip
    released = {"doc_id": "a", "text": "Mr *** of Oslo left.", "annotations": annotated([(15, 19)])}
    masked = read_anonymization(lines(again, released), gold)
    assert [(mask.start, mask.end) for mask in masked.of("a")] == [(3, 11)]
    assert masked.notes == ("its texts were taken as released, and its annotations were not used",)


def test_columns_beside_released_texts_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(f"id,text,year\na,{TEXT},1996\nb,{OTHER},1997\n")
    told = read_anonymization(tmp_path / "x.csv", CORPUS).notes
    assert told == ("not used, since the format does not know this column: year",)
    (tmp_path / "x.csv").write_text("id,start,end,score,who\na,3,11,0.9,me\n")
    told = read_anonymization(tmp_path / "x.csv", CORPUS).notes
    assert told[0] == "not used, since the format does not know this column: who"


@pytest.mark.parametrize(
    ("records", "fault"),
    [
        (
            [{"id": "a", "text": TEXT, "entities": [DOE]}],
            "key entities: looks like marks, .*; nearest is spacy-json: {",
        ),
        ([{"text": TEXT, "entities": [DOE]}] * 9, "key entities: looks like marks, .*; nearest is spacy-json: {"),
        ([{"id": "a", "text": TEXT, "entities": [{"value": "Doe", "type": "P"}]}], "key entities: looks like marks"),
    ],
)
def test_marks_of_no_format_are_refused_in_one_line(tmp_path: Path, records: list[Any], fault: str) -> None:
    path = lines(tmp_path / "x.jsonl", *records)
    for read in (read_corpus, lambda path: read_anonymization(path, CORPUS)):
        with pytest.raises(InputError, match=fault) as error:
            read(path)  # type: ignore[operator]
        assert len(error.value.problems) == 1


def test_what_no_format_has_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({key: [{"start": 3, "stop": 11}] for key in ("a", "b")}))
    with pytest.raises(InputError, match=r"document a: masks\[0\]: .* expected a list .*; its keys are start, stop$"):
        read_anonymization(path, CORPUS)
    path.write_text(json.dumps(dict.fromkeys(("a", "b"), MARKS["results"])))
    with pytest.raises(
        InputError, match=r"x\.json: its answers have no original texts; expected one beside each answer"
    ):
        read_corpus(path)
    (tmp_path / "x.txt").write_text(TEXT)
    with pytest.raises(InputError, match=r"is one text; expected .* a folder of \.txt files"):
        read_corpus(tmp_path / "x.txt")


def test_lists_of_answers_one_a_line(tmp_path: Path) -> None:
    assert spans(lines(tmp_path / "x.jsonl", MARKS["results"], [])) == [[(3, 11)], []]


def test_recognising_reads_64_kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lines(tmp_path / "x.jsonl", *[{"id": 1, "text": "x" * 3 * PEEK, "spans": [DOE]}] * 9)
    head = Head(path)
    assert recognise_format(head, "read") is not None
    assert len(head.start) == PEEK
    assert PEEK < len(head.closer().start) < path.stat().st_size
