"""Bytes from disk and values from bytes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from showthrough.core.errors import InputError, at_document
from showthrough.formats import FORMATS, read_anonymization, read_corpus
from showthrough.formats.samples import example
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import decode_json, lines_of, object_entries, read_bytes, stem, suffix

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("name", "ending", "bare"),
    [
        ("cases.json", ".json", "cases"),
        ("cases.JSONL.GZ", ".jsonl", "cases"),
        ("a.b.txt.gz", ".txt", "a.b"),
        ("folder", "", "folder"),
        ("x.gz", "", "x"),
    ],
)
def test_endings(name: str, ending: str, bare: str) -> None:
    assert (suffix(Path(name)), stem(Path(name))) == (ending, bare)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_bytes_come_unpacked_and_without_a_mark(packed: bool, mark: bytes, tmp_path: Path) -> None:
    path = tmp_path / ("x.json.gz" if packed else "x.json")
    path.write_bytes(gzip.compress(mark + b" [1]") if packed else mark + b" [1]")
    assert read_bytes(path) == b" [1]"
    assert Head(path).first_byte == b"["


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", BOM])
@pytest.mark.parametrize("last", [True, False])
def test_lines_with_their_places(end: str, mark: bytes, last: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    content = mark + end.join(["{}", "", "  ", '{"é": 1}', *[""] * last]).encode()
    path.write_bytes(content)
    found = list(lines_of(path))
    assert [(number, json.loads(line)) for number, _, line in found] == [(1, {}), (4, {"é": 1})]
    assert all(content[offset : offset + len(line)] == line for _, offset, line in found)


BOTH = [name for name, one in FORMATS.items() if one.in_folders and one.read and one.read_anonymization]


@pytest.mark.parametrize("format", [None, *BOTH])
@pytest.mark.parametrize("deep", [False, True])
def test_a_link_to_a_folder_is_refused_by_name(format: str | None, deep: bool, tmp_path: Path) -> None:
    """What is in it would be missing, and nobody would know; to follow it could go on for ever."""
    if format == "xmi":
        pytest.importorskip("cassis")
    home, elsewhere = tmp_path / "records", tmp_path / "elsewhere"
    for place in (home / "inner", elsewhere):
        place.mkdir(parents=True)
    for name, content in example(FORMATS[format or "folder"]).items():
        (home / name).write_text(content)
        (elsewhere / name).write_text(content)
    link = home / "inner" / "more" if deep else home / "more"
    assert len(read_corpus(home, format=format)) == 1
    link.symlink_to(elsewhere)
    for read in (read_corpus, read_anonymization):
        with pytest.raises(InputError) as caught:
            read(home, format=format)
        assert str(caught.value) == f"{link}: is a link to a folder, which is not followed; expected the folder itself"
    link.unlink()
    link.symlink_to(home)  # a circle
    with pytest.raises(InputError, match="is a link to a folder"):
        read_corpus(home, format=format)


keys = st.text(max_size=3) | st.sampled_from(['"', "\\", "{", ":", ',"a":', "\n", "😀", "a"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | keys,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.tuples(keys, values), max_size=5), st.booleans(), st.sampled_from(["", " ", "\n\t "]))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_object_entries_keep_all_values_or_tell_which_occur_twice(
    pairs: list[tuple[str, object]], escaped: bool, blank: str
) -> None:
    body = f"{blank},{blank}".join(
        f"{json.dumps(key, ensure_ascii=escaped)}{blank}:{blank}{json.dumps(value)}" for key, value in pairs
    )
    content = f"{{{blank}{body}{blank}}}".encode()
    names = [key for key, _ in pairs]
    if len(set(names)) == len(names):
        entries = object_entries(Path("x.json"), content)
        assert {key: msgspec.json.decode(raw) for key, raw in entries.items()} == dict(pairs)
    else:
        with pytest.raises(InputError) as caught:
            object_entries(Path("x.json"), content)
        twice = {at_document(key) for key in names if names.count(key) > 1}
        assert {problem.place for problem in caught.value.problems} == twice


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[1, x]", "x: p: f: is not valid JSON: invalid character (column 5)"),
        (b"[1,\n 2,\n x]", "x: p: f: is not valid JSON: invalid character (line 3, column 2)"),
        (b"[1,\n2\n", "x: p: f: is not valid JSON: it ends too early (line 2, column 2)"),
        (b'["a"]', "x: p: f[0]: found text; expected a whole number"),
        (b"[1.5]", "x: p: f[0]: found a decimal number; expected a whole number"),
        (b"{}", "x: p: f: found an object {…}; expected a list […]"),
        (b"[1] [2]", "x: p: f: is not valid JSON: more follows after the first value"),
        (b"[1]\r[2]", "x: p: f: is not valid JSON: a carriage return alone ends a line"),
        (b'["\xe9"]', "x: p: f[0]: found text"),
    ],
)
def test_errors_name_file_place_and_field(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_json(content, msgspec.json.Decoder(list[int]), "x", "p", "f")
    assert str(caught.value).startswith(message)
