"""`showthrough convert`: a corpus from one format to another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import read_corpus

Cli = Callable[..., Any]
RECORD = (
    '<deIdi2b2><TEXT><![CDATA[Dr. Lee left.]]></TEXT><TAGS><NAME id="P0" start="4" end="7" text="Lee" TYPE="DOCTOR"/>'
    "</TAGS></deIdi2b2>"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "1.xml").write_text(RECORD)
    (folder / "2.xml").write_text(RECORD)
    return folder


def test_from_i2b2_to_tab_and_back(cli: Cli, gold: Path, tmp_path: Path) -> None:
    found = cli("convert", gold, "--format", "i2b2-2014", "--to", "tab", "-o", tmp_path / "corpus.json")
    assert (found.status, found.err) == (0, "")
    assert found.out == f"2 documents written to {tmp_path / 'corpus.json'}\n"
    found = cli("convert", tmp_path / "corpus.json", "--to", "i2b2-2014", "-o", tmp_path / "again")
    assert found.out == f"2 documents written to 2 files in {tmp_path / 'again'}\n"
    assert read_corpus(tmp_path / "again").digest == read_corpus(gold).digest


def test_nothing_is_written_elsewhere(cli: Cli, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = cli("convert", gold, "--format", "i2b2-2014", "--to", "tab", "-o", "s3://bucket/corpus.json")
    assert found.status == 2
    assert found.err == "s3://bucket/corpus.json: results are written on this machine alone; expected a file name\n"
    assert not (tmp_path / "s3:").exists()


@pytest.mark.parametrize("to", ["i2b2-2006", "meddocan", "brat", "conll", "masks"])
def test_to_every_format(cli: Cli, gold: Path, tmp_path: Path, to: str) -> None:
    out = tmp_path / "out.conll"
    assert cli("convert", gold, "--to", to, "-o", out).status == 0
    if to != "masks":
        again = read_corpus(out, format=to)
        assert [(one.id, one.text) for one in again] == [("1", "Dr. Lee left."), ("2", "Dr. Lee left.")]
    else:
        assert out.read_text() == '{"1":[[4,7,null,"DOCTOR"]],"2":[[4,7,null,"DOCTOR"]]}'


def test_an_annotator_has_to_be_chosen(cli: Cli, tmp_path: Path) -> None:
    mark = {"start_offset": 4, "end_offset": 7, "entity_type": "DOCTOR"}
    layers = {"one": {"entity_mentions": [mark]}, "two": {"entity_mentions": []}}
    (tmp_path / "corpus.json").write_text(json.dumps([{"doc_id": "1", "text": "Dr. Lee", "annotations": layers}]))
    arguments = ["convert", tmp_path / "corpus.json", "--to", "brat", "-o", tmp_path / "out"]
    found = cli(*arguments)
    assert found.status == 2
    assert (
        "document 1: has 2 annotators (one, two) but this format holds one; choose one with convert --annotator"
        in found.err
    )
    assert "document 1: has no annotator three; there are one, two" in cli(*arguments, "--annotator", "three").err
    assert cli(*arguments, "--annotator", "one").status == 0
    assert (tmp_path / "out/1.ann").read_text() == "T1\tDOCTOR 4 7\tLee\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--to", "nope"], "format nope: unknown format; there are tab, jsonl, masks,"),
        (["--to", "i2b2"], "format i2b2: cannot be written; choose one of tab, jsonl, masks,"),
        (["--to", "tab", "--format", "nope"], "format nope: unknown format"),
        (["--to", "tab", "--format", "conll"], "holds no file that ends in .conll"),
    ],
)
def test_what_cannot_be(cli: Cli, gold: Path, tmp_path: Path, arguments: list[str], expected: str) -> None:
    found = cli("convert", gold, *arguments, "-o", tmp_path / "out")
    assert found.status == 2
    assert expected in found.err
    assert not (tmp_path / "out").exists()


MARKS = [
    {"start_offset": 4, "end_offset": 7, "entity_type": "DOCTOR", "identifier_type": "QUASI"},
    {"start_offset": 8, "end_offset": 12, "entity_type": "MISC", "identifier_type": "NO_MASK"},
]


def test_what_is_not_kept_is_told_or_refused(cli: Cli, tmp_path: Path) -> None:
    record = {"doc_id": "1", "text": "Dr. Lee left.", "annotations": {"one": {"entity_mentions": MARKS}}}
    (tmp_path / "corpus.json").write_text(json.dumps([record]))
    arguments = ["convert", tmp_path / "corpus.json", "--to", "i2b2-2006", "-o", tmp_path / "out.xml"]
    lost = "not kept in i2b2-2006: the name of 1 annotator (one), 1 mark not to be masked"
    found = cli(*arguments, "--strict")
    assert (found.status, found.out, found.err) == (2, "", f"{lost}; nothing was written\n")
    assert not (tmp_path / "out.xml").exists()
    found = cli(*arguments)
    assert (found.status, found.err) == (0, f"note: {lost}\n")
    assert found.out == f"1 documents written to {tmp_path / 'out.xml'}\n"
    strict = ["convert", tmp_path / "corpus.json", "--to", "jsonl", "-o", tmp_path / "out.jsonl", "--strict"]
    assert (cli(*strict).status, cli(*strict, "--force").err) == (0, "")


def test_what_was_not_read_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("id,text,year\n1,Dr. Lee left.,1996\n")
    found = cli("convert", tmp_path / "texts.csv", "--to", "tab", "-o", tmp_path / "out.json")
    assert found.status == 0
    assert "not used, since the format does not know this column: year\n" in found.err


def test_nothing_is_overwritten(cli: Cli, gold: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus.json"
    out.write_text("mine")
    assert cli("convert", gold, "--to", "tab", "-o", out).status == 2
    assert out.read_text() == "mine"
    assert cli("convert", gold, "--to", "meddocan", "-o", gold, "--force").status == 2  # over what it is made from
    assert cli("convert", gold, "--to", "tab", "-o", out, "--force").status == 0
