"""Backgrounds from files, TRI's records, and anonymized texts whatever a file holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, Document, InputError, read_background
from showthrough.formats import read_anonymized
from showthrough.formats.people.background import read_recorded

KNOWN = {"ann": "Ann is a surgeon", "bob": "Bob bakes"}
RECORDS = [
    {"name": "ann", "public_knowledge": "Ann is a surgeon", "ner": "PERSON cuts", "manual": "X", "dev": None},
    {"name": "bob", "public_knowledge": None, "ner": "PERSON bakes", "manual": "", "dev": None},
]


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


# What the attacker knows.


def test_an_object_as_tae_has_it(tmp_path: Path) -> None:
    found = read_background(write(tmp_path / "public.json", KNOWN))
    assert found.texts == KNOWN
    assert (found.name, found.source) == ("public", str(tmp_path / "public.json"))
    assert read_background(tmp_path / "public.json", name="web").name == "web"


def test_lines_and_lists(tmp_path: Path) -> None:
    rows = [{"doc_id": key, "text": text} for key, text in KNOWN.items()]
    lines = "\n".join(map(json.dumps, rows))
    assert read_background(write(tmp_path / "a.jsonl", lines)).texts == KNOWN
    assert read_background(write(tmp_path / "a.json", rows)).texts == KNOWN
    named = "\n".join(json.dumps({"id": key, "about": text}) for key, text in KNOWN.items())
    found = read_background(write(tmp_path / "b.jsonl", named), id_column="id", text_column="about")
    assert found.texts == KNOWN


def test_a_folder_and_a_table(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    for key, text in KNOWN.items():
        write(folder / f"{key}.txt", text)
    assert read_background(folder).texts == KNOWN
    assert (
        read_background(write(tmp_path / "a.csv", "doc_id,text\nann,Ann is a surgeon\nbob,Bob bakes\n")).texts == KNOWN
    )


def test_records_also_as_a_background_alone(tmp_path: Path) -> None:
    assert read_background(write(tmp_path / "tri.json", RECORDS)).texts == {"ann": "Ann is a surgeon", "bob": ""}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "", "is empty; expected a .json, .jsonl, .csv or .tsv file, or a folder"),
        ("a.json", "nothing", "starts with 'n'"),
        ("a.json", {"ann": 3}, "document ann: text: found a whole number; expected text"),
        ("a.json", '{"ann": "x", "ann": "y"}', "ann: occurs twice"),
        ("a.json", [{"doc_id": "ann"}], "record 1: text is missing"),
        ("a.json", [{"text": "x"}], "record 1: doc_id is missing"),
        ("a.json", ["x"], "record 1: found text; expected an object"),
        ("a.json", [{"doc_id": "", "text": "x"}], "record 1: doc_id: found no name; expected text"),
        ("a.json", [{"doc_id": None, "text": "x"}], "record 1: doc_id: found no name; expected text"),
        ("a.json", [{"doc_id": "a", "text": "x"}, {"doc_id": "a", "text": "y"}], "individual a: occurs twice"),
        ("a.jsonl", '{"doc_id": "a", "text": "x"}\n{"doc_id": "b"}', "line 2: text is missing"),
        ("a.jsonl", '{"doc_id": ', "line 1: is not valid JSON"),
    ],
)
def test_what_is_no_background(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_background(write(tmp_path / name, content))
    assert message in str(raised.value)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_background(tmp_path / "nothing.json")


def test_all_that_is_wrong_at_once(tmp_path: Path) -> None:
    rows = [{"doc_id": "a"}, {"doc_id": "b", "text": 3}, {"text": "x"}]
    with pytest.raises(InputError) as raised:
        read_background(write(tmp_path / "a.json", rows))
    assert len(raised.value.problems) == 3


# TRI's records.


def test_records_bring_their_documents(tmp_path: Path) -> None:
    found = read_recorded(write(tmp_path / "tri.json", RECORDS))
    assert found.background.texts == {"ann": "Ann is a surgeon", "bob": ""}
    assert found.documents == {
        "ner": {"ann": "PERSON cuts", "bob": "PERSON bakes"},
        "manual": {"ann": "X", "bob": ""},  # nothing was left of it, but it is there
    }


def test_a_document_may_be_missing_in_one_column(tmp_path: Path) -> None:
    records = [RECORDS[0], {key: value for key, value in RECORDS[1].items() if key != "ner"}]
    assert read_recorded(write(tmp_path / "tri.json", records)).documents["ner"] == {"ann": "PERSON cuts"}


def test_records_as_lines(tmp_path: Path) -> None:
    lines = write(tmp_path / "tri.jsonl", "\n".join(map(json.dumps, RECORDS)))
    assert set(read_recorded(lines).documents) == {"ner", "manual"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (KNOWN, "has no documents in it; expected records with name, public_knowledge"),
        ([{"name": "a", "public_knowledge": "x"}], "has nobody's documents"),
        (
            [{"name": "a", "public_knowledge": "x", "ner": 3}],
            "record 1: ner: found a whole number; expected text or null",
        ),
        ([{"name": "a", "ner": "x"}], "record 1: public_knowledge is missing"),
        ([RECORDS[0], RECORDS[0]], "individual ann: occurs twice"),
        ([], "has nobody's documents"),
    ],
)
def test_what_are_no_records(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_recorded(write(tmp_path / "tri.json", content))
    assert message in str(raised.value)


def test_the_real_records(data: Path) -> None:
    found = read_recorded(data / "wiki_actors/WikiActors_50_eval.json")
    assert len(found.background) == 50
    assert {name: len(texts) for name, texts in found.documents.items() if len(texts) != 50} == {"dev_abstract": 15}
    assert len(found.documents) == 10


# Anonymized texts.


CORPUS = Corpus([Document("ann", "Ann cuts"), Document("bob", "Bob bakes")], "two")
TEXTS = {"ann": "PERSON cuts", "bob": "PERSON bakes"}
MASKS = {"ann": [[0, 3, "PERSON"]], "bob": [[0, 3, "PERSON"]]}


@pytest.mark.parametrize("corpus", [None, CORPUS])
def test_texts_are_taken_as_they_are(tmp_path: Path, corpus: Corpus | None) -> None:
    rows = [{"doc_id": key, "text": text} for key, text in TEXTS.items()]
    for name, content in (("a.json", TEXTS), ("b.json", rows), ("c.jsonl", "\n".join(map(json.dumps, rows)))):
        assert read_anonymized(write(tmp_path / name, content), corpus) == TEXTS
    table = write(tmp_path / "d.csv", "doc_id,text\nann,PERSON cuts\nbob,PERSON bakes\n")
    assert read_anonymized(table, corpus) == TEXTS


def test_masks_are_applied_to_the_originals(tmp_path: Path) -> None:
    assert read_anonymized(write(tmp_path / "m.json", MASKS), CORPUS) == TEXTS
    lines = "\n".join(json.dumps({"doc_id": key, "masks": masks}) for key, masks in MASKS.items())
    assert read_anonymized(write(tmp_path / "m.jsonl", lines), CORPUS) == TEXTS


def test_masks_need_the_originals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds masks with offsets; expected --corpus with the originals"):
        read_anonymized(write(tmp_path / "m.json", MASKS))


def test_masks_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="past the end of the text"):
        read_anonymized(write(tmp_path / "m.json", {**MASKS, "ann": [[0, 99]]}), CORPUS)


def test_a_document_of_the_corpus_may_not_be_left_out(tmp_path: Path) -> None:
    for content in ({"ann": TEXTS["ann"]}, {"ann": MASKS["ann"]}):
        with pytest.raises(InputError, match="document bob: is in the corpus"):
            read_anonymized(write(tmp_path / "a.json", content), CORPUS)
