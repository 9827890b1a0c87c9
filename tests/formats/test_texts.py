"""Texts by id from folders, tables and JSON: as a corpus, and as anonymized texts without offsets."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from showthrough import Corpus, Document, InputError, Mask, evaluate, read_anonymization, read_corpus

TEXTS = {
    "d1": "PERSON of CITY left on 3 May.",
    "d2": '😀 "X", (Oslo)\nknows 山田.',
    "d3": "Nothing to see.",
}


def folder(path: Path) -> Path:
    path = path / "texts"
    path.mkdir()
    for key, text in TEXTS.items():
        (path / f"{key}.txt").write_bytes(text.encode())
    (path / "notes.md").write_text("not a document")
    (path / "._d1.txt").write_bytes(b"\xff\x00 a shadow that some systems leave")
    return path


def packed_folder(path: Path) -> Path:
    path = path / "packed"
    path.mkdir()
    for key, text in TEXTS.items():
        (path / f"{key}.TXT.gz").write_bytes(gzip.compress(text.encode()))
    return path


def table(path: Path, name: str = "texts.csv", end: str = "\n", mark: str = "", index: bool = False) -> Path:
    path = path / name
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(mark)
        writer = csv.writer(file, lineterminator=end, delimiter="\t" if name.endswith(".tsv") else ",")
        extra = [""] if index else []  # pandas writes its index under an empty name
        writer.writerow([*extra, "doc_id", "year", "text"])
        for number, (key, text) in enumerate(TEXTS.items()):
            writer.writerow([*([number] if index else []), key, 1996, text])
    return path


def json_lines(path: Path, end: str = "\n", mark: str = "") -> Path:
    path = path / "texts.jsonl"
    lines = [json.dumps({"doc_id": key, "text": text, "more": 1}) for key, text in TEXTS.items()]
    path.write_bytes((mark + end.join(lines)).encode())
    return path


def json_lines_by_id(path: Path) -> Path:
    path = path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({key: text}) for key, text in TEXTS.items()))
    return path


def json_object(path: Path) -> Path:
    path = path / "texts.json"
    path.write_text(json.dumps(TEXTS))
    return path


def json_list(path: Path) -> Path:
    path = path / "texts.json"
    path.write_text(json.dumps([{"doc_id": key, "text": text} for key, text in TEXTS.items()]))
    return path


FORMS: dict[str, Callable[[Path], Path]] = {
    "folder": folder,
    "JSON Lines by id": json_lines_by_id,
    "packed folder": packed_folder,
    "CSV": table,
    "CSV, CRLF": lambda path: table(path, end="\r\n"),
    "CSV, CRLF and a byte order mark": lambda path: table(path, end="\r\n", mark="\ufeff"),
    "CSV with an index": lambda path: table(path, index=True),
    "TSV": lambda path: table(path, "texts.tsv"),
    "JSON Lines": json_lines,
    "JSON Lines, CRLF": lambda path: json_lines(path, end="\r\n"),
    "JSON Lines, byte order mark": lambda path: json_lines(path, mark="\ufeff"),
    "JSON object": json_object,
    "JSON list": json_list,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_a_corpus_of_texts(form: str, tmp_path: Path) -> None:
    path = FORMS[form](tmp_path)
    corpus = read_corpus(path)
    assert list(corpus) == [Document(key, text) for key, text in TEXTS.items()]
    assert corpus.name == ("packed" if form == "packed folder" else "texts")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_an_anonymization(form: str, tmp_path: Path, tiny: Corpus) -> None:
    path = FORMS[form](tmp_path)
    found = read_anonymization(path, tiny, name="x")
    assert list(found.of("d1")) == [Mask(0, 11, "PERSON"), Mask(15, 19, "CITY")]
    assert list(found.of("d3")) == []
    clean = read_anonymization(json_object(tmp_path), tiny, name="x")
    assert evaluate(tiny, [found], resamples=20).scores == evaluate(tiny, [clean], resamples=20).scores


def test_columns_are_the_callers_choice(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("key,body,text,doc_id\nd1,one,a,b\nd2,two,a,b\n")
    corpus = read_corpus(path, id_column="key", text_column="body")
    assert list(corpus) == [Document("d1", "one"), Document("d2", "two")]


def test_cells_may_hold_lines_quotes_and_much(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    long = "word " * 100_000  # csv refuses cells of more than 131,072 characters unless it is told otherwise
    path.write_text('doc_id,text\nd1,"one\n""two"", three"\n\nd2,' + long + "\n")
    assert list(read_corpus(path)) == [Document("d1", 'one\n"two", three'), Document("d2", long)]


def test_texts_without_offsets_need_the_originals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="reading it needs the corpus with the originals"):
        read_anonymization(json_object(tmp_path))


def test_a_text_may_be_missing_where_the_user_says_so(tmp_path: Path, tiny: Corpus) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"d1": TEXTS["d1"]}))
    found = read_anonymization(tmp_path / "x.json", tiny, name="x")
    assert list(found.masks) == ["d1"]
    with pytest.raises(InputError, match="document d2: is in the corpus but not here"):
        evaluate(tiny, [found])
    run = evaluate(tiny, [found], ["er_di"], missing="unmasked")
    assert run["x", "er_di"].value == 2 / 3  # Doe for both annotators, Ann not
