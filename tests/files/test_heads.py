"""How a file begins: its first byte, and the keys of its first object, seen in 64 kB."""

from __future__ import annotations

import json
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from showthrough import read_corpus
from showthrough.storage import file_heads
from showthrough.storage.file_heads import PEEK, Head, Shape, shape_of
from showthrough.storage.reading import open_file


@pytest.mark.parametrize("blanks", [0, 63, 64, 65, 4096, 10_000, PEEK - 1, PEEK, PEEK + 1])
def test_the_first_byte_after_any_number_of_blanks(blanks: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\n" * blanks + b"{}")
    assert Head(path).first_byte == b"{"
    path.write_bytes(b"\n" * blanks)
    assert Head(path).first_byte == b""


@pytest.mark.parametrize(
    ("start", "shape"),
    [
        (b"", Shape(b"")),
        (b"[]", Shape(b"[")),
        (b"[[{", Shape(b"[")),
        (b"{}", Shape(b"{")),
        (b'{"a"', Shape(b"{", {"a": b""}, False)),
        (b'{"a": [ [1, 2], {"b": 3}], "c" :null}', Shape(b"{", {"a": b"[[", "c": b"nu"})),
        (b'[ {"a": "}{,\\"", "b": {"c": [{}]}}, {"d": 1}]', Shape(b"[", {"a": b'"}', "b": b'{"'})),
        (b'[{"a": 1, "text": "and so on', Shape(b"[", {"a": b"1,", "text": b'"a'}, False)),
        (b'[{"a": "x", "b', Shape(b"[", {"a": b'"x'}, False)),
        (b"[{'a': 1}]", Shape(b"[")),
        (b"{" * 100_000, Shape(b"{", {}, False)),
    ],
)
def test_shapes(start: bytes, shape: Shape) -> None:
    assert shape_of(start) == shape


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())), st.booleans(), st.integers(0, 200))
def test_what_was_seen_is_there(record: dict[str, object], listed: bool, cut: int) -> None:
    content = json.dumps([record, {"other": 1}] if listed else record, ensure_ascii=False).encode()
    assert list(shape_of(content).keys) == list(record)
    seen = list(shape_of(content[:cut]).keys)
    assert seen == list(shape_of(content).keys)[: len(seen)]


def test_a_file_is_opened_once_to_look_and_once_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    look = file_heads.open_file
    monkeypatch.setattr(file_heads, "open_file", lambda path: opened.append(path) or look(path))
    (tmp_path / "x.json").write_text('{"a": "b"}')
    head = Head.of(Head.of(tmp_path / "x.json"))
    assert (head.first_byte, head.json.keys, list(head.entries), head.content) == (
        b"{",
        {"a": b'"b'},
        ["a"],
        b'{"a": "b"}',
    )
    assert len(opened) == 1


def test_a_folder_has_the_endings_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "in.json").mkdir()
    (tmp_path / "in.json/a.txt.gz").write_bytes(b"")
    head = Head(tmp_path / "in.json")
    assert (head.folder, head.suffix, head.start, head.endings) == (True, "", b"", {".txt"})


def test_a_short_file_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.json"
    path.write_text('[{"doc_id": "1", "text": "Mr Doe"}]')
    opened = []
    monkeypatch.setattr(file_heads, "open_file", lambda path: opened.append(path) or open_file(path))
    monkeypatch.setattr("showthrough.storage.reading.open_file", lambda path: opened.append(path) or open_file(path))
    head = Head(path)
    assert (head.json.opening, head.content) == (b"[", path.read_bytes())
    assert len(read_corpus(head)) == 1
    assert opened == [path]
