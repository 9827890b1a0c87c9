"""SPIA's corpora: who is in them, what is left out, what is refused, and that they come back as they were."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

from showthrough import (
    Annotation,
    Attribute,
    Corpus,
    Document,
    InputError,
    Mention,
    Subject,
    read_anonymization,
    read_corpus,
)
from showthrough.data.documents import LazyDocuments
from showthrough.formats.registry import recognise_format, same_format
from showthrough.formats.writing import write_checked
from showthrough.storage.file_heads import Head

DATA = Path(os.environ.get("SHOWTHROUGH_DATA", "/nowhere")) / "inference"
NAME = {"tag": "NAME", "keyword": "Raja", "certainty": 5, "hardness": 1}
UNSAID = {"tag": "AGE", "keyword": "", "certainty": 0, "hardness": 0}
DOUBTED = {"tag": "SEX", "keyword": "Male", "certainty": 0, "hardness": 2}
BLANK = {"tag": "POSITION", "keyword": "  ", "certainty": 3, "hardness": 1}


def case(name: Any = "a", *subjects: Any, **more: Any) -> dict[str, Any]:
    metadata = {"data_id": name, "number_of_subjects": len(subjects), "annotator": "annotator1"}
    return {"metadata": metadata, "text": "Raja of Oslo left.", "subjects": list(subjects), **more}


def person(name: Any, *said: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "description": f"number {name}", "PIIs": list(said), **more}


def lines(path: Path, *records: Any) -> Path:
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def told(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    return [line.removeprefix(f"{path.parent}/") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.data"])
def test_people_and_what_is_true_of_them(tmp_path: Path, name: str) -> None:
    age = {"tag": "AGE", "keyword": 46, "certainty": 3, "hardness": 4}
    path = lines(tmp_path / name, case("a", person(0, NAME, UNSAID, DOUBTED, BLANK), person("x", age)), case(7))
    assert recognise_format(Head(path), "read") == "spia"
    corpus = read_corpus(path)
    assert list(corpus) == [
        Document(
            "a",
            "Raja of Oslo left.",
            subjects=(
                Subject("0", (Attribute("NAME", "Raja", 5, 1),), "number 0"),
                Subject("x", (Attribute("AGE", "46", 3, 4),), "number x"),
            ),
        ),
        Document("7", "Raja of Oslo left."),
    ]
    assert (corpus.notes, corpus.survey.subjects, corpus.survey.tags) == ((), 2, ("AGE", "NAME"))
    assert isinstance(corpus.documents, LazyDocuments)
    window = pickle.loads(pickle.dumps(corpus.documents.window(0, 1)))  # noqa: S301 (as to another process)
    assert list(window) == [corpus.documents[0]]


def test_a_list_of_them_and_a_long_text(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([{**case("a", person(0, NAME)), "text": "Raja. " * 20_000}]))
    assert recognise_format(Head(path).closer(), "read") == "spia"
    assert read_corpus(path).survey.subjects == 1


def test_keys_that_users_name(tmp_path: Path) -> None:
    path = lines(tmp_path / "c.jsonl", case("a", who="b", said="Of Oslo.", patient=3))
    (document,) = read_corpus(path, id_column="who", text_column="said", group_by="patient")
    assert (document.id, document.text, document.group) == ("b", "Of Oslo.", "3")
    assert [one.group for one in read_corpus(path, group_by="id:^(.)")] == ["a"]


def test_what_is_wrong_is_told_in_a_line_each(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "c.jsonl",
        case("a", person(0, {**NAME, "certainty": 6}, {**NAME, "hardness": -1}), person("0", {**NAME, "tag": ""})),
        case("b", person(0, {**NAME, "certainty": "high"})),
        case("c", {"id": 0, "description": ""}),
        {"metadata": {"data_id": "d"}, "subjects": []},
        {"metadata": {"data_id": "e"}, "text": "x y"},
    )
    assert told(path) == [
        "c.jsonl: document a: subjects[1].id: found 0 a second time; expected every subject once",
        "c.jsonl: document a: subjects[0].PIIs[0].certainty: found 6; expected 0 to 5",
        "c.jsonl: document a: subjects[0].PIIs[1].hardness: found -1; expected 0 to 5",
        "c.jsonl: document a: subjects[1].PIIs[0].tag: is empty; expected a name, such as NAME or AGE",
        "c.jsonl: line 2: subjects[0].PIIs[0].certainty: found text; expected a whole number",
        "c.jsonl: line 3: subjects[0]: PIIs is missing",
        "c.jsonl: document d: text is missing; expected text (answers alone are no corpus)",
        "c.jsonl: document e: subjects is missing; expected a list of the people in the text",
    ]


def test_answers_alone_are_no_corpus(tmp_path: Path) -> None:
    path = lines(tmp_path / "c.jsonl", {"data_id": "a", "subjects": [person(0, NAME)]})
    assert told(path) == ["c.jsonl: document a: text is missing; expected text (answers alone are no corpus)"]


def test_another_number_of_subjects_than_was_said_is_told(tmp_path: Path) -> None:
    row = case("a", person(0, NAME))
    row["metadata"]["number_of_subjects"] = 3
    path = lines(tmp_path / "c.jsonl", row, case("b"))
    assert read_corpus(path).notes == ("documents have not as many subjects as number_of_subjects says (1)",)


def test_released_texts_are_read_without_people(tmp_path: Path) -> None:
    corpus = read_corpus(lines(tmp_path / "c.jsonl", case("a", person(0, NAME)), case("b")))
    metadata = {"metadata": {"data_id": "a"}, "text": "*** of Oslo left."}
    path = lines(tmp_path / "r.jsonl", metadata, {**case("b", person(0, NAME)), "text": "Raja of *** left."})
    masks = read_anonymization(path, corpus)
    assert [(one.start, one.end) for key in corpus.ids for one in masks.of(key)] == [(0, 4), (8, 12)]


def test_what_is_released_is_not_written_beside_people(tmp_path: Path) -> None:
    assert same_format(lines(tmp_path / "c.jsonl", case("a", person(0, NAME))), None) == "tab"


TEXT = some.text(some.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
LEVEL = some.integers(0, 5)
ATTRIBUTE = some.builds(Attribute, TEXT, TEXT.filter(str.strip), some.integers(1, 5), LEVEL)
SUBJECT = some.builds(Subject, some.one_of(TEXT, some.sampled_from(["0", "00", "12", "-1", "²", "9" * 30])),
                      some.lists(ATTRIBUTE, max_size=3).map(tuple), some.one_of(some.just(""), TEXT))  # fmt: skip
DOCUMENT = some.builds(
    Document,
    TEXT,
    TEXT,
    group=some.one_of(some.just(""), TEXT),
    subjects=some.lists(SUBJECT, max_size=3, unique_by=lambda one: one.id).map(tuple),
)


@pytest.mark.parametrize("format", ["spia", "tab", "jsonl"])
@settings(max_examples=25)
@given(documents=some.lists(DOCUMENT, min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_people_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, format: str, documents: list[Document]
) -> None:
    path = tmp_path_factory.mktemp("again") / ("c.json" if format == "tab" else "c.jsonl")
    assert write_checked(Corpus(documents), path, format).lost == []
    again = read_corpus(path, format=format)
    assert list(again) == documents
    assert again.digest == Corpus(documents).digest


def test_what_cannot_stand_in_it_is_told(tmp_path: Path) -> None:
    marks = (Annotation("ann", (Mention(0, 4, "PERSON", "DIRECT"),)),)
    people = (Subject("0", (Attribute("NAME", "Raja"),)),)
    corpus = Corpus([Document("a", "Raja left.", marks, split="train", subjects=people)])
    assert write_checked(corpus, tmp_path / "c.jsonl", "spia").lost == [
        "the name of 1 annotator (ann)",
        "the split of 1 document",
        "1 mark to be masked",
    ]
    assert "who is in 1 document and what is true of them" in write_checked(corpus, tmp_path / "c", "brat").lost


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the data of SPIA")
@pytest.mark.parametrize(
    ("name", "documents", "subjects", "values"),
    [("spia_tab_144", 144, 586, 3350), ("spia_panorama_151", 151, 360, 1201)],
)
def test_spias_own(tmp_path: Path, name: str, documents: int, subjects: int, values: int) -> None:
    corpus = read_corpus(DATA / f"{name}.jsonl.gz")
    assert (len(corpus), corpus.survey.subjects, corpus.notes) == (documents, subjects, ())
    assert sum(len(one.attributes) for each in corpus for one in each.subjects) == values
    assert write_checked(corpus, tmp_path / "again.jsonl", "spia").lost == []
    assert read_corpus(tmp_path / "again.jsonl").digest == corpus.digest
