"""The native corpus format: one JSON list, or one document a line that is decoded when it is asked for."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from showthrough import (
    Annotation,
    Attribute,
    Corpus,
    Document,
    InputError,
    Mention,
    Subject,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.data.documents import CHUNK_CHARACTERS
from showthrough.formats.base import Input
from showthrough.formats.benchmarks.tab import read_lines, record
from showthrough.formats.lines import LineDocuments
from showthrough.formats.writing import write_checked
from showthrough.storage.file_heads import Head
from showthrough.systems.surrogates.replacement import surrogates

FULL: dict[str, Any] = {
    "doc_id": "001-1",
    "text": "😀 Mr John Doe.",
    "annotations": {
        "annotator1": {
            "entity_mentions": [
                {
                    "entity_type": "PERSON",
                    "entity_mention_id": "001_em0",
                    "start_offset": 5,
                    "end_offset": 13,
                    "span_text": "John Doe",
                    "edit_type": "check",
                    "identifier_type": "DIRECT",
                    "entity_id": "001_e0",
                    "confidential_status": "NOT_CONFIDENTIAL",
                }
            ]
        }
    },
    "dataset_type": "train",
    "task": "Task: …",
    "meta": {"year": 1996},
    "quality_checked": True,
}


def read(path: Path, content: Any) -> list[Document]:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return list(read_corpus(path))


def test_a_document_as_TAB_writes_it(tmp_path: Path) -> None:  # noqa: N802 (the name of the corpus)
    mention = Mention(5, 13, "PERSON", "DIRECT", "001_e0", "NOT_CONFIDENTIAL", "check")
    layers = (Annotation("annotator1", (mention,)),)
    fields = {"task": "Task: …", "meta": {"year": 1996}}
    expected = [Document("001-1", "😀 Mr John Doe.", layers, split="train", reviewed=("annotator1",), fields=fields)]
    assert read(tmp_path / "x.json", [FULL]) == expected
    assert read(tmp_path / "x.jsonl", json.dumps(FULL)) == expected
    assert read(tmp_path / "again.json", [record(expected[0])]) == expected


def test_fields_of_documents_are_found_by_name(tmp_path: Path) -> None:
    """TAB has some of them as JSON in a string."""
    task = "Task: Annotate the document to anonymise the following person: Henrik Hasslund"
    meta = {"year": 2008, "articles": [6, 13, 6], "countries": '["DNK", "POL"]', "none": None, "applicant": "H. H."}
    (one,) = read(tmp_path / "x.json", [{**FULL, "task": task, "meta": meta}])
    assert [one.field_values(name) for name in ("year", "meta.year", "articles", "countries", "none", "court")] == [
        ("2008",), ("2008",), ("6", "13"), ("DNK", "POL"), (), ()
    ]  # fmt: skip
    assert (one.field_values("task"), one.protected) == ((task,), "Henrik Hasslund")
    (two,) = read(tmp_path / "x.json", [{**FULL, "task": None, "meta": json.dumps(meta)}])
    assert (two.field_values("meta.articles"), two.field_values("year"), two.protected) == (
        ("6", "13"),
        ("2008",),
        "H. H.",
    )
    (three,) = read(tmp_path / "x.json", [{**FULL, "task": "Task: …", "meta": "[not JSON"}])
    assert (three.field_values("meta"), three.field_values("meta.year")) == (("[not JSON",), ())
    assert three.protected == ""


def test_fields_are_written_as_they_were(tmp_path: Path) -> None:
    fields = {"task": "Task: …", "meta": {"year": 1996, "articles": "[6, 13]"}}
    before = read(tmp_path / "x.json", [{**FULL, **fields}])
    for name, format in (("again.json", "tab"), ("again.jsonl", "jsonl")):
        assert write_checked(Corpus(before), tmp_path / name, format).lost == []
        assert [one.fields for one in read_corpus(tmp_path / name)] == [fields]
    lost = write_checked(Corpus(before), tmp_path / "again.csv", "table").lost
    assert "what else is said of 1 document (its task, its meta)" in lost


def test_a_surrogate_says_nothing_of_the_original() -> None:
    """Its task names the very person."""
    meant = Document("d", "Mr Doe", (Annotation("a", (Mention(3, 6, "PERSON"),)),), fields={"task": "person: Doe"})
    (made,) = surrogates(Corpus([meant])).corpus
    assert made.fields == {}


@pytest.mark.parametrize(
    ("said", "reviewed"),
    [(True, ("annotator1",)), (False, ()), (None, None), ([], ()), (["b", "annotator1"], ("b", "annotator1"))],
)
def test_whose_work_was_reviewed(said: Any, reviewed: tuple[str, ...] | None, tmp_path: Path) -> None:
    """True: that of all annotators. An empty list says that nobody looked, which no list does not."""
    assert read(tmp_path / "x.json", [{**FULL, "quality_checked": said}])[0].reviewed == reviewed


def test_no_number_hangs_on_splits_and_reviews() -> None:
    """So the digest does not either; what annotators did to a mark is part of it."""
    plain = Document("d", "Mr Doe", (Annotation("a", (Mention(3, 6),)),))
    assert plain.digest() == msgspec.structs.replace(plain, split="test", reviewed=("a",)).digest()
    assert plain.digest() != msgspec.structs.replace(plain, group="g").digest()


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (..., ()),
        (None, ()),
        ({}, ()),
        ({"a": {"entity_mentions": []}}, (Annotation("a"),)),
        (
            {"a": {"entity_mentions": [{"start_offset": 0, "end_offset": 2}]}},
            (Annotation("a", (Mention(0, 2, "", "QUASI", "", None),)),),
        ),
        (
            {"a": {"entity_mentions": [{"start_offset": 0, "end_offset": 2, "entity_id": 7, "span_text": None}]}},
            (Annotation("a", (Mention(0, 2, "", "QUASI", "7", None),)),),
        ),
    ],
)
def test_optional_keys_may_be_missing(annotations: Any, expected: Any, tmp_path: Path) -> None:
    document = {"doc_id": "d", "text": "Mr Doe", "annotations": annotations}
    if annotations is ...:
        del document["annotations"]
    for name in ("x.json", "x.jsonl"):
        content = [document] if name == "x.json" else json.dumps(document)
        assert read(tmp_path / name, content) == [Document("d", "Mr Doe", expected)]


def test_a_text_that_speaks_of_keys_is_no_key(tmp_path: Path) -> None:
    text = 'say "entity_mentions" twice: "entity_mentions"'
    assert read(tmp_path / "x.json", [{**FULL, "text": text, "annotations": None}]) == [
        Document("001-1", text, split="train", reviewed=(), fields={"task": "Task: …", "meta": {"year": 1996}})
    ]
    other = {**FULL, "more": {"entity_mentions": [], "deep": {"entity_mentions": []}}}
    assert [document.id for document in read(tmp_path / "x.json", [other])] == ["001-1"]


def test_problems_of_all_documents_at_once(tmp_path: Path) -> None:
    wrong = [{**FULL, "doc_id": "a", "text": 5}, FULL, {"doc_id": "b"}, {"text": "x"}, 5]
    places = ["document a: text", "document b", "document number 4", "document number 5"]
    with pytest.raises(InputError) as caught:
        read(tmp_path / "x.json", wrong)
    assert [problem.place for problem in caught.value.problems] == places
    with pytest.raises(InputError) as caught:
        read(tmp_path / "x.jsonl", "\n".join(map(json.dumps, wrong)))
    assert [problem.place for problem in caught.value.problems] == [*places[:2], "line 4", "line 5"]


# --- one document a line ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["\n", "\r\n"], ids=["LF", "CRLF"])
def lines(request: pytest.FixtureRequest, tmp_path: Path) -> LineDocuments:
    path = tmp_path / "x.jsonl"
    documents = [json.dumps({"doc_id": str(number), "text": f"😀 text {number}"}) for number in range(10)]
    path.write_bytes(b"\xef\xbb\xbf" + (request.param + request.param.join(documents)).encode())
    return read_lines(Input(Head.of(path)))


def ids(documents: Any) -> str:
    return "".join(document.id for document in documents)


def test_lines_are_a_sequence(lines: LineDocuments) -> None:
    assert len(lines) == 10
    assert ids(lines) == ids(lines[:]) == "0123456789"
    assert (lines[0].id, lines[9].id, lines[-1].id, lines[-10].id) == ("0", "9", "9", "0")
    assert lines[3] == Document("3", "😀 text 3")
    assert [ids(lines[2:5]), ids(lines[-3:]), ids(lines[::4]), ids(lines[::-3]), ids(lines[7:2])] == [
        "234", "789", "048", "9630", "",
    ]  # fmt: skip
    assert ids(reversed(lines)) == "9876543210"
    assert lines[4] in lines
    assert lines.index(lines[6]) == 6


@pytest.mark.parametrize("index", [10, -11, 99])
def test_no_line_past_the_end(lines: LineDocuments, index: int) -> None:
    with pytest.raises(IndexError):
        lines[index]


def test_a_window_is_a_sequence_of_its_own(lines: LineDocuments) -> None:
    window = lines.window(3, 7)
    assert (len(window), ids(window), window[-1].id, ids(window[1:3])) == (4, "3456", "6", "45")
    assert ids(window.window(1, 3)) == "45"


def test_lines_travel_to_another_process(lines: LineDocuments) -> None:
    assert lines[0].id == "0"  # the file is open now
    for sequence in (lines, lines.window(3, 7)):
        copy: LineDocuments = pickle.loads(pickle.dumps(sequence))  # noqa: S301 (our own bytes; so workers get them)
        assert list(copy) == list(sequence)


def test_packed_lines_can_be_taken_in_any_order(lines: LineDocuments, tmp_path: Path) -> None:
    packed = tmp_path / "y.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "x.jsonl").read_bytes()))
    other = read_lines(Input(Head.of(packed)))
    assert [other[index] for index in (9, 0, 5)] == [lines[index] for index in (9, 0, 5)]


def test_a_corpus_of_lines_is_the_corpus_of_the_list(tmp_path: Path) -> None:
    documents = [{**FULL, "doc_id": str(number)} for number in range(300)]  # more than are decoded at once
    (tmp_path / "x.json").write_text(json.dumps(documents))
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, documents)))
    one, two = read_corpus(tmp_path / "x.json"), read_corpus(tmp_path / "x.jsonl")
    assert list(one) == list(two)
    assert (one.ids, one.digest) == (two.ids, two.digest)
    assert list(two.part(range(7, 9))) == list(one)[7:9]
    assert isinstance(two.part(range(7, 9), lazy=True).documents, LineDocuments)


# --- numbers do not depend on how the corpus is cut or by whom it is scored -------------------------------------------


@pytest.fixture
def written(tmp_path: Path, tiny: Corpus) -> tuple[Path, Path]:
    """A corpus of 30 documents as JSON Lines, and masks that hit some mentions, half hit others and miss the rest."""
    corpus, masks = tmp_path / "corpus.jsonl", tmp_path / "masks.jsonl"
    with corpus.open("w") as documents, masks.open("w") as hidden:
        for number in range(10):
            for document in tiny:
                layers = {
                    layer.annotator: {
                        "entity_mentions": [
                            {
                                "start_offset": one.start,
                                "end_offset": one.end,
                                # Types that only some documents have: chunks then differ in their columns.
                                "entity_type": one.entity_type if number % 3 else f"{one.entity_type}{number}",
                                "identifier_type": one.identifier,
                                "entity_id": one.entity_id,
                            }
                            for one in layer.mentions
                        ]
                    }
                    for layer in document.annotations
                }
                key = f"{document.id}-{number}"
                print(json.dumps({"doc_id": key, "text": document.text, "annotations": layers}), file=documents)
                spans = [[start, start + 4] for start in range(number % 4, len(document.text) - 4, 5 + number)]
                print(json.dumps({"doc_id": key, "masks": spans}), file=hidden)
    return corpus, masks


def chunked(monkeypatch: pytest.MonkeyPatch, characters: int) -> None:
    original = Corpus.chunks

    def chunks(self: Corpus, characters_: int = characters, start: int = 0) -> Iterator[range]:
        return original(self, characters_, start)

    monkeypatch.setattr(Corpus, "chunks", chunks)


def test_chunks_cover_every_document_once(written: tuple[Path, Path]) -> None:
    corpus = read_corpus(written[0])
    assert list(corpus.chunks()) == [range(30)]
    for characters in (1, 40, 200, CHUNK_CHARACTERS):
        for start in (0, 7, 29, 30):
            assert [number for chunk in corpus.chunks(characters, start) for number in chunk] == list(range(start, 30))


@pytest.mark.parametrize(("characters", "jobs"), [(1, 1), (90, 1), (200, 2)])
def test_chunks_and_jobs_change_no_bit(
    characters: int, jobs: int, written: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, masks = read_corpus(written[0]), read_anonymization(written[1], name="x")
    whole = evaluate(corpus, [masks], resamples=50)
    chunked(monkeypatch, characters)
    assert len(list(corpus.chunks())) > 3
    done: list[int] = []
    parts = evaluate(corpus, [masks], resamples=50, jobs=jobs, progress=lambda count, total: done.append(count))
    assert parts.scores == whole.scores
    assert parts.rows == whole.rows
    assert done == sorted(done)
    assert done[-1] == 30


@pytest.mark.parametrize("value", [b"1e999999", b'"\x80"'])
def test_what_nobody_reads_may_be_no_json(tmp_path: Path, value: bytes) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(b'[{"doc_id": "a", "text": "Oslo", "strange": ' + value + b"}]")
    corpus = read_corpus(path)
    assert corpus.ids == ("a",)
    assert corpus.notes == ("documents have values that are no JSON, under keys that the format does not know (1)",)


def about(start: int, end: int, kind: str, **whom: Any) -> dict[str, Any]:
    return {"start_offset": start, "end_offset": end, "entity_type": kind, **whom}


@pytest.mark.parametrize("name", ["c.json", "c.jsonl"])
def test_mentions_say_whom_they_are_about(tmp_path: Path, name: str) -> None:
    text = "Mr John  Doe of Oslo, no. 7/10, of Rome, and Ann in 2011. Oslo!"
    first = [about(3, 12, "PERSON", subject=1), about(16, 20, "LOC", subject_id="1"), about(26, 30, "CODE", subject=1),
             about(45, 48, "PERSON", subject="ann"), about(35, 39, "LOC")]  # fmt: skip
    second = [about(58, 62, "LOC", subject=1), about(16, 20, "ORG", subject=1),
              about(52, 56, "DATETIME", subject="ann"), about(3, 12, "PERSON", subject=""),
              about(35, 39, "LOC", subject=1, subject_id="ann")]  # fmt: skip
    layers = {"a": {"entity_mentions": first}, "b": {"entity_mentions": second}}
    stated = [{"id": "ann", "description": "who met him", "attributes": [{"tag": "SEX", "value": "female"}]}]
    row = {"doc_id": "d", "text": text, "annotations": layers, "subjects": stated}
    content = json.dumps(row) + "\n" if name.endswith("l") else [row]
    path = tmp_path / name
    (document,) = read(path, content)
    said = {
        "NAME": ["John Doe"],
        "LOCATION": ["Oslo", "Rome"],
        "IDENTIFICATION_NUMBER": ["7/10"],
        "AFFILIATION": ["Oslo"],
    }
    doe, ann = sorted(document.subjects, key=lambda one: one.id)
    assert (doe.id, doe.description) == ("1", "")
    assert {tag: [one.value for one in doe.attributes if one.tag == tag] for tag in said} == said
    assert {(one.certainty, one.hardness) for one in doe.attributes} == {(5, 1)}
    assert ann == Subject(
        "ann",
        (Attribute("SEX", "female"), Attribute("NAME", "Ann", 5, 1), Attribute("DATETIME", "2011", 5, 1)),
        "who met him",
    )
    assert read(tmp_path / "again.json", [record(document)]) == [document]  # as a list of their own


def test_a_mention_about_somebody_needs_a_type(tmp_path: Path) -> None:
    layer = {"entity_mentions": [{"start_offset": 0, "end_offset": 3, "subject": "ann"}]}
    with pytest.raises(InputError) as caught:
        read(tmp_path / "c.json", [{"doc_id": "d", "text": "Ann left.", "annotations": {"a": layer}}])
    place = "document d: annotations.a.entity_mentions[0]: has a subject and no entity_type"
    assert str(caught.value).startswith(f"{tmp_path / 'c.json'}: {place}; expected one")


def test_people_twice(tmp_path: Path) -> None:
    row = {"doc_id": "d", "text": "Ann left.", "subjects": [{"id": 1}, {"id": "1"}]}
    with pytest.raises(InputError, match=r"document d: subjects\[1\]\.id: found 1 a second time"):
        read(tmp_path / "c.json", [row])
