"""What formats of JSON objects share, on one that is made up: ids, keys, columns, lines that are decoded late."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest

from showthrough import FORMATS, Annotation, Document, InputError, read_anonymization, read_corpus
from showthrough.formats.base import Fit, Format
from showthrough.formats.clinical.phi import masks_from
from showthrough.formats.lines import LineDocuments
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.storage.file_heads import Head, first_value


class Mark(msgspec.Struct):
    aside = ("colour",)

    start: int
    end: int
    kind: str
    covered: str | None = None


class Note(msgspec.Struct, rename={"id": "uid", "text": "body"}):
    text: str
    marks: list[Mark]
    id: Id = None
    group: str = ""


def note(wire: Note, entry: Entry) -> Document:
    name = entry.named(wire.id)
    mentions = tuple(
        entry.mention(wire.text, mark.start, mark.end, mark.kind, covered=mark.covered, field=f"marks[{number}]")
        for number, mark in enumerate(wire.marks)
    )
    return Document(name, wire.text, (Annotation("us", mentions),), wire.group)


OBJECTS = Objects(Note, note)
ONE = {"uid": 7, "body": "😀 Ann left.", "marks": [{"start": 2, "end": 5, "kind": "PERSON", "covered": "Ann"}]}
TWO = {"uid": "b", "body": "Oslo.", "marks": []}


@pytest.fixture(autouse=True)
def notes() -> Any:
    FORMATS.register(
        "notes",
        Format(
            "our notes",
            (".json", ".jsonl"),
            lambda head: Fit.SURE if isinstance(head.first, dict) and "marks" in head.first else Fit.NO,
            OBJECTS.read,
            masks_from(OBJECTS.read),
        ),
    )
    yield
    del FORMATS["notes"]


def written(path: Path, *records: Any) -> Path:
    lines = path.suffix == ".jsonl"
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records))
    return path


@pytest.mark.parametrize("name", ["n.json", "n.jsonl"])
def test_numeric_ids_are_ids(tmp_path: Path, name: str) -> None:
    corpus = read_corpus(written(tmp_path / name, ONE, TWO))
    assert corpus.ids == ("7", "b")
    assert [(one.start, one.end) for one in corpus.documents[0].annotations[0].mentions] == [(2, 5)]
    assert corpus.notes == ()


def test_one_object_alone_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_text(json.dumps(ONE, indent=1))
    assert read_corpus(path).ids == ("7",)


def test_lines_are_decoded_late_and_travel(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path / "n.jsonl", *({**TWO, "uid": None, "body": str(n)} for n in range(9))))
    part = corpus.part(range(4, 6), lazy=True).documents
    assert isinstance(part, LineDocuments)
    assert [one.id for one in pickle.loads(pickle.dumps(part))] == ["5", "6"]  # noqa: S301 (our own bytes)
    assert corpus.notes == ("its documents have no ids: they are numbered, from 1 on",)


def test_lines_tell_themselves_whatever_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n")
    assert Head(path).lines
    assert read_corpus(path).ids == ("7", "b")


def test_other_columns(tmp_path: Path) -> None:
    record = {"case": 12, "uid": "x", "body": "Oslo.", "marks": [], "ward": "a"}
    corpus = read_corpus(written(tmp_path / "n.jsonl", record), id_column="case", group_by="ward")
    assert (corpus.ids, corpus.survey.groups) == (("12",), ("a",))
    assert corpus.notes == ("not used, since the format does not know this key: uid",)


def test_keys_that_were_not_used_are_named(tmp_path: Path) -> None:
    marks = [{**ONE["marks"][0], "colour": "red", "sure": 0.3}]  # type: ignore[dict-item]
    corpus = read_corpus(written(tmp_path / "n.json", {**ONE, "marks": marks, "who": "me"}, TWO))
    assert len(corpus.notes) == 1
    assert corpus.notes[0].startswith("not used, since the format does not know these keys: ")
    assert {"who", "marks[].sure"} == set(corpus.notes[0].rpartition(": ")[2].split(", "))


@pytest.mark.parametrize("spans", [[{"begin": 0, "end": 4}], {"LOC": [[0, 4]]}, [[0, 4, "LOC"]]])
def test_marks_under_another_key_are_not_taken_for_none(tmp_path: Path, spans: Any) -> None:
    with pytest.raises(InputError, match="key entities: looks like marks"):
        read_corpus(written(tmp_path / "n.json", {**TWO, "entities": spans}))
    assert read_corpus(written(tmp_path / "m.json", {**TWO, "entities": spans}, ONE)).survey.mentions == 1


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ({**ONE, "marks": [{"start": 2, "end": 99, "kind": "P"}]}, "document 7: marks[0]: end 99 is past the end"),
        ({**ONE, "marks": [{"start": 3, "end": 6, "kind": "P", "covered": "Ann"}]}, "the text at 3–6 is 'nn '"),
        ({**ONE, "marks": [{"start": "2", "end": 5, "kind": "P"}]}, "marks[0].start: found text; expected a whole"),
        ({**ONE, "marks": None}, "marks: found null; expected a list"),
        ({"uid": 1, "marks": []}, "body is missing"),
        ({**ONE, "uid": ""}, "its id is empty"),
        ([], "found a list […]; expected an object"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, record: Any, line: str) -> None:
    for name in ("n.json", "n.jsonl"):
        with pytest.raises(InputError) as caught:
            read_corpus(written(tmp_path / name, TWO, record), format="notes")
        assert line in str(caught.value)
        assert str(caught.value).startswith(str(tmp_path / name))


@pytest.mark.parametrize("name", ["n.json", "n.jsonl"])
def test_a_system_without_ids_is_told_by_its_texts(tmp_path: Path, name: str) -> None:
    texts = {"x": "Oslo.", "y": "😀 Ann left.", "z": "Oslo."}
    corpus_file = tmp_path / "texts.json"
    corpus_file.write_text(json.dumps(texts))
    corpus = read_corpus(corpus_file)
    nameless = [
        {**record, "uid": None} for record in (ONE, TWO, {**TWO, "marks": [{"start": 0, "end": 4, "kind": "L"}]})
    ]
    for records in (nameless, [{**record, "uid": n} for n, record in enumerate(nameless)]):
        found = read_anonymization(written(tmp_path / name, *records), corpus)
        assert {key: [(mask.start, mask.end) for mask in found.of(key)] for key in corpus.ids} == {
            "x": [], "y": [(2, 5)], "z": [(0, 4)],
        }  # fmt: skip
        assert found.notes == (
            "its ids are not the corpus's: documents were matched by their texts, which are the same",
        )
    with pytest.raises(InputError, match=r"no other document of the corpus has its text: 'Oslo.'"):
        read_anonymization(written(tmp_path / name, *nameless, nameless[1]), corpus)


def test_an_unknown_shape_names_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path / "n.json", {"doc_ids": "a", "texts": "b"})
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    line = str(caught.value)
    assert "found objects with the keys doc_ids, texts, which no format has; nearest is tab: [" in line
    assert "\n" not in line


def test_a_run_is_called_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"corpus": {}, "anonymizations": [], "metrics": [], "scores": [], "provenance": {}}')
    with pytest.raises(InputError, match=r"run\.json: is a run file, which report, .* read; expected a TAB \.json"):
        read_corpus(path)


def test_the_first_value_is_seen_wherever_it_is_cut() -> None:
    value = {"id": 1, "data": {"text": 'a "q" é {['}, "marks": [{"value": {"start": 1, "labels": ["P"]}}], "b": None}
    content = json.dumps([value]).encode()
    assert first_value(content)[0] == value
    for end in range(2, len(content)):
        seen = first_value(content[:end])[0]
        assert isinstance(seen, dict)
        assert list(seen) == list(value)[: len(seen)]


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb"])
@pytest.mark.parametrize("column", ["id_column", "text_column"])
def test_keys_that_no_decoder_looks_for_are_refused_kindly(tmp_path: Path, name: str, column: str) -> None:
    path = tmp_path / "x.jsonl"
    content = {"doc_id": 1, "text": "Oslo", "ents": [], name: "Bergen"}
    path.write_bytes(json.dumps(content).encode())
    with pytest.raises(InputError, match="without quotation marks, backslashes or control characters"):
        read_corpus(path, **{column: name})  # type: ignore[arg-type]


def test_a_key_of_another_field_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": 1, "doc_id": "a", "text": "Oslo", "ents": [{"start": 0, "end": 4, "label": "LOC"}]}\n')
    corpus = read_corpus(path, id_column="doc_id")
    assert corpus.ids == ("a",)
    assert corpus.notes == ("not used, since the format does not know this key: id",)
    assert read_corpus(path).ids == ("1",)
    with pytest.raises(InputError, match="text: is what this format has its text in; expected another key"):
        read_corpus(path, id_column="text")
    with pytest.raises(InputError, match="found 'ents' and 'ents'; expected different keys"):
        read_corpus(path, id_column="ents", text_column="ents")
